"""PyTorch's two classes that run a loop of their own. Whatever table they keep is not what they run: in the one that
Schedule1F1B keeps, the last rank's forwards count from 1."""

from .messages import Mistake, blaming
from .pytorch_stages import PIPELINING


def gpipe_row(stage, size):
    """The cells of the rank that has this stage; so below."""
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


def step_loop_rows(schedule, size, tell):
    """The rows of cells if it is one of the two, else None. `tell` takes a sentence about what was written."""
    classes = type(schedule).__mro__
    loop = next((base for base in classes if base.__name__ in STEP_LOOPS), None)
    if loop is None:
        return None
    if not loop.__module__.startswith(PIPELINING):
        tell(f"{size}: {loop.__module__}.{loop.__name__} is called as a class of PyTorch's that runs a step loop; its "
             "table was written, and if it is a copy of that class the table may not be what its loop runs")
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
    """Whether the schedule, of a subclass of `loop`, has another table than `loop` would have made."""
    classes = type(schedule).__mro__
    if any("_get_pipeline_order" in vars(base) for base in classes[:classes.index(loop)]):
        return True
    if getattr(schedule, "pipeline_order_with_comms", None):
        return True
    with blaming(f"{loop.__name__}._get_pipeline_order()"):
        inherited = loop._get_pipeline_order(schedule) if hasattr(loop, "_get_pipeline_order") else None
    return getattr(schedule, "pipeline_order", None) not in (None, {}, inherited)
