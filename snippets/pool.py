"""The supervisors that stand ready."""

from __future__ import annotations

import threading
from pathlib import Path

from snippets.connection import Connection


class Pool:
    """Lends each run a supervisor. One that is free stays ready, as runs mostly follow one another."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._changing = threading.Lock()
        self._free: list[Connection] = []
        self._closed = False

    def borrow(self) -> Connection:
        """Give a supervisor to one run. Raises RunnerFailed, OSError."""
        with self._changing:
            if self._free:
                return self._free.pop()
        self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Connection(self._log)

    def give_back(self, connection: Connection, *, sound: bool) -> None:
        """Take a supervisor back; one that is not sound is ended."""
        with self._changing:
            keep = sound and not self._closed and not self._free
            if keep:
                self._free.append(connection)
        if not keep:
            connection.close()

    def close(self) -> None:
        """End those that are free, and from now on those that come back."""
        with self._changing:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()
