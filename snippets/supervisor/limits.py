"""The resources that a run may use, so that it does not disturb other programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snippets.supervisor import memory

PROCESSES = 1000
_SHARE = 0.8  # of the memory that is available at the start
_LEAST_MEMORY = 1 << 29
_RESERVE = 0.04  # of all memory: below it the machine begins to stall
_DISK = 10 << 30
_DISK_SHARE = 0.5  # of what is free at the start
_DISK_RESERVE = 1 << 28
_DISK_SECONDS = 0.5  # between two looks at the disk
_LOOK_SECONDS = 0.1  # for one of them


class Limits:
    """The limits of one run: those of the request, else shares of what the machine has.

    Disk use is the size of the run folder; a nearly full disk ends the run whoever filled it.
    """

    def __init__(self, request: Mapping[str, Any], folder: Path) -> None:
        self._folder = folder
        self._shared = memory.shared()
        self._isolated = bool(request.get("isolate"))  # with a shared memory of its own, of a fixed size
        self._reserve = int(memory.total() * _RESERVE)
        free = shutil.disk_usage(folder).free
        self.memory = int(request.get("memory") or max(_LEAST_MEMORY, memory.available() * _SHARE))
        self.disk = int(request.get("disk") or min(_DISK, free * _DISK_SHARE))
        self.processes = int(request.get("processes") or PROCESSES)
        self._disk_reserve = min(_DISK_RESERVE, free // 2)
        self._look_at = 0.0
        self._shared_before = memory.shared_files()
        self._shared_own: set[str] = set()

    def of(self, what: str) -> int:
        """Return the limit of that name: memory and disk in bytes; 0 for an unknown name."""
        return {"memory": self.memory, "disk": self.disk, "processes": self.processes}.get(what, 0)

    def note_shared(self, processes: Iterable[int]) -> None:
        """Remember the files in shared memory that the processes of the run have, before it is ended."""
        if not self._isolated:
            self._shared_own = memory.shared_of(processes)

    def free_shared(self) -> None:
        """Remove what a run that was ended left in shared memory."""
        memory.free_shared(self._shared_before, self._shared_own)

    def broken(self, alive: dict[int, int]) -> str | None:
        """Return the limit that is exceeded: "memory", "disk" or "processes"; `alive` has the bytes of each process."""
        if len(alive) > self.processes:
            return "processes"
        if self._memory_is_over(alive):
            return "memory"
        now = time.monotonic()
        if now >= self._look_at:
            over = self._disk_is_over()
            self._look_at = now + max(_DISK_SECONDS, 20 * (time.monotonic() - now))
            if over:
                return "disk"
        return None

    def _memory_is_over(self, alive: dict[int, int]) -> bool:
        files = 0 if self._isolated else max(0, memory.shared() - self._shared)
        rough = sum(alive.values()) + files  # counts shared memory several times
        if rough > self.memory:
            return memory.held(alive, files) > self.memory
        return rough > 4 * self._reserve > 0 and memory.available() < self._reserve

    def _disk_is_over(self) -> bool:
        """Measure for a short time: if there are too many files for that, only the reserve of the disk counts."""
        size = 0
        until = time.monotonic() + _LOOK_SECONDS
        for file in _sizes(self._folder):
            size += file
            if size > self.disk:
                return True
            if time.monotonic() > until:
                break
        with contextlib.suppress(OSError):  # the run has removed its own folder
            return shutil.disk_usage(self._folder).free < self._disk_reserve
        return False


def _sizes(folder: Path) -> Iterator[int]:
    """Yield the bytes that each file takes on disk; files that vanish meanwhile are left out."""
    waiting = [str(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        facts = entry.stat(follow_symlinks=False)
                        yield getattr(facts, "st_blocks", -(-facts.st_size // 512)) * 512
