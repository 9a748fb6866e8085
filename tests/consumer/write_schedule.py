"""GPipe as PyTorch CSV: write_schedule.py STAGES MICROBATCHES"""

import sys

stages, microbatches = int(sys.argv[1]), int(sys.argv[2])
for stage in range(stages):
    forward = [f"{stage}F{m}" for m in range(microbatches)]
    backward = [f"{stage}B{m}" for m in range(microbatches)]
    print(",".join(forward + backward))
