"""What `plumbline diff` calls worse, better, undecided and allowed, of two files."""

import json
import os
import subprocess
import unittest

from tests.cli import driving
from tests.cli.diff_cases import Diff, gpipe, OLD, one_f_one_b, outside_of_code, passes, read, values
from tests.cli.driving import plumbline


class OfFiles(Diff):

    def test_the_case_that_started_it(self):
        code, found = self.diff(OLD, driving.NAIVE)
        (file,) = found["files"]
        self.assertEqual(code, 1)
        self.assertEqual((file["base"]["verdict"], file["new"]["verdict"]), ("verified", "rejected"))
        self.assertEqual({f["rule"] for f in file["findings"]["new"]}, {"PL401", "PL501"})
        self.assertEqual(self.kinds(file["worse"])[0], ("verdict", None, None))
        first = file["findings"]["new"][0]
        self.assertEqual((first["location"]["file"], first["severity"]), (driving.NAIVE, "error"))
        (at_rank_1,) = [b for b in file["buffers"] if (b["rank"], b["pool"]) == (1, "inputs")]
        self.assertEqual(at_rank_1, {"rank": 1, "pool": "inputs", "base": {"declared": 4, "least": 4},
                                     "new": {"declared": 3, "least": 4}})
        run = plumbline("diff", OLD, driving.NAIVE)
        self.assertIn(f"{driving.NAIVE}:54:2: new error: stage 2: RecvActivation", run.out)
        self.assertTrue(run.out.splitlines()[-1].startswith("plumbline diff: worse: 13 new errors"))

    def test_what_mends_it(self):
        code, found = self.diff(driving.NAIVE, driving.FIXED)
        (file,) = found["files"]
        self.assertEqual((code, file["worse"], file["undecided"]), (0, [], []))
        self.assertEqual(len(file["findings"]["fixed"]), 13)
        # Rank 3 declares as many as before, and needs fewer: that is no new fault.
        self.assertEqual([f["rule"] for f in file["findings"]["new"]], ["PL502"])
        self.assertEqual(self.diff(OLD, driving.FIXED)[0], 0)

    def test_no_allowance_covers_an_error(self):
        code, _ = self.diff(OLD, driving.NAIVE, "--allow-buffers", "1000", "--allow-bubble", "100", "--allow-warnings")
        self.assertEqual(code, 1)

    def test_still_rejected(self):
        code, found = self.diff(driving.NAIVE, driving.NAIVE)
        self.assertEqual((code, found["files"][0]["status"]), (0, "unchanged"))
        self.assertIn("still rejected", plumbline("diff", driving.NAIVE, driving.NAIVE).out)
        changed = self.write("naive.txt", read(driving.NAIVE) + "\n")
        code, found = self.diff(driving.NAIVE, changed)
        self.assertEqual((code, found["files"][0]["status"]), (0, "compared"))
        self.assertEqual(found["files"][0]["findings"], {"new": [], "fixed": [], "moved": [], "kept": 13})
        self.assertIn("still rejected", found["summary"])

    def test_findings_stay_the_same_where_lines_move(self):
        lines = read(driving.NAIVE).splitlines(keepends=True)
        code, found = self.diff(driving.NAIVE, self.write("moved.txt", "".join([lines[0], "\n\n", *lines[1:]])))
        self.assertEqual((code, found["files"][0]["findings"]["kept"]), (0, 13))

    def test_a_finding_that_moves_on_its_rank(self):
        code, file = self.texts("0F0,0F1,0B0,0B0,0B1\n", "0F0,0F1,0B0,0B1,0B1\n")
        self.assertEqual((code, len(file["findings"]["moved"])), (0, 1))
        self.assertEqual([file["findings"]["moved"][0][side]["microbatch"] for side in ("base", "new")], [0, 1])
        run = plumbline("diff", "base", "new")
        self.assertRegex(run.out, r"new:1:\d+: moved error: ")

    def test_a_further_error_of_a_rule_that_was_broken(self):
        code, file = self.texts("0F0,0F1,0B0,0B0,0B1\n", "0F0,0F1,0B0,0B0,0B1,0B1\n")
        self.assertEqual((code, file["findings"]["kept"], len(file["findings"]["new"])), (1, 1, 1))
        self.assertEqual(self.kinds(file["worse"])[0], ("error", None, None))

    def test_more_findings_than_a_report_shows(self):
        def doubled(count):
            return ",".join(f"0F{m},0B{m}" + (f",0B{m}" if m < count else "") for m in range(60)) + "\n"
        code, file = self.texts(doubled(40), doubled(41))
        self.assertEqual((code, file["findings"]["kept"], len(file["findings"]["new"])), (1, 40, 1))
        self.assertEqual(self.texts(doubled(41), doubled(40))[0], 0)

    def test_buffers(self):
        for before, after, allowed, code in ((2, 2, 0, 0), (2, 3, 0, 1), (3, 2, 0, 0), (2, 3, 1, 0), (2, 4, 1, 1),
                                             (2, 4, 2, 0)):
            found, file = self.texts(values(before), values(after), "--allow-buffers", str(allowed))
            self.assertEqual(found, code, (before, after, allowed))
            grade = ("worse" if code else "allowed" if after > before else "better" if after < before else None)
            for name in ("worse", "allowed", "better"):
                self.assertEqual(self.kinds(file[name]), [("least_slots", 0, "p")] if name == grade else [])

    def test_declared_buffers(self):
        code, file = self.texts(values(2, 2), values(2, 3), "--allow-warnings")
        self.assertEqual((code, self.kinds(file["worse"])), (1, [("declared_slots", 0, "p")]))
        code, file = self.texts(values(2, 2), values(2, 3), "--allow-buffers", "1")
        self.assertEqual((code, self.kinds(file["allowed"])), (0, [("declared_slots", 0, "p")]))

    def test_a_pool_that_is_new(self):
        code, file = self.texts(values(1), values(1, pool="q"))
        self.assertEqual((code, self.kinds(file["worse"])), (1, [("least_slots", 0, "q")]))
        self.assertEqual(self.kinds(file["better"]), [("least_slots", 0, "p")])
        self.assertEqual(self.texts(values(1), values(1, pool="q"), "--allow-buffers", "1")[0], 0)

    def test_warnings(self):
        self.assertEqual(self.kinds(self.texts(values(2), values(2, 3))[1]["worse"]), [("warning", None, None)])
        code, file = self.texts(values(2), values(2, 3), "--allow-warnings")
        self.assertEqual((code, self.kinds(file["allowed"])), (0, [("warning", None, None)]))

    def test_bubble(self):
        # GPipe idles (S-1)/(M+S-1): 1/5 with 4 microbatches on 2 ranks, 1/4 with 3; 5 percentage points more.
        four, three = gpipe(2, 4), gpipe(2, 3)
        for allowed, code in (("0", 1), ("4.99%", 1), ("5", 0), ("5%", 0), ("5.01", 0), ("4.99999999999999", 1)):
            found, file = self.texts(four, three, "--allow-bubble", allowed, "--allow-buffers", "9")
            self.assertEqual(found, code, allowed)
            self.assertEqual("bubble" in [c["kind"] for c in file["worse" if code else "allowed"]], True)
        self.assertEqual(file["bubble"], {"base": {"idle_share": 0.2, "makespan": 15},
                                          "new": {"idle_share": 0.25, "makespan": 12}})
        code, file = self.texts(three, four, "--allow-buffers", "9")
        self.assertEqual((code, "bubble" in [c["kind"] for c in file["better"]]), (0, True))
        self.assertEqual(file["differences"], [{"what": "microbatches", "base": "3", "new": "4"}])

    def test_a_longer_step_with_an_equal_bubble(self):
        base, new = passes("FFBB"), passes("FFRBRB")
        code, file = self.texts(base, new)
        self.assertEqual((code, self.kinds(file["worse"])), (1, [("makespan", None, None)]))
        # 6 units of work in 8 units of time: a quarter of the new step is not what the base does.
        self.assertEqual(self.texts(base, new, "--allow-bubble", "25")[0], 0)
        self.assertEqual(self.texts(base, new, "--allow-bubble", "24.99")[0], 1)
        self.assertEqual(self.texts(new, base)[0], 0)
        self.assertEqual(self.texts(base, new, "--cost", "recompute=0")[0], 0)

    def test_in_flight(self):
        code, file = self.texts(passes("FBFB"), passes("FFBB"))
        self.assertEqual((code, self.kinds(file["worse"])), (1, [("in_flight", 0, None)]))
        self.assertEqual(file["in_flight"], [{"rank": 0, "base": 1, "new": 2}])
        self.assertEqual(self.texts(passes("FBFB"), passes("FFBB"), "--allow-buffers", "1")[0], 0)
        self.assertEqual(self.texts(passes("FFBB"), passes("FBFB"))[0], 0)
        # With pools it is the buffers that count.
        code, file = self.texts(one_f_one_b(2, 4), gpipe(2, 4), "--allow-buffers", "3")
        self.assertEqual((code, {c["kind"] for c in file["allowed"]}), (0, {"least_slots"}))
        self.assertEqual(file["in_flight"][0], {"rank": 0, "base": 2, "new": 4})

    def test_instructions_are_only_shown(self):
        code, file = self.texts(passes("FB"), passes("FB").replace("}", "compute label \"x\"\n}"))
        self.assertEqual(code, 0)
        self.assertEqual(file["instructions"], [{"rank": 0, "opcode": "compute", "base": 0, "new": 1}])

    def test_sizes_that_differ_are_said(self):
        self.write("a.csv", gpipe(2, 4))
        self.write("b.csv", gpipe(4, 4))
        _, found = self.diff("a.csv", "b.csv")
        self.assertEqual(found["files"][0]["differences"], [{"what": "ranks", "base": "2", "new": "4"},
                                                            {"what": "stages", "base": "2", "new": "4"}])
        for words in ([], ["--format", "markdown"]):
            self.assertIn("ot comparable one to one: ranks 2 ", plumbline("diff", "a.csv", "b.csv", *words).out)
        _, found = self.diff(driving.FIXED, "a.csv")
        self.assertIn({"what": "model", "base": "blocking", "new": "nccl"}, found["files"][0]["differences"])

    def test_undecided_is_no_pass(self):
        for base, new in ((OLD, driving.FIXED), (driving.FIXED, driving.FIXED)):
            code, found = self.diff(base, new, "--timeout", "0")
            self.assertEqual((code, found["outcome"]), (3, "undecided"))
            self.assertTrue(found["files"][0]["undecided"])
        # What is certainly worse stays so.
        self.assertEqual(self.diff(self.good(), self.rejected(), "--timeout", "0")[0], 1)

    def test_a_hang_has_no_numbers(self):
        ring = self.write("ring.csv", "0F0,0SEND_F0,0F1,0RECV_B0,0SEND_F1,0B0,0RECV_B1,0B1\n"
                          "1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n")
        runs = self.write("runs.csv", "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                          "1RECV_F0,1F0,1RECV_F1,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n")
        code, found = self.diff(runs, ring)
        (file,) = found["files"]
        self.assertEqual((code, file["bubble"]["new"]), (1, None))
        self.assertEqual({b["new"]["least"] for b in file["buffers"]}, {None})
        self.assertEqual(self.kinds(file["undecided"]), [("question", None, None)])
        self.assertIn("the new version cannot finish, so neither its least slots nor its bubble are known\n",
                      plumbline("diff", runs, ring).out)
        self.assertEqual(self.diff(ring, runs)[0], 0)
        self.assertEqual(self.diff(ring, ring)[0], 0)

    def test_repairs(self):
        broken = self.write("broken.csv", "0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n")
        mended = self.write("mended.csv", "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n")
        code, found = self.diff(broken, mended)
        (file,) = found["files"]
        self.assertEqual((code, file["worse"], file["undecided"], file["allowed"]), (0, [], [], []))
        self.assertIn("changed", plumbline("diff", broken, mended).out)
        # Where the step was shorter and idled less for want of a pass.
        short = self.write("short.csv", gpipe(2, 4).replace(",0B3", "").replace(",1B3", ""))
        self.assertEqual(self.diff(short, self.write("whole.csv", gpipe(2, 4)))[0], 0)
        # Only the slot too many on rank 0, of which a warning speaks, is left.
        code, found = self.diff(driving.NAIVE, OLD)
        self.assertEqual((code, {c["kind"] for c in found["files"][0]["worse"]}), (1, {"warning"}))
        self.assertEqual(self.diff(driving.NAIVE, OLD, "--allow-warnings")[0], 0)

    def test_a_mode_that_asks_for_less(self):
        training = self.write("training.csv", gpipe(2, 2))
        forward = self.write("forward.csv", "0F0,0F1\n1F0,1F1\n")
        code, found = self.diff(training, forward)
        worse = [c["message"] for c in found["files"][0]["worse"] if c["kind"] == "mode"]
        says = "training before, now inference: backward passes are no longer looked for"
        self.assertEqual((code, worse), (1, [says]))
        self.assertIn("worse: a mode that asks for less", found["summary"])
        self.assertIn(f"  worse      {says}\n", plumbline("diff", training, forward).out)
        self.assertIn(says, plumbline("diff", training, forward, "--format", "markdown").out)
        _, found = self.diff(forward, training)
        self.assertNotIn("mode", [c["kind"] for name in ("worse", "undecided") for c in found["files"][0][name]])

    def test_room_of_its_own_that_hides_a_hang(self):
        def ring(name, room):
            sides = "".join(f"rank {r} {{\n  send_message to {1 - r} via {name} label \"a\"\n"
                            f"  receive_message from {1 - r} via {name} label \"a\"\n}}\n" for r in (0, 1))
            return f"plumbline ir 1\nmode fragment\ncommunicator {name}{room}\n{sides}"
        hangs, passes_now = self.write("hangs.pir", ring("x", "")), self.write("passes.pir", ring("x", " room 9"))
        self.assertEqual([plumbline("verify", name).code for name in (hangs, passes_now)], [1, 0])
        code, found = self.diff(hangs, passes_now)
        (file,) = found["files"]
        self.assertEqual((code, self.kinds(file["undecided"])), (3, [("room", None, None)]))
        self.assertIn({"what": "room of communicator 'x'", "base": "0", "new": "9"}, file["differences"])
        says = "communicator 'x' has room for 9 messages in the new version, 0 before: what hangs with less may pass"
        self.assertEqual(file["undecided"][0]["message"], says)
        self.assertIn(f"  undecided  {says}\n", plumbline("diff", hangs, passes_now).out)
        self.assertEqual(self.diff(hangs, passes_now, "--room", "9")[0], 0)
        self.assertEqual(self.diff(self.write("less.pir", ring("x", " room 10")), passes_now)[0], 0)
        # Names of communicators are no markup.
        hostile = self.write("hostile.pir", ring('"<b>|`@me #1` [x](y)"', " room 9"))
        out = plumbline("diff", hangs, hostile, "--format", "markdown").out
        self.assertNotRegex(outside_of_code(out), r"<b>|[@#`\[\]]")

    def test_another_model(self):
        base, new = (self.write(f"{execution}.pir", passes("FB").replace("\nstage", f"\nexecution {execution}\nstage"))
                     for execution in ("blocking", "streams"))
        code, found = self.diff(base, new)
        self.assertEqual((code, self.kinds(found["files"][0]["undecided"])), (3, [("model", None, None)]))
        self.assertEqual(self.diff(base, new, "--model", "blocking")[0], 0)
        self.assertEqual(self.diff(new, base)[0], 3)  # what races with queues is in order where instructions block

    def test_unreadable(self):
        good, invalid = self.good(), self.invalid()
        code, found = self.diff(good, invalid)
        (file,) = found["files"]
        self.assertEqual((code, file["new"]["verdict"]), (2, "invalid"))
        self.assertIn("unknown action 'X'", file["new"]["error"]["message"])
        code, found = self.diff(invalid, good)
        self.assertEqual((code, found["files"][0]["findings"]["new"]), (0, []))
        code, found = self.diff(invalid, self.rejected())
        self.assertEqual((code, len(found["files"][0]["findings"]["new"])), (1, 1))
        self.assertEqual(self.diff(invalid, good, "--timeout", "0")[0], 3)
        self.assertEqual(self.diff(invalid, invalid)[0], 2)
        self.assertIn("invalid.csv:1:6: error: unknown action 'X'", plumbline("diff", good, invalid).out)
        self.assertIn("invalid.csv:1:6: error: unknown action 'X'", plumbline("diff", invalid, good).out)

    def test_options_that_do_not_fit(self):
        self.assertEqual(self.diff(self.good(), self.write("two.csv", gpipe(2, 2)), "--placement", "nowhere")[0], 2)

    def test_bad_usage(self):
        good = self.good()
        os.mkdir("folder")
        self.write("folder/a.csv", "0F0,0B0\n")
        for arguments, says in (([good], "two"), ([good, "missing"], "missing: "), (["missing", good], "missing: "),
                                ([good, "folder"], "is a folder"), (["folder", good], "is a folder"),
                                (["-", "-"], "standard input"), ([good, good, good], ""),
                                ([good, good, "-o", good], "overwrite"),
                                (["folder", "folder", "-o", "folder/a.csv"], "overwrite"),
                                ([good, good, "-o", "no/such/folder"], "cannot be written"),
                                ([good, good, "--allow-buffers", "-1"], "--allow-buffers takes"),
                                ([good, good, "--allow-buffers="], "--allow-buffers takes"),
                                ([good, good, "--allow-bubble", "x"], "--allow-bubble takes"),
                                ([good, good, "--allow-bubble", "101"], "--allow-bubble takes"),
                                ([good, good, "--allow-bubble="], "--allow-bubble takes"),
                                ([good, good, "--format", "sarif"], "format")):
            run = plumbline("diff", *arguments)
            self.assertEqual((run.code, run.out), (2, ""), arguments)
            self.assertIn(says, run.err)
        self.assertEqual(read(good), "0F0,0B0\n")

    def test_standard_input(self):
        run = plumbline("diff", "-", self.good(), stdin=b"0F0,0B0,0B0\n")
        self.assertEqual((run.code, run.out.splitlines()[-1]),
                         (0, "plumbline diff: better: 1 error fixed, a shorter step; rejected before, now verified"))
        run = plumbline("diff", self.good(), "-", stdin=b"0F0,0B0,0B0\n")
        self.assertEqual(run.code, 1)
        self.assertIn("<stdin>:1:9: new error: ", run.out)
        run = plumbline("diff", self.good(), "-", "--format", "json", stdin=b"0F0,0B0\n")
        self.assertEqual(json.loads(run.out)["files"][0]["new"]["file"], "<stdin>")

    def test_pipes_are_read_once(self):
        command = f"{driving.PLUMBLINE} diff <(cat {driving.NAIVE}) <(cat {driving.FIXED})"
        run = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                             timeout=driving.SECONDS)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertIn(b"13 errors fixed", run.stdout)

    def test_output_file(self):
        for words in ([], ["--format", "json"], ["--format", "markdown"]):
            run = plumbline("diff", OLD, driving.NAIVE, *words)
            into = plumbline("diff", OLD, driving.NAIVE, *words, "-o", "out")
            self.assertEqual((into.code, into.out), (1, ""))
            self.assertEqual(read("out"), run.out)

    def test_there_and_back(self):
        pairs = [(OLD, driving.NAIVE), (OLD, driving.FIXED), (driving.NAIVE, driving.FIXED),
                 (self.write("a.csv", gpipe(2, 4)), self.write("b.csv", one_f_one_b(2, 4))),
                 (self.write("c.pir", passes("FFBB")), self.write("d.pir", passes("FFRBRB"))),
                 (self.write("e.pir", values(1)), self.write("f.pir", values(3)))]
        for base, new in pairs:
            there, back = (self.diff(*pair)[1]["files"][0] for pair in ((base, new), (new, base)))
            self.assertEqual(there["findings"]["new"], back["findings"]["fixed"])
            self.assertEqual(there["findings"]["fixed"], back["findings"]["new"])
            self.assertEqual([(b["rank"], b["pool"], b["base"], b["new"]) for b in there["buffers"]],
                             [(b["rank"], b["pool"], b["new"], b["base"]) for b in back["buffers"]])
            self.assertEqual(there["bubble"], {"base": back["bubble"]["new"], "new": back["bubble"]["base"]})
            for name in ("in_flight", "instructions"):
                self.assertEqual([(r["base"], r["new"]) for r in there[name]],
                                 [(r["new"], r["base"]) for r in back[name]])
            numbers = lambda changes: [k for k in self.kinds(changes) if k[0] not in ("warning", "error", "verdict")]
            self.assertEqual(numbers(there["worse"]), numbers(back["better"]))
            if back["base"]["verdict"] == "verified":  # the numbers of what was broken are no standard
                self.assertEqual(numbers(there["better"]), numbers(back["worse"]))

    def test_a_race_does_not_pass_by_blocking_in_the_new_file(self):
        text = ("plumbline ir 1\nmode fragment\nrank 0 {\n pool o\n compute write o[0]:other s0 m0\n"
                " compute read o[0]:other s0 m0\n}\n")
        self.write("streams.pir", text)
        self.write("blocking.pir", text.replace("mode", "execution blocking\nmode"))
        for base, new in (("streams.pir", "blocking.pir"), ("blocking.pir", "streams.pir")):
            run = plumbline("diff", base, new)
            self.assertEqual(run.code, 3, run.out)
            self.assertIn("what fails under the former may pass", run.out)
            self.assertEqual(plumbline("diff", "--model", "nccl", base, new).code, 0)



if __name__ == "__main__":
    unittest.main()
