"""What may happen to a schedule's file in a commit, what else may stand in its place, and how it may be called."""

import os
import unittest

from tests.gate import repository
from tests.gate.repository import BATCHES, COMMS, FIXED, NAIVE, PLUMBLINE

PATH = "schedules/train.txt"


class Files(repository.Case):

    def setUp(self):
        super().setUp()
        self.work = self.guarded()

    def test_fused_launches_are_judged_with_their_schedule(self):
        self.work.stage("schedules/a.csv", COMMS)
        self.refused(self.work.commit(), "[PL301]")
        self.work.stage("schedules/a.batches.csv", BATCHES)
        self.passes(self.work.commit(), "1 changed schedule (1 new),")

    def test_a_change_of_the_fused_launches_alone(self):
        self.work.have({"schedules/a.csv": COMMS, "schedules/a.batches.csv": BATCHES})
        self.work.stage("schedules/a.batches.csv", BATCHES.replace(b";", b","))
        self.refused(self.work.commit(), "schedules/a.csv", "[PL301]")
        self.work.git("rm", "--quiet", "--cached", "schedules/a.batches.csv")
        self.refused(self.work.commit(), "schedules/a.csv", "[PL301]")
        # Also where the setting names one of the two only.
        for pattern in ("schedules/a.csv", "schedules/*.batches.csv"):
            self.work.git("config", "--replace-all", "plumbline.paths", pattern)
            self.refused(self.work.commit(), "schedules/a.csv", "[PL301]")

    def test_fused_launches_without_a_schedule(self):
        self.work.have({"schedules/a.csv": COMMS, "schedules/a.batches.csv": BATCHES})
        self.work.git("rm", "--quiet", "schedules/a.csv")
        self.refused(self.work.commit(), "there is no schedules/a.csv beside it")
        self.work.git("rm", "--quiet", "schedules/a.batches.csv")
        self.passes(self.work.commit(), "1 removed schedule, nothing to judge")

    def test_deleted(self):
        self.work.have({PATH: FIXED, "schedules/b.txt": FIXED, "schedules/c.txt": FIXED, "schedules/keep.txt": FIXED})
        self.work.git("rm", "--quiet", PATH)
        # Nothing is left to judge, so no program is needed.
        self.work.set("plumbline.program", "/no/such/program")
        self.assertEqual(self.work.commit().out, "plumbline: 1 removed schedule, nothing to judge; gone: 'schedules/train.txt'\n")
        self.work.git("config", "--replace-all", "plumbline.program", PLUMBLINE)
        self.work.git("rm", "--quiet", "schedules/b.txt")
        self.work.stage("schedules/keep.txt", NAIVE)
        self.refused(self.work.commit(), "schedules/keep.txt", "[PL401]")
        self.work.stage("schedules/keep.txt", FIXED + b"\n")
        self.passes(self.work.commit(), "2 changed schedules (1 removed), nothing got worse")
        self.work.git("rm", "--quiet", "-r", "schedules")
        self.passes(self.work.commit(), "2 removed schedules, nothing to judge")

    def test_renamed(self):
        self.work.have({PATH: FIXED})
        self.work.git("mv", PATH, "schedules/other name.txt")
        self.passes(self.work.commit(), says=None)
        # Right on its own, and worse than what it was made of.
        self.work.git("mv", "schedules/other name.txt", PATH)
        self.work.stage(PATH, FIXED.replace(b"num_pipe_buffers 2", b"num_pipe_buffers 3"))
        self.refused(self.work.commit(), "got worse", PATH)

    def test_renamed_to_where_fused_launches_cannot_be(self):
        """Without its fused launches this one hangs, and must not pass for one that hung before."""
        self.work.have({"schedules/a.csv": COMMS, "schedules/a.batches.csv": BATCHES})
        self.work.git("rm", "--quiet", "schedules/a.batches.csv")
        for place in ("schedules/a.txt", "schedules/a.json", "a.pir"):
            self.work.git("mv", "schedules/a.csv", place)
            self.refused(self.work.commit(), place)
            self.work.git("mv", place, "schedules/a.csv")

    def test_moved_to_where_nobody_looks(self):
        self.work.have({PATH: FIXED})
        for place in ("other/train.txt", "schedules/train.TXT", "Schedules/train.txt"):
            os.makedirs(os.path.dirname(os.path.join(self.work.path, place)), exist_ok=True)
            self.work.git("mv", PATH, place)
            self.refused(self.work.commit(), f"'{PATH}' has become '{place}'")
            self.work.stage(place, NAIVE)
            self.refused(self.work.commit(), f"'{PATH}' has become '{place}'")
            self.work.git("reset", "--quiet", "--hard")

    def test_an_empty_file_has_not_become_any_other(self):
        self.work.stage("schedules/empty.txt", b"")
        self.work.git("commit", "--quiet", "--no-verify", "-m", "empty")
        self.work.git("rm", "--quiet", "schedules/empty.txt")
        self.work.stage("other", b"")
        self.passes(self.work.commit(), "1 removed schedule, nothing to judge; gone: 'schedules/empty.txt'")

    def test_renamed_to_what_cannot_be_judged(self):
        self.work.have({PATH: FIXED})
        for place, says in (("schedules/.train.txt", "begins with a dot"),
                            ("schedules/train.batches.csv", "without a schedule")):
            self.work.git("mv", PATH, place)
            self.refused(self.work.commit(), says)
            self.work.git("mv", place, PATH)

    def test_fused_launches_find_their_schedule(self):
        self.work.stage("schedules/a.batches.csv", BATCHES)
        self.work.git("commit", "--quiet", "--no-verify", "-m", "alone")
        self.work.stage("schedules/a.csv", COMMS)
        self.passes(self.work.commit(), "1 changed schedule (1 new), nothing got worse\n")

    def test_another_name_for_another_schedule_is_new(self):
        self.work.have({PATH: FIXED})
        self.work.git("rm", "--quiet", PATH)
        self.work.stage("schedules/other.csv", repository.corpus("pytorch/1f1b_2rank_2stage_4mb_compute.csv"))
        self.passes(self.work.commit(), "2 changed schedules (1 new, 1 removed), nothing got worse")

    def test_renamed_with_its_fused_launches(self):
        self.work.have({"schedules/a.csv": COMMS, "schedules/a.batches.csv": BATCHES})
        self.work.git("mv", "schedules/a.csv", "schedules/b.csv")
        self.refused(self.work.commit(), "there is no schedules/a.csv beside it")
        self.work.git("rm", "--quiet", "schedules/a.batches.csv")
        self.refused(self.work.commit(), "schedules/b.csv", "[PL301]")
        self.work.stage("schedules/b.batches.csv", BATCHES)
        self.passes(self.work.commit(), says=None)

    def test_a_symbolic_link(self):
        self.work.have({PATH: FIXED, "elsewhere": FIXED})
        os.remove(os.path.join(self.work.path, PATH))
        os.symlink("../elsewhere", os.path.join(self.work.path, PATH))
        self.refused(self.work.commit("-a"), f"'{PATH}' is a symbolic link")
        # One that is there already stays, and may become a file again.
        self.work.have({}, "-a")
        self.work.stage("readme", "text")
        self.passes(self.work.commit(), says=None)
        os.remove(os.path.join(self.work.path, PATH))
        self.work.stage(PATH, FIXED)
        self.passes(self.work.commit())

    def test_fused_launches_that_are_a_symbolic_link(self):
        self.work.stage("schedules/a.csv", COMMS)
        self.work.write("fused", BATCHES)
        os.symlink("../fused", os.path.join(self.work.path, "schedules/a.batches.csv"))
        self.work.git("add", ".")
        self.refused(self.work.commit(), "'schedules/a.batches.csv' is a symbolic link")

    def test_a_submodule(self):
        self.work.have({".gitmodules": f"[submodule \"x\"]\n\tpath = {PATH}\n\turl = ./x\n\tignore = all\n"})
        self.work.git("update-index", "--add", "--cacheinfo", f"160000,{self.work.head()},{PATH}")
        self.refused(self.work.commit(), f"'{PATH}' is a submodule")

    def test_a_link_or_a_submodule_in_place_of_a_folder(self):
        self.work.have({PATH: FIXED, "elsewhere/train.txt": NAIVE})
        link = self.work.git("hash-object", "-w", "--stdin", content=b"elsewhere")
        for mode, oid, says in (("120000", link, "a symbolic link"), ("160000", self.work.head(), "a submodule")):
            self.work.git("rm", "--quiet", "-r", "--cached", "schedules")
            self.work.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},schedules")
            self.refused(self.work.commit(), f"'schedules' is {says}")
            self.work.git("reset", "--quiet")

    def test_names_that_plumbline_would_pass_over(self):
        self.work.set("plumbline.paths", "schedules/*")
        for path in ("schedules/.hidden.csv", "schedules/.a/b.csv", "schedules/a.CSV", "schedules/a",
                     "schedules/a.txt~"):
            self.work.stage(path, NAIVE)
            self.refused(self.work.commit(), f"'{path}'", "plumbline would pass over it")
            self.work.git("rm", "--quiet", "-f", "--", path)

    def test_odd_names(self):
        for odd in (b"a b", b"new\nline", b"q'u\"o`te$(touch x)", b"-", b"--output=x", b"\xff\xfe", b"\x1b[31m red",
                    "\u00fcber \u202e".encode(), b":(exclude)*", b"*", b"[a-z]", b"\\", b"tab\t", b" ", b"%s",
                    b"<b>&amp;</b>"):
            path = b"schedules/" + odd + b".txt"
            with self.subTest(path):
                self.work.write(path, NAIVE)
                self.work.git("add", "schedules")
                self.refused(self.work.commit(), "[PL401]")
                self.work.write(path, FIXED)
                self.work.git("add", "schedules")
                self.passes(self.work.commit(), "1 changed schedule (1 new),")

    def test_more_than_can_be_read(self):
        limited = self.script(f"""exec python3 -c '
import runpy, sys
sys.path.insert(0, "{self.hooks}")
from plumbline_gate import git
git.Blobs.LIMIT = {3 * len(FIXED)}
runpy.run_path("{self.hooks}/pre-commit")
'""")
        os.remove(os.path.join(self.work.path, ".git/hooks/pre-commit"))
        os.symlink(limited, os.path.join(self.work.path, ".git/hooks/pre-commit"))
        for number in range(3):
            self.work.stage(f"schedules/{number}.txt", FIXED)
        self.passes(self.work.commit())
        # What they are compared with counts too.
        for number in range(2):
            self.work.stage(f"schedules/{number}.txt", FIXED + b"\n")
        self.refused(self.work.commit(), "have more than")

    def test_a_name_too_long_for_a_folder(self):
        blob = self.work.git("hash-object", "-w", "--stdin", content=FIXED)
        self.work.git("update-index", "--add", "--cacheinfo", f"100644,{blob},schedules/{'x' * 300}.txt")
        self.refused(self.work.commit(), "cannot be laid out")


if __name__ == "__main__":
    unittest.main()
