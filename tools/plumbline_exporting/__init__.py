"""What export_deepspeed.py and export_pytorch.py are made of; the name is long since users' modules load beside it.

Data flows from command_line and loading through deepspeed_lists, or pytorch_schedule, pytorch_step_loops and
pytorch_table, to writing; program runs them in turn.
"""
