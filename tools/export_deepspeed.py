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
        tools = ["//tools:export_deepspeed.py"],
    )

Python 3.9 or newer, and nothing but DeepSpeed itself. docs/exporting.md has more.
"""

import argparse
import ast
import contextlib
import importlib
import importlib.util
import operator
import os
import re
import sys
import traceback
from collections.abc import Iterable, Mapping

PROGRAM = "export_deepspeed.py"
LARGEST = 1_000_000  # Plumbline's own bound on stages, microbatches, ...

DEFAULT_MODULE = "deepspeed.runtime.pipe.schedule"
DEFAULT_CLASS = "TrainSchedule"

# The instructions that Plumbline knows: those with a buffer, those without.
WITH_BUFFER = ("LoadMicroBatch", "ForwardPass", "BackwardPass", "SendActivation", "RecvActivation", "SendGrad",
               "RecvGrad")
WITHOUT_BUFFER = ("ReduceTiedGrads", "ReduceGrads", "OptimizerStep")
KNOWN = WITH_BUFFER + WITHOUT_BUFFER

# ---- From here to the next line like this one, both exporters have the same text, which a test compares: each stays
# ---- one file, to be copied to where the framework is installed.


class Mistake(Exception):
    """What the user should hear, in one sentence."""


class CommandLine(argparse.ArgumentParser):
    def __init__(self, **settings):
        super().__init__(prog=PROGRAM, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
                         **settings)

    def error(self, message):
        tell(f"{message} (--help shows examples)")
        self.exit(2)


def tell(sentence):
    """Writes one line to standard error; what could drive a terminal is escaped."""
    print(f"{PROGRAM}:", "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence), file=sys.stderr)


def number(text):
    if not re.fullmatch("[0-9]{1,7}", text) or not 1 <= int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {LARGEST}, found {text!r}")
    return int(text)


def sizes(names):
    """A reader of comma-separated sizes, each with a number for each of `names`."""
    form = "x".join(name.upper() for name in names)

    def read(text):
        result = []
        for size in text.split(","):
            numbers = size.strip().split("x")
            if len(numbers) != len(names):
                raise argparse.ArgumentTypeError(f"expected sizes as {form},{form},..., found {size!r}")
            result.append(tuple(number(part) for part in numbers))
        return list(dict.fromkeys(result))

    return read


def argument(text):
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, found {text!r}")
    try:
        return name, ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise argparse.ArgumentTypeError(
            f"the value of {name} is no Python literal: {value!r} (text needs quotes: {name}='\"text\"')") from None


def keyword_arguments(pairs, taken):
    result = {}
    for name, value in pairs:
        if name in taken:
            raise Mistake(f"--argument {name}: the exporter passes this one itself")
        if name in result:
            raise Mistake(f"--argument {name} is there twice")
        result[name] = value
    return result


def claim_standard_output():
    """A descriptor for standard output, or None. All else that goes there from now on goes to standard error, also
    from C code and child processes: frameworks log when they are imported."""
    try:
        claimed = os.dup(1)
        sys.stdout.reconfigure(line_buffering=True)  # What is logged comes before our own last word.
    except (AttributeError, OSError):
        claimed = None
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return claimed


def said(error):
    """The exception in one line, with the place of the user's or framework's code that raised it."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename not in (__file__, importlib.__file__) and not frame.filename.startswith("<")]
    return f"{text} ({frames[-1].filename}:{frames[-1].lineno})" if frames else text


@contextlib.contextmanager
def blaming(what):
    """Whatever the user's code raises within becomes a Mistake that begins with `what`."""
    try:
        yield
    except Mistake:
        raise
    except (Exception, SystemExit) as error:
        raise Mistake(f"{what} raised {said(error)}") from error


def find(target, default_modules):
    """What MODULE:NAME, FILE.py:NAME, or NAME in the first of the default modules that has it, stands for."""
    place, colon, name = target.rpartition(":")
    if not all(part.isidentifier() for part in name.split(".")) or (colon and not place):
        raise Mistake(f"expected MODULE:NAME, FILE.py:NAME or NAME, found {target!r}")
    if not colon and "." in name:
        example = f"{target}:NAME" if target.endswith(".py") else "{}:{}".format(*name.rsplit(".", 1))
        raise Mistake(f"expected a colon before the name, as in {example}, found {target!r}")
    places = [place] if colon else default_modules
    for place in places:
        found = load(place)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            break
    else:
        raise Mistake(f"{' and '.join(places)}: found no {name!r} there")
    if not callable(found):
        raise Mistake(f"{place}: {name!r} is a {type(found).__name__}, neither a class nor a function")
    return name.rsplit(".", 1)[-1], found


