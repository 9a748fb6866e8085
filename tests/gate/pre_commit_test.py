"""The pre-commit hook: which commits pass, and what of a commit is judged however git was called."""

import os
import unittest

from tests.gate import repository
from tests.gate.repository import FIXED, NAIVE, OLD, POINTER, UNREADABLE

PATH = "schedules/train.txt"


class Verdicts(repository.Case):

    def setUp(self):
        super().setUp()
        self.work = self.guarded()

    def commit(self, files, *arguments, **more):
        for path, content in files.items():
            self.work.stage(path, content)
        return self.work.commit(*arguments, **more)

    def test_a_good_first_commit_and_one_that_lowers_a_buffer_count_too_far(self):
        self.passes(self.commit({PATH: FIXED}), "1 changed schedule (1 new), nothing got worse")
        head = self.work.head()
        run = self.commit({PATH: NAIVE})
        self.refused(run, "got worse", "[PL401]", "[PL501]", "stage 1 gets a corrupted gradient", PATH,
                     "git commit --no-verify")
        self.assertEqual(self.work.head(), head)
        self.passes(self.commit({PATH: FIXED, "readme": "changed"}), says=None)

    def test_one_line_where_it_passes(self):
        run = self.commit({PATH: FIXED, "schedules/second.txt": OLD})
        self.assertEqual(run.out, "plumbline: 2 changed schedules (2 new), nothing got worse\n")

    def test_a_bad_first_commit(self):
        self.refused(self.commit({PATH: NAIVE}), "[PL401]")
        self.assertNotEqual(self.work.run("rev-parse", "--verify", "-q", "HEAD").code, 0)

    def test_more_buffers_than_before_unless_they_are_allowed(self):
        self.work.have({PATH: FIXED})
        self.refused(self.commit({PATH: OLD}), "got worse")
        self.work.set("plumbline.options", "--allow-buffers 1 --allow-warnings")
        self.passes(self.commit({PATH: OLD}))

    def test_unreadable(self):
        self.work.have({PATH: FIXED})
        self.refused(self.commit({PATH: UNREADABLE}), "cannot be read", "unknown action 'X'")

    def test_a_pointer_to_elsewhere_is_unreadable(self):
        self.refused(self.commit({PATH: POINTER}), "cannot be read")

    def test_an_unreadable_file_can_be_mended(self):
        self.work.have({PATH: UNREADABLE})
        self.passes(self.commit({PATH: FIXED}))

    def test_undecided(self):
        self.work.have({PATH: FIXED})
        self.work.set("plumbline.options", "--timeout 0")
        self.refused(self.commit({PATH: FIXED.replace(b"]\n", b"] \n", 1)}), "left open")

    def test_other_files_are_no_business_of_the_hook(self):
        self.work.set("plumbline.program", "/no/such/program")
        self.passes(self.commit({"readme.txt": UNREADABLE, "src/a.csv": UNREADABLE, "x/schedules.txt": NAIVE}),
                    says=None)

    def test_what_is_wrong_already_and_does_not_change(self):
        self.work.have({PATH: NAIVE, "schedules/b.txt": UNREADABLE})
        self.passes(self.commit({"readme": "text"}), says=None)
        os.chmod(os.path.join(self.work.path, PATH), 0o755)
        self.passes(self.work.commit("-a"), says=None)


