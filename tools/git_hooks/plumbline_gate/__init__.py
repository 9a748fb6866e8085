"""Compares the schedules of two git trees with `plumbline diff`, for the hooks beside this folder."""
