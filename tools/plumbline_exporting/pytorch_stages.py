"""The stages of a pipeline, as the constructors of PyTorch's schedules ask for them."""

import importlib
import inspect

PIPELINING = "torch.distributed.pipelining"


class Size:
    """How many ranks, stages (over all ranks) and microbatches."""

    def __init__(self, ranks, stages, microbatches):
        self.ranks = ranks
        self.stages = stages
        self.microbatches = microbatches

    def __str__(self):
        return f"{self.ranks} ranks, {self.stages} stages, {self.microbatches} microbatches"


class BareStage:
    """What the constructors of schedules ask of a stage: its place in the pipeline. `missed`: what else was asked."""

    def __init__(self, index, size, rank=0):
        self.stage_index = index
        self.num_stages = size.stages
        self.group_rank = rank
        self.group_size = size.ranks
        self.is_first = index == 0
        self.is_last = index == size.stages - 1
        self.has_backward = False
        self.name = f"stage_{index}"
        self.log_prefix = f"[Stage {index}]"
        self.stage_index_to_group_rank = {stage: stage % size.ranks for stage in range(size.stages)}
        self.missed = []

    # A constructor may only pass these on; one that looks into them needs real ones.
    group = property(lambda self: self.missed.append("group"))
    device = property(lambda self: self.missed.append("device"))
    submod = property(lambda self: self.missed.append("submod"))

    def _prepare_forward_infra(self, *_):
        """PyTorch up to 2.5 has its constructors call these."""

    _prepare_backward_infra = _prepare_forward_infra

    def __getattr__(self, name):
        if not name.startswith("__") and "missed" in self.__dict__:
            self.missed.append(name)
        raise AttributeError(f"a stage without a module has no {name}")


def real_stages(indices, size):
    """Stages with a module each, in a process group that sends nothing; raises what PyTorch does."""
    torch = importlib.import_module("torch")
    distributed = importlib.import_module("torch.distributed")
    pipelining = importlib.import_module(PIPELINING)
    fake = importlib.import_module("torch.testing._internal.distributed.fake_pg")
    if distributed.is_initialized():
        distributed.destroy_process_group()
    distributed.init_process_group("fake", rank=0, world_size=size.ranks, store=fake.FakeStore())
    example = inspect.signature(pipelining.PipelineStage).parameters.get("input_args")
    wants_example = example is not None and example.default is inspect.Parameter.empty  # PyTorch up to 2.5
    return [pipelining.PipelineStage(torch.nn.Linear(4, 4), index, size.stages, torch.device("cpu"),
                                     **({"input_args": torch.zeros(1, 4)} if wants_example else {}))
            for index in indices]
