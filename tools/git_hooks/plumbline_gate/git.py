"""Asks git, in ways that no name, attribute, replacement or setting of the caller can disturb."""

import os
import subprocess

from .refusal import Refusal, name

# Callers of git may set these for their own command (`git --literal-pathspecs commit`). Here they would change which
# files are looked at.
MEANT_FOR_THE_CALLER = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")


def environment():
    own = {key: value for key, value in os.environ.items() if key not in MEANT_FOR_THE_CALLER}
    # refs/replace can be pushed, and would show a good file where a bad one is stored.
    own["GIT_NO_REPLACE_OBJECTS"] = "1"
    return own


def ask(*arguments, missing=None):
    """What `git ARGUMENTS` prints; None for the exit code `missing`, which means that there is nothing."""
    run = subprocess.run(["git", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=environment(), check=False)
    if missing is not None and run.returncode == missing:
        return None
    if run.returncode != 0:
        raise Refusal(f"git {arguments[0]} failed: {run.stderr.decode('utf-8', 'backslashreplace').strip()}",
                      "what git cannot show cannot be judged, and what is not judged does not pass",
                      "mend what git complains of")
    return run.stdout


def line(*arguments, missing=None):
    """As `ask`, for an answer of one line."""
    answer = ask(*arguments, missing=missing)
    return None if answer is None else answer.decode("ascii").strip()


def setting(key):
    """All values of a setting, the most general file first."""
    answer = ask("config", "-z", "--get-all", key, missing=1)
    return [] if answer is None else [os.fsdecode(value) for value in answer.split(b"\0")[:-1]]


def empty_tree():
    return line("hash-object", "-t", "tree", os.devnull)


def tree_of(thing):
    """The tree of a commit, of a tag or of a tree; None for a blob, which holds no files."""
    peeled = line("rev-parse", "--verify", thing + "^{}")
    return None if line("cat-file", "-t", peeled) == "blob" else line("rev-parse", "--verify", peeled + "^{tree}")


def entries(tree):
    """A dict from each path to (mode, object), both text."""
    found = {}
    for entry in ask("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0")[:-1]:
        facts, _, path = entry.partition(b"\t")
        mode, _, thing = facts.decode("ascii").split(" ")
        found[path] = (mode, thing)
    return found


# Settings may hide submodules, or show renames where none are asked for.
PLAIN = ("diff-tree", "-r", "-z", "--ignore-submodules=none")


def differ(base, new, patterns):
    """Whether the trees differ in what the pathspecs mean."""
    return ask(*PLAIN, "--no-renames", "--name-only", base, new, "--", *patterns) != b""


def changed_trees(base, new):
    """The trees below `new` that are not at their place in `base`."""
    listed = ask(*PLAIN, "-t", "--no-renames", "--raw", "--no-abbrev", base, new).split(b"\0")[:-1]
    facts = [entry.split(b" ") for entry in listed[::2]]
    return {after.decode("ascii") for _, mode, _, after, _ in facts if mode == b"040000"}


def contents(kind, things):
    """The contents of the objects, which all have to be of that kind."""
    asked = "".join(thing + "\n" for thing in things).encode("ascii")
    run = subprocess.run(["git", "cat-file", "--batch"], input=asked, stdout=subprocess.PIPE, env=environment(),
                         check=False)
    at = 0
    for thing in things:
        line_end = run.stdout.find(b"\n", at)
        answer = run.stdout[at:max(line_end, at)].decode("ascii", "replace").split()
        if len(answer) != 3 or answer[1] != kind:
            raise Refusal(f"the {kind} {thing} is missing", "what git cannot show cannot be judged",
                          "look with git fsck, and fetch or push what is missing")
        at = line_end + 1 + int(answer[2])
        yield run.stdout[line_end + 1:at]
        at += 1


def matching(tree, patterns):
    """The paths of a tree that the pathspecs mean."""
    listed = ask(*PLAIN, "--no-renames", "--name-only", empty_tree(), tree, "--", *patterns)
    return set(listed.split(b"\0")[:-1])


def renames(base, new, patterns):
    """A dict from new to old path, where git takes two of the files that the pathspecs mean for the same one."""
    listed = ask(*PLAIN, "-M", "--no-rename-empty", "-l1000", "--name-status", "--diff-filter=R", base, new, "--",
                 *patterns)
    words = listed.split(b"\0")[:-1]
    return {words[at + 2]: words[at + 1] for at in range(0, len(words), 3)}


class Blobs:
    """Reads stored contents as they are: no checkout, so that no attribute or filter has a say."""

    LIMIT = 1 << 30  # bytes, all together: a small push can unpack to more than a disk holds

    def __enter__(self):
        self.room = self.LIMIT
        self.process = subprocess.Popen(["git", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment())
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def copy(self, thing, path, file):
        """Writes the content of the object, which the path names, into an open file."""
        self.process.stdin.write(thing.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().decode("ascii", "replace").split()
        if len(answer) != 3 or answer[1] != "blob":
            raise Refusal(f"the content of {name(path)} is missing", "what git cannot show cannot be judged",
                          "look with git fsck, and fetch or push what is missing")
        left = int(answer[2])
        self.room -= left
        if self.room < 0:
            raise Refusal(f"with {name(path)} the changed schedules have more than {self.LIMIT} bytes",
                          "no more are read, and what is not read is not judged",
                          "change fewer at once; or exclude it, if it is no schedule, with plumbline.paths")
        while left > 0:
            piece = self.process.stdout.read(min(left, 1 << 20))
            if not piece:
                raise Refusal(f"git ended within {name(path)}", "half a schedule cannot be judged", "try again")
            file.write(piece)
            left -= len(piece)
        self.process.stdout.read(1)
