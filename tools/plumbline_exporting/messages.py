"""What the user hears: one sentence, with the place in the user's code where something went wrong."""

import contextlib
import importlib
import os
import sys
import traceback

FOLDER = os.path.dirname(__file__)  # All modules of this package lie there.


class Mistake(Exception):
    """What the user should hear, in one sentence."""


def tell(program, sentence):
    """Writes one line to standard error that begins with the program's name; what could drive a terminal is escaped."""
    print(f"{program}:", "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence), file=sys.stderr)


@contextlib.contextmanager
def blaming(what):
    """Whatever the user's code raises within becomes a Mistake that begins with `what`."""
    try:
        yield
    except (Mistake, KeyboardInterrupt):
        raise
    except BaseException as error:  # pylint: disable=broad-except
        raise Mistake(f"{what} raised {said(error)}") from error


def said(error):
    """The exception in one line, with the place of the user's or framework's code that raised it."""
    try:
        sentence = str(error)
    except Exception:  # pylint: disable=broad-except
        sentence = ""
    text = " ".join(f"{type(error).__name__}: {sentence}".split()).rstrip(": ")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if os.path.dirname(frame.filename) != FOLDER and frame.filename != importlib.__file__ and
              not frame.filename.startswith("<")]
    return f"{text} ({frames[-1].filename}:{frames[-1].lineno})" if frames else text
