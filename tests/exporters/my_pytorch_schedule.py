"""A user's function, for the genrule of docs/exporting.md."""

from torch.distributed.pipelining.schedules import _Action, _ComputationType


def make_schedule(stages, ranks, microbatches):
    forward, backward = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
    return {rank: [_Action(rank, kind, m) for kind in (forward, backward) for m in range(microbatches)]
            for rank in range(ranks)}
