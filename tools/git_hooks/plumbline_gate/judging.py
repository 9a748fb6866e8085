"""From two trees to how many schedules changed, or to a Refusal."""

import collections
import os
import re
import subprocess
import tempfile

from . import changes, folders, git, settings, trees
from .refusal import Refusal, name, say

# How many schedules changed, how many of them had nothing to be compared with, and the paths of those that are only
# gone.
Judged = collections.namedtuple("Judged", "changed new gone")

# The last line of a text report. Without it nothing was judged, whatever the exit code: an option may print help, or
# send the report elsewhere.
SUMMARY = re.compile(rb"plumbline diff: ([a-z ]+)(?::.*)?")

# What the summary begins with, of the exit codes that are a judgement.
WORDS = {0: (b"not worse", b"better"), 1: (b"worse",), 3: (b"undecided",)}

# The last ones of an option count, so these come after plumbline.options.
AS_TEXT = ("--format=text", "-o", "-")

# What each exit code of `plumbline diff` but 0 means.
OUTCOMES = {
    1: ("a schedule is wrong, or got worse (above)",
        "what it breaks, or costs, falls on whoever trains with it",
        "mend errors; mend or allow what only costs more: git config plumbline.options '--allow-buffers 1'"),
    2: ("a schedule cannot be read, or plumbline.options are wrong (above)",
        "what is not read is not judged",
        "mend the file, or the options; what is no schedule is left out with git config --add plumbline.paths "
        "':(exclude)PATH'"),
    3: ("a question was left open (above)",
        "a schedule that is not proved right may hang, or train on wrong values",
        "give it more time, with a larger --timeout in plumbline.options"),
}


def judge(base, new):
    """Compares two trees. Returns a Judged. Says what plumbline found before it raises a Refusal."""
    old, young, paths = selected(base, new)
    for path in young.schedules - old.schedules:
        folders.check(young, path)  # also where only the name is new, and nothing is to be compared
    found = changes.between(old, young, git.renames(base, new, paths))
    if any(not change.after for change in found):
        refuse_moves_out_of_sight(old, young, git.renames(base, new, []))
    return judge_changes(old, young, found)


def judge_alone(known, new):
    """As `judge`, but what differs from the tree `known` has to be right by itself, however bad it is there."""
    old, young, _ = selected(known, new)
    found = [change._replace(before=None) for change in changes.between(old, young, {}) if change.after]
    return judge_changes(old, young, found)._replace(new=0)  # none of them was to be compared


def refuse_moves_out_of_sight(old, young, renamed):
    """Of a schedule that is gone nothing is asked, so it must not live on where nobody looks."""
    for after, before in sorted(renamed.items()):
        if before in old.schedules - young.schedules and young.schedule_of(after) not in young.schedules:
            raise Refusal(f"{name(before)} has become {name(after)}, which is no schedule by plumbline.paths",
                          "nobody would judge it there, and what is not judged does not pass",
                          "move it to where schedules are; if it is none any more, remove it in one commit and push, "
                          "and add it elsewhere in another")


def selected(base, new):
    """A changes.Tree of each of two trees, and the pathspecs that made them."""
    trees.check_changed(base, new)
    paths = settings.paths()
    # Listing whole trees takes seconds for a million files, and most commits change no schedule.
    if not git.differ(base, new, paths) and not git.differ(base, new, [":(top,glob)**/*.batches.csv"]):
        return changes.Tree({}, set()), changes.Tree({}, set()), paths
    # Of both: fused launches that are gone have changed a schedule that is still there.
    both = git.matching(base, paths) | git.matching(new, paths)
    return changes.Tree(git.entries(base), both), changes.Tree(git.entries(new), both), paths


def judge_changes(old, young, found):
    gone = [change.before for change in found if not change.after]
    with tempfile.TemporaryDirectory(prefix="plumbline-gate-") as folder:
        lay_out(os.fsencode(folder), old, young, found)
        # Schedules that only went leave nothing to judge, and to plumbline a folder without any is a mistake.
        if len(gone) < len(found):
            run(settings.judging(), folder)
    return Judged(len(found), sum(1 for change in found if not change.before), gone)


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
        result = subprocess.run([judging.program, "diff", "before", "after", *judging.options, *AS_TEXT],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                env=own, timeout=judging.seconds, check=False)
    except OSError as wrong:
        raise Refusal(f"{judging.program} cannot be started: {wrong.strerror}",
                      "schedules changed, and nothing else can judge them",
                      "git config plumbline.program /path/to/plumbline") from wrong
    except subprocess.TimeoutExpired as wrong:
        raise Refusal(f"plumbline was not done after {judging.seconds} seconds", "what is not judged does not pass",
                      "change fewer schedules at once, or raise plumbline.seconds") from wrong
    if result.returncode == 0 and is_judged(result):
        return
    say(*(text for text in (result.stdout, result.stderr) if text))
    if result.returncode not in (0, *OUTCOMES):
        raise Refusal(f"{judging.program} diff ended with {result.returncode}",
                      "only plumbline's own answer counts as a pass",
                      "see that plumbline.program is plumbline; a crash of it is a fault to report")
    if not is_judged(result):
        raise Refusal(f"{judging.program} diff ended with {result.returncode}, and without the summary that means this",
                      "then nothing was judged, and what is not judged does not pass",
                      "see that plumbline.program is plumbline, and that plumbline.options ask for no help")
    raise Refusal(*OUTCOMES[result.returncode])


def is_judged(result):
    """Whether the report ends with a summary, and that with the exit code agrees. What is unusable needs none."""
    last = SUMMARY.fullmatch(result.stdout.rstrip(b"\n").rpartition(b"\n")[2])
    return result.returncode == 2 or (last is not None and last[1] in WORDS[result.returncode])
