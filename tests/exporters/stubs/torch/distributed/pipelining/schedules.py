"""Schedules with the interface of PyTorch's."""

import enum
import typing


class _ComputationType(str, enum.Enum):
    FORWARD = "F"
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    WAIT_SEND_F = "WAIT_SEND_F"
    WAIT_SEND_B = "WAIT_SEND_B"
    FULL_BACKWARD = "B"
    OVERLAP_F_B = "OVERLAP_F_B"
    REDUCE_GRAD = "REDUCE_GRAD"
    WAIT_REDUCE_GRAD = "WAIT_REDUCE_GRAD"
    NEW_IDEA = "NEW_IDEA"


class _Action(typing.NamedTuple):
    stage_index: int
    computation_type: _ComputationType
    microbatch_index: typing.Optional[int] = None
    sub_actions: typing.Optional[tuple] = None

    def __repr__(self):
        return "not what is to be printed"


FORWARD = _ComputationType.FORWARD
FULL_BACKWARD = _ComputationType.FULL_BACKWARD


class _PipelineSchedule:
    def __init__(self, n_microbatches, loss_fn=None, scale_grads=True):
        self._n_microbatches = n_microbatches
        self._loss_fn = loss_fn
        self.scale_grads = scale_grads


class PipelineScheduleSingle(_PipelineSchedule):
    def __init__(self, stage, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(n_microbatches, loss_fn, scale_grads)
        self._stage = stage
        self._num_stages = stage.num_stages
        self.pipeline_order = self._get_pipeline_order()

    def _get_pipeline_order(self):
        return None


class ScheduleGPipe(PipelineScheduleSingle):
    def _get_pipeline_order(self):
        microbatches = range(self._n_microbatches)
        return {rank: [_Action(rank, kind, m) for kind in (FORWARD, FULL_BACKWARD) for m in microbatches]
                for rank in range(self._num_stages)}


class Schedule1F1B(PipelineScheduleSingle):
    def __init__(self, stage, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stage, n_microbatches, loss_fn, scale_grads)
        if n_microbatches < self._num_stages:
            raise ValueError(f"{n_microbatches} microbatches are fewer than\n{self._num_stages} stages")

    def _get_pipeline_order(self):
        """Wrong in the way that PyTorch's is."""
        table = {}
        for rank in range(self._num_stages):
            ahead = self._num_stages - 1 - rank
            first = ahead if ahead > 0 else 1
            row = [_Action(rank, FORWARD, m) for m in range(ahead)]
            for m in range(self._n_microbatches):
                if m < self._n_microbatches - ahead:
                    row.append(_Action(rank, FORWARD, first + m))
                row.append(_Action(rank, FULL_BACKWARD, m))
            table[rank] = row
        return table


class PipelineScheduleMulti(_PipelineSchedule):
    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(n_microbatches, loss_fn, scale_grads)
        self._stages = stages
        self._num_stages = stages[0].num_stages
        self.pp_group_size = stages[0].group_size
        self.rank = stages[0].group_rank
        for stage in stages:
            stage.stage_index_to_group_rank = {s: s % self.pp_group_size for s in range(self._num_stages)}
        self.pipeline_order = {}


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """All forwards, stage by stage, then all backwards in the opposite order."""

    def __init__(self, stages, n_microbatches, loss_fn=None, scale_grads=True):
        super().__init__(stages, n_microbatches, loss_fn, scale_grads)
        ranks = self.pp_group_size
        for rank in range(ranks):
            forwards = [_Action(stage, FORWARD, m)
                        for stage in range(rank, self._num_stages, ranks) for m in range(n_microbatches)]
            backwards = [_Action(forward.stage_index, FULL_BACKWARD, forward.microbatch_index)
                         for forward in reversed(forwards)]
            self.pipeline_order[rank] = [None] * rank + forwards + [None] * (2 * (ranks - 1 - rank)) + backwards
