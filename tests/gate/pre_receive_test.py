"""The pre-receive hook: pushes to a bare repository, as a server gets them."""

import os
import unittest

from tests.gate import repository
from tests.gate.repository import FIXED, NAIVE, OLD, UNREADABLE

PATH = "schedules/train.txt"


class PreReceive(repository.Case):

    def setUp(self):
        super().setUp()
        self.bare = self.server()
        self.work = self.repository()
        self.work.git("remote", "add", "origin", self.bare.path)

    def push(self, *what):
        return self.work.run("push", "origin", *(what or ["main"]))

    def begin(self, content=FIXED):
        """The default branch, which the server has."""
        base = self.work.have({PATH: content})
        self.passes(self.push())
        return base

    def refs(self):
        return self.bare.git("for-each-ref", "--format=%(refname)").split()

    def refused(self, run, *says):
        super().refused(run._replace(out=run.out.replace("remote: ", "")), *says)
        for line in run.out.splitlines():
            if "plumbline" in line or "error: " in line and "PL" in line:
                self.assertTrue(line.startswith("remote: "), line)
        self.assertIn("pre-receive hook declined", run.out)
        # Whoever pushes is not told how not to ask.
        self.assertNotIn("no-verify", run.out)

    def test_a_good_push_and_one_that_lowers_a_buffer_count_too_far(self):
        base = self.begin()
        bad = self.work.have({PATH: NAIVE})
        self.refused(self.push(), "got worse", "[PL401]", "[PL501]", PATH, "'refs/heads/main' is not updated")
        self.assertEqual(self.bare.git("rev-parse", "main"), base)
        # Nothing of what was refused is kept: it was looked at in quarantine.
        self.assertNotEqual(self.bare.run("cat-file", "-e", bad).code, 0)
        self.work.have({PATH: FIXED + b"\n"})
        self.passes(self.push(), "'refs/heads/main': 1 changed schedule, nothing got worse")

    def test_the_first_push(self):
        self.work.have({PATH: NAIVE})
        self.refused(self.push(), "[PL401]")
        self.assertEqual(self.refs(), [])

    def test_unreadable(self):
        self.begin()
        self.work.have({PATH: UNREADABLE})
        self.refused(self.push(), "cannot be read", "unknown action 'X'")

    def test_undecided(self):
        self.begin()
        self.bare.set("plumbline.options", "--timeout 0")
        self.work.have({PATH: FIXED.replace(b"]\n", b"] \n", 1)})
        self.refused(self.push(), "left open")

    def test_no_program(self):
        self.work.have({PATH: FIXED})
        self.bare.git("config", "--unset-all", "plumbline.program")
        self.refused(self.push(), "there is no program 'plumbline' on PATH")
        self.bare.set("plumbline.program", self.script("sleep 20"))
        self.bare.set("plumbline.seconds", "1")
        self.refused(self.push(), "not done after 1 second")

    def test_pushes_without_schedules(self):
        self.bare.set("plumbline.program", "/no/such/program")
        self.work.have({"readme": "text"})
        self.passes(self.push(), says=None)

    def test_what_counts_is_what_the_branch_holds_in_the_end(self):
        self.begin()
        self.work.have({PATH: NAIVE})
        self.work.have({PATH: FIXED + b"\n"})
        self.passes(self.push())

    def test_a_new_branch_is_compared_with_where_it_left_the_default_branch(self):
        base = self.begin(OLD)
        self.work.have({PATH: FIXED})
        self.passes(self.push())
        # Worse than the default branch is now, but not than it was.
        self.work.git("checkout", "--quiet", "-b", "side", base)
        self.work.have({PATH: OLD + b"\n"})
        self.passes(self.push("side"), "'refs/heads/side': 1 changed schedule, nothing got worse")
        self.work.git("checkout", "--quiet", "-b", "bad", "main")
        self.work.have({PATH: OLD})
        self.refused(self.push("bad"), "got worse", "'refs/heads/bad' is not updated")

    def test_a_new_branch_of_another_history_stands_for_itself(self):
        self.begin()
        self.work.git("checkout", "--quiet", "--orphan", "alone")
        self.work.have({PATH: NAIVE})
        self.refused(self.push("alone"), "[PL401]")
        self.work.have({PATH: OLD}, "--amend")
        self.passes(self.push("alone"))

    def test_a_new_name_for_what_the_server_has(self):
        self.begin()
        self.bare.set("plumbline.options", "--allow-buffers 1 --allow-warnings")
        self.work.git("checkout", "--quiet", "-b", "release")
        self.work.have({PATH: OLD})
        self.passes(self.push("release"))
        self.bare.git("config", "--unset-all", "plumbline.options")
        self.passes(self.push("release:refs/tags/v1", "release:copy"), says=None)
        self.refused(self.push("release:main"), "got worse")

    def push_with_a_bad_commit_within(self):
        """A bad schedule that the server has, and that it never judged. Returns its commit."""
        self.begin()
        middle = self.work.have({PATH: NAIVE})
        self.work.have({PATH: FIXED + b"\n"})
        self.passes(self.push())
        return middle

    def test_a_name_for_what_was_in_the_middle_of_a_push(self):
        middle = self.push_with_a_bad_commit_within()
        self.work.git("tag", "-a", "-m", "bad", "heavy", middle)
        self.work.git("tag", "-a", "-m", "bad", "twice", "heavy")
        for what in (middle + ":refs/heads/mid", middle + ":refs/tags/mid", "heavy", "twice",
                     middle + ":refs/other/mid"):
            with self.subTest(what):
                self.refused(self.push(what), "[PL401]", PATH)
        self.assertEqual(self.refs(), ["refs/heads/main"])
        # Also where the server itself, or another kind of ref, holds on to it.
        self.bare.git("update-ref", "refs/keep-around/" + middle, middle)
        self.refused(self.push(middle + ":refs/heads/mid"), "[PL401]")

    def test_a_name_for_what_another_branch_has_in_the_middle(self):
        self.begin()
        self.work.git("checkout", "--quiet", "-b", "side")
        middle = self.work.have({PATH: NAIVE})
        self.work.have({PATH: FIXED + b"\n"})
        self.passes(self.push("side"))
        self.refused(self.push(middle + ":refs/heads/mid"), "[PL401]")
        # In a push together with a good name for it, and with the end of its branch.
        self.refused(self.push(middle + ":refs/heads/mid", "side:copy"), "'refs/heads/mid' is not updated")

    def test_a_branch_that_leaves_in_the_middle_of_a_push(self):
        middle = self.push_with_a_bad_commit_within()
        self.work.git("checkout", "--quiet", "-b", "side", middle)
        self.work.have({"readme": "no schedule changed"})
        self.refused(self.push("side"), "[PL401]", PATH)
        self.work.git("mv", PATH, "schedules/other.txt")
        self.work.have({})
        self.refused(self.push("side"), "[PL401]", "schedules/other.txt")
        self.work.git("rm", "--quiet", "schedules/other.txt")
        self.work.have({PATH: FIXED})
        self.passes(self.push("side"), "1 changed schedule, right by itself")

    def test_a_name_for_what_was_right_in_the_middle(self):
        self.begin()
        middle = self.work.have({PATH: OLD})
        self.work.have({PATH: FIXED + b"\n"})
        self.passes(self.push())
        # Nobody said what it should be compared with, so what it costs is not asked.
        self.passes(self.push(middle + ":refs/tags/mid"), "'refs/tags/mid': 1 changed schedule, right by itself")

    def test_what_the_default_branch_holds_is_no_fault_of_a_new_branch(self):
        self.work.have({PATH: NAIVE, "schedules/b.txt": UNREADABLE})
        self.push_past_the_hook()
        first = self.work.head()
        self.work.have({"readme": "more"})
        self.passes(self.push(), says=None)
        self.work.git("checkout", "--quiet", "-b", "side", first)
        self.work.have({"notes": "text"})
        self.passes(self.push("side"), says=None)

    def push_past_the_hook(self):
        """As before there was one."""
        hook = os.path.join(self.bare.path, "hooks/pre-receive")
        target = os.readlink(hook)
        os.remove(hook)
        self.passes(self.push(), says=None)
        os.symlink(target, hook)

    def test_a_branch_without_schedules(self):
        self.begin()
        self.work.git("rm", "--quiet", PATH)
        self.work.have({})
        self.bare.set("plumbline.program", "/no/such/program")
        self.passes(self.push(), "'refs/heads/main': 1 removed schedule, nothing to judge")

    def test_a_forced_push(self):
        self.begin()
        self.work.have({PATH: NAIVE}, "--amend")
        self.refused(self.push("+main"), "[PL401]")
        self.work.have({PATH: FIXED + b"\n"}, "--amend")
        self.passes(self.push("+main"), "nothing got worse")

    def test_deleting_a_branch(self):
        self.begin()
        self.passes(self.push("main:side"), says=None)
        self.bare.set("plumbline.program", "/no/such/program")
        self.passes(self.push(":side"), says=None)
        self.assertEqual(self.refs(), ["refs/heads/main"])

    def test_tags(self):
        self.begin()
        self.work.git("tag", "-a", "-m", "good", "good")
        self.passes(self.push("good"), says=None)
        self.work.have({PATH: NAIVE})
        self.work.git("tag", "light")
        self.work.git("tag", "-a", "-m", "bad", "heavy")
        self.work.git("tag", "-a", "-m", "bad", "twice", "heavy")
        for tag in ("light", "heavy", "twice"):
            self.refused(self.push(tag), "[PL401]", f"'refs/tags/{tag}' is not updated")
        self.refused(self.push("+heavy:refs/tags/good"), "[PL401]")

    def test_tags_of_what_is_no_commit(self):
        self.begin()
        for name, content in (("good", FIXED), ("bad", NAIVE)):
            self.work.stage(PATH, content)
            self.work.git("tag", name, self.work.git("write-tree"))
        self.passes(self.push("good"))
        self.refused(self.push("bad"), "[PL401]")
        self.work.git("tag", "text", self.work.git("hash-object", "-w", "--stdin", content=NAIVE))
        self.passes(self.push("text"), says=None)
        self.refused(self.push("+bad:refs/tags/text"), "[PL401]")

    def test_several_refs(self):
        base = self.begin()
        for name, content in (("bad", NAIVE), ("worse", UNREADABLE), ("good", FIXED + b"\n")):
            self.work.git("checkout", "--quiet", "-b", name, base)
            self.work.have({PATH: content})
        run = self.push("good", "bad", "worse")
        self.refused(run, "'refs/heads/bad' is not updated", "'refs/heads/worse' is not updated",
                     "'refs/heads/good': 1 changed schedule, nothing got worse")
        self.assertEqual(self.refs(), ["refs/heads/main"])

    def test_replaced_objects(self):
        self.begin()
        self.work.have({PATH: NAIVE})
        bad, good = (self.work.git("hash-object", "-w", "--stdin", content=each) for each in (NAIVE, FIXED))
        self.work.git("update-ref", "refs/replace/" + bad, good)
        self.passes(self.push("refs/replace/*:refs/replace/*"), says=None)
        self.refused(self.push(), "[PL401]")

    def test_odd_names(self):
        self.begin()
        for branch in ('a"b', "$(touch${IFS}x)", "`x`", "it's", "--all", "\u00fcber", os.fsdecode(b"\xff")):
            with self.subTest(branch):
                commit = self.work.have({branch + "/schedules/x.txt": NAIVE})
                self.work.git("update-ref", "refs/heads/" + branch, commit)
                self.refused(self.push("refs/heads/" + branch), "[PL401]")
                self.work.git("reset", "--quiet", "--hard", "HEAD~")

    def tree(self, *rows):
        """A tree with any names at all, as only somebody with ill intent writes it, and a branch of it."""
        content = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(oid)) for mode, name, oid in rows)
        return self.work.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", content=content)

    def commit(self, tree):
        return self.work.git("commit-tree", "-m", "ill", tree)

    def test_trees_that_git_would_not_write(self):
        self.begin()
        bad, good = (self.work.git("hash-object", "-w", "--stdin", content=each) for each in (NAIVE, FIXED))
        self.bare.set("plumbline.paths", "*")
        twice = self.tree((b"100644", b"x.txt", good), (b"100644", b"x.txt", bad))
        up = self.tree((b"40000", b"..", self.tree((b"100644", b"x.txt", good))))
        slash = self.tree((b"100644", b"a/../../x.txt", good))
        root = self.tree((b"100644", b"/tmp/x.txt", good))
        clash = self.tree((b"100644", b"x.txt", good), (b"40000", b"x.txt", self.tree((b"100644", b"y.txt", good))))
        for tree, says in ((twice, "'x.txt' twice"), (up, "the name '..'"), (slash, "the name 'a/../../x.txt'"),
                           (root, "the name '/tmp/x.txt'"), (clash, "'x.txt' twice")):
            self.refused(self.push(f"{self.commit(tree)}:refs/heads/ill"), "a tree has " + says)

    def test_trees_in_which_git_looks_past_a_schedule(self):
        """Where a pathspec without a wildcard ends the search early."""
        self.begin()
        bad, good = (self.work.git("hash-object", "-w", "--stdin", content=each) for each in (NAIVE, FIXED))
        self.bare.set("plumbline.paths", "schedules")
        both = self.tree((b"100644", b"g.txt", good), (b"100644", b"h.txt", bad))
        one = self.tree((b"100644", b"g.txt", good))
        unsorted = self.tree((b"100644", b"zzz", good), (b"40000", b"schedules", both))
        slash = self.tree((b"100644", b"schedules/h.txt", bad), (b"40000", b"schedules", one), (b"100644", b"zzz", good))
        below = self.tree((b"40000", b"schedules", self.tree((b"100644", b"h.txt", bad), (b"100644", b"g.txt", good))))
        for tree, says in ((unsorted, "'schedules' out of order"), (slash, "the name 'schedules/h.txt'"),
                           (below, "'g.txt' out of order")):
            self.refused(self.push(f"{self.commit(tree)}:refs/heads/ill"), "a tree has " + says)
            self.refused(self.push(f"+{self.commit(tree)}:refs/heads/main"), "a tree has " + says)

    def test_a_submodule_and_a_link(self):
        self.begin()
        head = self.work.head()
        link = self.work.git("hash-object", "-w", "--stdin", content=b"/etc/passwd")
        for mode, oid, says in (("160000", head, "is a submodule"), ("120000", link, "is a symbolic link")):
            self.work.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},schedules/x.txt")
            tree = self.work.git("write-tree")
            run = self.push(f"{self.commit(tree)}:refs/heads/ill")
            self.refused(run, f"'schedules/x.txt' {says}")
            self.assertNotIn("root:", run.out)

    def test_what_git_does_not_say(self):
        hook = os.path.join(self.bare.path, "hooks/pre-receive")
        for line in ("--all --all x", "0" * 40 + " x", "g" * 40 + " " + "0" * 40 + " refs/heads/x"):
            run = self.bare.run("-c", f"alias.judge=!echo '{line}' | '{hook}'", "judge")
            super().refused(run, "git said")


if __name__ == "__main__":
    unittest.main()
