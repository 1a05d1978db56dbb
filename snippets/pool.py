"""The supervisors that stand ready."""

from __future__ import annotations

import threading
from pathlib import Path

from snippets.connection import Connection
from snippets.errors import RunnerFailed
from snippets.warmth import Warmth


class Pool:
    """Lends each run a supervisor. One that is free stays ready, as runs mostly follow one another."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._changing = threading.Lock()
        self._free: list[Connection] = []
        self._lent = 0
        self._wanted: Warmth | None = None
        self._closed = False

    def borrow(self) -> Connection:
        """Give a supervisor to one run. Raises RunnerFailed, OSError."""
        with self._changing:
            self._lent += 1
            if self._free:
                return self._free.pop()
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return Connection(self._log)
        except (RunnerFailed, OSError):
            with self._changing:
                self._lent -= 1
            raise

    def keep_warm(self, wanted: Warmth | None) -> None:
        """Have this Python stand ready, from now on or as soon as a supervisor is free."""
        with self._changing:
            self._wanted = wanted or self._wanted
            for connection in self._free:
                self._warm(connection)

    @property
    def keeps_warm(self) -> bool:
        """Say whether a Python is to stand ready."""
        return self._wanted is not None

    def _warm(self, connection: Connection) -> None:
        if self._wanted:
            connection.send(dict(self._wanted.message))

    def give_back(self, connection: Connection, *, sound: bool) -> None:
        """Take a supervisor back; one that is not sound, or that nobody would miss, is ended.

        As many stay as are lent still, for they will soon come back and go out again, and one in any case.
        """
        with self._changing:
            self._lent -= 1
            keep = sound and not self._closed and len(self._free) < max(1, self._lent)
            if keep:
                self._free.append(connection)
                self._warm(connection)
        if not keep:
            connection.close()

    def close(self) -> None:
        """End those that are free, and from now on those that come back."""
        with self._changing:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()
