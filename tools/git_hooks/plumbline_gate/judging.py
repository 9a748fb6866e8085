"""From two trees to the number of changed schedules, or to a Refusal."""

import os
import subprocess
import tempfile

from . import changes, folders, git, settings
from .refusal import Refusal, say

# What each exit code of `plumbline diff` but 0 means.
OUTCOMES = {
    1: ("a schedule got worse (above)",
        "what it breaks, or costs, falls on whoever trains with it",
        "mend it; or allow it, for example with git config plumbline.options '--allow-buffers 1'"),
    2: ("a schedule cannot be read, or plumbline.options are wrong (above)",
        "what is not read is not judged",
        "mend the file; if it is no schedule, git config --add plumbline.paths ':(exclude)PATH'"),
    3: ("a question was left open (above)",
        "a schedule that is not proved right may hang, or train on wrong values",
        "give it more time, with a larger --timeout in plumbline.options"),
}


def judge(base, new):
    """Compares two trees. Returns how many schedules changed. Says what plumbline found before it raises a Refusal."""
    paths = settings.paths()
    # Listing whole trees takes seconds for a million files, and most commits change no schedule.
    if not git.differ(base, new, paths) and not git.differ(base, new, [":(top,glob)**/*.batches.csv"]):
        return 0
    # Of both: fused launches that are gone have changed a schedule that is still there.
    selected = git.matching(base, paths) | git.matching(new, paths)
    old, young = (changes.Tree(git.entries(tree), selected) for tree in (base, new))
    found = changes.between(old, young, git.renames(base, new, paths))
    with tempfile.TemporaryDirectory(prefix="plumbline-gate-") as folder:
        lay_out(os.fsencode(folder), old, young, found)
        # Schedules that only went leave nothing to judge.
        if any(change.after for change in found):
            run(settings.judging(), folder)
    return len(found)


def lay_out(folder, old, young, found):
    try:
        folders.write(folder, old, young, found)
    except OSError as wrong:
        raise Refusal(f"the schedules cannot be laid out for comparing: {wrong.strerror or wrong}",
                      "what is not laid out is not judged",
                      "shorten their names, or end a clash between them; or free space on the disk") from wrong


def run(judging, folder):
    """Runs plumbline on the folders `before` and `after`."""
    # Git's variables are about this repository; the program may be a script that asks git about its own.
    own = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        result = subprocess.run([judging.program, "diff", "before", "after", *judging.options],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                env=own, timeout=judging.seconds, check=False)
    except OSError as wrong:
        raise Refusal(f"{judging.program} cannot be started: {wrong.strerror}",
                      "schedules changed, and nothing else can judge them",
                      "git config plumbline.program /path/to/plumbline") from wrong
    except subprocess.TimeoutExpired as wrong:
        raise Refusal(f"plumbline was not done after {judging.seconds} seconds", "what is not judged does not pass",
                      "change fewer schedules at once, or raise plumbline.seconds") from wrong
    # A program that says nothing is not plumbline.
    if result.returncode == 0 and result.stdout:
        return
    say(*(text for text in (result.stdout, result.stderr) if text))
    if result.returncode not in OUTCOMES:
        how = "said nothing" if result.returncode == 0 else f"ended with {result.returncode}"
        raise Refusal(f"{judging.program} diff {how}", "only plumbline's own answer counts as a pass",
                      "see that plumbline.program is plumbline; a crash of it is a fault to report")
    raise Refusal(*OUTCOMES[result.returncode])
