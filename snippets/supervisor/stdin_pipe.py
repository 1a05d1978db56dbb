"""The input of a run: a named pipe. A process opens it to read, which shows that it waits for a line."""

from __future__ import annotations

import contextlib
import os
import select
import stat
import struct
from collections import deque

END = b"\x04"  # ends the input, as on a terminal
HIDDEN = ".hidden"  # suffix of a file that exists while the run waits for a password


class StdinPipe:
    """The typed lines of one run; early ones wait until they are read. It does nothing on systems without FIFOs.

    This end stays open until a line has been read, else the line would be lost with a reader that is just closing the
    pipe. The run may replace the pipe, so only a real pipe is written to.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path if hasattr(os, "mkfifo") else None
        self._handle: int | None = None  # open while a process waits for a line or has not read one
        self._typed: deque[bytes] = deque()
        self._rest = b""  # the part of a line that the pipe has not taken yet
        self._given = False  # whether a line is being sent
        if self._path:
            os.mkfifo(self._path, 0o600)

    @property
    def waits(self) -> bool:
        """Whether the run waits for a line that has not been typed."""
        return self._handle is not None and not self._given

    @property
    def secret(self) -> bool:
        """Whether the run waits for a password."""
        return self.waits and os.path.lexists(f"{self._path}{HIDDEN}")

    def type(self, line: bytes) -> None:
        """Queue a line, line end included; an empty one is the end of the input."""
        self._typed.append(line or END)
        self.poll()

    def poll(self) -> None:
        """Check whether the run reads, and pass on what was typed."""
        if self._handle is None:
            self._handle = self._opened()
        elif not (self._rest or _unread(self._handle)) if self._given else _is_forsaken(self._handle):
            self._hang_up()
        if self._handle is not None and not self._given and self._typed:
            self._rest, self._given = self._typed.popleft(), True
        if self._handle is not None and self._rest:
            with contextlib.suppress(OSError):  # the pipe is full, or nothing reads it at the moment
                self._rest = self._rest[os.write(self._handle, self._rest) :]

    def close(self) -> None:
        """Remove the pipe."""
        self._hang_up()
        if self._path:
            for path in (self._path, f"{self._path}{HIDDEN}"):
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108 - asked at the end of every run
            self._path = None

    def _opened(self) -> int | None:
        if self._path is None:
            return None
        with contextlib.suppress(OSError):  # nothing reads it
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
    """Return whether a pipe has no reader any more."""
    poll = select.poll()
    poll.register(handle, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _unread(handle: int) -> int:
    """Return the number of unread bytes in a pipe."""
    import fcntl  # noqa: PLC0415 - not on Windows
    import termios  # noqa: PLC0415

    (count,) = struct.unpack("i", fcntl.ioctl(handle, termios.FIONREAD, bytes(4)))
    return int(count)
