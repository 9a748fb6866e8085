from .schedules import Schedule1F1B, ScheduleGPipe, ScheduleLoopedBFS
from .stage import PipelineStage
