"""Making a schedule object from what the user named: a class like PyTorch's own, or a function."""

import inspect

from .command_line import keyword_arguments
from .messages import Mistake, blaming, said
from .pytorch_stages import BareStage, real_stages
from .values import whole


def make_schedule(name, target, size, options):
    """The schedule object, or the table, that the class or function `target` gives for this size."""
    if inspect.isclass(target):
        schedule = ScheduleMaker(name, target, size, options).make()
    else:
        arguments = keyword_arguments(options.argument, ("stages", "ranks", "microbatches"))
        with blaming(f"{size}: {name}(stages={size.stages}, ranks={size.ranks}, microbatches={size.microbatches}"
                     f"{', ...' if arguments else ''})"):
            schedule = target(stages=size.stages, ranks=size.ranks, microbatches=size.microbatches, **arguments)
    check_size(schedule, name, size)
    return schedule


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
        """The schedule object."""
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
        """`reason`: why those without a module did not do, or None."""
        try:
            return real_stages(self.indices(), self.size)
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


def check_size(schedule, name, size):
    """Refuses a schedule object that is of another size than was asked for."""
    for attribute, expected, what in (("_num_stages", size.stages, "stages"),
                                      ("_n_microbatches", size.microbatches, "microbatches")):
        found = whole(getattr(schedule, attribute, None))
        if found is not None and found != expected:
            raise Mistake(f"{name} gave a schedule of {found} {what}, and {expected} were asked for")
