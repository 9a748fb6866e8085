from torch import distributed


class PipelineStage:
    def __init__(self, submodule, stage_index, num_stages, device):
        self.submod = submodule
        self.stage_index = stage_index
        self.num_stages = num_stages
        self.device = device
        self.group_rank = 0
        self.group_size = distributed.get_world_size()
