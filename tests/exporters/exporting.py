r"""Starts the exporters as a user would, with stand-ins for the frameworks, for the tests beside this file.

The tests against the real frameworks run where Python has them, and are skipped elsewhere. Another Python than Bazel's:

    bazel test //tests/exporters:all --test_env=PLUMBLINE_FRAMEWORK_PYTHON=/path/to/venv/bin/python \
        --test_timeout=900 --test_output=all
"""

import collections
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUMBLINE = os.path.abspath("verifier/cli/plumbline")
CORPUS = os.path.abspath("tests/corpus")
STUBS = os.path.abspath("tests/exporters/stubs")
TOOLS = os.path.abspath("tools")

FRAMEWORK_PYTHON = os.environ.get("PLUMBLINE_FRAMEWORK_PYTHON", sys.executable)

# No single run may take half of Bazel's limit for the whole test.
SECONDS = int(os.environ.get("TEST_TIMEOUT", "300")) / 2

Run = collections.namedtuple("Run", "code out err")


def run(command, stubs=True):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["LC_ALL"] = "C.UTF-8"
    if stubs:
        environment["PYTHONPATH"] = STUBS
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment, timeout=SECONDS, check=False)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def corpus(name):
    """A file of the corpus, with LF line ends."""
    with open(os.path.join(CORPUS, name), "rb") as file:
        return file.read().replace(b"\r\n", b"\n").decode()


def why_absent(module):
    """Why the real framework cannot be tried, or None; printed, since Bazel's summary does not count skipped tests."""
    reason = None
    try:
        done = run([FRAMEWORK_PYTHON, "-c", f"import {module}"], stubs=False)
        if done.code != 0:
            reason = f"{FRAMEWORK_PYTHON} cannot import {module}: {done.err.strip().splitlines()[-1:]}"
    except OSError as error:
        reason = f"{FRAMEWORK_PYTHON}: {error.strerror}"
    if reason:
        print(f"skipped, the tests against the real {module.split('.')[0]}: {reason}", file=sys.stderr)
    return reason


