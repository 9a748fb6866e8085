"""The command line, as far as both exporters have it alike."""

import argparse
import ast
import os
import re

from .messages import Mistake, tell
from .values import LARGEST


class CommandLine(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, with the options that both exporters have."""

    def __init__(self, program, description, epilog):
        super().__init__(prog=program, description=description, epilog=epilog, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        tell(self.prog, f"{message} (--help shows examples)")
        self.exit(2)

    def add_output(self, file_name):
        """Where to write. `file_name`: how --help shows the name of the file of one size."""
        self.add_argument("-o", "--output", metavar="FILE",
                          help="where to write; - is standard output, and the default")
        self.add_argument("--output-dir", metavar="DIR",
                          help=f"write DIR/{file_name} for each size; DIR is made if need be")

    def add_keyword_arguments(self, whose):
        """--argument, for keyword_arguments() below. `whose`: what is called with them, for --help."""
        self.add_argument("--argument", metavar="NAME=VALUE", type=argument, action="append", default=[],
                          help=f"a further keyword argument of the {whose}, as a Python literal; may be repeated")

    def settle_output(self, options):
        """Refuses what add_output() and the sizes do not allow together, and fills the default in."""
        if options.output_dir is None and len(options.sizes) > 1:
            self.error("several --sizes need --output-dir")
        if options.output_dir is not None and options.output is not None:
            self.error("expected one of -o and --output-dir")
        if options.output is not None and (not options.output or options.output.endswith("/")):
            self.error(f"-o: expected a file, found {options.output!r}")
        if options.output_dir == "":
            self.error("--output-dir: expected a folder, found ''")
        try:
            # Absolute, since the user's code may go to another folder.
            if options.output in (None, "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                options.output = "-"
            else:
                options.output = os.path.abspath(options.output)
            if options.output_dir is not None:
                options.output_dir = os.path.abspath(options.output_dir)
        except OSError as error:
            self.error(f"the current folder is gone: {error.strerror}")


def number(text):
    """A number of stages, ranks or microbatches."""
    if not re.fullmatch("[0-9]{1,7}", text) or not 1 <= int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {LARGEST}, found {text!r}")
    return int(text)


def sizes(names):
    """A reader of comma-separated sizes, each with a number for each of `names`."""
    form = "x".join(name.upper() for name in names)

    def read(text):
        result = []
        for size in text.split(","):
            numbers = size.strip().split("x")
            if len(numbers) != len(names):
                raise argparse.ArgumentTypeError(f"expected sizes as {form},{form},..., found {size!r}")
            result.append(tuple(number(part) for part in numbers))
        return list(dict.fromkeys(result))

    return read


def argument(text):
    """The name and the value in NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, found {text!r}")
    try:
        return name, ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise argparse.ArgumentTypeError(
            f"the value of {name} is no Python literal: {value!r} (text needs quotes: {name}='\"text\"')") from None


def keyword_arguments(pairs, taken):
    """The dict of the names and values given by --argument; `taken` are the names that the exporter uses itself."""
    result = {}
    for name, value in pairs:
        if name in taken:
            raise Mistake(f"--argument {name}: the exporter passes this one itself")
        if name in result:
            raise Mistake(f"--argument {name} is there twice")
        result[name] = value
    return result
