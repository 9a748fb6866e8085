"""Small schedules, and what the tests of `plumbline diff` share."""

import json
import os
import re

from tests.cli import driving
from tests.cli.driving import plumbline

OLD = os.path.join(driving.CORPUS, "deepspeed/old/TrainSchedule_4stage_8mb.txt")


def read(name):
    with open(name) as file:
        return file.read()


# One rank, so many values that live together in a pool with so many declared slots.
def values(live, declared=None, pool="p"):
    lines = ["plumbline ir 1", "mode fragment", "rank 0 {",
             f"pool {pool}" + (f" declared {declared}" if declared is not None else "")]
    lines += [f"compute write {pool}[{k}]:other s0 m{k}" for k in range(live)]
    lines += [f"compute read {pool}[{k}]:other s0 m{k}" for k in range(live)]
    return "\n".join(lines + ["}", ""])


# One rank without pools: "FFBB" are forward and backward passes, each of the next microbatch; R is a recomputation of
# the next one to be differentiated.
def passes(order):
    lines = ["plumbline ir 1", "mode fragment", "stage 0 on rank 0", "rank 0 {"]
    counts = {"F": 0, "B": 0}
    for letter in order:
        microbatch = counts["B"] if letter == "R" else counts[letter]
        lines.append({"F": "forward", "B": "backward", "R": "recompute"}[letter] + f" s0 m{microbatch}")
        if letter != "R":
            counts[letter] += 1
    return "\n".join(lines + ["}", ""])


def gpipe(stages, microbatches):
    return "\n".join(",".join(f"{stage}{work}{m}" for work in "FB" for m in range(microbatches))
                     for stage in range(stages)) + "\n"


def one_f_one_b(stages, microbatches):
    rows = []
    for stage in range(stages):
        warm_up = min(stages - stage - 1, microbatches)
        row = [f"F{m}" for m in range(warm_up)]
        for m in range(warm_up, microbatches):
            row += [f"F{m}", f"B{m - warm_up}"]
        row += [f"B{m}" for m in range(microbatches - warm_up, microbatches)]
        rows.append(",".join(f"{stage}{cell}" for cell in row))
    return "\n".join(rows) + "\n"


class Diff(driving.Case):

    def diff(self, base, new, *arguments):
        """Exit code and the one object of --format json."""
        run = plumbline("diff", "--format", "json", base, new, *arguments)
        self.assertEqual(run.out.count("\n"), 1, run.err)
        found = json.loads(run.out)
        self.assertEqual(found["schema"], "plumbline.diff.v1")
        self.assertEqual({"not_worse": 0, "worse": 1, "unusable": 2, "undecided": 3}[found["outcome"]], run.code)
        return run.code, found

    def texts(self, base, new, *arguments):
        """The same of two texts, and their only file."""
        code, found = self.diff(self.write("base", base), self.write("new", new), *arguments)
        (file,) = found["files"]
        return code, file

    def kinds(self, changes):
        return [(change["kind"], change["rank"], change["pool"]) for change in changes]


def outside_of_blocks(markdown):
    """The text without its fenced blocks. A block ends at the first line that is a fence as long as its first."""
    lines, fence = [], None
    for line in markdown.splitlines():
        opening = re.match(r"(`{3,})text$", line)
        if fence is None and opening:
            fence = opening[1]
        elif fence is not None and re.fullmatch(r" {0,3}`{%d,} *" % len(fence), line):
            fence = None
        elif fence is None:
            lines.append(line)
    assert fence is None
    return "\n".join(lines)


def outside_of_code(markdown):
    """The same without code spans: from a row of backticks to the next row of as many, in one paragraph."""
    return re.sub(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", "", outside_of_blocks(markdown))
