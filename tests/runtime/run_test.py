"""`plumbline run` from outside: what it refuses, what it prints, how it ends."""

import json
import os
import re
import signal
import time
import unittest

from tests.cli import driving
from tests.runtime import running
from tests.runtime.running import SMALL_MODEL, run


class Admission(running.Case):
    def test_without_a_certificate_it_is_refused(self):
        program, *_ = self.certified("1f1b", ranks=2, microbatches=4)
        refused = run(program)
        self.assertEqual(refused.code, 2)
        self.assertIn("--certificate", refused.err)
        allowed = run(program, "--allow-unverified", "--steps", "1", *SMALL_MODEL)
        self.assertEqual(allowed.code, 0, allowed.err)
        self.assertIn("WARNING", allowed.err)

    def test_another_program(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        with open("x.pir") as file:
            text = file.read()
        for changed in (text.replace("microbatches 4", "microbatches 5"), text.replace("outputs[0]", "outputs[1]", 1)):
            self.assertNotEqual(changed, text)
            self.write("x.pir", changed)
            refused = run(*arguments)
            self.assertEqual(refused.code, 2)
            self.assertIn("another program", refused.err)
        # Comments and spaces are no part of what was certified.
        self.write("x.pir", text.replace("\nname", "\n; a comment\nname"))
        self.assertEqual(run(*arguments, "--steps", "1", *SMALL_MODEL).code, 0)

    def test_another_model(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        for switch in (["--room", "1"], ["--wait", "group"], ["--model", "blocking"], ["--group", "none"],
                       ["--connect", "first-use"], ["--plan", "2"], ["--room-bytes", "4"]):
            refused = run(*arguments, *switch)
            self.assertEqual(refused.code, 2, switch)
            self.assertIn("was verified under", refused.err)
        with_room = driving.plumbline("verify", "x.pir", "--room", "1", "--certificate", "x.cert")
        self.assertEqual(with_room.code, 0)
        self.assertEqual(run(*arguments, "--steps", "1", *SMALL_MODEL).code, 0)  # runs with the certificate's room

    def test_a_blocking_engine_has_the_room_in_bytes_that_it_was_verified_with(self):
        """Both ranks send before they receive."""
        driving.plumbline("gen", "1f1b", "--stages", "2", "--microbatches", "4", "-o", "x.pir")
        with open("x.pir") as file:
            lines = [line.replace("via pipeline", "via pipeline bytes 64") for line in file]
        receive = next(k for k, line in enumerate(lines) if "= receive_activation s1 m1 " in line)
        send = next(k for k, line in enumerate(lines) if "send_gradient s1 m0 " in line)
        lines.insert(send, lines.pop(receive))
        self.write("x.pir", "".join(lines))
        for room, code in (("63", 1), ("64", 0)):
            verified = driving.plumbline("verify", "x.pir", "--model", "blocking", "--room-bytes", room, "--certificate",
                                         "x.cert")
            self.assertEqual(verified.code, code, verified.out)
        ran = run("x.pir", "--certificate", "x.cert", "--steps", "1", *SMALL_MODEL)
        self.assertEqual(ran.code, 0, ran.err)

    def test_one_certificate_with_and_without_room(self):
        self.certified("1f1b", ranks=2, microbatches=4, least=False)
        driving.plumbline("lower", "x.pir", "--comms", "directed", "-o", "y.pir")
        self.assertEqual(driving.plumbline("verify", "y.pir", "--certificate", "y.cert").code, 0)
        with open("y.cert") as file:
            without, with_room = map(json.loads, file)
        self.assertEqual((without["model"]["room"], with_room["model"]["room"]), (0, 1_000_000_000))
        self.assertEqual(without["program_sha256"], with_room["program_sha256"])
        for certificate in (without, with_room):
            self.assertEqual((certificate["verdict"], certificate["model"]["comms"]), ("verified", "given"))
        self.assertEqual(run("y.pir", "--certificate", "y.cert", "--steps", "1", *SMALL_MODEL).code, 0)
        self.assertEqual(run("y.pir", "--certificate", "y.cert", "--room", "1000000000", "--steps", "1",
                             *SMALL_MODEL).code, 0)

    def test_a_rejected_schedule(self):
        driving.plumbline("lower", driving.NAIVE, "-o", "naive.pir")
        self.assertEqual(driving.plumbline("verify", "naive.pir", "--certificate", "naive.cert").code, 1)
        refused = run("naive.pir", "--certificate", "naive.cert")
        self.assertEqual(refused.code, 2)
        self.assertIn("rejected", refused.err)

    def test_certificates_of_other_programs_are_passed_over(self):
        other = self.certified("deepspeed_train", "other", ranks=2, microbatches=4)
        own = self.certified("1f1b", ranks=2, microbatches=4)
        for certificates in ([*own[1:], *other[1:]], [*other[1:], *own[1:]]):
            ran = run(own[0], *certificates, "--steps", "1", *SMALL_MODEL)
            self.assertEqual(ran.code, 0, ran.err)

    def test_bad_certificates(self):
        program, *_ = self.certified("1f1b", ranks=2, microbatches=4)
        for text in ("", "{}", "nonsense", "[" * 100_000, '{"schema":"plumbline.certificate.v1"}'):
            refused = run(program, "--certificate", self.write("bad.cert", text))
            self.assertEqual(refused.code, 2, text[:20])
            self.assertIn("bad.cert", refused.err)
        self.assertEqual(run(program, "--certificate", "missing.cert").code, 2)

    def test_bad_usage(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        for extra in (["--steps", "0"], ["--steps", "x"], ["--dp", "0"], ["--learning-rate", "nan"], ["--resume"],
                      ["--stage", "nonsense"], ["--stage", "libnone.so:x"], ["--stage-options", "width=7,heads=4"],
                      ["--data", "missing.txt"], ["more.pir"], ["--nonsense"], ["--allow-unverified"]):
            refused = run(*arguments, *extra)
            self.assertEqual(refused.code, 2, (extra, refused.err))
            self.assertTrue(refused.err.startswith("plumbline"), refused.err)
        self.assertEqual(run(self.good(), "--allow-unverified").code, 2)  # a CSV
        self.assertEqual(run("missing.pir", "--allow-unverified").code, 2)


class Unverified(running.Case):
    def test_the_naive_schedule_trips_where_the_verifier_points(self):
        driving.plumbline("lower", driving.NAIVE, "-o", "naive.pir")
        _, (report,) = driving.reports("naive.pir")
        tripped = run("naive.pir", "--allow-unverified", "--check", "--steps", "1", *SMALL_MODEL)
        self.assertEqual(tripped.code, 1)
        place = tripped.err.splitlines()[-1].split(": error: ")[0]
        named = {f"naive.pir:{f['location']['line']}:{f['location']['column']}"
                 for f in report["findings"] if f["rule"] == "PL401"}
        self.assertIn(place, named, tripped.err)
        self.assertIn("which still holds", tripped.err)

    def test_without_the_check_it_trains_on_something_else(self):
        driving.plumbline("lower", driving.NAIVE, "-o", "naive.pir")
        driving.plumbline("lower", driving.FIXED, "-o", "fixed.pir")
        how = ["--allow-unverified", "--steps", "5", "--learning-rate", "0.01", *SMALL_MODEL]
        naive, fixed = run("naive.pir", *how), run("fixed.pir", *how)
        self.assertEqual((naive.code, fixed.code), (0, 0))
        self.assertEqual(running.losses(naive.out)[0], running.losses(fixed.out)[0])  # before any update
        self.assertNotEqual(running.losses(naive.out)[1:], running.losses(fixed.out)[1:])

    def test_a_hang_is_reported_and_not_waited_for(self):
        stuck = os.path.join(driving.CORPUS, "field/pt172668a.csv")
        driving.plumbline("lower", stuck, "-o", "stuck.pir")
        begin = time.monotonic()
        hung = run("stuck.pir", "--allow-unverified", *SMALL_MODEL)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(hung.code, 1)
        self.assertIn("hangs", hung.err)
        for rank in ("rank 0", "rank 1"):
            self.assertIn(rank, hung.err)
        self.assertEqual(run("stuck.pir", "--allow-unverified", "--room", "1", "--steps", "1", *SMALL_MODEL).code, 0)


class CannotRun(running.Case):
    """Programs that the verifier may pass, or not, and that do not say what running them needs."""

    def refused(self, text, words):
        ran = run(self.write("changed.pir", text), "--allow-unverified", "--steps", "1", *SMALL_MODEL)
        self.assertEqual(ran.code, 2, ran.err)
        self.assertIn("changed.pir:", ran.err)
        self.assertIn(words, ran.err)

    def test_a_stash_that_nothing_reads(self):
        self.certified("zb_h1", ranks=2, microbatches=4)
        with open("x.pir") as file:
            lines = file.readlines()
        k = next(k for k, line in enumerate(lines) if "backward_weight" in line)
        lines[k] = re.sub(r"stashes\[\d+\]:stash(, )?", "", lines[k]).replace(", \n", "\n").replace("read \n", "\n")
        self.refused("".join(lines), "reads no stash")

    def test_work_on_the_stage_of_another_rank(self):
        self.certified("1f1b", ranks=2, microbatches=2)
        with open("x.pir") as file:
            text = file.read()
        for instruction, words in (("load_microbatch s1 m0", "rank of its stage"),
                                   ("optimizer_step s1 m0", "rank of its stage"),
                                   ("optimizer_step m0", "no stage"), ("stash_weights s1 m0", "rank of its stage")):
            self.refused(text.replace("\n}", "\n  " + instruction + "\n}", 1), words)

    def test_microbatches_beyond_the_count(self):
        for family in ("1f1b", "pipedream", "deepspeed_train"):
            self.certified(family, ranks=2, microbatches=8)
            with open("x.pir") as file:
                self.refused(file.read().replace("microbatches 8", "microbatches 2"), "microbatch that the program")


class Training(running.Case):
    def test_a_checkpoint_is_not_overwritten(self):
        arguments = [*self.certified("1f1b", ranks=2, microbatches=4), *SMALL_MODEL, "--checkpoint", "saved"]
        self.assertEqual(run(*arguments, "--steps", "2").code, 0)
        refused = run(*arguments, "--steps", "2")
        self.assertEqual((refused.code, refused.out), (2, ""))
        self.assertIn("saved: holds a checkpoint already; --resume", refused.err)
        done = run(*arguments, "--steps", "2", "--resume")
        self.assertEqual((done.code, done.out), (0, ""))
        self.assertIn("the checkpoint has all 2 steps", done.err)

    def test_a_loss_that_is_no_number_ends_the_run(self):
        ran = run(*self.certified("1f1b", ranks=2, microbatches=4), "--steps", "200", "--stage", "mlp",
                  "--stage-options", "width=8,layers=1,context=4,batch=2,optimizer=sgd", "--learning-rate", "1e30")
        self.assertEqual(ran.code, 1, ran.out)
        self.assertIn("is no finite number", ran.err)

    def test_outputs_that_cannot_be_written_are_noticed_before_training(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        self.write("file", "")
        for option, place in (("--trace", "nowhere/trace.json"), ("--trace", "."), ("--checkpoint", "file/folder"),
                              ("--checkpoint", "file")):
            with self.subTest(option=option, place=place):
                refused = run(*arguments, *SMALL_MODEL, option, place)
                self.assertEqual((refused.code, refused.out), (2, ""))
                self.assertIn(f"{place}: ", refused.err)
                self.assertIn("cannot be written there", refused.err)

    def test_json_lines_and_summary(self):
        arguments = self.certified("zb_v", ranks=2, microbatches=4)
        trained = run(*arguments, "--steps", "3", *SMALL_MODEL, "--trace", "trace.json")
        self.assertEqual(trained.code, 0, trained.err)
        *steps, last = map(json.loads, trained.out.splitlines())
        self.assertEqual([step["step"] for step in steps], [0, 1, 2])
        for step in steps:
            self.assertGreater(step["tokens_per_second"], 0)
        for rank in last["summary"]["ranks"]:
            self.assertGreater(rank["reserved_bytes"], 0)
            for pool in rank["pools"]:
                self.assertEqual(pool["reserved"], pool["least"])  # as the verifier counted, and nothing more
                self.assertLessEqual(pool["peak"], pool["least"])
        with open("trace.json") as file:
            events = json.load(file)["traceEvents"]
        bars = [event for event in events if event["ph"] == "X"]
        with open("x.pir") as file:
            instructions = sum(line.startswith("  ") and "pool" not in line.split() for line in file)
        self.assertEqual(len(bars), instructions)
        self.assertEqual({event["args"]["name"] for event in events if event["name"] == "thread_name"},
                         {"computing", "pipeline"})
        rows = {}
        for bar in bars:
            rows.setdefault((bar["pid"], bar["tid"]), []).append((bar["ts"], bar["ts"] + bar["dur"]))
        for row in rows.values():
            row.sort()
            for (_, end), (begin, _) in zip(row, row[1:]):
                self.assertLessEqual(end, begin + 1e-3)  # one after another

    def test_the_loss_falls(self):
        trained = run(*self.certified("1f1b", ranks=4, microbatches=4), "--steps", "60", "--learning-rate", "0.005",
                      *SMALL_MODEL)
        losses = running.losses(trained.out)
        self.assertEqual(len(losses), 60)
        self.assertLess(losses[-1], 0.75 * losses[0])

    def test_copies_share_the_batch(self):
        # The gradient of 2 copies of 4 microbatches is that of one of 8: the same samples, the same mean.
        one = run(*self.certified("1f1b", ranks=2, microbatches=8), "--steps", "5", *SMALL_MODEL)
        two = run(*self.certified("1f1b", ranks=2, microbatches=4), "--dp", "2", "--steps", "5", *SMALL_MODEL)
        self.assertEqual(two.code, 0, two.err)
        for a, b in zip(running.losses(one.out), running.losses(two.out)):
            self.assertAlmostEqual(a, b, delta=1e-5 * a)

    def test_a_stage_of_ones_own(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        stage = ["--stage", running.MY_STAGE + ":my_stage", "--steps", "3", "--learning-rate", "0.5"]
        trained = run(*arguments, *stage)
        self.assertEqual(trained.code, 0, trained.err)
        # loss = sum of the two parameters, each of gradient 1
        self.assertEqual(running.losses(trained.out), [2, 1, 0])
        failed = run(*arguments, *stage, "--stage-options", "fail=2")
        self.assertEqual(failed.code, 1)
        with open("x.pir") as file:
            line = 1 + next(k for k, text in enumerate(file) if " forward s1 m2 " in " " + text)
        self.assertIn(f"x.pir:{line}:", failed.err)
        self.assertIn("1F2", failed.err)
        self.assertIn("does not like microbatch 2", failed.err)
        refused = run(*arguments, *stage, "--stage-options", "nonsense")
        self.assertEqual(refused.code, 2)
        self.assertIn("is not known", refused.err)
        silent = run(*arguments, *stage, "--stage-options", "silent")
        self.assertEqual(silent.code, 2)
        self.assertIn("the stage failed and did not say why", silent.err)
        splitting = run(*self.certified("zb_h1", ranks=2, microbatches=4), *stage)
        self.assertEqual(splitting.code, 2)
        self.assertIn("cannot split", splitting.err)


class Ending(running.Case):
    SLOW = ["--stage", "synthetic", "--stage-options", "forward_us=20000,backward_us=40000"]

    def test_interrupted_after_a_step(self):
        process = running.start(*self.certified("1f1b", ranks=2, microbatches=2), "--steps", "1000", *self.SLOW)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        ended = running.finished(process)
        self.assertEqual(ended.code, 130)
        self.assertIn("stopping after this step", ended.err)
        self.assertIn("summary", ended.out)

    def test_interrupted_twice(self):
        process = running.start(*self.certified("1f1b", ranks=2, microbatches=2), "--steps", "2", "--stage", "synthetic",
                                "--stage-options", "forward_us=300000,backward_us=300000")
        time.sleep(0.5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stderr.readline(), process.stderr.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(running.finished(process).code, 130)
        self.assertLess(time.monotonic() - begin, 1.5)  # the whole step takes at least 2.1 s

    def test_a_killed_run_loses_at_most_one_step(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        how = ["--checkpoint", "saved", "--steps", "40", "--seed", "3", *SMALL_MODEL]
        whole = run(*arguments, *how[2:])
        expected = running.losses(whole.out)
        process = running.start(*arguments, *how)
        seen = [json.loads(process.stdout.readline())["step"] for _ in range(7)]
        process.kill()
        process.communicate()
        resumed = run(*arguments, *how, "--resume")
        self.assertEqual(resumed.code, 0, resumed.err)
        first = json.loads(resumed.out.splitlines()[0])["step"]
        self.assertGreaterEqual(first, seen[-1])
        self.assertEqual(running.losses(resumed.out), expected[first:])  # to the last bit
        self.assertEqual(sorted(os.listdir("saved")), ["latest", "step-39"])
        # Under another schedule with the same stages as well.
        other = self.certified("gpipe", "y", ranks=2, microbatches=4)
        again = run(*other, "--checkpoint", "saved", "--resume", "--steps", "41", "--seed", "3", *SMALL_MODEL)
        self.assertEqual(json.loads(again.out.splitlines()[0])["step"], 40)

    def test_damaged_or_foreign_checkpoints(self):
        arguments = self.certified("1f1b", ranks=2, microbatches=4)
        how = ["--checkpoint", "saved", "--steps", "2", *SMALL_MODEL]
        self.assertEqual(run(*arguments, *how).code, 0)
        foreign = run(*arguments, *how, "--resume", "--seed", "9")
        self.assertEqual(foreign.code, 1)
        self.assertIn("another seed", foreign.err)
        path = "saved/step-1/stage-1"
        with open(path, "rb") as file:
            content = file.read()
        for damaged in (content[:-1], content[:-9] + bytes(9), b"", content[:10], content + b"x"):
            self.write(path, damaged)
            refused = run(*arguments, *how, "--resume", "--steps", "3")
            self.assertEqual(refused.code, 1)
            self.assertIn(path, refused.err)
        self.write("saved/latest", "nonsense")
        self.assertEqual(run(*arguments, *how, "--resume").code, 1)


if __name__ == "__main__":
    unittest.main()
