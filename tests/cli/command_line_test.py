"""Commands, options, exit codes, and where output goes."""

import os
import pty
import re
import subprocess
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline


def last_line(text):
    return text.rstrip("\n").split("\n")[-1]


class ExitCodes(driving.Case):

    def undecided(self):
        """Two ranks with too many launches for --streams any."""
        rows = [",".join(f"{rank}{work}{m}" for work in "FB" for m in range(100)) for rank in (0, 1)]
        return self.write("undecided.csv", "\n".join(rows) + "\n")

    def test_one_file(self):
        for code, file in ((0, self.good()), (1, self.rejected()), (2, self.invalid()), (3, self.undecided())):
            run = plumbline("verify", "--streams", "any", file)
            self.assertEqual(run.code, code, run.out)
            self.assertIn(("verified", "rejected", "invalid", "undecided")[code], last_line(run.out))
            self.assertEqual(run.err, "")

    def test_of_several_files_the_worst_counts(self):
        files = {0: self.good(), 1: self.rejected(), 2: self.invalid(), 3: self.undecided()}
        better_to_worse = [0, 3, 1, 2]
        for k, worst in enumerate(better_to_worse):
            names = [files[code] for code in better_to_worse[:k + 1]]
            for order in (names, names[::-1]):
                run = plumbline("verify", "--streams", "any", *order)
                self.assertEqual(run.code, worst, order)
                # Every file is judged, and in the order given.
                summaries = [line for line in run.out.splitlines() if re.match(
                    r"\w+\.csv: (verified|rejected|invalid|undecided)", line) and "undecided: streams" not in line]
                self.assertEqual([line.split(":")[0] for line in summaries], order)

    def test_buffers_and_lower_use_the_same_codes(self):
        self.assertEqual(plumbline("buffers", self.good()).code, 0)
        self.assertEqual(plumbline("buffers", self.rejected()).code, 1)
        self.assertEqual(plumbline("buffers", self.invalid()).code, 2)
        self.assertEqual(plumbline("lower", self.rejected()).code, 0)  # lowering judges nothing
        self.assertEqual(plumbline("lower", self.invalid()).code, 2)


