"""What is said to people, in bytes that no name can turn into terminal commands."""

import sys


class Refusal(Exception):
    """Says what is wrong, why that matters, and what to do."""

    def __init__(self, what, why, remedy):
        super().__init__(what)
        self.what, self.why, self.remedy = what, why, remedy

    def lines(self):
        return [f"plumbline: refused: {self.what}", f"  why: {self.why}", f"  do:  {self.remedy}"]


def printable(text):
    """The text, or bytes of any encoding, with escapes for whatever a terminal might obey; lines stay lines."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def name(path):
    """A path or a ref in quotes, on one line."""
    return "'" + printable(path).replace("\n", "\\n").replace("\t", "\\t") + "'"


def say(*lines):
    for line in lines:
        sys.stderr.buffer.write(printable(line).rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
    sys.stderr.buffer.flush()
