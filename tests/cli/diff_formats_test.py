"""The text, JSON and Markdown of `plumbline diff`: one content, escaped, bounded, the same every time."""

import json
import os
import re
import unittest

from tests.cli import driving
from tests.cli.diff_cases import Diff, gpipe, OLD, outside_of_blocks, outside_of_code
from tests.cli.driving import plumbline


class Formats(Diff):
    """Names and labels that would like to be markup."""

    NAMES = ['a "b" \'c\' & <d> @user #1 `x` ``y|z`` [l](http:e) *s* _u_ ~t~ $m$ .csv', "tab\tline\nreturn\r.csv",
             "\u00fcber \U0001f600 \u2028 \u202egnp\ufe0f\u3164\u2800\u00a0\u3000.csv", "bell\x07escape\x1b[31m\x01.csv",
             os.fsdecode(b"bytes \xff\xfe \xc3.csv"), "</details><script>alert(1)</script>.csv".replace("/", "\\")]

    def hostile_folders(self):
        for folder, content in (("base", "0F0,0B0\n"), ("new", "0F0,0B0,0B0\n")):
            os.mkdir(folder)
            for name in self.NAMES:
                self.write(os.path.join(folder, name), content)
            label = '"]]><&\'@user #1 `x` | <b> ![i](u)"'.encode() + b'\n'
            self.write(os.path.join(folder, "label.pir"),
                       b"plumbline ir 1\nmode fragment\nrank 0 {\n  " +
                       (b"compute" if folder == "base" else b"send_message to 0") + b" label " + label + b"}\n")

    def raw(self, *arguments):
        """The output as bytes, through a file since names need not be UTF-8."""
        run = plumbline("diff", "base", "new", *arguments, "-o", "out")
        self.assertEqual((run.code, run.out), (1, ""))
        with open("out", "rb") as file:
            return file.read()

    def test_text(self):
        self.hostile_folders()
        out = self.raw()
        self.assertNotRegex(out, rb"[\x00-\x09\x0b-\x1f\x7f]")

    def test_json(self):
        self.hostile_folders()
        found = json.loads(self.raw("--format", "json").decode())
        self.assertEqual(len(found["files"]), len(self.NAMES) + 1)
        names = {file["name"] for file in found["files"]}
        self.assertTrue(set(self.NAMES[:4]) <= names)
        self.assertIn("bytes \ufffd\ufffd \ufffd.csv", names)

    def test_markdown(self):
        self.hostile_folders()
        out = self.raw("--format", "markdown").decode()
        self.assertTrue(out.startswith("**Plumbline: worse: of 7 files 7 worse**\n"))
        self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f\u2028\u202e\ufe0f\u3164\u2800\u00a0\u3000]")
        alive = outside_of_code(out)
        self.assertEqual(set(re.findall(r"<[^>]*>?", alive)), {"<details>", "</details>", "<summary>", "</summary>"})
        self.assertNotRegex(alive, r"[@#`\[\]$~]|http|script")
        for row in outside_of_blocks(out).splitlines():
            if row.startswith("|"):
                self.assertEqual(row.count("|"), 6, row)

    def test_markdown_is_cut_and_keeps_the_verdict(self):
        rows = gpipe(4, 40)
        bad = rows.replace("0B0,", "0B0,0B0,").replace("3B39", "3B39,3B39")
        for folder, content in (("base", rows), ("new", bad)):
            os.mkdir(folder)
            for k in range(60):
                self.write(os.path.join(folder, f"{'long' * 30}{k:02}.csv"), content)
        run = plumbline("diff", "base", "new", "--format", "markdown")
        self.assertEqual(run.code, 1)
        self.assertLess(len(run.out.encode()), 65536)
        self.assertTrue(run.out.startswith("**Plumbline: worse: of 60 files 60 worse**\n"))
        last = run.out.splitlines()[-1]
        self.assertRegex(last, r"^Left out, .* the details of \d+ pieces\.")
        # Whole pieces: what is opened is closed.
        self.assertEqual(run.out.count("<details>"), run.out.count("</details>"))
        self.assertEqual(outside_of_code(run.out).count("`"), 0)
        left = int(re.search(r"details of (\d+)", last)[1])
        uncut = sum(len(plumbline("diff", f"base/{name}", f"new/{name}", "--format", "markdown").out.split("<details>"))
                    - 1 for name in os.listdir("new")[:1]) * 60
        self.assertEqual(run.out.count("<details>") + left, uncut)

    def test_twice_the_same(self):
        for format in ("text", "json", "markdown"):
            runs = {plumbline("diff", OLD, driving.NAIVE, "--format", format) for _ in range(3)}
            self.assertEqual(len(runs), 1)
            self.assertNotRegex(next(iter(runs)).out, r"\d s\b|seconds")


if __name__ == "__main__":
    unittest.main()
