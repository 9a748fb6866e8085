"""Refuses trees that git itself would not write. What is in them, programs disagree about: one looks for a name where
it should stand and passes over it, and another checks it out."""

import re

from . import git
from .refusal import Refusal, name

# The mode and the name; the object's name, of raw bytes, follows.
ENTRY = re.compile(rb"([0-7]{5,6}) ([^\0]+)\0", re.DOTALL)


def check_changed(base, new):
    """Looks at every tree below `new` that is not at its place in `base`."""
    bytes_of_object = len(new) // 2
    for content in git.contents("tree", [new, *git.changed_trees(base, new)]):
        check(content, bytes_of_object)


def check(content, bytes_of_object):
    """Every name once, in git's order, and none that leads elsewhere."""
    before, seen, at = b"", set(), 0
    while at < len(content):
        entry = ENTRY.match(content, at)
        if not entry:
            refuse("an entry that cannot be read")
        mode, step = entry.groups()
        key = step + b"/" if int(mode, 8) == 0o40000 else step  # a folder stands where its content would
        if b"/" in step or step in (b".", b"..") or step.lower() == b".git":
            refuse(f"the name {name(step)}")
        if step in seen:
            refuse(f"{name(step)} twice")
        if key <= before:
            refuse(f"{name(step)} out of order")
        seen.add(step)
        before, at = key, entry.end() + bytes_of_object


def refuse(what):
    raise Refusal(f"a tree has {what}", "programs differ in what they read there, so what would be judged need not be "
                  "what is checked out", "write the tree with git itself")
