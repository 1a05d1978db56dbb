"""The input of a run: a pipe with a name. Who reads opens it, and by that it shows that somebody waits for a line."""

from __future__ import annotations

import contextlib
import os
import select
import stat
import struct
from collections import deque

END = b"\x04"  # what ends the input, as on a terminal
HIDDEN = ".hidden"  # the end of the name of a file that is there while a password is waited for


class StdinPipe:
    """What is typed for one run. Lines that come early wait for who reads them. Nothing of it where there are no FIFOs.

    A line stays in the pipe until it is read, so this end is held open for so long: else it would go with a reader that
    is just leaving. The run may put anything in the pipe's place: only what is a pipe is ever written to.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path if hasattr(os, "mkfifo") else None
        self._handle: int | None = None  # open as long as somebody waits for a line or has not read his
        self._typed: deque[bytes] = deque()
        self._rest = b""  # of a line that the pipe has not taken yet
        self._given = False  # a line is on its way
        if self._path:
            os.mkfifo(self._path, 0o600)

    @property
    def waits(self) -> bool:
        """Whether somebody waits for a line that has not been typed."""
        return self._handle is not None and not self._given

    @property
    def secret(self) -> bool:
        """Whether what is waited for is nobody else's to read."""
        return self.waits and os.path.lexists(f"{self._path}{HIDDEN}")

    def type(self, line: bytes) -> None:
        """Give a line, with its end, to whoever waits for one; an empty one is the end of the input."""
        self._typed.append(line or END)
        self.poll()

    def poll(self) -> None:
        """See whether somebody waits, and hand on what was typed."""
        if self._handle is None:
            self._handle = self._opened()
        elif not (self._rest or _unread(self._handle)) if self._given else _is_forsaken(self._handle):
            self._hang_up()
        if self._handle is not None and not self._given and self._typed:
            self._rest, self._given = self._typed.popleft(), True
        if self._handle is not None and self._rest:
            with contextlib.suppress(OSError):  # the pipe is full, or nobody reads for the moment
                self._rest = self._rest[os.write(self._handle, self._rest) :]

    def close(self) -> None:
        """Let the pipe go."""
        self._hang_up()
        if self._path:
            for path in (self._path, f"{self._path}{HIDDEN}"):
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108 - asked at the end of every run
            self._path = None

    def _opened(self) -> int | None:
        if self._path is None:
            return None
        with contextlib.suppress(OSError):  # nobody reads
            handle = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            if stat.S_ISFIFO(os.fstat(handle).st_mode):
                return handle
            os.close(handle)
        return None

    def _hang_up(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle, self._rest, self._given = None, b"", False


def _is_forsaken(handle: int) -> bool:
    """Say whether nobody reads a pipe any more."""
    poll = select.poll()
    poll.register(handle, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _unread(handle: int) -> int:
    """Say how many bytes in a pipe nobody has read."""
    import fcntl  # noqa: PLC0415 - there is none on Windows
    import termios  # noqa: PLC0415

    (count,) = struct.unpack("i", fcntl.ioctl(handle, termios.FIONREAD, bytes(4)))
    return int(count)
