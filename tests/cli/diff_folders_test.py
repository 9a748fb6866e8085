"""What `plumbline diff` makes of two folders: pairs, renames, what is new, gone or unreadable."""

import os
import shutil
import unittest

from tests.cli import driving
from tests.cli.diff_cases import Diff, gpipe
from tests.cli.driving import plumbline


class OfFolders(Diff):

    def folders(self, base, new):
        for folder, files in (("base", base), ("new", new)):
            os.makedirs(folder)
            for name, content in files.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                self.write(os.path.join(folder, name), content)

    def statuses(self, *arguments):
        code, found = self.diff("base", "new", *arguments)
        return code, [(file["name"], file["status"], file["outcome"]) for file in found["files"]]

    def test_pairs_by_path(self):
        self.folders({"a.csv": "0F0,0B0\n", "deep/b.csv": "0F0,0B0,0B0\n", "c.csv": gpipe(2, 2)},
                     {"a.csv": "0F0,0B0,0B0\n", "deep/b.csv": "0F0,0B0\n", "c.csv": gpipe(2, 2)})
        self.assertEqual(self.statuses(), (1, [("a.csv", "compared", "worse"), ("c.csv", "unchanged", "not_worse"),
                                               ("deep/b.csv", "compared", "not_worse")]))
        out = plumbline("diff", "base", "new").out
        self.assertIn("new/a.csv: worse: 1 new error", out)
        self.assertLess(out.index("new/a.csv: worse"), out.index("new/deep/b.csv: better"))
        self.assertEqual(out.splitlines()[-1],
                         "plumbline diff: worse: of 3 files 1 worse, 1 not worse, 1 better; 1 unchanged")

    def test_added(self):
        self.folders({"a.csv": "0F0,0B0\n"}, {"a.csv": "0F0,0B0\n", "b.csv": gpipe(2, 2)})
        self.assertEqual(self.statuses(), (0, [("a.csv", "unchanged", "not_worse"), ("b.csv", "added", "not_worse")]))
        self.assertEqual(self.statuses("--timeout", "0")[0], 3)
        self.write("new/b.csv", "0F0,0B0,0B0\n")
        code, found = self.diff("base", "new")
        self.assertEqual((code, found["files"][1]["base"], len(found["files"][1]["findings"]["new"])), (1, None, 1))
        self.write("new/b.csv", "0F0,0X0\n")
        self.assertEqual(self.statuses(), (2, [("a.csv", "unchanged", "not_worse"), ("b.csv", "added", "unusable")]))

    def test_removed(self):
        self.folders({"a.csv": "0F0,0B0\n", "b.csv": "0F0,0X0\n"}, {"a.csv": "0F0,0B0\n"})
        self.assertEqual(self.statuses(), (0, [("a.csv", "unchanged", "not_worse"), ("b.csv", "removed", None)]))
        self.assertIn("base/b.csv: removed\n", plumbline("diff", "base", "new").out)

    def test_renamed(self):
        bad = "0F0,0B0,0B0\n"
        self.folders({"a.csv": bad, "z.csv": gpipe(2, 2)}, {"b.csv": bad, "y.csv": gpipe(2, 3)})
        self.assertEqual(self.statuses(), (0, [("b.csv", "renamed", "not_worse"), ("y.csv", "added", "not_worse"),
                                               ("z.csv", "removed", None)]))
        self.assertIn("new/b.csv: renamed from base/a.csv: not worse: still rejected",
                      plumbline("diff", "base", "new").out)

    def test_unreadable(self):
        self.folders({"a.csv": "0F0,0X0\n", "b.csv": "0F0,0B0\n", "c.csv": "0F0,0X0\n"},
                     {"a.csv": "0F0,0B0\n", "b.csv": "0F0,0X0\n", "c.csv": "0F0,0X0\n"})
        self.assertEqual(self.statuses(), (2, [("a.csv", "compared", "not_worse"), ("b.csv", "compared", "unusable"),
                                               ("c.csv", "unchanged", "unusable")]))

    def test_fused_launches_belong_to_their_schedule(self):
        source = os.path.join(driving.CORPUS, "field/pt174288")
        for folder in ("base", "new"):
            os.mkdir(folder)
            for end in (".csv", ".batches.csv"):
                shutil.copy(source + end, os.path.join(folder, "a" + end))
        self.assertEqual([file[:2] for file in self.statuses()[1]], [("a.csv", "unchanged")])
        os.remove("new/a.batches.csv")
        self.assertEqual([file[:2] for file in self.statuses()[1]], [("a.csv", "compared")])

    def test_empty_folders(self):
        os.makedirs("base")
        os.makedirs("new")
        self.refused("new: holds no schedules")
        self.write("new/a.csv", "0F0,0B0\n")
        self.assertEqual(self.statuses(), (0, [("a.csv", "added", "not_worse")]))
        self.refused("new: holds no schedules: no file below it, but for what --exclude leaves out", "--exclude", "*.csv")
        os.rename("new/a.csv", "base/a.csv")
        self.refused("new: holds no schedules")
        self.assertEqual(plumbline("diff", "base", "nowhere").code, 2)

    def refused(self, says, *arguments):
        run = plumbline("diff", "base", "new", *arguments)
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn(says, run.err)

    def test_a_pipe_in_place_of_a_file(self):
        self.folders({"a.csv": "0F0,0B0\n", "b.csv": "0F0,0B0\n"}, {"b.csv": "0F0,0B0\n"})
        os.mkfifo("new/a.csv")
        self.refused("new/a.csv: is a pipe")
        # In the old folder it is as if it were not there.
        os.rename("new", "piped")
        os.rename("base", "new")
        os.rename("piped", "base")
        self.assertEqual(self.statuses(), (0, [("a.csv", "added", "not_worse"), ("b.csv", "unchanged", "not_worse")]))

    def test_excluded(self):
        self.folders({"a.csv": "0F0,0B0\n"}, {"a.csv": "0F0,0B0\n", "b.csv": "0F0,0X0\n"})
        self.assertEqual(self.statuses("--exclude", "b.csv")[0], 0)

    def test_the_corpus_against_itself(self):
        for name in sorted(os.listdir(driving.CORPUS)):
            folder = os.path.join(driving.CORPUS, name)
            if os.path.isdir(folder) and name != "field":  # which has JSON of other kinds
                code, found = self.diff(folder, folder)
                self.assertEqual((code, {file["status"] for file in found["files"]}), (0, {"unchanged"}), name)

    def test_two_versions_of_a_framework(self):
        for arguments in (["old", "naive", 1], ["naive", "fixed", 0], ["old", "fixed", 0]):
            base, new = (os.path.join(driving.CORPUS, "deepspeed", name) for name in arguments[:2])
            os.mkdir("base") or os.mkdir("new")
            for source, folder in ((base, "base"), (new, "new")):
                for name in os.listdir(source):
                    if name.startswith("Train"):
                        shutil.copy(os.path.join(source, name), folder)
            self.assertEqual(self.diff("base", "new")[0], arguments[2], arguments)
            shutil.rmtree("base")
            shutil.rmtree("new")

    def test_one_thread_or_several(self):
        base, new = (os.path.join(driving.CORPUS, "deepspeed", name) for name in ("old", "fixed"))
        for format in ("text", "json", "markdown"):
            outputs = {plumbline("diff", base, new, "--format", format, "--jobs", jobs).out
                       for jobs in ("1", "7")}
            self.assertEqual(len(outputs), 1, format)


if __name__ == "__main__":
    unittest.main()
