"""Starts the plumbline command as a user would, for the tests beside this file."""

import collections
import json
import os
import subprocess
import tempfile
import unittest

PLUMBLINE = os.path.abspath("verifier/cli/plumbline")
CORPUS = os.path.abspath("tests/corpus")

FIXED = os.path.join(CORPUS, "deepspeed/fixed/TrainSchedule_4stage_8mb.txt")
NAIVE = os.path.join(CORPUS, "deepspeed/naive/TrainSchedule_4stage_8mb.txt")
SMALL = os.path.join(CORPUS, "pytorch/1f1b_2rank_2stage_4mb_comms.csv")

# Bazel's limit for the whole test, longer under sanitizers. No single run may take half of it.
SECONDS = int(os.environ.get("TEST_TIMEOUT", "60")) / 2

Run = collections.namedtuple("Run", "code out err")


def plumbline(*arguments, stdin=b""):
    """Exit code and what was printed."""
    run = subprocess.run([PLUMBLINE, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=SECONDS, check=False)
    return Run(run.returncode, run.stdout.decode(), run.stderr.decode())


def reports(*arguments, stdin=b""):
    """The exit code and the JSON objects of `plumbline verify`."""
    run = plumbline("verify", "--format", "json", *arguments, stdin=stdin)
    return run.code, [json.loads(line) for line in run.out.splitlines()]


class Case(unittest.TestCase):
    """A test with a folder of its own, in which it stands."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)

    def write(self, name, content):
        with open(name, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def good(self):
        return self.write("good.csv", "0F0,0B0\n")

    def rejected(self):
        return self.write("rejected.csv", "0F0,0B0,0B0\n")

    def invalid(self):
        return self.write("invalid.csv", "0F0,0X0\n")
