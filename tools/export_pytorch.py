#!/usr/bin/env python3
"""Writes a schedule of torch.distributed.pipelining to a CSV file that Plumbline reads. Needs no GPU and no cluster.

    python3 export_pytorch.py my_module:MySchedule --stages 8 --ranks 4 --microbatches 8 -o mine.csv
    plumbline verify mine.csv

In CI, as one step:

    python3 export_pytorch.py mine.py:make_schedule --sizes 2x4x4,4x8x8 --output-dir out && plumbline verify out/*.csv

As a Bazel genrule, with a Python that has PyTorch:

    genrule(
        name = "mine",
        srcs = ["mine.py"],
        outs = ["mine.csv"],
        cmd = "python3 $(location //tools:export_pytorch.py) $(location mine.py):MySchedule" +
              " --stages 8 --ranks 4 --microbatches 8 -o $@",
        tools = ["//tools:export_pytorch.py", "//tools:plumbline_exporting"],
    )

Python 3.9 or newer, and nothing but PyTorch itself. To use it elsewhere, copy it together with the folder
plumbline_exporting, which lies beside it. docs/exporting.md has more.
"""

import os
import sys

# Python looks beside the script by itself, but not with -P or -I. The user's code gets the path as it was.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from plumbline_exporting.command_line import CommandLine, number, sizes
from plumbline_exporting.loading import find
from plumbline_exporting.program import run
from plumbline_exporting.pytorch_schedule import make_schedule
from plumbline_exporting.pytorch_stages import PIPELINING, Size
from plumbline_exporting.pytorch_step_loops import step_loop_rows
from plumbline_exporting.pytorch_table import Table, table_of
del sys.path[0]

PROGRAM = "export_pytorch.py"

HELP = f"""\
Writes the table of a {PIPELINING} schedule as CSV, for plumbline verify: a row for
each rank, with sends and receives if the schedule object has them. No GPU, no model and no cluster is
needed, only a Python in which your code can be imported.

TARGET is a class, or a function that makes a schedule:
  my_package.my_module:MySchedule   in a module; the current folder is searched too
  path/to/file.py:make_schedule     in a file
  ScheduleInterleaved1F1B           in {PIPELINING}

A class is called as PyTorch's own are, MySchedule(stages, n_microbatches=M, loss_fn=...), with stages
that have no module; one that wants more of them gets real ones in PyTorch's fake process group.
A function is called as make_schedule(stages=S, ranks=R, microbatches=M). It returns a schedule
object, or a table like a schedule's pipeline_order: a dict from rank to a list of actions (idle time
is None), which have the fields stage_index, computation_type, microbatch_index, and sub_actions if
they are overlapped calls."""

EXAMPLES = f"""\
examples:
  {PROGRAM} ScheduleInterleaved1F1B --stages 8 --ranks 4 --microbatches 8 -o mine.csv
      writes mine.csv; then: plumbline verify mine.csv

  {PROGRAM} my_module:MySchedule --stages 8 --ranks 4 --microbatches 8 | plumbline verify -
      what PyTorch or your code prints on the way goes to standard error

  {PROGRAM} mine.py:make_schedule --sizes 2x4x4,4x8x8 --output-dir schedules
      writes schedules/make_schedule_2rank_4stage_4mb.csv and so on, a file for each size
      RANKSxSTAGESxMICROBATCHES

  {PROGRAM} Schedule1F1B --stages 4 --microbatches 8 -o mine.csv
      one stage a rank; this class and ScheduleGPipe run a loop and no table, so the loop's order is
      written

exit code: 0, or 2 with one sentence on standard error"""


def command_line():
    """The options; `sizes` has one size at least, in the order of its letters in --help."""
    parser = CommandLine(PROGRAM, HELP, EXAMPLES)
    parser.add_argument("schedule", metavar="TARGET", help="what to export")
    parser.add_argument("--stages", metavar="S", type=number, help="number of stages, over all ranks")
    parser.add_argument("--ranks", metavar="R", type=number, help="number of ranks (default: as many as stages)")
    parser.add_argument("--microbatches", metavar="M", type=number, help="number of microbatches of a step")
    parser.add_argument("--sizes", metavar="RxSxM,...", type=sizes(("ranks", "stages", "microbatches")),
                        help="several sizes at once, in place of --ranks, --stages and --microbatches")
    parser.add_output("<target>_<R>rank_<S>stage_<M>mb.csv")
    parser.add_keyword_arguments("class or function")
    parser.add_argument("--compute-only", action="store_true",
                        help="write pipeline_order, also if there is a table with sends and receives")
    parser.add_argument("--skip-unknown", action="store_true",
                        help="leave out actions that Plumbline does not know, and say so on standard error")
    parser.add_argument("--real-stages", action="store_true",
                        help="give a class real stages at once (slower; needs PyTorch's own testing helpers)")
    options = parser.parse_args()
    if options.sizes is None:
        if options.stages is None or options.microbatches is None:
            parser.error("expected --stages, --ranks and --microbatches, or --sizes")
        options.sizes = [(options.ranks or options.stages, options.stages, options.microbatches)]
    elif (options.stages, options.ranks, options.microbatches) != (None, None, None):
        parser.error("--sizes takes the place of --ranks, --stages and --microbatches")
    parser.settle_output(options)
    return options


def export(options, tell):
    """The texts by file name. `tell` takes a sentence about what a text does not say."""
    name, target = find(options.schedule, [PIPELINING, PIPELINING + ".schedules"])
    return {f"{name}_{ranks}rank_{stages}stage_{microbatches}mb.csv":
            text_of(name, target, Size(ranks, stages, microbatches), options, tell)
            for ranks, stages, microbatches in options.sizes}


def text_of(name, target, size, options, tell):
    """The CSV text of one size of what `target`, called `name`, makes."""
    schedule = make_schedule(name, target, size, options)
    rows = step_loop_rows(schedule, size, tell)
    if rows is None:
        table = table_of(schedule, name, options.compute_only)
        rows = Table(table, name, size, options.skip_unknown, tell).rows()
    return "".join(",".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    sys.exit(run(PROGRAM, command_line, export))
