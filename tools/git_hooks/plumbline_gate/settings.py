"""The settings, from git config: plumbline.paths, .program, .options and .seconds."""

import collections
import os
import re
import shlex
import shutil

from . import git
from .refusal import Refusal, name

# Whatever lies below a folder `schedules`, and .pir files anywhere: that ending is Plumbline's own.
DEFAULT_PATHS = [":(top,glob)**/schedules/**/*" + end for end in (".csv", ".txt", ".json")] + [":(top,glob)**/*.pir"]
DEFAULT_SECONDS = 600
MOST_SECONDS = 1_000_000

Judging = collections.namedtuple("Judging", "program options seconds")


def paths():
    """The pathspecs of what counts as a schedule."""
    values = git.setting("plumbline.paths")
    if "" in values:
        raise Refusal("plumbline.paths is set to nothing",
                      "it says which files are schedules, and none would be judged",
                      "git config plumbline.paths 'my/folder/*.csv'; or --unset-all it, for the default")
    if any(value.startswith(":(") and "attr:" in value.partition(")")[0] for value in values):
        raise Refusal("plumbline.paths asks for attributes", "a commit can change its own .gitattributes",
                      "name folders or endings, with git config --edit")
    # Exclusions alone mean "all but these" to git. Here they narrow the default.
    return DEFAULT_PATHS + values if all(excludes(value) for value in values) else values


def excludes(pathspec):
    """Whether it says what is left out: `:!x`, `:^x`, or `exclude` among the words of `:(...)x`."""
    if pathspec.startswith(":("):
        return "exclude" in pathspec[2:].partition(")")[0].split(",")
    return re.match(":/?[!^]", pathspec) is not None


def judging():
    """How to judge."""
    return Judging(program(), options(), seconds())


def program():
    answer = git.ask("config", "-z", "--path", "--get", "plumbline.program", missing=1)
    wanted = "plumbline" if answer is None else os.fsdecode(answer[:-1])
    found = shutil.which(wanted)
    if not found:
        raise Refusal(f"there is no program {name(wanted)}" + (" on PATH" if answer is None else ""),
                      "schedules changed, and nothing else can judge them",
                      "git config plumbline.program /path/to/plumbline")
    return os.path.abspath(found)


def options():
    try:
        words = [word for value in git.setting("plumbline.options") for word in shlex.split(value)]
    except ValueError as wrong:
        raise Refusal(f"plumbline.options cannot be read: {wrong}", "the schedules would be judged by other rules",
                      "close the quotes with git config --edit") from wrong
    if any(means_exclude(word) for word in words):
        raise Refusal("plumbline.options has --exclude", "schedules would count as judged that were left out",
                      "leave them out with git config --add plumbline.paths ':(exclude)PATH'")
    return words


def means_exclude(word):
    """Whether it is --exclude, or a beginning of it, should the command line take that."""
    stem = word.partition("=")[0].lstrip("-")
    return word.startswith("-") and stem != "" and "exclude".startswith(stem)


def seconds():
    values = git.setting("plumbline.seconds")
    if not values:
        return DEFAULT_SECONDS
    # The length first: Python refuses to convert thousands of digits.
    if not values[-1].isdecimal() or len(values[-1]) > 20 or not 0 < int(values[-1]) <= MOST_SECONDS:
        raise Refusal(f"plumbline.seconds is {name(values[-1])}, and should be a number from 1 to {MOST_SECONDS}",
                      "without a limit a hook may run for ever",
                      f"git config plumbline.seconds {DEFAULT_SECONDS}")
    return int(values[-1])
