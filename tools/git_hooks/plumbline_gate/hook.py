"""Runs a hook to its exit code."""

import signal
import sys

from .refusal import Refusal, say


def start(main):
    """Leaves the process with what `main` returns, and with 1 where something is refused."""
    # So that folders are removed and plumbline is ended also where git ends the hook.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        sys.exit(main())
    except Refusal as refusal:
        say(*refusal.lines())
        sys.exit(1)


def passed(judged, where="", how="nothing got worse"):
    """The line that says so; nothing where no schedule changed."""
    if judged.changed > judged.gone:
        kinds = [f"{count} {kind}" for count, kind in ((judged.new, "new"), (judged.gone, "removed")) if count]
        of_them = f" ({', '.join(kinds)})" if kinds else ""
        say(f"plumbline: {where}{judged.changed} changed {schedules(judged.changed)}{of_them}, {how}")
    elif judged.changed:
        say(f"plumbline: {where}{judged.gone} removed {schedules(judged.gone)}, nothing to judge")


def schedules(count):
    return "schedule" if count == 1 else "schedules"