class BadUsage(driving.Case):

    def refuse(self, *arguments, says=None):
        with self.subTest(arguments=arguments):
            run = plumbline(*arguments)
            self.assertEqual(run.code, 2)
            self.assertEqual(run.out, "")
            self.assertRegex(run.err, r"[a-z]{2,}.* [a-z]{2,}")  # words, and more than one
            if says:
                self.assertIn(says, run.err)

    def test_commands(self):
        self.refuse(says="name a command")
        self.refuse("judge", self.good(), says="judge")
        for command in ("verify", "buffers", "lower"):
            self.refuse(command, says="name a FILE")
        self.refuse("verify", "-", "-", says="only once")
        self.refuse("verify", "-", "--batches", "-", says="only once")
        self.refuse("verify", "", says="name a FILE")
        self.refuse("lower", self.good(), self.good(), says="one file")
        for arguments in ((), ("one",), ("one", "two", "three")):
            self.refuse("diff", *arguments, says="BASE and NEW")
            self.refuse("view", "--diff", *arguments, says="BASE and NEW")
        self.refuse("view", says="one FILE")
        self.refuse("view", self.good(), self.good(), says="--diff")
        self.refuse("view", "--diff", "--format", "trace", self.good(), self.good(), says="a trace of each file")

    def test_options(self):
        good = self.good()
        self.refuse("verify", "--bogus", good, says="--bogus")
        self.refuse("verify", good, "--batches", says="--batches")
        self.refuse("rules", "--room", "1", says="--room")
        for option in ("--model", "--comms", "--group", "--wait", "--connect", "--streams", "--from", "--format"):
            self.refuse("verify", option, "bogus", good, says="bogus")
        self.refuse("verify", good, "--exclude", "", says="--exclude")
        self.refuse("verify", good, "--sarif", "-", says="--format sarif")
        self.refuse("verify", good, "--sarif", "out", "--junit", "out", says="same file")
        self.refuse("verify", good, "--sarif", good, says="would overwrite the input")
        self.refuse("view", good, "-o", good, says="would overwrite the input")
        self.refuse("verify", good, "--cost", "F=fast", says="--cost")
        self.refuse("diff", good, good, "--allow-buffers", "-1", says="--allow-buffers")
        self.refuse("diff", good, good, "--allow-bubble", "much", says="--allow-bubble")

    def test_a_name_with_an_at_sign_is_a_file(self):
        """And not one with further arguments in it."""
        self.write("@words", "0F0,0B0,0B0\n")
        self.write("words", self.good())
        self.assertEqual(plumbline("verify", "@words").code, 1)
        self.assertEqual(plumbline("verify", "@good.csv").code, 2)

    def test_numbers(self):
        good = self.good()
        for option in ("--room", "--plan", "--room-bytes", "--jobs", "--timeout"):
            for value in ("-1", "many", "1.5.2", "99999999999999999999999"):
                if option == "--timeout" and value.startswith("9"):
                    continue  # a very long time is a time
                self.refuse("verify", f"{option}={value}", good, says=option)
        for value in ("nan", "inf", "", "5s"):
            self.refuse("verify", f"--timeout={value}", good, says="--timeout")
        self.refuse("verify", "--room", "1000000001", good, says="--room")
        for value in ("0", "1025"):
            self.refuse("verify", "--jobs", value, good, says="--jobs")

    def test_room_is_counted_in_one_way(self):
        good = self.good()
        for words in (["--room", "0", "--room-bytes", "4096"], ["--room-bytes", "0", "--room", "1"]):
            for command in ("verify", "view", "buffers"):
                self.refuse(command, *words, good, says="exclude each other")
            self.refuse("diff", *words, good, good, says="exclude each other")

    def test_bounds_that_are_allowed(self):
        good = self.good()
        for words in (["--room", "1000000000"], ["--plan", "1000000000"], ["--room-bytes", "0"], ["--jobs", "1024"],
                      ["--room-bytes", "9000000000000000000"], ["--timeout", "1e300"], ["--room", "0"]):
            self.assertEqual(plumbline("verify", *words, good).code, 0, words)

    def test_help_and_version(self):
        for words in (["--help"], ["verify", "--help"], ["--version"], ["help"]):
            run = plumbline(*words)
            self.assertEqual(run.code, 0, words)
            self.assertIn("lumbline", run.out)
        for option in ("--model", "--comms", "--room", "--group", "--wait", "--connect", "--plan", "--streams",
                       "--strict", "--batches", "--placement", "--from", "--format", "--timeout", "--jobs",
                       "--max-buffers", "--max-bubble", "--expect", "--junit", "--sarif", "--exclude", "--cost",
                       "--reproducible"):
            self.assertIn(option, plumbline("verify", "--help").out)
        for command, options in (("diff", ("--allow-buffers", "--allow-bubble", "--allow-warnings", "--format",
                                           "--exclude", "--model", "--cost", "--jobs", "--timeout")),
                                 ("view", ("--diff", "--format", "--model", "--cost", "-o"))):
            self.assertIn(command, plumbline("--help").out)
            for option in options:
                self.assertIn(option, plumbline(command, "--help").out)

    def test_no_output_is_an_input(self):
        os.makedirs("folder/sub")
        for name in ("folder/a.csv", "folder/sub/b.csv", "one.csv", "one.batches.csv", "place.txt"):
            self.write(name, "0F0,0B0\n" if name != "one.batches.csv" else "\n")
        os.symlink("a.csv", "folder/link.txt")
        os.link("one.csv", "hard.csv")
        before = {name: open(name, "rb").read() for name in ("folder/a.csv", "one.csv", "one.batches.csv", "place.txt")}
        for words in (("verify", "folder", "-o", "folder/a.csv"), ("verify", "folder/*", "-o", "./folder/sub/b.csv"),
                      ("verify", "folder", "--sarif", "folder/link.txt"), ("buffers", "folder", "-o", "folder/a.csv"),
                      ("verify", "one.csv", "-o", "hard.csv"), ("verify", "one.csv", "--certificate", "./one.csv"),
                      ("verify", "one.csv", "--batches", "one.batches.csv", "-o", "one.batches.csv"),
                      ("verify", "one.csv", "--batches", "auto", "--junit", "one.batches.csv"),
                      ("lower", "one.csv", "--placement", "place.txt", "-o", "place.txt"),
                      ("view", "one.csv", "-o", "sub/../one.csv"), ("view", "one.csv", "-o", "../" +
                       os.path.basename(os.getcwd()) + "/one.csv"),
                      ("diff", "folder", "folder", "-o", "folder/sub/b.csv")):
            run = plumbline(*words)
            self.assertEqual((run.code, run.out), (2, ""), words)
        for name, content in before.items():
            self.assertEqual(open(name, "rb").read(), content, name)

    def test_no_output_is_what_standard_input_comes_from(self):
        for words in (("verify", "-", "-o", "in.csv"), ("verify", "-", "--sarif", "in.csv"), ("lower", "-", "-o", "in.csv"),
                      ("verify", "-", "--certificate", "in.csv"), ("view", "-", "-o", "in.csv"),
                      ("diff", "-", "in.csv", "-o", "in.csv")):
            self.write("in.csv", "0F0,0B0\n")
            with open("in.csv", "rb") as file:
                run = subprocess.run([driving.PLUMBLINE, *words], stdin=file, capture_output=True, check=False)
            self.assertEqual(run.returncode, 2, words)
            with open("in.csv", "rb") as file:
                self.assertEqual(file.read(), b"0F0,0B0\n", words)

    def test_outputs_differ_however_they_are_spelled(self):
        good = self.good()
        for a, b in (("r", "./r"), ("new", os.path.join(os.getcwd(), "new"))):
            self.refuse("verify", good, "-o", a, "--junit", b, says="name the same file")
        self.assertEqual(plumbline("verify", good, "-o", "/dev/null", "--junit", "/dev/null").code, 0)

    def test_room_of_a_file_is_told_and_can_be_replaced(self):
        text = ("plumbline ir 1\nmode fragment\ncommunicator pipeline room 9\n"
                "rank 0 {\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n}\n"
                "rank 1 {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n}\n")
        self.write("room.pir", text)
        own = plumbline("verify", "room.pir")
        self.assertEqual(own.code, 0)
        self.assertIn("note: communicator 'pipeline' has room for 9 messages", own.out)
        for room, code in (("0", 1), ("1", 0)):
            run = plumbline("verify", "room.pir", "--room", room)
            self.assertEqual(run.code, code)
            self.assertNotIn("has room for", run.out)
        self.assertNotIn("has room for", plumbline("verify", "room.pir", "--room-bytes", "1").out)

    def test_a_trace_of_what_cannot_be_read_says_why(self):
        run = plumbline("verify", "--format", "trace", self.invalid())
        self.assertEqual(run.code, 2)
        self.assertIn("unknown action", run.err)

    def test_a_page_is_not_for_a_folder(self):
        self.good()
        self.rejected()
        run = plumbline("view", ".")
        self.assertEqual(run.code, 2)
        self.assertIn("shows one file", run.out)


