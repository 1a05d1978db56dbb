"""Stacks of the Python processes of a run: a signal makes a process write its stack to one file.

`faulthandler` answers in every process of a run, even inside a call that never returns; `interpreter_startup`
registers it.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from snippets.supervisor.process_tree import LINUX
from snippets.supervisor.zygote import PROGRAM

MOST_FRAMES = 30

_AHEAD = 3  # signals below the last one, because some libraries use the last ones
_MOST_BYTES = 1 << 16
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_THREAD = re.compile(r"^(Current thread|Thread) 0x", re.MULTILINE)


@dataclass(frozen=True)
class Frame:
    """A frame of a stack."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class StackPosition:
    """Where a process is: the innermost function, the line of the program that led there, and the frames between."""

    function: str  # empty if it is at the line of the program itself
    line: int | None  # of the program; None if it is not on the stack
    frames: tuple[Frame, ...] = ()  # innermost first

    def document(self) -> dict[str, object]:
        """Return it as JSON for a report."""
        return {
            "function": self.function,
            "line": self.line,
            "stack": [[frame.file, frame.line, frame.function] for frame in self.frames],
        }


class StackDump:
    """The file that the processes of one run write their stacks to; one process is asked at a time."""

    def __init__(self, order: str | None, program: str) -> None:
        """Use the signal and the file that the processes were given, as "NUMBER:PATH"."""
        number, _, self._path = (order or "").partition(":")
        self._signal = int(number) if number and LINUX else 0
        self._program = program
        self._read = 0  # bytes of the file

    def ask(self, pid: int) -> bool:
        """Ask a process for its stack; return whether it handles the signal, which would end any other one."""
        if not self._signal or not _listens(pid, self._signal):
            return False
        self._take()
        with contextlib.suppress(OSError):
            os.kill(pid, self._signal)
            return True
        return False

    def answer(self) -> StackPosition | None:
        """Return the answer of the process that was asked last, or None."""
        return spot_of(self._take(), self._program)

    def _take(self) -> str:
        """Return what was added to the file. The run may have replaced it, so only a regular file is read."""
        with contextlib.suppress(OSError):
            handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if stat.S_ISREG(os.fstat(handle).st_mode):
                    os.lseek(handle, self._read, os.SEEK_SET)
                    data = os.read(handle, _MOST_BYTES)
                    self._read += len(data)
                    return data.decode("utf-8", "replace")
            finally:
                os.close(handle)
        return ""


def signal_order(path: str) -> str | None:
    """Return the value of TORCHLEAF_STACKS for the processes of a run; None on systems without such signals."""
    last = getattr(signal, "SIGRTMAX", None)
    return None if last is None or not LINUX else f"{int(last) - _AHEAD}:{path}"


def spot_of(text: str, program: str) -> StackPosition | None:
    """Parse a stack; of several threads, use the one that runs the program, else the one that was asked."""
    threads = [(kind, _frames(part)) for kind, part in _threads(text)]
    with_frames = [(kind, frames) for kind, frames in threads if frames]
    if not with_frames:
        return None
    _, frames = max(with_frames, key=lambda one: (_line(one[1], program) is not None, one[0].startswith("Current")))
    return StackPosition(_function(frames, program), _line(frames, program), frames[:MOST_FRAMES])


def _threads(text: str) -> Iterable[tuple[str, str]]:
    parts = _THREAD.split(text)
    return zip(parts[1::2], parts[2::2], strict=True)


def _frames(part: str) -> tuple[Frame, ...]:
    return tuple(
        Frame(file, int(line), function) for file, line, function in _FRAME.findall(part) if not file.endswith(PROGRAM)
    )


def _function(frames: Iterable[Frame], program: str) -> str:
    """Return the innermost function, without frames of the import system; "" at the level of a module."""
    own = next((frame for frame in frames if not frame.file.startswith("<frozen ")), None)
    return "" if own is None or own.file == program or own.function == "<module>" else own.function


def _line(frames: Iterable[Frame], program: str) -> int | None:
    """Return the innermost line of the program."""
    return next((frame.line for frame in frames if frame.file == program), None)


def _listens(pid: int, number: int) -> bool:
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", "rb") as file:  # noqa: PTH123
        for line in file:
            if line.startswith(b"SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False
