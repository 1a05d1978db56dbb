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
        self._kept = 1  # how many there are in all, at the least, once they were asked for
        self._wanted: Warmth | None = None
        self._closed = False

    def borrow(self) -> Connection:
        """Give a supervisor to one run. Raises RunnerFailed, OSError."""
        with self._changing:
            self._lent += 1
            if self._free:
                return self._free.pop(self._readiest())
        try:
            return self._another()
        except (RunnerFailed, OSError):
            with self._changing:
                self._lent -= 1
            raise

    def _another(self) -> Connection:
        self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Connection(self._log)

    def _readiest(self) -> int:
        """Choose a free one in which the wanted Python stands ready, else the last that came back."""
        wanted = self._wanted.key if self._wanted else ""
        for number, connection in enumerate(self._free):
            _listen(connection)
            if wanted and connection.warm == wanted:
                return number
        return -1

    def fill(self, number: int) -> None:
        """Have as many in all, those that are lent among them, from now on. Raises RunnerFailed, OSError."""
        with self._changing:
            self._kept = max(self._kept, number)
            missing = 0 if self._closed else number - self._lent - len(self._free)
        for _ in range(missing):
            connection = self._another()
            with self._changing:
                self._lent += 1
            self.give_back(connection, sound=True)

    @property
    def getting_warm(self) -> bool:
        """Say whether a free one has not told yet that its Python stands ready."""
        with self._changing:
            for connection in self._free:
                _listen(connection)
            return any(not connection.warm for connection in self._free)

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
            connection.send(self._wanted.message())

    def give_back(self, connection: Connection, *, sound: bool) -> None:
        """Take a supervisor back; one that is not sound, or that nobody would miss, is ended.

        As many stay as are lent still, for they will soon come back and go out again, and those that were asked for.
        """
        with self._changing:
            self._lent -= 1
            keep = sound and not self._closed and len(self._free) < max(self._kept, self._lent)
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


def _listen(connection: Connection) -> None:
    """Take in what a free one has told since."""
    while connection.receive(0.0):
        pass
