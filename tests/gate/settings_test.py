"""The settings of the hooks, those that cannot be meant, and programs that are not plumbline."""

import os
import unittest

from tests.gate import repository
from tests.gate.repository import FIXED, NAIVE, UNREADABLE

PATH = "schedules/train.txt"


class Settings(repository.Case):

    def setUp(self):
        super().setUp()
        self.work = self.guarded()
        self.work.have({PATH: FIXED})
        self.work.stage(PATH, FIXED + b"\n")

    def setting(self, key, value):
        self.work.git("config", "--replace-all", key, value)

    def test_no_program(self):
        self.setting("plumbline.program", "/no/such/program")
        self.refused(self.work.commit(), "there is no program '/no/such/program'")
        self.work.git("config", "--unset-all", "plumbline.program")
        self.refused(self.work.commit(), "there is no program 'plumbline' on PATH")
        found = os.path.join(self.folder, "bin")
        os.mkdir(found)
        os.symlink(repository.PLUMBLINE, os.path.join(found, "plumbline"))
        self.passes(self.work.commit(PATH=found + ":/usr/bin:/bin"))

    def test_a_program_that_does_not_do_its_work(self):
        for text, says in (("exit 0", "said nothing"), ("exit 42", "ended with 42"), ("exit 1", "got worse"),
                           ("kill -SEGV $$", "ended with -11"), ("sleep 20", "not done after 1 seconds"),
                           ("echo no such command >&2; exit 2", "no such command"), ("exit 3", "left open")):
            with self.subTest(text):
                self.setting("plumbline.program", self.script(text))
                self.setting("plumbline.seconds", "1")
                self.refused(self.work.commit(), says)

    def test_a_program_that_cannot_be_started(self):
        path = self.script("exit 0")
        with open(path, "wb") as file:
            file.write(b"\x7fELF nothing")
        self.setting("plumbline.program", path)
        self.refused(self.work.commit(), "cannot be started")
        os.chmod(path, 0o644)
        self.refused(self.work.commit(), "there is no program")

    def test_what_a_program_says_is_made_harmless(self):
        self.setting("plumbline.program", self.script(r"printf '\033[2J\007\rall is well\377'; exit 1"))
        self.refused(self.work.commit(), r"\x1b[2J\x07\rall is well\xff")

    def test_how_the_program_is_called(self):
        self.setting("plumbline.program", self.script('printf "%s|" "$@"; env | grep -c ^GIT_; exit 1'))
        self.setting("plumbline.options", "--model nccl --x 'a b'")
        self.work.set("plumbline.options", "--allow-buffers 1")
        self.refused(self.work.commit(), "diff|before|after|--model|nccl|--x|a b|--allow-buffers|1|0\n")

    def test_options_that_cannot_be(self):
        for value, says in (("--model 'nccl", "No closing quotation"), ("--help", "has '--help'"),
                            ("--version", "has '--version'"), ("-o x", "has '-o'"),
                            ("--format=json", "has '--format=json'"), ("-format json", "has '-format'"),
                            ("--no-such-option", "options are wrong")):
            with self.subTest(value):
                self.setting("plumbline.options", value)
                self.refused(self.work.commit(), says)

    def test_paths(self):
        self.work.stage("mine/a.csv", UNREADABLE)
        self.setting("plumbline.paths", "mine/")
        self.refused(self.work.commit(), "mine/a.csv")
        # Exclusions alone narrow the default.
        self.work.git("rm", "--quiet", "--cached", "mine/a.csv")
        self.work.stage("schedules/README.txt", "About these files.")
        self.work.stage("other/a.csv", UNREADABLE)
        self.setting("plumbline.paths", ":(exclude)**/README.txt")
        self.passes(self.work.commit(), "1 changed schedule,")
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit(), "[PL401]")
        for pattern, says in (("", "is set to nothing"), (":(nonsense)x", "git diff-tree failed"),
                              ("../outside", "git diff-tree failed"), (":(attr:x)*", "asks for attributes")):
            with self.subTest(pattern):
                self.setting("plumbline.paths", pattern)
                self.refused(self.work.commit(), says)

    def test_seconds(self):
        for value in ("0", "-1", "x", ""):
            self.setting("plumbline.seconds", value)
            self.refused(self.work.commit(), "plumbline.seconds is")

    def test_default_paths(self):
        for path, judged in (("schedules/a.csv", True), ("deep/down/schedules/x/y.json", True), ("top.pir", True),
                             ("any/where.pir", True), ("schedules/x/a.txt", True), ("other/a.csv", False),
                             ("schedules.csv", False), ("a/schedules.txt", False), ("schedules/notes.md", False)):
            with self.subTest(path):
                self.work.stage(path, UNREADABLE)
                if judged:
                    self.refused(self.work.commit(), path)
                else:
                    self.passes(self.work.commit())
                    self.work.stage(PATH, FIXED + b"\n" * (2 + len(path)))
                self.work.git("rm", "--quiet", "-f", "--cached", "--", path)


if __name__ == "__main__":
    unittest.main()
