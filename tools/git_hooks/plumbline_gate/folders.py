"""Writes the changed schedules into two folders that `plumbline diff` compares."""

import os

from . import git
from .changes import batches_of, kind
from .refusal import Refusal, name

# What plumbline looks for in a folder.
ENDINGS = (b".csv", b".txt", b".json", b".pir")


def write(folder, base, new, changes):
    """Fills folder/before and folder/after. A renamed schedule has its new path in both, so that it is compared."""
    for change in changes:
        check(new, change.after or change.before)
    before, after = os.path.join(folder, b"before"), os.path.join(folder, b"after")
    os.mkdir(before)
    os.mkdir(after)
    with git.Blobs() as blobs:
        for change in changes:
            if change.after:
                copy(blobs, new, change.after, after, change.after)
            # What could not have been judged is nothing to compare with: the new one has to stand for itself.
            if change.before and all(kind(base.entries[part]) == "a file" for part in base.parts(change.before)):
                place = change.after or change.before
                if unusable(place) is None:
                    copy(blobs, base, change.before, before, place)


def check(tree, path):
    """Refuses whatever plumbline would not find in a folder, or would read from elsewhere."""
    for part in tree.parts(path) + [above for above in folders_of(path) if above in tree.entries]:
        what = kind(tree.entries[part])
        if what != "a file":
            raise Refusal(f"{name(part)} is {what}", "its content is not in this commit, so it cannot be judged",
                          "commit the schedule itself, or exclude the path: "
                          "git config --add plumbline.paths ':(exclude)PATH'")
    wrong = unusable(path) if path in tree.entries else None
    if wrong:
        raise Refusal(f"{name(path)} {wrong}", "plumbline would pass over it", "rename it, or exclude the path: "
                      "git config --add plumbline.paths ':(exclude)PATH'")


def folders_of(path):
    """a/b and a, for a/b/c: where one of them is an entry, it has taken the place of a folder with schedules."""
    steps = path.split(b"/")
    return [b"/".join(steps[:count]) for count in range(1, len(steps))]


def unusable(path):
    """Why a path cannot be judged, or None. Trees are made by strangers, and may hold names that lead out of them."""
    steps = path.split(b"/")
    if any(step == b"" or step.startswith(b".") for step in steps):
        return "has a part that begins with a dot, or none between two slashes"
    if not path.endswith(ENDINGS):
        return "does not end in .csv, .txt, .json or .pir"
    if path.endswith(b".batches.csv"):
        return "are fused launches without a schedule: there is no " + path[:-len(b".batches.csv")].decode(
            "utf-8", "backslashreplace") + ".csv beside it"
    return None


def copy(blobs, tree, path, folder, place):
    for source, target in ((path, place), (batches_of(path), batches_of(place))):
        if source not in tree.entries or target is None:
            continue
        whole = os.path.join(folder, target)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        # Not there yet, or two names are one to this file system.
        with open(whole, "xb") as file:
            blobs.copy(tree.entries[source][1], source, file)
