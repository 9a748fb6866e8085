"""A user's schedule, for the genrule of docs/exporting.md."""

from deepspeed.runtime.pipe.schedule import TrainSchedule


class MySchedule(TrainSchedule):
    pass
