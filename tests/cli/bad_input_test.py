"""Input that cannot be read: file:line:column, what was expected, exit 2, and quickly."""

import os
import re
import time
import unittest

from tests.cli import driving
from tests.cli.driving import plumbline

CORPUS_OF_EACH_FORMAT = [
    driving.FIXED,
    driving.SMALL,
    os.path.join(driving.CORPUS, "dualpipe/dualpipe_2rank_6chunks.json"),
]


class BadInput(driving.Case):

    def refuse(self, name, place=None, says=""):
        """The file is invalid, at `place` ("line:column"; None: the file as a whole); returns the run."""
        run = plumbline("verify", name)
        self.assertEqual(run.code, 2, run.out)
        first = run.out.split("\n")[0]
        where = re.escape(f"{name}:{place}" if place else name)
        self.assertRegex(first, f"^{where}: error: .*{says}")
        self.assertEqual(run.out.rstrip("\n").split("\n")[-1],
                         f"{name}: invalid: nothing was judged")
        self.assertEqual(run.err, "")
        code, (report,) = driving.reports(name)
        self.assertEqual((code, report["verdict"]), (2, "invalid"))
        self.assertEqual(report["findings"], [])
        location = report["error"]["location"]
        self.assertEqual(f"{location['line']}:{location['column']}", place or "0:0")
        return run

    def test_files_that_cannot_be_opened(self):
        self.refuse("missing.csv", says="No such file")
        os.mkdir("folder.csv")
        self.refuse("folder.csv", says="holds no schedules")
        self.refuse(self.good() + "/inside", says="Not a directory")
        self.refuse("/proc/self/mem", says="cannot be read")
        secret = self.good()
        os.chmod(secret, 0)
        if not os.access(secret, os.R_OK):
            self.refuse(secret, says="Permission denied")

    def test_nothing_in_it(self):
        self.refuse(self.write("empty", ""), "1:1", "expected")
        self.refuse(self.write("blank", "\n\n  \n"), "1:1", "expected")
        self.refuse(self.write("commas", ",,,\n,,,\n"), "1:1", "expected")

    def test_an_embedded_nul(self):
        self.refuse(self.write("a.csv", b"0F0,0\0B0\n"), "1:6", "NUL byte; expected text")
        for file in CORPUS_OF_EACH_FORMAT:
            with open(file, "rb") as original:
                content = original.read()
            middle = len(content) // 2
            before = content[:middle]
            place = f"{before.count(10) + 1}:{middle - before.rfind(10)}"
            self.refuse(self.write("nul", before + b"\0" + content[middle:]), place, "NUL byte; expected text")

    def test_bytes_that_are_no_text(self):
        noise = bytes(k * 7919 % 127 + 128 for k in range(5000))
        run = self.refuse(self.write("noise", noise), "1:1", "expected")
        self.assertTrue(run.out.isascii() and "\x1b" not in run.out)
        self.refuse(self.write("program", b"\x7fELF\x02\x01\x01" + bytes(100)), "1:8", "NUL byte")
        # A quoted name of a hostile file must not drive the terminal.
        hostile = self.write("hostile.csv", b"0F0,\x1b[31m0B0\n")
        run = self.refuse(hostile, "1:5")
        self.assertNotIn("\x1b", run.out)

    def test_truncated_files(self):
        """Cut anywhere, a file is read to its end or refused; never a crash, never verified."""
        for file in CORPUS_OF_EACH_FORMAT:
            with open(file, "rb") as original:
                content = original.read().rstrip()
            for k in range(1, 24):
                cut = self.write("cut", content[:len(content) * k // 24])
                run = plumbline("verify", cut)
                self.assertIn(run.code, (1, 2), f"{file} cut after {k}/24: {run.out}")
                if run.code == 2:
                    self.assertRegex(run.out, r"^cut:\d+:\d+: error: ")

    def test_a_truncated_pir(self):
        plumbline("lower", driving.SMALL, "-o", "whole.pir")
        with open("whole.pir", "rb") as file:
            content = file.read().rstrip()
        for k in range(1, 24):
            run = plumbline("verify", self.write("cut.pir", content[:len(content) * k // 24]))
            self.assertEqual(run.code, 2, run.out)
            self.assertRegex(run.out, r"^cut\.pir:\d+:\d+: error: ")

    def test_numbers_that_overflow(self):
        huge = "99999999999"
        self.refuse(self.write("a.csv", huge + "F0\n"), "1:1", "stage")
        self.refuse(self.write("a.csv", "0F" + huge + "\n"), "1:3", "microbatch")
        self.refuse(self.write("a.csv", "0F0,0B0\n" + "1" * 5000 + "F0\n"), "2:1", "stage")
        self.refuse(self.write("a.csv", "0F0,0SEND_F" + "9" * 19 + "\n"), "1:12", "microbatch")
        header = "# stage {} of {}, micro_batches {}, num_pipe_buffers {}\n"
        for k, place in enumerate(("1:9", "1:14", "1:31", "1:51")):
            numbers = ["0", "1", "1", "1"]
            numbers[k] = huge
            self.refuse(self.write("a.txt", header.format(*numbers) + "[ForwardPass(buffer_id=0)]\n"), place)
        self.refuse(self.write("a.txt", header.format(0, 1, 1, 1) + f"[ForwardPass(buffer_id={huge})]\n"), "2:24",
                    "number")
        for line, place in ((f"load_microbatch s0 m0 write inputs[{huge}]:input", "5:37"),
                            (f"load_microbatch s{huge} m0", "5:19"), (f"load_microbatch s0 m{huge}", "5:22"),
                            (f"send_message to {huge}", "5:18")):
            text = "plumbline ir 1\nmode fragment\nrank 0 {\n pool inputs\n " + line + "\n}\n"
            self.refuse(self.write("a.pir", text), place)
        self.refuse(self.write("a.pir", f"plumbline ir 1\nstages {huge}\n"), "2:8")
        text = '{"schedule":"dualpipe","ranks":' + huge + ',"chunks":4,"rank_programs":[[]]}'
        self.refuse(self.write("a.json", text), "1:32")

    def test_many_stages_and_microbatches_ask_for_no_memory(self):
        run = plumbline("verify", self.write("a.csv", "999999F999999\n"))
        self.assertIn(run.code, (1, 2))
        run = plumbline("verify", self.write("a.txt", "# stage 0 of 999999, micro_batches 999999, "
                                             "num_pipe_buffers 999999\n[ForwardPass(buffer_id=0)]\n"))
        self.assertIn(run.code, (1, 2))

    def test_wide_rows_are_quick(self):
        start = time.monotonic()
        self.refuse(self.write("commas.csv", "," * 1000000 + "\n"), "1:1")
        self.refuse(self.write("bad.csv", "0F0" + "," * 1000000 + "0X0\n"), "1:1000005", "expected")
        run = plumbline("verify", self.write("same.csv", ",".join(["0F0"] * 1000000) + "\n"))
        self.assertEqual(run.code, 1)
        self.assertIn("999979 more of PL103 not shown", run.out)
        self.assertLess(len(run.out), 20000)
        run = plumbline("verify", self.write("quotes.csv", '"' + "0" * 1000000))
        self.assertEqual(run.code, 2)
        self.assertLess(len(run.out), 2000)
        self.assertLess(time.monotonic() - start, driving.SECONDS)

    def test_a_million_columns_of_work(self):
        cells = [f"0F{m}" for m in range(500000)] + [f"0B{m}" for m in range(500000)]
        self.assertEqual(plumbline("verify", self.write("wide.csv", ",".join(cells) + "\n")).code, 0)

    def test_deep_nesting(self):
        run = plumbline("verify", self.write("deep.json", '{"rank_programs":' + "[" * 1000000))
        self.assertEqual(run.code, 2)
        self.assertRegex(run.out, r"^deep\.json:1:\d+: error: expected ")

    def test_what_was_expected(self):
        """One wrong thing in each format, and the place it stands at."""
        for name, text, place, says in (
            ("a.csv", "0F0,0B0\n1F0,1Q0\n", "2:6", "expected"),
            ("a.csv", "0F0,(0F1;1B0)OVERLAP\n", "1:14", "expected"),
            ("a.csv", "0F0,0\n", "1:6", "expected"),
            ("a.txt", "# stage 0 of 1, micro_batches 1, num_pipe_buffers 1\n[ForwardPas(buffer_id=0)]\n", "2:2",
             "ForwardPas"),
            ("a.txt", "# stage 0 of 1, micro_batches 1\n", "1:32", "expected"),
            ("a.txt", "# stage 1 of 1, micro_batches 1, num_pipe_buffers 1\n", "1:1", "count from 0"),
            ("a.pir", "plumbline ir 2\n", "1:1", "expected 1"),
            ("a.pir", "plumbline ir 1\nrank 0 {\n  forwards s0 m0\n}\n", "3:3", "forwards"),
            ("a.pir", "plumbline ir 1\nrank 0 {\n  forward s0 m0 wait %x\n}\n", "3:22", "%x"),
            ("a.json", '{"schedule":"dualpipe","ranks":2}', "1:1", "expected|without"),
        ):
            with self.subTest(name=name, text=text):
                self.refuse(self.write(name, text), place, says)


if __name__ == "__main__":
    unittest.main()
