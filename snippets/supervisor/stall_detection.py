"""Detection of ranks without output: which they are, and where in the code each one is."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from snippets.supervisor.stack_dump import StackDump, StackPosition

SECONDS = 30.0  # of silence, unless the request says otherwise

_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 10.0  # before a rank that is still silent is asked again
_PATIENCE_SECONDS = 0.1  # for a process to write its stack
_LAST_SECONDS = 1.0  # before the time limit, to ask all of them
_MOST_ASKED = 16
_TRACKER = b"resource_tracker"  # an idle helper process of multiprocessing
# How lines of a rank begin: as people write it, and as torch and torchrun do.
_SAID = re.compile(rb"(?:^|\n)(?:\x1b\[[0-9;]*m)*\[?(?:rank ?|default)(\d{1,4})[\]:]")


@dataclass(frozen=True)
class SilentProcess:
    """A silent process, or one at its time limit: its rank, if it has one, and where it is."""

    rank: int | None
    seconds: float  # of silence
    spot: StackPosition | None

    def document(self) -> dict[str, object]:
        """Return it as JSON for a report."""
        where = self.spot.document() if self.spot else {"function": "", "line": None, "stack": []}
        return {"rank": self.rank, "seconds": self.seconds, **where}


class StallDetector:
    """Watches the output of a run and asks its processes for their stacks, one at a time and without waiting."""

    def __init__(self, stacks: StackDump, *, ranks: bool, after: float = SECONDS) -> None:
        """Watch single ranks only if the program has `ranks`; a rank is silent `after` that many seconds."""
        self._stacks = stacks
        self._after = after if ranks else float("inf")
        self._began = self._heard = time.monotonic()
        self._spoke: dict[int, float] = {}
        self._waiting: list[tuple[int | None, int]] = []  # rank, process
        self._asked: tuple[int | None, float] | None = None  # the rank that was asked, and when
        self._spots: dict[int | None, StackPosition | None] = {}
        self._ask_at: dict[int, float] = {}
        self._look_at = self._began + min(_LOOK_SECONDS, self._after)
        self._silent: tuple[SilentProcess, ...] = ()
        self._last = False

    @property
    def silent(self) -> tuple[SilentProcess, ...]:
        """The ranks that are silent now and have been asked."""
        return self._silent

    @property
    def asks(self) -> bool:
        """Whether it waits for an answer."""
        return self._asked is not None

    def note_output(self, data: bytes) -> None:
        """Record which ranks the output comes from."""
        self._heard = now = time.monotonic()
        if self._after != float("inf"):
            for match in _SAID.finditer(data):
                self._spoke[int(match[1])] = now

    def poll(self, alive: Collection[int]) -> None:
        """Read and ask; from time to time, determine again which ranks are silent."""
        self._listen()
        now = time.monotonic()
        if self._last or now < self._look_at or self._after == float("inf"):
            return
        self._look_at = now + min(_LOOK_SECONDS, self._after)
        ranks = ranks_among(alive) if now - self._began >= self._after else {}
        quiet = {rank: pid for rank, pid in ranks.items() if self._is_quiet(rank, now)} if len(ranks) > 1 else {}
        for rank, pid in quiet.items():
            if now >= self._ask_at.get(rank, 0.0) and len(self._waiting) < _MOST_ASKED:
                self._ask_at[rank] = now + _AGAIN_SECONDS
                self._waiting.append((rank, pid))
        self._spots = {rank: spot for rank, spot in self._spots.items() if rank in quiet}
        self._ask_at = {rank: when for rank, when in self._ask_at.items() if rank in quiet}
        self._listen()
        self._silent = tuple(
            SilentProcess(rank, now - self._spoke.get(rank, self._began), self._spots[rank])
            for rank in sorted(quiet)
            if rank in self._spots
        )

    def ask_all(self, alive: Collection[int]) -> None:
        """Ask all processes once, shortly before the time limit."""
        if not self._last:
            self._last = True
            ranks = ranks_among(alive)
            everybody = list(ranks.items()) if len(ranks) > 1 else [(None, pid) for pid in _first_python(alive)]
            self._waiting = [*everybody[:_MOST_ASKED]]
            self._spots = {}
        self._listen()

    def stood(self) -> tuple[SilentProcess, ...]:
        """Return where the processes that answered were at the time limit."""
        self._listen()
        now = time.monotonic()
        return tuple(
            SilentProcess(rank, now - (self._heard if rank is None else self._spoke.get(rank, self._heard)), spot)
            for rank, spot in self._spots.items()
            if spot is not None
        )

    def _is_quiet(self, rank: int, now: float) -> bool:
        """Return whether a rank is silent; one that never printed counts by the output of all."""
        spoke = self._spoke.get(rank, self._heard)
        return now - max(spoke, self._began) >= self._after

    def _listen(self) -> None:
        """Read the answer that is due, and ask the next process."""
        now = time.monotonic()
        if self._asked is not None:
            rank, since = self._asked
            if now - since < _PATIENCE_SECONDS:
                return
            self._spots[rank] = self._stacks.answer()
            self._asked = None
        while self._waiting:
            rank, pid = self._waiting.pop(0)
            if self._stacks.ask(pid):
                self._asked = (rank, now)
                return
            self._spots[rank] = None


def last_questions(timeout: float) -> float:
    """Return how many seconds before its time limit a run is asked where it is."""
    return min(_LAST_SECONDS, timeout / 3)


def ranks_among(alive: Iterable[int]) -> dict[int, int]:
    """Return the process id of each rank: by the variable RANK, else by the order in which the program started them."""
    known = {pid: facts for pid in alive if (facts := _facts(pid)) is not None and _TRACKER not in facts.command}
    named = {pid: rank for pid in known if (rank := _named_rank(pid)) is not None}
    if named:
        return {rank: pid for pid, rank in named.items() if named.get(known[pid].parent) != rank}
    first = next(iter(_first_python(known)), None)
    own = sorted((facts.started, pid) for pid, facts in known.items() if facts.parent == first)
    return {rank: pid for rank, (_, pid) in enumerate(own)}


@dataclass(frozen=True)
class _Facts:
    parent: int
    started: int
    command: bytes


def _first_python(alive: Iterable[int]) -> list[int]:
    """Return the process of the program, which is the first Python; an empty list if there is none."""
    known = {pid: facts for pid in alive if (facts := _facts(pid)) is not None}
    pythons = [pid for pid, facts in known.items() if b"python" in facts.command.partition(b"\0")[0].lower()]
    return sorted(pythons, key=lambda pid: (known[pid].started, pid))[:1]


def _facts(pid: int) -> _Facts | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return _Facts(int(fields[1]), int(fields[19]), _content(f"/proc/{pid}/cmdline"))
    return None


def _named_rank(pid: int) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        for variable in _content(f"/proc/{pid}/environ").split(b"\0"):
            if variable.startswith(b"RANK="):
                return int(variable.removeprefix(b"RANK="))
    return None


def _content(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - asked often
        return file.read()
