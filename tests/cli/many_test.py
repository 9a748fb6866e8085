"""Folders, patterns, threads, the summary, and output that is the same every time."""

import os
import pty
import select
import shutil
import subprocess
import time
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline, reports


class Many(driving.Case):

    def setUp(self):
        super().setUp()
        os.makedirs("all/old/deep")
        for name in ("all/a.csv", "all/old/b.csv", "all/old/deep/c.csv"):
            self.write(name, "0F0,0B0\n")
        self.write("all/bad.csv", "0F0,0B0,0B0\n")
        self.write("all/readme.md", "no schedule\n")

    def files(self, *arguments):
        code, all_reports = reports(*arguments)
        return code, [report["file"] for report in all_reports]

    def test_folders_and_patterns(self):
        self.assertEqual(self.files("all"), (1, ["all/a.csv", "all/bad.csv", "all/old/b.csv", "all/old/deep/c.csv"]))
        self.assertEqual(self.files("all/old"), (0, ["all/old/b.csv", "all/old/deep/c.csv"]))
        self.assertEqual(self.files("all/*.csv"), (1, ["all/a.csv", "all/bad.csv"]))
        self.assertEqual(self.files("**/[bc].csv"), (0, ["all/old/b.csv", "all/old/deep/c.csv"]))
        self.assertEqual(self.files("all", "--exclude", "old", "--exclude", "bad*"), (0, ["all/a.csv"]))

    def test_what_means_nothing_is_refused(self):
        os.mkdir("empty")
        for name, says in (("empty", "holds no schedules"), ("z*.csv", "matches no file"), ("none", "cannot be opened")):
            code, (report, good) = reports(name, "all/a.csv")
            self.assertEqual((code, report["verdict"], good["verdict"]), (2, "invalid", "verified"), name)
            self.assertIn(says, report["error"]["message"])

    def test_an_unreadable_file_in_a_folder_is_not_passed_over(self):
        self.write("all/notes.txt", "remember the milk\n")
        code, all_reports = reports("all")
        self.assertEqual(code, 2)
        self.assertEqual([r["file"] for r in all_reports if r["verdict"] == "invalid"], ["all/notes.txt"])

    def test_fused_launches_belong_to_their_file(self):
        stem = os.path.join(driving.CORPUS, "megatron-lm/1f1b_4rank_4stage_8mb_comms")
        os.mkdir("fused")
        for end in (".csv", ".batches.csv"):
            shutil.copy(stem + end, "fused/x" + end)
        self.assertEqual(self.files("fused"), (0, ["fused/x.csv"]))
        self.assertEqual(self.files("fused/*"), (0, ["fused/x.csv"]))
        self.assertEqual(self.files("fused/x.csv")[0], 1)
        self.assertEqual(self.files("fused/x.csv", "--batches", "auto"), (0, ["fused/x.csv"]))
        self.assertEqual(self.files("--batches", "auto", "fused/x.batches.csv", "fused/x.csv"), (0, ["fused/x.csv"]))

    def test_summary(self):
        self.write("all/x.csv", "0F0,0X0\n")
        run = plumbline("verify", "all", "--timeout", "100")
        self.assertEqual(run.code, 2)
        self.assertTrue(run.out.endswith("""
rejected   all/bad.csv  PL103
invalid    all/x.csv    line 1: unknown action 'X'; expected F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B,...

verdict      files  errors  warnings
invalid          1       0         0
rejected         1       1         0
verified         3       0         0
all              5       1         0
"""), run.out[-700:])
        self.assertNotIn("verdict ", plumbline("verify", "all/a.csv").out)
        undecided = plumbline("verify", "all/old", "--timeout", "0").out
        self.assertRegex(undecided, r"\nundecided  all/old/b.csv +[a-z]")
        self.assertIn("\nall              2       0         0\n", undecided)

    def test_summary_counts_what_is_not_shown(self):
        self.write("many.csv", ",".join(f"0F{m},0B{m},0B{m}" for m in range(30)) + "\n")
        self.assertIn("\nrejected         1      30         0\n", plumbline("verify", "many.csv", "all/a.csv").out)

    def test_the_output_does_not_depend_on_the_number_of_threads(self):
        folder = os.path.join(driving.CORPUS, "deepspeed")
        hangs = os.path.join(driving.CORPUS, "megatron-lm/1f1b_4rank_4stage_8mb_comms.csv")
        for words in (("--format", "text"), ("--format", "json"), ("--format", "junit"), ("--format", "sarif"),
                      ("--format", "trace"), ("--expect", "verified")):
            one, four, again = (plumbline("verify", "--reproducible", "--jobs", jobs, folder, hangs, *words)
                                for jobs in ("1", "4", "4"))
            self.assertEqual(one, four, words)
            self.assertEqual(four, again, words)
            self.assertNotEqual(one.out, "")

    def test_reproducible_json_says_what_it_leaves_out(self):
        _, (report,) = reports("--reproducible", "all/a.csv")
        self.assertIsNone(report["seconds"])
        self.assertIsNone(report["solver"]["seconds"])
        self.assertIsNone(report["solver"]["reused"])
        self.assertGreater(report["solver"]["queries"], 0)
        self.assertNotRegex(plumbline("verify", "--reproducible", "all/a.csv").out, r"[0-9] s\)")
        self.assertRegex(plumbline("verify", "all/a.csv").out, r"[0-9] s\)\n$")

    def test_hostile_names_cannot_drive_the_terminal(self):
        name = "all/\x1b[31m\nverified \x07<b>.csv"
        self.write(name, "0F0,0X0\n")
        out = plumbline("verify", "all").out
        self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f]")
        self.assertIn("invalid    all/?[31m?verified ?<b>.csv", out)

    def test_certificates_are_for_one_schedule(self):
        run = plumbline("verify", "all", "--certificate", "all.cert")
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("one schedule", run.err)
        self.assertFalse(os.path.exists("all.cert"))
        self.assertEqual(plumbline("verify", "**/deep", "--certificate", "one.cert").code, 0)
        self.assertTrue(os.path.exists("one.cert"))

    def test_buffers_of_a_folder(self):
        run = plumbline("buffers", "all/old")
        self.assertEqual(run.code, 0)
        self.assertEqual([line for line in run.out.splitlines() if line.endswith("verified")],
                         ["all/old/b.csv: verified", "all/old/deep/c.csv: verified"])

    def test_costs_change_the_bubble(self):
        self.write("two.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n")

        def bubble(*words):
            _, (report,) = reports("--max-bubble", "100%", "two.csv", *words)
            return report["bubble"]["makespan"]

        self.assertEqual(bubble(), 9)
        self.assertEqual(bubble("--cost", "F=2,B=4"), 18)
        self.assertEqual(bubble("--cost", "F=0.5", "--cost", "B=0.75"), 3.75)
        self.assertGreater(bubble("--cost", "message=1"), 9)
        self.assertEqual(plumbline("verify", "two.csv", "--cost", "X=1").code, 2)