def load(place):
    """The module at a file's path or of a dotted name; what is imported may lie beside the file or where we stand."""
    if not place.endswith(".py") and not os.path.dirname(place):
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        with blaming(f"importing {place}"):
            return importlib.import_module(place)
    path = os.path.abspath(place)
    if not os.path.isfile(path):
        raise Mistake(f"{place}: no such file")
    if not path.endswith(".py"):
        raise Mistake(f"{place}: expected a file that ends with .py")
    sys.path.insert(0, os.path.dirname(path))
    # Under a name of its own, since the file may be called as a module that it imports.
    name = "exported_" + os.path.basename(path)[:-len(".py")]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with blaming(f"importing {place}"):
        spec.loader.exec_module(module)
    return module


def whole(value):
    """The value as an int if it is a whole number from 0 (an int, or NumPy's), else None."""
    try:
        result = operator.index(value)
    except TypeError:
        return None
    return result if result >= 0 and not isinstance(value, bool) else None


def shown(value):
    """A value in a message; one line, and short."""
    try:
        text = repr(value)
    except Exception:  # pylint: disable=broad-except
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def write(path, text, standard_output):
    """All of the text or nothing, with LF line ends."""
    content = text.encode("ascii")
    try:
        if path == "-":
            if standard_output is None:
                raise OSError("it is closed")
            with os.fdopen(standard_output, "wb") as file:
                file.write(content)
            return
        path = os.path.realpath(path)
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device
            with open(path, "wb") as file:
                file.write(content)
            return
        unfinished = f"{path}.{os.getpid()}.unfinished"
        try:
            with open(unfinished, "xb") as file:
                file.write(content)
            os.replace(unfinished, path)
        finally:
            if os.path.lexists(unfinished):
                os.unlink(unfinished)
    except OSError as error:
        raise Mistake(f"{'standard output' if path == '-' else path}: cannot be written: "
                      f"{error.strerror or error}") from error


def write_all(texts, options, standard_output):
    """`texts`: by file name, each the text of one size."""
    if options.output_dir is None:
        (text,) = texts.values()
        write(options.output, text, standard_output)
        return
    try:
        os.makedirs(options.output_dir, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{options.output_dir}: cannot be made: {error.strerror}") from error
    for name, text in texts.items():
        write(os.path.join(options.output_dir, name), text, standard_output)


def run(command_line, export):
    """The exit code. `export` gives the texts by file name."""
    options = command_line()
    standard_output = claim_standard_output()
    sys.argv[1:] = []  # The user's module may look for arguments of its own there.
    try:
        write_all(export(options), options, standard_output)
    except Mistake as mistake:
        tell(str(mistake))
        return 2
    return 0


# ---- Here the common text ends.


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
    parser = CommandLine(description=HELP, epilog=EXAMPLES)
    parser.add_argument("schedule", metavar="CLASS", nargs="?", default=DEFAULT_CLASS,
                        help=f"what to export (default: {DEFAULT_MODULE}:{DEFAULT_CLASS})")
    parser.add_argument("--stages", metavar="S", type=number, help="number of pipeline stages")
    parser.add_argument("--microbatches", metavar="M", type=number, help="number of microbatches of a step")
    parser.add_argument("--sizes", metavar="SxM,...", type=sizes(("stages", "microbatches")),
                        help="several sizes at once, in place of --stages and --microbatches")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="where to write; - is standard output, and the default")
    parser.add_argument("--output-dir", metavar="DIR",
                        help="write DIR/<class>_<S>stage_<M>mb.txt for each size; DIR is made if need be")
    parser.add_argument("--argument", metavar="NAME=VALUE", type=argument, action="append", default=[],
                        help="a further keyword argument of the class, as a Python literal; may be repeated")
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
    elif options.output_dir is None and len(options.sizes) > 1:
        parser.error("several --sizes need --output-dir")
    if options.output_dir is not None and options.output is not None:
        parser.error("expected one of -o and --output-dir")
    options.output = options.output or "-"
    return options


def export(options):
    arguments = keyword_arguments(options.argument, ("micro_batches", "stages", "stage_id"))
    name, schedule_class = find(options.schedule, [DEFAULT_MODULE])
    return {f"{name}_{stages}stage_{microbatches}mb.txt":
            Lists(name, schedule_class, stages, microbatches, arguments, options).text()
            for stages, microbatches in options.sizes}


