"""Values that the user's code gives: numbers, and how a message shows them."""

import itertools
import operator

from .messages import Mistake

LARGEST = 1_000_000  # Plumbline's own bound on stages, microbatches, ...


def whole(value):
    """The value as an int if it is a whole number from 0 (an int, or NumPy's), else None."""
    try:
        result = operator.index(value)
    except TypeError:
        return None
    return result if result >= 0 and not isinstance(value, bool) else None


def listed(values, most, what):
    """A list of what there is to iterate; more than `most` is taken to be without end."""
    result = list(itertools.islice(values, most + 1))
    if len(result) > most:
        raise Mistake(f"{what} has more than {most} entries; does it end?")
    return result


def shown(value):
    """A value in a message; one line, and short."""
    try:
        text = repr(value)
    except Exception:  # pylint: disable=broad-except
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
