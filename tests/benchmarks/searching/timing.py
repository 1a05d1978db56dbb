"""What all engines are asked, how long they take, and how much memory a process has taken."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

import psutil

TYPED = 60  # queries that are typed, key by key
ASKED = 120  # queries of three words
_MEGABYTE = 1e6
_OFTEN = 0.02  # seconds from one look at the memory of other processes to the next
_SELDOM = 20  # such looks from one for new processes to the next
_WORD = re.compile(r"[A-Za-z][A-Za-z_.]{2,20}|[\u4e00-\u9fff]{2,4}")
_LONG = re.compile(r"[A-Za-z][A-Za-z_.]{2,20}|[\u4e00-\u9fff]{3,4}")  # what trigrams have an answer to


def typed(texts: list[str]) -> list[str]:
    """Return what the field holds after each key of some queries of one to three words of the texts."""
    luck = random.Random(5)
    keys: list[str] = []
    for number in range(TYPED):
        query = _query(luck, texts, 1 + number % 3, _WORD)
        keys += [query[:end] for end in range(1, len(query) + 1)]
    return keys


def asked(texts: list[str]) -> list[str]:
    """Return queries of three words that stand in one text, all of which every engine has an answer to."""
    luck = random.Random(7)
    return [_query(luck, texts, 3, _LONG) for _ in range(ASKED)]


def _query(luck: random.Random, texts: list[str], count: int, word: re.Pattern[str]) -> str:
    while True:
        found = word.findall(luck.choice(texts))
        if len(found) >= count:
            return " ".join(luck.sample(found, count))


def times(ask: Callable[[str], object], queries: Iterable[str]) -> tuple[float, float]:
    """Return the median and the 95th percentile of the time that an answer takes, in milliseconds."""
    taken = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken), sorted(taken)[int(0.95 * (len(taken) - 1))]


def forget(folder: Path) -> None:
    """Ask the system to drop the files of a folder from its memory, so that they are read from the disk again."""
    if hasattr(os, "posix_fadvise"):
        for file in filter(Path.is_file, folder.rglob("*")):
            with file.open("rb") as opened, contextlib.suppress(OSError):
                os.fdatasync(opened.fileno())
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def taken_now() -> float:
    """Return how much memory this process takes, in MB."""
    return float(psutil.Process().memory_info().rss) / _MEGABYTE


def taken_at_most(process: int | str = "self") -> float:
    """Return the most memory that a process took, this one or another, in MB."""
    status = Path(f"/proc/{process}/status")
    if status.exists():  # what Linux says otherwise counts the parent's memory, too
        found = re.search(r"VmHWM:\s*(\d+)", status.read_text(encoding="ascii"))
        if found:
            return int(found[1]) * 1024 / _MEGABYTE
    if process != "self":
        return float(psutil.Process(int(process)).memory_info().rss) / _MEGABYTE
    import resource  # noqa: PLC0415 - not everywhere

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / _MEGABYTE if sys.platform == "darwin" else most * 1024 / _MEGABYTE


class Household:
    """Watches, while it is open, how much memory the processes take that this one starts: each at its most."""

    def __init__(self) -> None:
        self._most: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def others(self) -> float:
        """The memory of all of them together, in MB."""
        return sum(self._most.values())

    def _watch(self) -> None:
        for turn in itertools.count():
            if turn % _SELDOM == 0:  # it takes a look at all processes
                for child in psutil.Process().children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        if "resource_tracker" not in " ".join(child.cmdline()):
                            self._most.setdefault(child.pid, 0.0)
            for process in self._most:
                with contextlib.suppress(OSError, psutil.Error):
                    self._most[process] = max(self._most[process], taken_at_most(process))
            if self._over.wait(_OFTEN):
                return