class Rules(driving.Case):

    def test_the_list(self):
        run = plumbline("rules")
        self.assertEqual(run.code, 0)
        ids = re.findall(r"^(PL\d{3})  \S", run.out, re.MULTILINE)
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual({name[:3] for name in ids} & {"PL1", "PL2", "PL3", "PL4", "PL5"},
                         {"PL1", "PL2", "PL3", "PL4", "PL5"})
        for name in ids:
            one = plumbline("rules", name)
            self.assertEqual(one.code, 0)
            for part in (name, "What to do: ", "Breaks it:", "Keeps it:"):
                self.assertIn(part, one.out)

    def test_one_rule_by_its_names(self):
        explained = plumbline("rules", "PL401")
        self.assertEqual(explained.code, 0)
        self.assertIn("overwritten", explained.out)
        for name in ("401", "pl401"):
            self.assertEqual(plumbline("rules", name), explained)

    def test_unknown_rules(self):
        for name in ("PL999", "999", "overwritten", "PL", "PL401x", "-1", "99999999999999999999"):
            run = plumbline("rules", "--", name)
            self.assertEqual(run.code, 2, name)
            self.assertIn(name, run.err)


class Input(driving.Case):

    def test_standard_input(self):
        with open(driving.NAIVE, "rb") as file:
            text = file.read()
        run = plumbline("verify", "-", stdin=text)
        self.assertEqual(run.code, 1)
        self.assertIn("<stdin>:54:2: error: ", run.out)
        self.assertTrue(last_line(run.out).startswith("<stdin>: rejected"))
        named = plumbline("verify", driving.NAIVE)
        self.assertEqual(run.out.count("\n"), named.out.count("\n"))

    def test_from(self):
        self.assertEqual(plumbline("verify", "--from", "deepspeed", driving.FIXED).code, 0)
        self.assertEqual(plumbline("verify", "--from", "pytorch-csv", driving.SMALL).code, 0)
        for wrong, file in (("pytorch-csv", driving.FIXED), ("pir", driving.FIXED), ("dualpipe-json", driving.FIXED),
                            ("deepspeed", driving.SMALL), ("pir", driving.SMALL), ("dualpipe-json", driving.SMALL)):
            run = plumbline("verify", "--from", wrong, file)
            self.assertEqual(run.code, 2, (wrong, file))
            self.assertRegex(run.out, re.escape(file) + r":1:1: error: expected ")

    def test_files_that_go_with_the_schedule(self):
        batches = os.path.join(driving.CORPUS, "megatron-lm/1f1b_2rank_2stage_4mb_comms.batches.csv")
        schedule = batches.replace(".batches", "")
        self.assertEqual(plumbline("verify", schedule, "--batches", batches).code, 0)
        self.assertEqual(plumbline("verify", schedule, "--batches", "none.csv").code, 2)
        self.assertIn("none.csv", plumbline("verify", schedule, "--batches", "none.csv").out)
        self.assertEqual(plumbline("verify", driving.FIXED, "--batches", batches).code, 2)
        for launches in ("0SEND_F0;9SEND_F0\n", "0SEND_F1;0SEND_F0\n", "0F0\n", "1SEND_B0\n"):
            run = plumbline("verify", schedule, "--batches", self.write("x.csv", launches))
            self.assertEqual(run.code, 2, launches)
            self.assertRegex(run.out, r"x\.csv:1:\d+: error: ")

    def test_placement(self):
        rows = self.write("rows.csv", "0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n")
        for choice, code in (("auto", 0), ("v", 0), ("loop", 2)):
            self.assertEqual(plumbline("verify", rows, "--placement", choice).code, code, choice)
        self.assertRegex(plumbline("verify", rows, "--placement", "loop").out, "rows.csv:1:5: error: .*placement")
        file = self.write("where.txt", "0 0\n1 1\n2 1\n3 0\n")
        self.assertEqual(plumbline("verify", rows, "--placement", file).code, 0)
        for text in ("0 0\n1\n", "0 zero\n", "", "0 0\n0 1\n1 1\n2 1\n3 0\n"):
            run = plumbline("verify", rows, "--placement", self.write("bad.txt", text))
            self.assertEqual(run.code, 2, (text, run.out))
            self.assertIn("bad.txt", run.out)
        self.assertEqual(plumbline("verify", rows, "--placement", "missing.txt").code, 2)
        # An input that says itself where stages are is not moved, nor is the option passed over.
        run = plumbline("verify", driving.FIXED, "--placement", "loop")
        self.assertEqual(run.code, 2)
        self.assertIn("--placement", run.out)

    def test_one_loss_of_deepspeeds_last_stage(self):
        """The engine's backward pass starts from the last forward pass's loss, whatever buffer it names."""
        steps = ["LoadMicroBatch(buffer_id=0), ForwardPass(buffer_id=0)", "BackwardPass(buffer_id=0)",
                 "LoadMicroBatch(buffer_id=1), ForwardPass(buffer_id=1)",
                 "BackwardPass(buffer_id=1), OptimizerStep()"]
        for order, code in (((0, 1, 2, 3), 0), ((0, 2, 1, 3), 1)):
            lines = ["# stage 0 of 1, micro_batches 2, num_pipe_buffers 2"] + [f"[{steps[k]}]" for k in order]
            run = plumbline("verify", self.write("last.txt", "\n".join(lines) + "\n"))
            self.assertEqual(run.code, code, run.out)
        self.assertRegex(run.out, r"last.txt:3:31: error: .*overwrites loss\[0\].*\[PL401\]")

    def test_nothing_computed_is_no_schedule(self):
        for name, text in (("a.csv", "0UNSHARD\n"), ("b.csv", "0UNSHARD,0RESHARD\n1UNSHARD\n"),
                           ("c.pir", "plumbline ir 1\nrank 0 {\n  compute\n}\n")):
            run = plumbline("verify", self.write(name, text))
            self.assertEqual(run.code, 2, run.out)
            self.assertIn("computes nothing", run.out)

    def test_parameters_on_another_rank(self):
        for cell in ("1REDUCE_GRAD", "1UNSHARD", "1RESHARD"):
            file = self.write("wrong.csv", f"0F0,0SEND_F0,0RECV_B0,0B0,{cell}\n1RECV_F0,1F0,1B0,1SEND_B0\n")
            self.assertRegex(plumbline("verify", file).out, r"wrong.csv:1:27: error: .*placed on rank 1 \[PL109\]")

    def test_added_messages_are_told(self):
        compute_only = self.write("compute.csv", "0F0,0B0\n1F0,1B0\n")
        self.assertIn("note: the file lists no sends and receives: 4 were added", plumbline("verify", compute_only).out)
        with_messages = self.write("comms.csv", "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n")
        self.assertNotIn("were added", plumbline("verify", with_messages).out)