class Case(unittest.TestCase):
    """A test of one exporter, with a folder of its own, in which it stands."""

    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(name, "rb") as file:
            return file.read().decode()

    def export(self, *arguments, real=False):
        python = FRAMEWORK_PYTHON if real else sys.executable
        return run([python, os.path.join(TOOLS, self.program), *arguments], stubs=not real)

    def exported(self, *arguments, real=False):
        """What it writes to standard output."""
        done = self.export(*arguments, real=real)
        self.assertEqual(done.code, 0, done.err)
        return done.out

    def refuse(self, *arguments, says):
        """It ends with 2, one sentence that matches, and no output; returns the sentence."""
        done = self.export(*arguments)
        self.assertEqual((done.code, done.out), (2, ""), done.err)
        self.assertNotIn("Traceback", done.err)
        self.assertNotIn("plumbline_exporting", done.err)
        *_, sentence, end = done.err.split("\n")
        self.assertEqual(end, "")
        self.assertTrue(sentence.startswith(self.program + ": "), sentence)
        self.assertRegex(sentence, says)
        return sentence

    def judge(self, *files, verdict="verified"):
        """Plumbline says so of each file."""
        done = run([PLUMBLINE, "verify", *files])
        for file in files:
            self.assertIn(f"\n{file}: {verdict}", "\n" + done.out)

    def check_command_line(self, target, suffix):
        """What both exporters do alike."""
        size = ["--stages", "2", "--microbatches", "4"]
        for arguments, says in [
                ([], "expected --stages.*or --sizes"),
                (["--stages", "2"], "expected --stages"),
                (["--stages", "0", "--microbatches", "4"], "--stages: expected a whole number from 1 to 1000000, "
                 "found '0'"),
                (["--stages", "2", "--microbatches", "-4"], "--microbatches"),
                (["--stages", "2", "--microbatches", "four"], "found 'four'"),
                (["--stages", "2", "--microbatches", "\u0664"], "whole number"),
                (size + ["--sizes", "2"], "--sizes: expected sizes as .*found '2'"),
                (["--sizes", ""], "--sizes: expected sizes"),
                (size + ["--argument", "depth"], "expected NAME=VALUE, found 'depth'"),
                (size + ["--argument", "mode=eager"], "mode is no Python literal.*needs quotes"),
                (size + ["-o", "a", "--output-dir", "b"], "one of -o and --output-dir"),
                (size + ["--argument", "a=1", "--argument", "a=2"], "a is there twice"),
                (size + ["--speed", "9"], "--speed"),
        ]:
            with self.subTest(arguments):
                self.refuse(target, *arguments, says=says)
        done = self.export("--help")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertIn("examples:", done.out)
        self.assertLessEqual(max(map(len, done.out.splitlines())), 120)

        # Nothing is left behind where the file cannot be written, and what was there stays.
        self.refuse(target, *size, "-o", "missing/mine", says="missing/mine: cannot be written: No such file")
        os.mkdir("folder")
        self.refuse(target, *size, "-o", "folder", says="folder: cannot be written: Is a directory")
        self.write("blocked", "")
        self.refuse(target, *size, "--output-dir", "blocked", says="blocked: cannot be made: ")
        before = self.write("mine" + suffix, "from before\n")
        self.refuse("no.such.module:It", *size, "-o", before,
                    says="importing no.such.module raised ModuleNotFoundError: No module named 'no'")
        self.assertEqual(self.read(before), "from before\n")
        self.assertEqual(sorted(os.listdir()), ["blocked", "folder", "mine" + suffix])

        # -o, -o - and --output-dir write the same, every time, and nothing that was logged.
        text = self.exported(target, *size)
        self.assertTrue(text.isascii() and text.endswith("\n"))
        self.assertNotIn("\r", text)
        self.assertNotIn("stub", text)
        self.assertEqual(self.exported(target, *size, "-o", "-"), text)
        os.symlink(before, "link")
        self.assertEqual(self.exported(target, *size, "-o", "link"), "")
        self.assertTrue(os.path.islink("link"))
        self.assertEqual(self.read(before), text)
        self.assertEqual(self.exported(target, *size, "-o", "/dev/null"), "")
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as memory:
            self.exported(target, *size, "-o", memory + "/new")
            self.assertEqual(self.read(memory + "/new"), text)
        for standard_output in ("/dev/stdout", "/dev/fd/1"):
            self.assertEqual(self.exported(target, *size, "-o", standard_output), text)
        for arguments in (["-o", ""], ["-o", "new/"], ["--output-dir", ""]):
            self.refuse(target, *size, *arguments, says="expected a f")
        self.assertFalse(os.path.exists("new"))
        self.exported(target, *size, "--output-dir", "a/b")
        (name,) = os.listdir("a/b")
        self.assertEqual(self.read("a/b/" + name), text)
        self.assertTrue(name.endswith(suffix))
        self.assertFalse([name for name in os.listdir() if "unfinished" in name])

    def check_rude_modules(self, good):
        """What the user's code does to the process, or raises where one only looks, does no harm."""
        size = ["--stages", "2", "--microbatches", "4"]
        self.write("good.py", good)
        text = self.exported("good.py:Mine", *size)
        self.write("elsewhere/x", "")
        self.write("goes.py", "import os\nos.chdir('elsewhere')\n" + good)
        self.exported("goes.py:Mine", *size, "-o", "here")
        self.exported("goes.py:Mine", *size, "--output-dir", "out")
        self.assertEqual((self.read("here"), os.listdir("elsewhere"), len(os.listdir("out"))), (text, ["x"], 1))
        self.write("lazy.py", "def __getattr__(name):\n    raise ImportError('needs flash_attn')\n")
        self.refuse("lazy.py:Mine", *size, says=r"stopped by ImportError: needs flash_attn \(.*lazy.py:2\)")
        self.write("base.py", "class Odd(BaseException):\n    pass\nraise Odd('out')\n")
        self.refuse("base.py:Mine", *size, says="base.py raised Odd: out")
        self.write("mute.py", "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd\n")
        self.refuse("mute.py:Mine", *size, says="mute.py raised Odd")
        script = os.path.join(TOOLS, self.program)
        self.write("loud.py", "import os\nos.write(1, b'noise 1')\nos.write(2, b'noise 2')\n" + good)
        done = run(["sh", "-c", 'exec "$0" "$@" 2>&-', sys.executable, script, "loud.py:Mine", *size])
        self.assertEqual((done.code, done.out), (0, text))
        done = run(["sh", "-c", 'exec "$0" "$@" 2>&-', sys.executable, script, "loud.py:Yours", *size])
        self.assertEqual((done.code, done.out), (2, ""))
        self.write("log", "precious\n")
        done = run(["sh", "-c", 'exec "$0" "$@" -o /dev/stdout 2>>log', sys.executable, script, "loud.py:Mine", *size])
        self.assertEqual((done.code, done.out), (0, text))
        self.assertTrue(self.read("log").startswith("precious\n"))

    def check_targets(self, good):
        """How the class or function is named, and found. `good` is the text of a module with a class `Mine`."""
        size = ["--stages", "2", "--microbatches", "4"]
        self.write("package/__init__.py", "")
        self.write("package/beside.py", good)
        self.write("package/inner.py", "from .beside import Mine\nclass Outer:\n    Inner = Mine\nnumber = 3\n")
        text = self.exported("package.inner:Mine", *size)
        self.assertEqual(self.exported("package.inner:Outer.Inner", *size), text)
        self.assertEqual(self.exported("package/beside.py:Mine", *size), text)
        # A file may import what lies beside it, and be called as a module of the framework.
        self.write("elsewhere/beside.py", good)
        for name in ("deepspeed", "torch"):
            self.write(f"elsewhere/{name}_like.py", "from beside import Mine as Tr\u00e4ge\n")
            self.assertEqual(self.exported(f"elsewhere/{name}_like.py:Tr\u00e4ge", *size), text)
        self.write("Zeitpl\u00e4ne \u4e2d/m\u00fcde.py", good)
        self.assertEqual(self.exported("Zeitpl\u00e4ne \u4e2d/m\u00fcde.py:Mine", *size, "-o", "\u00e4.out"), "")
        self.assertEqual(self.read("\u00e4.out"), text)

        for target, says in [
                ("package.inner:Yours", "package.inner: found no 'Yours' there"),
                ("package.inner:number", "'number' is a int, neither a class nor a function"),
                ("package.inner.Mine", "expected a colon before the name, as in package.inner:Mine"),
                ("elsewhere/beside.py", "expected MODULE:NAME, FILE.py:NAME or NAME"),
                ("beside.py", "as in beside.py:NAME"),
                (":Mine", "expected MODULE:NAME"),
                ("elsewhere/nothing.py:Mine", "elsewhere/nothing.py: no such file"),
                ("package.nothing:Mine", "No module named 'package.nothing'"),
        ]:
            with self.subTest(target):
                self.refuse(target, *size, says=says)
        self.write("faulty.py", "import os\n\n1 / 0\n")
        self.refuse("faulty.py:Mine", *size, says=r"importing faulty.py raised ZeroDivisionError: division by zero "
                    r"\(.*faulty.py:3\)")
        self.write("syntax.py", "def f(:\n")
        self.refuse("syntax:Mine", *size, says=r"importing syntax raised SyntaxError: .*\(syntax.py, line 1\)")
        self.write("leaving.py", "import sys\nsys.exit('no GPU here')\n")
        self.refuse("leaving:Mine", *size, says="importing leaving raised SystemExit: no GPU here")
        self.write("rude.py", "raise ValueError('one\\ntwo \\x1b[31m \u00fc')\n")
        sentence = self.refuse("rude:Mine", *size, says="ValueError: one two ")
        self.assertNotIn("\x1b", sentence)

    def check_a_copy(self, good):
        """The script and its folder elsewhere, as Bazel knows them; and modules of the user called as ours are."""
        size = ["--stages", "2", "--microbatches", "4"]
        os.mkdir("copied")
        shutil.copy(os.path.join(TOOLS, self.program), "copied")
        shutil.copytree(os.path.join(TOOLS, "plumbline_exporting"), "copied/plumbline_exporting")
        os.symlink("copied/" + self.program, "linked.py")
        for name in os.listdir("copied/plumbline_exporting"):
            self.write("mine/" + name, "")
        for name in ("exporting", "values"):
            self.write(f"mine/{name}.py", good)
        self.write("mine/faulty.py", "def Mine(**sizes):\n    raise ValueError(len(sizes))\n")
        # Python leaves PYTHONPATH aside with -I.
        for name in ("deepspeed", "torch"):
            os.symlink(os.path.join(STUBS, name), "mine/" + name)
        text = self.exported("mine/exporting.py:Mine", *size)
        for script in ("copied/" + self.program, "linked.py"):
            for flags in ([], ["-I"]):
                with self.subTest(script, flags=flags):
                    self.write("mine/mine.py", "from values import Mine\n")
                    done = run([sys.executable, *flags, script, "mine/mine.py:Mine", *size])
                    self.assertEqual((done.code, done.out), (0, text), done.err)
                    # What the user's code sees does not depend on how we are made.
                    self.write("mine/mine.py", "import sys\nraise ValueError(sys.path)\n")
                    done = run([sys.executable, *flags, script, "mine/mine.py:Mine", *size])
                    self.assertEqual(done.err.count("copied"), 0 if flags else 1, done.err)
                    done = run([sys.executable, *flags, script, "mine/faulty.py:Mine", *size])
                    self.assertRegex(done.err, r"\) raised ValueError: 3 \(.*mine/faulty.py:2\)\n$")
