"""The input of a run: a pipe with a name. Who reads opens it, and by that it shows that somebody waits for a line."""

from __future__ import annotations

import contextlib
import os
import select
import stat
from collections import deque


class Keyboard:
    """What is typed for one run. Lines that come early wait for who reads them. Nothing of it where there are no FIFOs.

    The run may put anything in the pipe's place: only what is a pipe is ever written to.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path if hasattr(os, "mkfifo") else None
        self._handle: int | None = None  # open as long as somebody waits for a line or takes one
        self._typed: deque[bytes] = deque()
        self._rest = b""  # of a line that is being taken
        if self._path:
            os.mkfifo(self._path, 0o600)

    @property
    def waits(self) -> bool:
        """Whether somebody waits for a line that has not been typed."""
        return self._handle is not None and not self._rest

    def type(self, line: bytes) -> None:
        """Give a line to whoever waits for one; an empty one is the end of the input."""
        self._typed.append(line)
        self.look()

    def look(self) -> None:
        """See whether somebody waits, and hand on what was typed."""
        if self._handle is None:
            self._handle = self._opened()
        elif not self._rest and _is_forsaken(self._handle):
            self._hang_up()
        if self._handle is not None and not self._rest and self._typed:
            self._rest = self._typed.popleft()
            if not self._rest:
                self._hang_up()
        if self._handle is not None and self._rest:
            self._hand_on(self._handle)

    def close(self) -> None:
        """Let the pipe go."""
        self._hang_up()
        if self._path:
            with contextlib.suppress(OSError):
                os.unlink(self._path)  # noqa: PTH108 - asked at the end of every run
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

    def _hand_on(self, handle: int) -> None:
        """Write as much as the pipe takes; the reader has its line when this end is closed."""
        try:
            self._rest = self._rest[os.write(handle, self._rest) :]
        except BlockingIOError:
            return
        except OSError:  # whoever waited is gone
            self._rest = b""
        if not self._rest:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _is_forsaken(handle: int) -> bool:
    """Say whether nobody reads a pipe any more."""
    poll = select.poll()
    poll.register(handle, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
