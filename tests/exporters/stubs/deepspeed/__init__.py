"""Stands for DeepSpeed in the exporter's tests: the same names and arguments, nothing behind them.

Like DeepSpeed, it logs to standard output when it is imported: from Python, past Python, and from a child process.
"""

import os
import subprocess

print("[INFO] [stub] setting the accelerator", flush=True)
os.write(1, b"[INFO] [stub] written past sys.stdout\n")
subprocess.run(["echo", "[WARNING] [stub] from a child process"], check=True)
print("[INFO] [stub] still in a buffer when the import ends")
