"""Git repositories in temporary folders, with the hooks as people install them, for the tests beside this file."""

import collections
import os
import shutil
import subprocess
import tempfile
import unittest

PLUMBLINE = os.path.abspath("verifier/cli/plumbline")
HOOKS = os.path.abspath("tools/git_hooks")
CORPUS = os.path.abspath("tests/corpus")

# The tests' timeout covers many runs, longer under sanitizers. No single one may take half of it.
SECONDS = int(os.environ.get("TEST_TIMEOUT", "300")) / 2

Run = collections.namedtuple("Run", "code out")


def corpus(path):
    with open(os.path.join(CORPUS, path), "rb") as file:
        return file.read()


FIXED = corpus("deepspeed/fixed/TrainSchedule_4stage_8mb.txt")
# One buffer less than the order needs: PL401 and PL501.
NAIVE = corpus("deepspeed/naive/TrainSchedule_4stage_8mb.txt")
# Right, but with a buffer more than FIXED on some stages.
OLD = corpus("deepspeed/old/TrainSchedule_4stage_8mb.txt")
# Verified with its fused launches, a deadlock without.
COMMS = corpus("megatron-lm/1f1b_4rank_4stage_8mb_comms.csv")
BATCHES = corpus("megatron-lm/1f1b_4rank_4stage_8mb_comms.batches.csv")
UNREADABLE = b"0F0,0X0\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5400\n"


class Case(unittest.TestCase):
    """A test with a folder and a home of its own, and a copy of the hooks in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.hooks = os.path.join(self.folder, "plumbline hooks")
        shutil.copytree(HOOKS, self.hooks)
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        # Nothing of whoever runs the test: no settings, no templates with hooks, no signing.
        self.environment = {"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin",
                            "LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true",
                            "TMPDIR": self.folder,
                            "GIT_CONFIG_GLOBAL": os.path.join(home, "gitconfig")}
        for who in ("AUTHOR", "COMMITTER"):
            self.environment[f"GIT_{who}_NAME"] = "Somebody"
            self.environment[f"GIT_{who}_EMAIL"] = "somebody@example.com"
        with open(self.environment["GIT_CONFIG_GLOBAL"], "w", encoding="utf-8") as file:
            file.write("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")

    def repository(self, name="work"):
        """A new repository without hooks."""
        made = Repository(os.path.join(self.folder, name), self.environment)
        made.git("init", "--quiet", made.path)
        return made

    def guarded(self):
        """One in which commits are judged."""
        made = self.repository()
        made.set("plumbline.program", PLUMBLINE)
        for name in ("pre-commit", "pre-merge-commit"):
            os.symlink(os.path.join(self.hooks, name), os.path.join(made.path, ".git/hooks", name))
        return made

    def server(self):
        """A bare repository in which pushes are judged."""
        made = Repository(os.path.join(self.folder, "server.git"), self.environment)
        made.git("init", "--quiet", "--bare", made.path)
        made.set("plumbline.program", PLUMBLINE)
        os.symlink(os.path.join(self.hooks, "pre-receive"), os.path.join(made.path, "hooks/pre-receive"))
        return made

    def script(self, text, name="program"):
        """An executable for plumbline.program."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def passes(self, run, says="nothing got worse"):
        self.assertEqual(run.code, 0, run.out)
        if says is None:
            self.assertNotIn("plumbline", run.out)
        else:
            self.assertIn(says, run.out)

    def refused(self, run, *says):
        self.assertEqual(run.code, 1, run.out)
        for words in ("plumbline: refused: ", "  why: ", "  do:  ", *says):
            self.assertIn(words, run.out)
        # What is said is for people: nothing to obey for a terminal, and no stack of Python's.
        self.assertNotRegex(run.out, r"[\x00-\x08\x0b-\x1f\x7f]")
        self.assertNotIn("Traceback", run.out)
        # Nothing is left behind.
        self.assertEqual([each for each in os.listdir(self.folder) if each.startswith("plumbline-gate")], [])


class Repository:
    """A folder in which git is run."""

    def __init__(self, path, environment):
        self.path, self.environment = path, environment
        os.makedirs(path, exist_ok=True)

    def run(self, *arguments, within="", **more):
        """Exit code and output of a git command, whatever they are."""
        done = subprocess.run(["git", *arguments], cwd=os.path.join(self.path, within), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**self.environment, **more},
                              timeout=SECONDS, check=False)
        return Run(done.returncode, done.stdout.decode("utf-8", "backslashreplace"))

    def git(self, *arguments, content=None):
        """What a git command prints that has to succeed."""
        done = subprocess.run(["git", *arguments], cwd=self.path, input=content or b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=self.environment, timeout=SECONDS, check=False)
        if done.returncode != 0:
            raise AssertionError(f"git {arguments}: {done.stdout!r} {done.stderr!r}")
        return done.stdout.decode().strip()

    def set(self, key, value):
        self.git("config", "--add", key, value)

    def write(self, path, content):
        """Into the working tree only. Names may be bytes."""
        whole = os.path.join(os.fsencode(self.path), os.fsencode(path))
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def stage(self, path, content):
        self.write(path, content)
        self.git("add", "--", path)

    def commit(self, *arguments, **more):
        """Commits what is staged, past the judge or not."""
        return self.run("commit", "--quiet", "--allow-empty-message", "-m", "", *arguments, **more)

    def have(self, files, *arguments):
        """A commit that holds these contents too, whatever the hooks think of it."""
        for path, content in files.items():
            self.stage(path, content)
        self.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", "have", *arguments)
        return self.git("rev-parse", "HEAD")

    def head(self):
        return self.git("rev-parse", "HEAD")
