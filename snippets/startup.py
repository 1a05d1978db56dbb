"""What every Python of a run does first: print in whole lines, at once.

A copy of this file lies on the path of every run under the name that Python's start looks for. Unbuffered, print writes
a text and its line end apart, and the lines of two ranks get into each other; buffered, nothing is seen until the end.
It delays every start, so it imports next to nothing.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from os.path import dirname

_NAME = "sitecustomize"


def write_lines_whole() -> None:
    """Have each stream written when a line ends, as on a terminal."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, write_through=False)


def start_what_this_hides() -> None:
    """Run the interpreter's own module of that name, if it has one."""
    here = dirname(__file__)  # noqa: PTH120 - see above
    spec = PathFinder.find_spec(_NAME, [place for place in sys.path if place != here])
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec  # noqa: PLC0415 - seldom needed

        spec.loader.exec_module(module_from_spec(spec))


if __name__ == _NAME:
    write_lines_whole()
    start_what_this_hides()
