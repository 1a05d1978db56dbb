"""The idle supervisors of one target."""

from __future__ import annotations

import threading
from pathlib import Path

from snippets.errors import SnippetError
from snippets.process.connection import Connection
from snippets.running.zygote_key import ZygoteKey
from snippets.targets.target import Target


class SupervisorPool:
    """Lends each run a supervisor. One free supervisor is kept, because runs mostly follow one another."""

    def __init__(self, target: Target, log: Path) -> None:
        self._target = target
        self._log = log
        self._changing = threading.Lock()
        self._free: list[Connection] = []
        self._lent = 0
        self._kept = 1  # the least number in all, once they were asked for
        self._wanted: ZygoteKey | None = None
        self._closed = False

    def borrow(self) -> Connection:
        """Return a supervisor for one run. Raises SnippetError, OSError."""
        with self._changing:
            self._lent += 1
            if self._free:
                return self._free.pop(self._readiest())
        try:
            return self.start()
        except (SnippetError, OSError):
            with self._changing:
                self._lent -= 1
            raise

    def start(self) -> Connection:
        """Start a supervisor that does not belong to the pool. Raises SnippetError, OSError."""
        self._log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._target.connect(self._log)

    def _readiest(self) -> int:
        """Return the index of a free one that has the wanted warm Python, else of the last one."""
        wanted = self._wanted.key if self._wanted else ""
        for number, connection in enumerate(self._free):
            _read_reports(connection)
            if wanted and connection.warm == wanted:
                return number
        return -1

    def fill(self, number: int) -> None:
        """Keep at least this many in all from now on, lent ones included. Raises SnippetError, OSError."""
        with self._changing:
            self._kept = max(self._kept, number)
            missing = 0 if self._closed else number - self._lent - len(self._free)
        for _ in range(missing):
            connection = self.start()
            with self._changing:
                self._lent += 1
            self.give_back(connection, sound=True)

    @property
    def getting_warm(self) -> bool:
        """Whether the Python of a free one is not warm yet."""
        with self._changing:
            for connection in self._free:
                _read_reports(connection)
            return any(not connection.warm for connection in self._wanting())

    def keep_warm(self, wanted: ZygoteKey | None) -> None:
        """Keep this Python warm from now on, or as soon as a supervisor is free; None keeps the one before."""
        with self._changing:
            self._wanted = wanted or self._wanted
            surplus = self._sort_out()
        for connection in surplus:
            connection.close()

    @property
    def keeps_warm(self) -> bool:
        """Whether a Python is kept warm."""
        return self._wanted is not None

    def _warm(self, connection: Connection) -> None:
        if self._wanted:
            connection.send(self._wanted.message())

    def give_back(self, connection: Connection, *, sound: bool) -> None:
        """Take a supervisor back; one that is not sound or not needed is ended."""
        with self._changing:
            self._lent -= 1
            kept = sound and not self._closed
            if kept:
                self._free.append(connection)
            surplus = [*self._sort_out(), *([] if kept else [connection])]
        for one in surplus:
            one.close()

    def _sort_out(self) -> list[Connection]:
        """Request the wanted Python in as many free ones as were asked for; return those that are not needed.

        As many stay free as are lent, because the next runs will need them; those with a warm Python stay first.
        """
        wanted = self._wanted.key if self._wanted else ""
        for connection in self._free:
            _read_reports(connection)
        self._free.sort(key=lambda connection: connection.warm != wanted)
        most = max(self._kept, self._lent)
        self._free, surplus = self._free[:most], self._free[most:]
        for connection in self._wanting():
            self._warm(connection)
        return surplus

    def _wanting(self) -> list[Connection]:
        return self._free[: max(0, self._kept - self._lent)]

    def close(self) -> None:
        """End the free ones, and from now on those that come back."""
        with self._changing:
            self._closed = True
            free, self._free = self._free, []
        for connection in free:
            connection.close()


def _read_reports(connection: Connection) -> None:
    """Read the reports that a free one has sent since."""
    while connection.receive(0.0):
        pass
