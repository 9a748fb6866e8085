"""A user's function, for the genrule of docs/exporting.md."""

from torch.distributed.pipelining.schedules import _Action, _ComputationType


def make_schedule(stages, ranks, microbatches):
    forward, backward = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
    table = {}
    for rank in range(ranks):
        mine = range(rank, stages, ranks)
        table[rank] = ([_Action(stage, forward, m) for stage in mine for m in range(microbatches)] +
                       [_Action(stage, backward, m) for stage in reversed(mine) for m in range(microbatches)])
    return table