class Output(driving.Case):

    def test_into_a_file(self):
        printed = plumbline("verify", driving.NAIVE, "--format", "json")
        run = plumbline("verify", driving.NAIVE, "--format", "json", "-o", "report.json")
        self.assertEqual((run.code, run.out, run.err), (1, "", ""))
        with open("report.json", encoding="utf-8") as file:
            text = file.read()
        without_times = re.compile(r'"seconds":[0-9.e-]+')
        self.assertEqual(without_times.sub("", text), without_times.sub("", printed.out))
        self.assertEqual(os.listdir("."), ["report.json"])

    def test_what_cannot_be_written(self):
        for target in ("no/such/folder.json", "."):
            run = plumbline("verify", self.good(), "-o", target)
            self.assertEqual(run.code, 2)
            self.assertIn("cannot be written", run.err)
        for words, says in ((["verify", self.good()], b"standard output"), (["--help"], b"plumbline: ")):
            with open("/dev/full", "wb") as full:
                run = driving.subprocess.run([driving.PLUMBLINE, *words], stdout=full, stderr=driving.subprocess.PIPE,
                                             check=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn(says, run.stderr)

    def test_lower_and_verify_again(self):
        files = [
            (driving.FIXED, []), (driving.NAIVE, []), (driving.SMALL, []),
            (os.path.join(driving.CORPUS, "pytorch/1f1b_2rank_2stage_4mb_pipeline_order.csv"), []),
            (os.path.join(driving.CORPUS, "dualpipe/dualpipe_2rank_6chunks.json"), []),
            (os.path.join(driving.CORPUS, "nnscaler/interleaved1f1b_2rank_4stage_4mb.csv"), []),
        ]
        for name in ("megatron-lm/interleaved1f1b_2rank_4stage_4mb_comms", "zero-bubble/vpp_2rank_4stage_4mb_comms"):
            path = os.path.join(driving.CORPUS, name)
            files.append((path + ".csv", ["--batches", path + ".batches.csv"]))
        for file, words in files:
            self.assertEqual(plumbline("lower", file, *words, "-o", "out.pir"), driving.Run(0, "", ""))
            with open("out.pir", encoding="utf-8") as written:
                self.assertEqual(plumbline("lower", file, *words).out, written.read())
            code, (direct,) = driving.reports(file, *words)
            again_code, (again,) = driving.reports("out.pir")
            self.assertEqual(again_code, code, file)
            for key in ("verdict", "program"):
                self.assertEqual(again[key], direct[key], file)
            for key in ("name", "room", "group", "connect", "wait", "streams"):
                self.assertEqual(again["model"][key], direct["model"][key], file)
            told = [[(f["rule"], f["severity"], f["message"]) for f in r["findings"]] for r in (again, direct)]
            self.assertEqual(sorted(told[0]), sorted(told[1]), file)
            slots = [[(b["rank"], b["pool"], b["declared"], b["least"]) for b in r["buffers"]] for r in (again, direct)]
            self.assertEqual(slots[0], slots[1], file)

    def test_lower_keeps_the_places(self):
        plumbline("lower", driving.NAIVE, "-o", "out.pir")
        with open("out.pir", encoding="utf-8") as file:
            self.assertIn("TrainSchedule_4stage_8mb.txt", file.read())

    def test_no_color_when_redirected(self):
        for words in ([driving.NAIVE], [driving.FIXED], [self.invalid()]):
            self.assertNotIn("\x1b", plumbline("verify", *words).out)

    def test_color_on_a_terminal_only(self):
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color"}
        run = driving.subprocess.run([driving.PLUMBLINE, "verify", self.rejected()], stdout=slave, env=environment,
                                     check=False)
        os.close(slave)
        text = os.read(master, 65536).decode()
        os.close(master)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(text, "\x1b\\[[0-9;]*merror\x1b\\[0m")

    def test_text_is_that_of_a_compiler(self):
        run = plumbline("verify", driving.NAIVE)
        where = re.escape(driving.NAIVE) + r":54:2"
        self.assertRegex(run.out, where + r": error: stage 2: RecvActivation\(buffer_id=0\).* \[PL401\]\n"
                         r" +54 \| \[RecvActivation.*\n +\| +\^\n")
        self.assertRegex(run.out, re.escape(driving.NAIVE) + r":54:31: note: the pending reader: .*SendGrad")
        self.assertRegex(last_line(run.out), r": rejected: 13 errors \(deepspeed.* 4 ranks, 4 stages, 8 microbatches, ")


class TimeLimit(driving.Case):

    def test_a_time_out_is_its_own_verdict_and_says_what_is_open(self):
        for file in (driving.FIXED, driving.SMALL, self.good()):
            run = plumbline("verify", "--timeout", "0", file)
            self.assertEqual(run.code, 3, run.out)
            self.assertIn("undecided: deadlock freedom", run.out)
            self.assertIn("timeout", run.out)
            self.assertIn("undecided", last_line(run.out))
            code, (report,) = driving.reports("--timeout", "0", file)
            self.assertEqual((code, report["verdict"]), (3, "undecided"))
            self.assertTrue(any("deadlock freedom" in question for question in report["undecided"]))

    def test_an_error_that_needs_no_proof_stays_one(self):
        self.assertEqual(plumbline("verify", "--timeout", "0", self.rejected()).code, 1)

    def test_enough_time(self):
        self.assertEqual(plumbline("verify", "--timeout", "60", self.good()).code, 0)


class AnyStreams(driving.Case):

    def test_beyond_its_size_it_is_undecided_and_says_so(self):
        file = os.path.join(driving.CORPUS, "zero-bubble/zbv-uneven_4rank_8stage_12mb_comms.csv")
        run = plumbline("verify", "--streams", "any", file)
        self.assertEqual(run.code, 3)
        self.assertRegex(run.out, r"undecided: streams any: the program has \d+ launches .* up to 400")

    def test_small_programs_are_decided(self):
        early = self.write("early.csv", "0F0,0SEND_F0,0RECV_B0,0F1,0SEND_F1,0B0,0RECV_B1,0B1\n"
                           "1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n")
        run = plumbline("verify", "--comms", "directed", early)
        self.assertEqual(run.code, 0, run.out)
        run = plumbline("verify", "--comms", "directed", "--streams", "any", early)
        self.assertEqual(run.code, 1)
        self.assertIn("[PL304]", run.out)
        self.assertIn("order that hangs", run.out)
        self.assertEqual(plumbline("verify", "--streams", "any", self.good()).code, 0)


if __name__ == "__main__":
    unittest.main()