class OnATerminal(driving.Case):
    """Progress is for people: on a terminal, after a second."""

    def run_on_terminal(self, *arguments):
        """What a terminal gets on standard error."""
        control, terminal = pty.openpty()
        run = subprocess.Popen([driving.PLUMBLINE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=terminal)
        os.close(terminal)
        seen, end = b"", time.monotonic() + driving.SECONDS
        while time.monotonic() < end:
            ready, _, _ = select.select([control], [], [], 0.2)
            try:
                part = os.read(control, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
            seen += part
            if not part and run.poll() is not None:
                break
        run.wait(timeout=driving.SECONDS)
        os.close(control)
        return seen.decode()

    def test_progress_counts_files_and_is_erased(self):
        for k in range(4):
            run = plumbline("gen", "1f1b", "--stages", "48", "--microbatches", str(300 + k), "-o", f"{k}.pir")
            self.assertEqual(run.code, 0)
        seen = self.run_on_terminal("verify", "--jobs", "1", ".")
        self.assertRegex(seen, r"plumbline: verifying 4 files: [0-3] of 4 \.\.\. [0-9]+ s")
        self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen[-80:]))

    def test_no_progress_for_what_is_quick_or_without_a_terminal(self):
        self.assertEqual(self.run_on_terminal("verify", self.good()), "")
        self.assertEqual(plumbline("verify", self.good()).err, "")


if __name__ == "__main__":
    unittest.main()
