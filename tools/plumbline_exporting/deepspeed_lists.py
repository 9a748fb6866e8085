"""From a DeepSpeed PipeSchedule to its instruction lists, as DeepSpeed prints them."""

from collections.abc import Iterable, Mapping

from .messages import Mistake, blaming
from .values import LARGEST, listed, shown, whole

# The instructions that Plumbline knows: those with a buffer, those without.
WITH_BUFFER = ("LoadMicroBatch", "ForwardPass", "BackwardPass", "SendActivation", "RecvActivation", "SendGrad",
               "RecvGrad")
WITHOUT_BUFFER = ("ReduceTiedGrads", "ReduceGrads", "OptimizerStep")
KNOWN = WITH_BUFFER + WITHOUT_BUFFER

END = object()


class Lists:
    """The lists of all stages for one size. `tell` takes a sentence about what was left out."""

    def __init__(self, name, schedule_class, stages, microbatches, arguments, options, tell):
        self.name = name
        self.schedule_class = schedule_class
        self.stages = stages
        self.microbatches = microbatches
        self.arguments = arguments
        self.options = options
        self.tell = tell
        self.skipped = {}  # by class: how many, and where the first stood

    def text(self):
        """What the file holds."""
        lines = [line for stage in range(self.stages) for line in self.stage_lines(stage)]
        for unknown, (count, first) in self.skipped.items():
            self.tell(f"{self.stages} stages, {self.microbatches} microbatches: left out {count} x {unknown}, "
                      f"first at {first}")
        return "\n".join(lines) + "\n"

    def stage_lines(self, stage):
        """A comment with the sizes, then a line for each step."""
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
        """What the schedule gives for each step, as it is."""
        if hasattr(type(schedule), "__iter__"):
            source = schedule
        elif callable(getattr(schedule, "steps", None)):
            with blaming(f"{where}: steps() of {self.name}"):
                source = schedule.steps()
        else:
            raise Mistake(f"{where}: {self.name} can neither be iterated nor has it a method steps()")
        with blaming(f"{where}: iterating {self.name}"):
            iterator = iter(source)
        most = max(LARGEST, 4 * (self.stages + self.microbatches))  # TrainSchedule has 2(M+S-1)
        for count in range(most + 1):
            with blaming(f"{where}, step {count}: {self.name}"):
                step = next(iterator, END)
            if step is END:
                return
            if count < most:
                yield step
        raise Mistake(f"{where}: {self.name} has more than {most} steps; does it end?")

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
        # What a subclass keeps beside them counts as one too: the engine that runs it may look there.
        arguments.update({name: value for name, value in getattr(instruction, "__dict__", {}).items()
                          if name not in ("name", "kwargs", "buffer_id")})
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
        return listed(step, LARGEST, f"{place}: its list")
