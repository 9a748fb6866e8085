"""Runs a hook to its exit code."""

import signal
import sys

from .refusal import Refusal, name, say


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
    gone, end = len(judged.gone), names(judged.gone)
    if judged.changed > gone:
        kinds = [f"{count} {kind}" for count, kind in ((judged.new, "new"), (gone, "removed")) if count]
        of_them = f" ({', '.join(kinds)})" if kinds else ""
        say(f"plumbline: {where}{judged.changed} changed {schedules(judged.changed)}{of_them}, {how}{end}")
    elif judged.changed:
        say(f"plumbline: {where}{gone} removed {schedules(gone)}, nothing to judge{end}")


def names(gone, most=5):
    """For the end of the line: what is gone, since nothing else tells that it was asked nothing of."""
    shown = [name(path) for path in gone[:most]] + ([f"{len(gone) - most} more"] if len(gone) > most else [])
    return "; gone: " + ", ".join(shown) if shown else ""


def schedules(count):
    return "schedule" if count == 1 else "schedules"
