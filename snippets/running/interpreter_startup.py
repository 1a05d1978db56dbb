"""What every Python of a run does first: print in whole lines, at once, and listen when it is asked where it stands.

A copy of this file lies on the path of every run under the name that Python's start looks for. Unbuffered, print writes
a text and its line end apart, and the lines of two ranks get into each other; buffered, nothing is seen until the end.
It delays every start, so it imports next to nothing.
"""

from __future__ import annotations

import io
import os
import sys
from importlib.machinery import PathFinder
from os.path import dirname

if False:  # the import would delay every start
    from typing import Any

_NAME = "sitecustomize"
_INPUT = "TORCHLEAF_INPUT"  # the variable with the pipe that lines are read from
_STACKS = "TORCHLEAF_STACKS"  # and the one with a signal's number and the file for stacks
_HIDDEN = ".hidden"  # the end of the name of a file that is there while what is typed is nobody else's to read
_END = b"\x04"  # of the input, as on a terminal
_MOST = 1 << 16  # bytes of a pipe
_HIGH = 250  # a descriptor that no program reckons with


class PipedStdin(io.RawIOBase):
    """Standard input: each read opens the pipe, which shows whoever is at its other end that a line is waited for."""

    name = "<stdin>"

    def __init__(self, path: str) -> None:
        self._path = path
        self._rest = b""

    def readable(self) -> bool:
        """Be there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for a line; the end of the input is one without anything in it."""
        secret = _asks_for_a_password()
        while not self._rest.endswith((b"\n", _END)):
            try:
                if secret:
                    open(self._path + _HIDDEN, "ab").close()  # noqa: PTH123
                with open(self._path, "rb", buffering=0) as pipe:  # noqa: PTH123 - see above
                    while not self._rest.endswith((b"\n", _END)) and (more := pipe.read(_MOST)):
                        self._rest += more
            except OSError:  # the run is over
                self._rest += _END
        if secret:
            try:
                os.remove(self._path + _HIDDEN)  # noqa: PTH107
            except OSError:  # the run is over
                secret = False
        if self._rest.endswith(_END):
            self._rest = self._rest[:-1]
        piece = self._rest[: len(buffer)]
        self._rest = self._rest[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _asks_for_a_password() -> bool:
    """Say whether it is `getpass` that reads: it would turn the echo of a terminal off, and there is none."""
    frame = sys._getframe()  # noqa: SLF001 - no other way is as light
    while frame is not None:
        if frame.f_globals.get("__name__") == "getpass":
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def listen() -> None:
    """Read what is typed in the window, and say on a signal where each thread stands, if the run was asked to."""
    if _INPUT in os.environ:
        typed = io.BufferedReader(PipedStdin(os.environ[_INPUT]))
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(typed, "utf-8", "surrogateescape")  # type: ignore[misc]
    number, _, path = os.environ.get(_STACKS, "").partition(":")
    if number:
        import faulthandler  # noqa: PLC0415 - part of the interpreter

        try:
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.dup2(handle, _HIGH, inheritable=False)
            os.close(handle)
            faulthandler.register(int(number), file=_HIGH, all_threads=True)
        except (OSError, ValueError):  # then it is asked in vain
            return


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
    listen()
    start_what_this_hides()
