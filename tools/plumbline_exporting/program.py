"""The course of a program: read the command line, export, write."""

import functools
import sys

from .messages import Mistake, said, tell
from .writing import claim_standard_output, open_standard_error, write_all


def run(program, command_line, export):
    """The exit code. `program` is the name that messages begin with, `command_line` gives the options, and `export`
    makes of them the texts by file name; what it has to say besides goes to its second argument, a sentence a call."""
    open_standard_error()
    options = command_line()
    standard_output = claim_standard_output()
    sys.argv[1:] = []  # The user's module may look for arguments of its own there.
    try:
        write_all(export(options, functools.partial(tell, program)), options, standard_output)
    except Mistake as mistake:
        tell(program, str(mistake))
        return 2
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pylint: disable=broad-except
        # Of a property of the user's, say: any look at a value may run code of theirs.
        tell(program, f"stopped by {said(error)}")
        return 2
    return 0
