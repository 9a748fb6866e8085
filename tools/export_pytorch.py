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
        tools = ["//tools:export_pytorch.py"],
    )

Python 3.9 or newer, and nothing but PyTorch itself. docs/exporting.md has more.
"""

import argparse
import ast
import contextlib
import importlib
import importlib.util
import inspect
import operator
import os
import re
import sys
import traceback
from collections.abc import Iterable, Mapping

PROGRAM = "export_pytorch.py"
LARGEST = 1_000_000  # Plumbline's own bound on stages, microbatches, ...

PIPELINING = "torch.distributed.pipelining"

# Today's spelling, by the name of PyTorch's enum member. The text that members print has changed: full backward was BW
# and its input half B before they became B and I.
LETTERS = {
    "FORWARD": "F",
    "FULL_BACKWARD": "B",
    "BACKWARD_INPUT": "I",
    "BACKWARD_WEIGHT": "W",
    "WEIGHT": "W",  # up to 2.5
    "SEND_F": "SEND_F",
    "RECV_F": "RECV_F",
    "SEND_B": "SEND_B",
    "RECV_B": "RECV_B",
    "UNSHARD": "UNSHARD",
    "RESHARD": "RESHARD",
    "REDUCE_GRAD": "REDUCE_GRAD",
}
OF_A_STAGE = ("UNSHARD", "RESHARD", "REDUCE_GRAD")  # These have no microbatch.
OVERLAP = "OVERLAP_F_B"
COMPUTE = ("FORWARD", "FULL_BACKWARD", "BACKWARD", "BACKWARD_INPUT", "BACKWARD_WEIGHT", "WEIGHT")
# Newer PyTorch says where a rank waits for what it began. CSV files as Plumbline reads them have no such cells.
WAITS = ("WAIT_SEND_F", "WAIT_SEND_B", "WAIT_REDUCE_GRAD")

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
    parser = CommandLine(description=HELP, epilog=EXAMPLES)
    parser.add_argument("schedule", metavar="TARGET", help="what to export")
    parser.add_argument("--stages", metavar="S", type=number, help="number of stages, over all ranks")
    parser.add_argument("--ranks", metavar="R", type=number, help="number of ranks (default: as many as stages)")
    parser.add_argument("--microbatches", metavar="M", type=number, help="number of microbatches of a step")
    parser.add_argument("--sizes", metavar="RxSxM,...", type=sizes(("ranks", "stages", "microbatches")),
                        help="several sizes at once, in place of --ranks, --stages and --microbatches")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="where to write; - is standard output, and the default")
    parser.add_argument("--output-dir", metavar="DIR",
                        help="write DIR/<target>_<R>rank_<S>stage_<M>mb.csv for each size; DIR is made if need be")
    parser.add_argument("--argument", metavar="NAME=VALUE", type=argument, action="append", default=[],
                        help="a further keyword argument of the class or function, as a Python literal; may be "
                        "repeated")
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
    elif options.output_dir is None and len(options.sizes) > 1:
        parser.error("several --sizes need --output-dir")
    if options.output_dir is not None and options.output is not None:
        parser.error("expected one of -o and --output-dir")
    options.output = options.output or "-"
    return options


def export(options):
    name, target = find(options.schedule, [PIPELINING, PIPELINING + ".schedules"])
    return {f"{name}_{ranks}rank_{stages}stage_{microbatches}mb.csv":
            text_of(name, target, Size(ranks, stages, microbatches), options)
            for ranks, stages, microbatches in options.sizes}


class Size:
    def __init__(self, ranks, stages, microbatches):
        self.ranks = ranks
        self.stages = stages
        self.microbatches = microbatches

    def __str__(self):
        return f"{self.ranks} ranks, {self.stages} stages, {self.microbatches} microbatches"


def text_of(name, target, size, options):
    if inspect.isclass(target):
        schedule = ScheduleMaker(name, target, size, options).make()
    else:
        arguments = keyword_arguments(options.argument, ("stages", "ranks", "microbatches"))
        with blaming(f"{size}: {name}(stages={size.stages}, ranks={size.ranks}, microbatches={size.microbatches}"
                     f"{', ...' if arguments else ''})"):
            schedule = target(stages=size.stages, ranks=size.ranks, microbatches=size.microbatches, **arguments)
    check(schedule, name, size)
    rows = step_loop_rows(schedule, size)
    if rows is None:
        rows = Table(table_of(schedule, name, options.compute_only), name, size, options).rows()
    return "".join(",".join(row) + "\n" for row in rows)


# Making a schedule object from its class.


class BareStage:
    """What the constructors of schedules ask of a stage: its place in the pipeline."""

    def __init__(self, index, size, rank=0):
        self.stage_index = index
        self.num_stages = size.stages
        self.group = None
        self.group_rank = rank
        self.group_size = size.ranks
        self.is_first = index == 0
        self.is_last = index == size.stages - 1
        self.has_backward = False
        self.device = "cpu"
        self.submod = None
        self.name = f"stage_{index}"
        self.log_prefix = f"[Stage {index}]"
        self.stage_index_to_group_rank = {stage: stage % size.ranks for stage in range(size.stages)}
        self.missed = []

    def _prepare_forward_infra(self, *_):
        """PyTorch up to 2.5 has its constructors call these."""

    _prepare_backward_infra = _prepare_forward_infra

    def __getattr__(self, name):
        if not name.startswith("__") and "missed" in self.__dict__:
            self.missed.append(name)
        raise AttributeError(f"a stage without a module has no {name}")


class ScheduleMaker:
    """Calls the class as rank 0 would; the table it makes is of all ranks."""

    def __init__(self, name, schedule_class, size, options):
        self.name = name
        self.schedule_class = schedule_class
        self.size = size
        self.options = options
        try:
            parameters = inspect.signature(schedule_class).parameters.values()
        except (TypeError, ValueError):
            parameters = ()
        self.named = {parameter.name for parameter in parameters}
        self.takes_any = any(parameter.kind == inspect.Parameter.VAR_KEYWORD for parameter in parameters)
        bases = {base.__name__ for base in schedule_class.__mro__}
        self.one_stage = "stage" in self.named or ("stages" not in self.named and "PipelineScheduleSingle" in bases)
        self.v_shaped = bool(bases & {"ScheduleZBVZeroBubble", "ScheduleDualPipeV"})

    def make(self):
        ranks, stages = self.size.ranks, self.size.stages
        if self.one_stage and stages != ranks:
            raise Mistake(f"{self.size}: {self.name} has one stage a rank; expected as many ranks as stages")
        if stages % ranks != 0:
            raise Mistake(f"{self.size}: {self.name} has as many stages on each rank; expected stages to be a multiple "
                          "of ranks")
        if self.options.real_stages:
            return self.call(self.real_stages(None))
        bare = [BareStage(index, self.size) for index in self.indices()]
        try:
            return self.call(bare)
        except Mistake as mistake:
            missed = [name for stage in bare for name in stage.missed]
            if not missed:
                raise
            return self.call(self.real_stages(mistake))

    def indices(self):
        """The stages on rank 0."""
        ranks, stages = self.size.ranks, self.size.stages
        if self.v_shaped and stages == 2 * ranks:
            return [0, stages - 1]
        return list(range(0, stages, ranks))

    def real_stages(self, reason):
        """Stages with a module each, in a process group that sends nothing."""
        try:
            torch = importlib.import_module("torch")
            distributed = importlib.import_module("torch.distributed")
            pipelining = importlib.import_module(PIPELINING)
            fake = importlib.import_module("torch.testing._internal.distributed.fake_pg")
            if distributed.is_initialized():
                distributed.destroy_process_group()
            distributed.init_process_group("fake", rank=0, world_size=self.size.ranks, store=fake.FakeStore())
            example = inspect.signature(pipelining.PipelineStage).parameters.get("input_args")
            wants_example = example is not None and example.default is inspect.Parameter.empty  # PyTorch up to 2.5
            return [pipelining.PipelineStage(torch.nn.Linear(4, 4), index, self.size.stages, torch.device("cpu"),
                                             **({"input_args": torch.zeros(1, 4)} if wants_example else {}))
                    for index in self.indices()]
        except Exception as error:  # pylint: disable=broad-except
            before = f"{reason}; " if reason else f"{self.size}: "
            raise Mistake(f"{before}making stages in PyTorch's fake process group raised {said(error)}") from error

    def call(self, stages):
        arguments = {"stage": stages[0]} if self.one_stage else {"stages": stages}
        arguments["n_microbatches"] = self.size.microbatches
        extra = keyword_arguments(self.options.argument, tuple(arguments))
        if "loss_fn" in self.named or self.takes_any:
            arguments["loss_fn"] = loss  # Without one, a schedule may leave the backward passes out.
        arguments.update(extra)
        with blaming(f"{self.size}: {self.name}({', '.join(f'{name}=...' for name in arguments)})"):
            return self.schedule_class(**arguments)


def loss(output, target):
    """Stands where a loss function must; nobody calls it."""
    raise NotImplementedError


# The two classes that run a loop of their own. Whatever table they keep is not what they run: in the one that
# Schedule1F1B keeps, the last rank's forwards count from 1.


def gpipe_row(stage, size):
    return ([f"{stage}F{microbatch}" for microbatch in range(size.microbatches)] +
            [f"{stage}B{microbatch}" for microbatch in range(size.microbatches)])


def one_forward_one_backward_row(stage, size):
    ahead = min(size.stages - stage, size.microbatches)
    row = [f"{stage}F{microbatch}" for microbatch in range(ahead)]
    for microbatch in range(size.microbatches):
        row.append(f"{stage}B{microbatch}")
        if ahead + microbatch < size.microbatches:
            row.append(f"{stage}F{ahead + microbatch}")
    return row


STEP_LOOPS = {"ScheduleGPipe": gpipe_row, "Schedule1F1B": one_forward_one_backward_row}


def step_loop_rows(schedule, size):
    """The rows if it is one of the two, else None."""
    classes = type(schedule).__mro__
    loop = next((base for base in classes
                 if base.__name__ in STEP_LOOPS and base.__module__.startswith(PIPELINING)), None)
    if loop is None:
        return None
    if type(schedule) is not loop:
        if has_own_table(schedule, loop):
            tell(f"{size}: {type(schedule).__name__} is a {loop.__name__}; its table was written, and whether its step "
                 "loop runs that order cannot be told")
            return None
        raise Mistake(f"{size}: {type(schedule).__name__} is a subclass of {loop.__name__}, which runs a step loop "
                      "that cannot be exported, and has no table of its own; expected one in pipeline_order, or a "
                      "function that returns it")
    if size.ranks != size.stages:
        raise Mistake(f"{size}: {loop.__name__} has one stage a rank; expected as many ranks as stages")
    tell(f"{size}: {loop.__name__} runs a step loop and no table; the order of compute of that loop was written")
    return [STEP_LOOPS[loop.__name__](stage, size) for stage in range(size.stages)]


def has_own_table(schedule, loop):
    classes = type(schedule).__mro__
    if any("_get_pipeline_order" in vars(base) for base in classes[:classes.index(loop)]):
        return True
    if getattr(schedule, "pipeline_order_with_comms", None):
        return True
    with blaming(f"{loop.__name__}._get_pipeline_order()"):
        inherited = loop._get_pipeline_order(schedule) if hasattr(loop, "_get_pipeline_order") else None
    return getattr(schedule, "pipeline_order", None) not in (None, {}, inherited)


# From tables to cells.


def check(schedule, name, size):
    """That a schedule object is of the size asked for."""
    for attribute, expected, what in (("_num_stages", size.stages, "stages"),
                                      ("_n_microbatches", size.microbatches, "microbatches")):
        found = whole(getattr(schedule, attribute, None))
        if found is not None and found != expected:
            raise Mistake(f"{name} gave a schedule of {found} {what}, and {expected} were asked for")


def table_of(schedule, name, compute_only):
    """The dict from rank to actions, with messages if there are any."""
    if isinstance(schedule, Mapping):
        return schedule
    names = ["pipeline_order"] if compute_only else ["pipeline_order_with_comms", "pipeline_order"]
    for attribute in names:
        table = getattr(schedule, attribute, None)
        if isinstance(table, Mapping) and table:
            return table
    raise Mistake(f"{name} gave a {type(schedule).__name__}, which has no table; expected a dict from rank to actions, "
                  f"or an object with one in {' or '.join(names)}")


def type_name(action):
    """The name of the enum member that says what the action is, if it is an action."""
    name = getattr(getattr(action, "computation_type", None), "name", None)
    return name if isinstance(name, str) else None


def parts(action):
    """The actions of an overlapped call, or the action alone."""
    overlapped = getattr(action, "sub_actions", None)
    return overlapped if isinstance(overlapped, Iterable) else (action,)


class Table:
    """A table of one size, to be printed."""

    def __init__(self, table, name, size, options):
        self.name = name
        self.size = size
        self.skip_unknown = options.skip_unknown
        if sorted(table, key=str) != sorted(range(size.ranks), key=str):
            raise Mistake(f"{name} gave a table of the ranks {', '.join(repr(rank) for rank in table)}, and "
                          f"{size.ranks} ranks were asked for (they count from 0)")
        self.table = []
        for rank in range(size.ranks):
            with blaming(f"{name}, rank {rank}: its actions"):
                self.table.append(list(table[rank]))
        self.halved = {self.key(part) for row in self.table for action in row for part in parts(action)
                       if type_name(part) in ("WEIGHT", "BACKWARD_WEIGHT")}
        self.left_out = {}

    def rows(self):
        rows = [self.row(rank, actions) for rank, actions in enumerate(self.table)]
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.left_out.items()))
        if counts:
            tell(f"{self.size}: left out {counts}")
        return rows

    def row(self, rank, actions):
        cells = []
        returned = set()  # (stage, microbatch) whose backward pass came
        end = 1 + max((position for position, action in enumerate(actions)
                       if action is not None and type_name(action) not in WAITS), default=-1)
        for position, action in enumerate(actions):
            place = f"{self.name}, rank {rank}, action {position}"
            if action is None:
                cells.append("")
                continue
            if type_name(action) in WAITS:
                is_answered = type_name(action) == "WAIT_SEND_F" and self.key(action) in returned
                self.leave_out_wait(action, place, position >= end or is_answered)
                continue
            cell = self.cell(action, place)
            if cell is not None:
                cells.append(cell)
            returned.update(self.key(part) for part in parts(action)
                            if type_name(part) in ("FULL_BACKWARD", "BACKWARD", "BACKWARD_INPUT"))
        return cells

    def leave_out_wait(self, action, place, is_over):
        """`is_over`: a send's wait that can hold nothing up, since it ends the row, where sends are waited for anyhow,
        or comes after the backward pass for what was sent. Waits for gradients do not concern the pipeline's ranks."""
        name = type_name(action)
        if name != "WAIT_REDUCE_GRAD" and not is_over and not self.skip_unknown:
            raise Mistake(f"{place}: {name} of stage {action.stage_index}, microbatch {action.microbatch_index} may "
                          "hold up what follows it, which the CSV files that Plumbline reads cannot express "
                          "(--skip-unknown leaves it out)")
        self.count(name)

    def cell(self, action, place):
        """The action in today's notation; None to leave it out."""
        name = type_name(action)
        if name is None:
            raise Mistake(f"{place}: a {type(action).__name__} is no action; expected the fields stage_index, "
                          "computation_type (a member of PyTorch's enum) and microbatch_index")
        if name == OVERLAP:
            return self.overlap(action, place)
        letters = self.half_or_whole(action) if name == "BACKWARD" else LETTERS.get(name)
        if letters is None:
            if not self.skip_unknown:
                raise Mistake(f"{place}: unknown action {name}; Plumbline knows {', '.join(LETTERS)} and {OVERLAP} "
                              "(--skip-unknown leaves others out)")
            self.count(name)
            return None
        stage = self.checked(action, "stage_index", place)
        return f"{stage}{letters}" + ("" if name in OF_A_STAGE else self.checked(action, "microbatch_index", place))

    def overlap(self, action, place):
        inner = list(parts(action))
        if not inner or any(type_name(part) not in COMPUTE for part in inner):
            raise Mistake(f"{place}: expected {OVERLAP} to have forward and backward passes as sub_actions")
        return f"({';'.join(self.cell(part, place) for part in inner)}){OVERLAP}"

    def half_or_whole(self, action):
        """PyTorch up to 2.5 has one member for the whole backward pass and for its input half. It is the half where the
        other half is there too, or where the enum has another member for the whole."""
        has_other = hasattr(type(action.computation_type), "FULL_BACKWARD")
        return "I" if has_other or self.key(action) in self.halved else "B"

    def checked(self, action, field, place):
        value = getattr(action, field, None)
        if whole(value) is None:
            raise Mistake(f"{place}: {type_name(action)} has the {field} {shown(value)}; expected a number from 0")
        return str(whole(value))

    @staticmethod
    def key(action):
        return getattr(action, "stage_index", None), getattr(action, "microbatch_index", None)

    def count(self, what):
        self.left_out[what] = self.left_out.get(what, 0) + 1


if __name__ == "__main__":
    sys.exit(run(command_line, export))
