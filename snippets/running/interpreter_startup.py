"""The `sitecustomize` of every Python of a run: output by whole lines, input from the window, stacks on a signal.

Without a buffer, print writes a text and its line end separately, and the lines of two ranks get mixed; with a full
buffer, nothing is visible until the end. This file delays every start, so it imports almost nothing.
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
_INPUT = "TORCHLEAF_INPUT"  # the variable with the pipe to read lines from
_STACKS = "TORCHLEAF_STACKS"  # the variable with a signal and the file for stacks
_HIDDEN = ".hidden"  # suffix of a file that exists while a password is read
_END = b"\x04"  # end of the input, as on a terminal
_MOST = 1 << 16  # bytes in a pipe
_HIGH = 250  # a descriptor that programs do not expect to be theirs


class PipedStdin(io.RawIOBase):
    """Standard input: each read opens the pipe, which tells the supervisor that the run waits for a line."""

    name = "<stdin>"

    def __init__(self, path: str) -> None:
        self._path = path
        self._rest = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for a line; return 0 at the end of the input."""
        secret = _asks_for_a_password()
        while not self._rest.endswith((b"\n", _END)):
            try:
                if secret:
                    open(self._path + _HIDDEN, "ab").close()  # noqa: PTH123
                with open(self._path, "rb", buffering=0) as pipe:  # noqa: PTH123 - see above
                    while not self._rest.endswith((b"\n", _END)) and (more := pipe.read(_MOST)):
                        self._rest += more
            except OSError:  # the run has ended
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
    """Return whether `getpass` reads: there is no terminal whose echo it could turn off."""
    frame = sys._getframe()  # noqa: SLF001 - the cheapest way
    while frame is not None:
        if frame.f_globals.get("__name__") == "getpass":
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def listen() -> None:
    """Read lines from the window, and write the stacks of all threads on a signal, if the variables ask for it."""
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
        except (OSError, ValueError):  # stacks are not available then
            return


def write_lines_whole() -> None:
    """Flush each stream at the end of a line, as on a terminal."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True, write_through=False)


def run_hidden_sitecustomize() -> None:
    """Run the interpreter's own `sitecustomize`, which this file hides."""
    here = dirname(__file__)  # noqa: PTH120 - see above
    spec = PathFinder.find_spec(_NAME, [place for place in sys.path if place != here])
    if spec is not None and spec.loader is not None:
        from importlib.util import module_from_spec  # noqa: PLC0415 - rarely needed

        spec.loader.exec_module(module_from_spec(spec))


if __name__ == _NAME:
    write_lines_whole()
    listen()
    run_hidden_sitecustomize()
