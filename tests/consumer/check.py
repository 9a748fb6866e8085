"""Builds and tests the workspace beside this file as a user would, the schedule that must fail included.

Prints what it did, and as its last line `N passed, M failed`, counted in tests of that workspace; exits 0 if none
failed. Options are handed on to Bazel.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))


def bazel(*arguments):
    """Runs Bazel here; returns its exit code and what it printed."""
    done = subprocess.run(
        ["bazel", *arguments],
        cwd=HERE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def logs(test):
    folder = os.path.join(HERE, "bazel-testlogs", test)
    with open(os.path.join(folder, "test.log"), encoding="utf-8") as log:
        return log.read(), xml.parse(os.path.join(folder, "test.xml")).getroot()


def failing_cases(suites):
    return [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]


def check_good(options):
    """All tests but the manual one pass, and each wrote a case for every rule."""
    code, output = bazel("test", *options, "//...")
    if code != 0:
        return output
    for test in ["edited_test", "written_test_pair", "generator_test_4stages_8microbatches", "known_bad_test"]:
        log, suites = logs(test)
        cases = [case.get("name") for case in suites.iter("testcase")]
        if failing_cases(suites) or not any(name.startswith("PL301") for name in cases):
            return f"{test}: test.xml has the cases {cases}, failing {failing_cases(suites)}\n{log}"
    return ""


def check_bad(options):
    """The corrupting schedule fails, for the right reason, in its log and in its XML."""
    code, output = bazel("test", *options, "//:bad_test")
    if code != 3:
        return f"expected a failing test (exit code 3), got {code}\n{output}"
    log, suites = logs("bad_test")
    if "bad.txt:54:" not in log or "[PL401]" not in log:
        return f"the log does not show PL401 at line 54:\n{log}"
    failing = failing_cases(suites)
    if [name.split()[0] for name in failing] != ["PL401", "PL501"]:
        return f"test.xml has the failing cases {failing}"
    code, output = bazel("test", *options, "//:wrong_size_test")
    log, _ = logs("wrong_size_test")
    if code != 3 or "--stages says 5" not in log:
        return f"expected a failing test that names the size (exit code 3), got {code}\n{output}\n{log}"
    return ""


def check_cached(options):
    """Nothing runs again while nothing changes."""
    code, output = bazel("test", *options, "//...")
    return "" if code == 0 and "Executed 0 out of" in output else output


def check_published(options):
    """The verified program and its verdict are there; a schedule that is not verified builds nothing."""
    code, output = bazel("build", *options, "//:zero_bubble", "//:size_of_zero_bubble", "--output_groups=+report")
    if code != 0:
        return output
    with open(os.path.join(HERE, "bazel-bin", "zero_bubble.json"), encoding="utf-8") as report:
        if '"verdict":"verified"' not in report.read():
            return "zero_bubble.json does not say verified"
    with open(os.path.join(HERE, "bazel-bin", "zero_bubble.pir"), encoding="utf-8") as program:
        if not program.readline().startswith("plumbline ir"):
            return "zero_bubble.pir is no program"
    code, output = bazel("build", *options, "//:corrupting")
    if code == 0 or "[PL401]" not in output:
        return f"expected the build of //:corrupting to fail with PL401, got {code}\n{output}"
    return ""


# Attributes that cannot be meant, and what is said about them when the BUILD file is loaded.
REFUSED = (
    ('schedule_test(name = "t", schedule = "//:edited.csv", comms = [])', "comms is an empty list"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", comms = ["pair", "pair"])', "has \"pair\" twice"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", model = "cuda")', "one of blocking, nccl, mpi"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", model = select({"//conditions:default": "nccl"}))',
     "one of blocking, nccl, mpi"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", strict = "False")', "strict is True or False"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", max_buffers = "4")', "max_buffers is a number from 0 on"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", max_bubble = "lots")', "max_bubble is a share"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", max_bubble = "25%5")', "max_bubble is a share"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", mode = "train")', "mode is one of training"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", expect = "verifed")', "expect is one of verified"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", args = ["--strict"])', "takes no args"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", stages = [4, 8])', "one number of stages"),
    ('schedule_test(name = "t", schedule = "//:edited.csv", generator = "1f1b")', "either a schedule"),
    ('schedule_test(name = "t", generator = "1f1b", stages = "4", microbatches = 8)', "stages is a number from 1 on"),
    ('schedule_test(name = "t", generator = "1f1b", stages = 4)', "needs microbatches"),
    # Another target has the name of the generated schedule: it must not be taken for it.
    ('filegroup(name = "v_schedule", srcs = ["//:edited.csv"])\n'
     'verified_schedule(name = "v", generator = "1f1b", stages = 4, microbatches = 8)', "'v_schedule'"),
    ('verified_schedule(name = "v", schedule = "v.pir")', "also the name of the file to verify"),
    ('verified_schedule(name = "v", schedule = "//:edited.csv", comms = ["pair", "single"])', "one of single, pair"),
)


def check_refused(options):
    """What cannot be meant is an error of the BUILD file, which names the attribute."""
    with tempfile.TemporaryDirectory(dir=HERE, prefix="refused_") as folder:
        for text, expected in REFUSED:
            with open(os.path.join(folder, "BUILD.bazel"), "w", encoding="utf-8") as file:
                file.write('load("@plumbline//bazel:schedule_test.bzl", "schedule_test", "verified_schedule")\n' + text)
            code, output = bazel("query", *options, f"//{os.path.basename(folder)}:all")
            if code == 0 or expected not in output:
                return f"expected {expected!r} for\n{text}\ngot {code}\n{output}"
    return ""


def check_documented(_options):
    """The example of the documents is the generator that is built here."""
    def read(*path):
        with open(os.path.join(HERE, *path), encoding="utf-8") as file:
            return file.read()

    program = read("my_generator.cc")
    order = program[program.index("static Rows"):program.index("int main")].rstrip()
    wrong = [name for name, text in (("docs/schedules.md", program.rstrip()), ("README.md", order))
             if f"```cpp\n{text}\n```" not in read("..", "..", *name.split("/"))]
    return f"not the text of my_generator.cc: {wrong}" if wrong else ""


def main():
    options = sys.argv[1:]
    failed = 0
    checks = [check_good, check_bad, check_cached, check_published, check_refused,
              check_documented]
    for check in checks:
        problem = check(options)
        failed += bool(problem)
        print(f"{check.__name__}: {'FAILED' if problem else 'passed'}", flush=True)
        if problem:
            print(problem)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