class Lists:
    """The lists of all stages for one size."""

    def __init__(self, name, schedule_class, stages, microbatches, arguments, options):
        self.name = name
        self.schedule_class = schedule_class
        self.stages = stages
        self.microbatches = microbatches
        self.arguments = arguments
        self.options = options
        self.skipped = {}  # by class: how many, and where the first stood

    def text(self):
        lines = [line for stage in range(self.stages) for line in self.stage_lines(stage)]
        for unknown, (count, first) in self.skipped.items():
            tell(f"{self.stages} stages, {self.microbatches} microbatches: left out {count} x {unknown}, "
                 f"first at {first}")
        return "\n".join(lines) + "\n"

    def stage_lines(self, stage):
        where = f"stage {stage} of {self.stages}"
        with blaming(f"{where}: {self.name}(micro_batches={self.microbatches}, stages={self.stages}, "
                     f"stage_id={stage}{', ...' if self.arguments else ''})"):
            schedule = self.schedule_class(micro_batches=self.microbatches, stages=self.stages, stage_id=stage,
                                           **self.arguments)
        yield (f"# stage {stage} of {self.stages}, micro_batches {self.microbatches}, "
               f"num_pipe_buffers {self.buffers(schedule, where)}")
        for number_of_step, step in enumerate(self.steps(schedule, where)):
            place = f"{where}, step {number_of_step}"
            printed = (self.printed(instruction, place) for instruction in instructions_of(step, place))
            yield "[" + ", ".join(text for text in printed if text is not None) + "]"

    def buffers(self, schedule, where):
        if not callable(getattr(schedule, "num_pipe_buffers", None)):
            raise Mistake(f"{where}: {self.name} has no method num_pipe_buffers(), which tells how many buffers the "
                          "stage has")
        with blaming(f"{where}: num_pipe_buffers() of {self.name}"):
            count = schedule.num_pipe_buffers()
        if whole(count) is None:
            raise Mistake(f"{where}: num_pipe_buffers() of {self.name} returned {shown(count)}, not a number of "
                          "buffers")
        return whole(count)

    def steps(self, schedule, where):
        if hasattr(type(schedule), "__iter__"):
            source = schedule
        elif callable(getattr(schedule, "steps", None)):
            with blaming(f"{where}: steps() of {self.name}"):
                source = schedule.steps()
        else:
            raise Mistake(f"{where}: {self.name} can neither be iterated nor has it a method steps()")
        with blaming(f"{where}: iterating {self.name}"):
            iterator = iter(source)
        for count in range(LARGEST):
            with blaming(f"{where}, step {count}: {self.name}"):
                step = next(iterator, END)
            if step is END:
                return
            yield step
        raise Mistake(f"{where}: {self.name} has more than {LARGEST} steps; does it end?")

    def printed(self, instruction, place):
        """The text that DeepSpeed prints for it, whatever its own __repr__ says; None to leave it out."""
        kind = kind_of(instruction)
        if kind is None:
            unknown = f"{type(instruction).__module__}.{type(instruction).__qualname__}"
            if not self.options.skip_unknown:
                raise Mistake(f"{place}: unknown instruction {type(instruction).__name__} ({unknown}); Plumbline knows "
                              f"{', '.join(KNOWN)} and their subclasses (--skip-unknown leaves others out)")
            count, first = self.skipped.get(unknown, (0, place))
            self.skipped[unknown] = count + 1, first
            return None
        arguments = getattr(instruction, "kwargs", None)
        arguments = dict(arguments) if isinstance(arguments, Mapping) else {}
        buffer = getattr(instruction, "buffer_id", arguments.get("buffer_id"))
        if kind in WITH_BUFFER:
            arguments.pop("buffer_id", None)
        for other in arguments:
            if other not in self.options.ignore_argument:
                raise Mistake(f"{place}: {type(instruction).__name__} has the argument {other}, which the lists that "
                              f"Plumbline reads cannot express (--ignore-argument {other} leaves it out)")
        if kind not in WITH_BUFFER:
            return f"{kind}()"
        if whole(buffer) is None:
            raise Mistake(f"{place}: {type(instruction).__name__} has the buffer_id {shown(buffer)}; expected a number "
                          "from 0")
        return f"{kind}(buffer_id={whole(buffer)})"


END = object()


def kind_of(instruction):
    """The known instruction that it is, or of which it is a subclass."""
    return next((base.__name__ for base in type(instruction).__mro__ if base.__name__ in KNOWN), None)


def instructions_of(step, place):
    """Those of a step: a list of them, one alone, or None."""
    if step is None:
        return ()
    if kind_of(step) is not None or isinstance(step, str) or not isinstance(step, Iterable):
        return (step,)
    with blaming(f"{place}: its list"):
        return list(step)


if __name__ == "__main__":
    sys.exit(run(command_line, export))
