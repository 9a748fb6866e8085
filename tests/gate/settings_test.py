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
        summary = "echo plumbline diff: "
        for text, says in (("exit 0", "without the summary"), ("exit 42", "ended with 42"),
                           ("exit 1", "ended with 1, and without"), ("exit 3", "ended with 3, and without"),
                           ("kill -SEGV $$", "ended with -11"), ("sleep 20", "not done after 1 seconds"),
                           ("echo no such command >&2; exit 2", "no such command"),
                           # Help names all words, but does not end with what was found.
                           (summary + "not worse; echo options:", "nothing was judged"),
                           (summary + "not worse >&2", "nothing was judged"),
                           (summary + "worse: 1 new error", "ended with 0, and without"),
                           (summary + "undecided", "ended with 0, and without"),
                           ("echo 'x: plumbline diff: not worse'", "nothing was judged"),
                           (summary + "not worse; exit 1", "ended with 1, and without"),
                           (summary + "worse: 1 new error; exit 1", "got worse"),
                           (summary + "undecided; exit 3", "left open")):
            with self.subTest(text):
                self.setting("plumbline.program", self.script(text))
                self.setting("plumbline.seconds", "1")
                self.refused(self.work.commit(), says)
        for found in ("not worse", "better: 1 warning fixed", "not worse: of 2 files 2 not worse"):
            with self.subTest(found):
                self.setting("plumbline.program", self.script(f"echo text; echo 'plumbline diff: {found}'"))
                self.passes(self.work.commit())
                self.work.stage(PATH, FIXED + found.encode() + b"\n")

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
        self.refused(self.work.commit(),
                     "diff|before|after|--model|nccl|--x|a b|--allow-buffers|1|--format=text|-o|-|0\n")

    def test_options_that_cannot_be(self):
        for value, says in (("--model 'nccl", "No closing quotation"), ("--no-such-option", "options are wrong"),
                            ("--", "options are wrong"), ("x.txt", "options are wrong"),
                            ("--timeout", "options are wrong")):
            with self.subTest(value):
                self.setting("plumbline.options", value)
                self.refused(self.work.commit(), says)

    def test_options_after_which_nothing_is_judged(self):
        # The command line takes any beginning of these, and ends well without a look at a file.
        for whole in ("--help", "--help-hidden", "--help-list", "--help-list-hidden", "--version"):
            for value in {whole[:length] for length in range(len("--h"), len(whole) + 1)} | {"-h", whole[1:]}:
                with self.subTest(value):
                    self.setting("plumbline.options", value)
                    run = self.work.commit()
                    self.refused(run)
                    self.assertRegex(run.out, "nothing was judged|options are wrong")

    def test_options_that_send_the_report_elsewhere(self):
        for value in ("-o x", "-o=x", "--o x", "--o=x", "-o", "--format json", "--format=json", "-format=markdown",
                      "--format=json -o x", "--form=json", "-o x --format=json --"):
            with self.subTest(value):
                self.setting("plumbline.options", value)
                self.work.stage(PATH, NAIVE)
                run = self.work.commit()
                self.refused(run)
                # The report is there all the same, or the option is refused as wrong.
                self.assertRegex(run.out, r"\[PL401\]|options are wrong")

    def test_options_that_leave_schedules_out(self):
        self.work.stage("schedules/other.txt", FIXED)
        self.work.stage(PATH, NAIVE)
        for value in ("--exclude train.txt", "--exclude=train.txt", "-exclude 'train*'", "--exclude '*'", "--excl=*.txt"):
            with self.subTest(value):
                self.setting("plumbline.options", "--allow-warnings " + value)
                self.refused(self.work.commit(), "has --exclude", "plumbline.paths ':(exclude)PATH'")

    def test_exclusions_alone_narrow_the_default(self):
        self.work.stage("schedules/README.txt", b"words")
        for value in (":(exclude)**/README.txt", ":(top,exclude)**/README.txt", ":!**/README.txt", ":/!**/README.txt"):
            with self.subTest(value):
                self.setting("plumbline.paths", value)
                self.work.stage(PATH, NAIVE)
                self.refused(self.work.commit(), "[PL401]")
        self.work.stage(PATH, FIXED + b"\n")
        self.passes(self.work.commit())

    def test_the_remedy_fits(self):
        self.work.stage(PATH, NAIVE)
        self.refused(self.work.commit(), "mend errors; mend or allow what only costs more: ")

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
        for value in ("0", "-1", "x", "", "1000001", "9" * 17, "9" * 5000):
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