class WhatIsJudged(repository.Case):
    """The index that becomes the commit, however git was called."""

    def setUp(self):
        super().setUp()
        self.work = self.guarded()
        self.work.have({PATH: FIXED, "schedules/second.txt": FIXED, "readme": "text"})

    def test_a_partly_staged_file(self):
        self.work.stage(PATH, NAIVE)
        self.work.write(PATH, FIXED)
        self.refused(self.work.commit(), "[PL401]")
        self.work.stage(PATH, FIXED + b"\n")
        self.work.write(PATH, NAIVE)
        self.passes(self.work.commit())

    def test_commit_all(self):
        self.work.write(PATH, NAIVE)
        self.refused(self.work.commit("-a"), "[PL401]")
        self.work.write(PATH, FIXED + b"\n")
        self.passes(self.work.commit("-a"))

    def test_commit_of_named_files_leaves_the_rest_of_the_index_alone(self):
        self.work.stage("schedules/second.txt", NAIVE)
        self.work.write(PATH, FIXED + b"\n")
        self.passes(self.work.commit(PATH), "1 changed schedule,")
        self.work.stage("schedules/second.txt", FIXED)
        self.work.write(PATH, NAIVE)
        self.refused(self.work.commit(PATH), "[PL401]")
        self.work.write("readme", "new")
        self.passes(self.work.commit("--include", "readme"), says=None)

    def test_amending(self):
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit("--amend"), "[PL401]")

    def test_from_a_folder_below(self):
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit(within="schedules"), "[PL401]")

    def test_in_another_worktree(self):
        self.work.git("worktree", "add", "--quiet", "-b", "side", "../side")
        side = repository.Repository(os.path.join(self.folder, "side"), self.environment)
        side.stage(PATH, NAIVE)
        self.refused(side.commit(), "[PL401]")
        side.stage(PATH, FIXED + b"\n")
        self.passes(side.commit())

    def test_pathspecs_of_the_caller_are_not_those_of_the_hook(self):
        for option in ("--literal-pathspecs", "--icase-pathspecs", "--noglob-pathspecs", "--glob-pathspecs"):
            self.work.stage(PATH, NAIVE)
            self.refused(self.work.run(option, "commit", "-m", "x"), "[PL401]")

    def test_a_merge(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: NAIVE})
        self.work.git("checkout", "--quiet", "main")
        self.work.have({"readme": "other"})
        self.refused(self.work.run("merge", "--no-edit", "side"), "[PL401]")
        # Whoever goes on by hand meets the other hook.
        self.refused(self.work.commit(), "[PL401]")
        self.work.stage(PATH, FIXED + b"\n")
        self.passes(self.work.commit())

    def test_a_merge_with_a_conflict(self):
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: NAIVE})
        self.work.git("checkout", "--quiet", "main")
        self.work.have({PATH: OLD})
        self.assertNotEqual(self.work.run("merge", "side").code, 0)
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit(), "[PL401]")
        self.work.stage(PATH, FIXED)
        self.passes(self.work.commit())

    def test_started_by_hand(self):
        self.work.stage(PATH, NAIVE)
        path = os.path.join(self.work.path, ".git/hooks/pre-commit")
        self.work.git("config", "alias.judge", "!cd schedules && " + path.replace(" ", "\\ "))
        self.refused(self.work.run("judge"), "[PL401]")
        self.work.set("plumbline.paths", "schedules/*.txt")
        self.refused(self.work.run("judge"), "[PL401]")

    def test_as_core_hooks_path(self):
        for name in ("pre-commit", "pre-merge-commit"):
            os.remove(os.path.join(self.work.path, ".git/hooks", name))
        self.work.stage(PATH, NAIVE)
        self.work.set("core.hooksPath", self.hooks)
        self.refused(self.work.commit(), "[PL401]")

    def test_attributes_and_filters_have_no_say(self):
        self.work.have({".gitattributes": "*.txt export-ignore -diff filter=fine eol=crlf ident\n"
                                          "*.txt working-tree-encoding=UTF-16\n"})
        self.work.set("filter.fine.smudge", "echo fine")
        blob = self.work.git("hash-object", "-w", "--no-filters", "--stdin", content=NAIVE)
        self.work.git("update-index", "--cacheinfo", f"100644,{blob},{PATH}")
        self.refused(self.work.commit(), "[PL401]")

    def test_a_replaced_object_is_judged_as_it_is_stored(self):
        self.work.stage(PATH, NAIVE)
        bad, good = (self.work.git("hash-object", "-w", "--stdin", content=each) for each in (NAIVE, FIXED))
        self.work.git("replace", bad, good)
        self.refused(self.work.commit(), "[PL401]")

    def test_for_the_framework_two_commits(self):
        base = self.work.head()
        self.work.git("checkout", "--quiet", "-b", "side")
        self.work.have({PATH: NAIVE})
        self.work.git("checkout", "--quiet", "main")
        self.work.have({"readme": "other"})
        run = lambda begin, end: self.work.run("-c", f"alias.judge=!'{self.hooks}/pre-commit'", "judge",
                                               PRE_COMMIT_FROM_REF=begin, PRE_COMMIT_TO_REF=end)
        self.refused(run("main", "side"), "[PL401]")
        self.passes(run("side", "main"), says=None)
        self.refused(run(base, "no-such-ref"), "git rev-parse failed")

    def test_what_another_run_of_the_framework_left_is_passed_over(self):
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.run("commit", "-m", "x", PRE_COMMIT_FROM_REF="HEAD", PRE_COMMIT_TO_REF="HEAD"), "[PL401]")


if __name__ == "__main__":
    unittest.main()
