"""Schedules with the interface of DeepSpeed's, their steps from closed formulas."""


class PipeInstruction:
    def __init__(self, **kwargs):
        self.name = type(self).__name__
        self.kwargs = kwargs
        self.__dict__.update(kwargs)


class BufferOpInstruction(PipeInstruction):
    def __init__(self, buffer_id, **kwargs):
        super().__init__(buffer_id=buffer_id, **kwargs)


class LoadMicroBatch(BufferOpInstruction):
    pass


class ForwardPass(BufferOpInstruction):
    pass


class BackwardPass(BufferOpInstruction):
    pass


class SendActivation(BufferOpInstruction):
    pass


class RecvActivation(BufferOpInstruction):
    pass


class SendGrad(BufferOpInstruction):
    pass


class RecvGrad(BufferOpInstruction):
    pass


class ReduceTiedGrads(PipeInstruction):
    pass


class ReduceGrads(PipeInstruction):
    pass


class OptimizerStep(PipeInstruction):
    pass


class CommitP2P(PipeInstruction):
    """Real, and unknown to Plumbline."""


class PipeSchedule:
    def __init__(self, micro_batches, stages, stage_id):
        self.micro_batches = micro_batches
        self.stages = stages
        self.stage_id = stage_id

    def steps(self):
        raise NotImplementedError("steps() is for subclasses")

    def num_pipe_buffers(self):
        return self.micro_batches

    def __iter__(self):
        return iter(self.steps())


class TrainSchedule(PipeSchedule):
    """1F1B: in step t, stage s runs forward microbatch (t - s) / 2 or backward microbatch (t + s + 1 - 2 S) / 2,
    whichever is whole."""

    surplus = 0

    def num_pipe_buffers(self):
        return max(2, min(self.stages - self.stage_id + self.surplus, self.micro_batches))

    def forward_of(self, step):
        return self._buffer(step - self.stage_id)

    def backward_of(self, step):
        return self._buffer(step + self.stage_id + 1 - 2 * self.stages)

    def _buffer(self, twice):
        """The buffer of a microbatch, None if there is none."""
        if twice % 2 != 0 or not 0 <= twice // 2 < self.micro_batches:
            return None
        return twice // 2 % self.num_pipe_buffers()

    def messages(self, step):
        upstream = [(SendGrad, self.backward_of(step - 1)), (RecvActivation, self.forward_of(step))]
        downstream = [(RecvGrad, self.backward_of(step)), (SendActivation, self.forward_of(step - 1))]
        return (upstream if self.stage_id > 0 else []) + (downstream if self.stage_id < self.stages - 1 else [])

    def steps(self):
        last_step = 2 * (self.micro_batches + self.stages - 1) - 1
        for step in range(last_step + 1):
            cmds = [message(buffer) for message, buffer in self.messages(step) if buffer is not None]
            forward, backward = self.forward_of(step), self.backward_of(step)
            if forward is not None:
                cmds += [LoadMicroBatch(forward)] if self.stage_id in (0, self.stages - 1) else []
                cmds.append(ForwardPass(forward))
            if backward is not None:
                cmds.append(BackwardPass(backward))
            if step == last_step:
                cmds += [ReduceTiedGrads(), ReduceGrads(), OptimizerStep()]
            yield cmds


class InferenceSchedule(PipeSchedule):
    """In step t, stage s runs microbatch t - s. Two buffers take turns."""

    def num_pipe_buffers(self):
        return 2

    def steps(self):
        for step in range(self.micro_batches + self.stages - 1):
            now = step - self.stage_id
            runs, ran = 0 <= now < self.micro_batches, 1 <= now <= self.micro_batches
            odd = self.stage_id % 2
            buffer, other = (step + odd) % 2, (step + odd + 1) % 2
            send = [SendActivation(other)] if ran and self.stage_id < self.stages - 1 else []
            receive = [RecvActivation(buffer)] if runs and self.stage_id > 0 else []
            load = [LoadMicroBatch(buffer)] if runs and self.stage_id in (0, self.stages - 1) else []
            yield load + (receive + send if odd else send + receive) + ([ForwardPass(buffer)] if runs else [])
