#!/usr/bin/env python3
"""Writes the instruction lists of a DeepSpeed PipeSchedule to a file that Plumbline reads. Needs no GPU.

    python3 export_deepspeed.py my_package.my_module:MySchedule --stages 4 --microbatches 8 -o mine.txt
    plumbline verify mine.txt

In CI, as one step:

    python3 export_deepspeed.py mine.py:MySchedule --sizes 2x4,4x8 --output-dir out && plumbline verify out/*.txt

As a Bazel genrule, with a Python that has DeepSpeed:

    genrule(
        name = "mine",
        srcs = ["mine.py"],
        outs = ["mine.txt"],
        cmd = "python3 $(location //tools:export_deepspeed.py) $(location mine.py):MySchedule" +
              " --stages 4 --microbatches 8 -o $@",
        tools = ["//tools:export_deepspeed.py", "//tools:plumbline_exporting"],
    )

Python 3.9 or newer, and nothing but DeepSpeed itself. To use it elsewhere, copy it together with the folder
plumbline_exporting, which lies beside it. docs/exporting.md has more.
"""

import os
import sys

# Python looks beside the script by itself, but not with -P or -I. The user's code gets the path as it was.
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from plumbline_exporting.command_line import CommandLine, keyword_arguments, number, sizes
from plumbline_exporting.deepspeed_lists import Lists
from plumbline_exporting.loading import find
from plumbline_exporting.program import run
del sys.path[0]

PROGRAM = "export_deepspeed.py"
DEFAULT_MODULE = "deepspeed.runtime.pipe.schedule"
DEFAULT_CLASS = "TrainSchedule"

HELP = f"""\
Writes the instruction lists that a DeepSpeed pipeline schedule gives its stages, for plumbline verify.
The schedule is made once for each stage, as MySchedule(micro_batches=M, stages=S, stage_id=s), and
iterated as DeepSpeed's engine does. No GPU, no model and no process group is needed, only a Python in
which your class can be imported.

CLASS is
  my_package.my_module:MySchedule   a class in a module; the current folder is searched too
  path/to/file.py:MySchedule        a class in a file
  InferenceSchedule                 a class of {DEFAULT_MODULE}
and that module's {DEFAULT_CLASS} if left out. A function that returns a schedule does as well."""

EXAMPLES = f"""\
examples:
  {PROGRAM} my_package.my_module:MySchedule --stages 4 --microbatches 8 -o mine.txt
      writes mine.txt; then: plumbline verify mine.txt

  {PROGRAM} mine.py:MySchedule --sizes 2x4,4x8,8x32 --output-dir schedules
      writes schedules/MySchedule_2stage_4mb.txt and so on, a file for each size STAGESxMICROBATCHES

  {PROGRAM} --stages 4 --microbatches 8 | plumbline verify -
      DeepSpeed's own TrainSchedule; what DeepSpeed logs on the way goes to standard error

  {PROGRAM} mine.py:MySchedule --argument depth=2 --argument mode='"eager"' \\
      --stages 4 --microbatches 8 -o mine.txt
      calls MySchedule(micro_batches=8, stages=4, stage_id=s, depth=2, mode="eager")

exit code: 0, or 2 with one sentence on standard error"""


def command_line():
    """The options; `sizes` has one size at least, in the order of its letters in --help."""
    parser = CommandLine(PROGRAM, HELP, EXAMPLES)
    parser.add_argument("schedule", metavar="CLASS", nargs="?", default=DEFAULT_CLASS,
                        help=f"what to export (default: {DEFAULT_MODULE}:{DEFAULT_CLASS})")
    parser.add_argument("--stages", metavar="S", type=number, help="number of pipeline stages")
    parser.add_argument("--microbatches", metavar="M", type=number, help="number of microbatches of a step")
    parser.add_argument("--sizes", metavar="SxM,...", type=sizes(("stages", "microbatches")),
                        help="several sizes at once, in place of --stages and --microbatches")
    parser.add_output("<class>_<S>stage_<M>mb.txt")
    parser.add_keyword_arguments("class")
    parser.add_argument("--skip-unknown", action="store_true",
                        help="leave out instructions that Plumbline does not know, and say so on standard error")
    parser.add_argument("--ignore-argument", metavar="NAME", action="append", default=[],
                        help="let instructions have this argument besides buffer_id, and leave it out")
    options = parser.parse_args()
    if options.sizes is None:
        if options.stages is None or options.microbatches is None:
            parser.error("expected --stages and --microbatches, or --sizes")
        options.sizes = [(options.stages, options.microbatches)]
    elif options.stages is not None or options.microbatches is not None:
        parser.error("--sizes takes the place of --stages and --microbatches")
    parser.settle_output(options)
    return options


def export(options, tell):
    """The texts by file name. `tell` takes a sentence about what a text does not say."""
    arguments = keyword_arguments(options.argument, ("micro_batches", "stages", "stage_id"))
    name, schedule_class = find(options.schedule, [DEFAULT_MODULE])
    return {f"{name}_{stages}stage_{microbatches}mb.txt":
            Lists(name, schedule_class, stages, microbatches, arguments, options, tell).text()
            for stages, microbatches in options.sizes}


if __name__ == "__main__":
    sys.exit(run(PROGRAM, command_line, export))
