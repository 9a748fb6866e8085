"""Standard output and files: each text whole, or nothing of it."""

import os
import sys

from .messages import Mistake


def open_standard_error():
    """Where it is closed, its descriptor would go to the next file opened, and messages into that file."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # pylint: disable=consider-using-with


def claim_standard_output():
    """A descriptor for standard output, or None. All else that goes there from now on goes to standard error, also
    from C code and child processes: frameworks log when they are imported."""
    try:
        claimed = os.dup(1)
        sys.stdout.reconfigure(line_buffering=True)  # What is logged comes before our own last word.
    except (AttributeError, OSError):
        claimed = None
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return claimed


def write(path, text, standard_output):
    """All of the text or nothing, with LF line ends. The path - stands for the descriptor `standard_output`."""
    content = text.encode("ascii")
    try:
        if path == "-":
            if standard_output is None:
                raise OSError("it is closed")
            with os.fdopen(standard_output, "wb") as file:
                file.write(content)
            return
        # A pipe, a device, or a descriptor of ours: its name leads there only as it is.
        if path.startswith(("/dev/fd/", "/dev/std", "/proc/")) or (os.path.exists(path) and not os.path.isfile(path)):
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb") as file:
                file.write(content)
            return
        path = os.path.realpath(path)
        unfinished = f"{path}.{os.getpid()}.unfinished"
        try:
            with open(unfinished, "xb") as file:
                file.write(content)
            os.replace(unfinished, path)
        finally:
            if os.path.lexists(unfinished):
                os.unlink(unfinished)
    except OSError as error:
        raise Mistake(f"{'standard output' if path == '-' else path}: cannot be written: "
                      f"{error.strerror or error}") from error


def write_all(texts, options, standard_output):
    """Writes each of `texts`, by file name the text of one size, to where `options` say."""
    if options.output_dir is None:
        (text,) = texts.values()
        write(options.output, text, standard_output)
        return
    try:
        os.makedirs(options.output_dir, exist_ok=True)
    except OSError as error:
        raise Mistake(f"{options.output_dir}: cannot be made: {error.strerror}") from error
    for name, text in texts.items():
        write(os.path.join(options.output_dir, name), text, standard_output)
