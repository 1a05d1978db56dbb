"""The supervisors that stand ready."""

from __future__ import annotations

import threading
from pathlib import Path

from snippets.errors import RunnerFailed
from snippets.process.connection import Connection
from snippets.running.zygote_key import ZygoteKey


class SupervisorPool:
    """Lends each run a supervisor. One that is free stays ready, as runs mostly follow one another."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._changing = threading.Lock()
        self._free: list[Connection] = []
        self._lent = 0
        self._kept = 1  # how many there are in all, at the least, once they were asked for
        self._wanted: ZygoteKey | None = None
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
            return any(not connection.warm for connection in self._wanting())

    def keep_warm(self, wanted: ZygoteKey | None) -> None:
        """Have this Python stand ready, from now on or as soon as a supervisor is free."""
        with self._changing:
            self._wanted = wanted or self._wanted
            surplus = self._sort_out()
        for connection in surplus:
            connection.close()

    @property
    def keeps_warm(self) -> bool:
        """Say whether a Python is to stand ready."""
        return self._wanted is not None

    def _warm(self, connection: Connection) -> None:
        if self._wanted:
            connection.send(self._wanted.message())

    def give_back(self, connection: Connection, *, sound: bool) -> None:
        """Take a supervisor back; one that is not sound, or that nobody would miss, is ended."""
        with self._changing:
            self._lent -= 1
            kept = sound and not self._closed
            if kept:
                self._free.append(connection)
            surplus = [*self._sort_out(), *([] if kept else [connection])]
        for one in surplus:
            one.close()

    def _sort_out(self) -> list[Connection]:
        """Have the wanted Python stand ready in as many of the free as were asked for, and give those beyond need.

        As many stay as are lent, for they will soon come back and go out again; first of all those where it stands.
        """
        wanted = self._wanted.key if self._wanted else ""
        for connection in self._free:
            _listen(connection)
        self._free.sort(key=lambda connection: connection.warm != wanted)
        most = max(self._kept, self._lent)
        self._free, surplus = self._free[:most], self._free[most:]
        for connection in self._wanting():
            self._warm(connection)
        return surplus

    def _wanting(self) -> list[Connection]:
        return self._free[: max(0, self._kept - self._lent)]

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
