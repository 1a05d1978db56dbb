"""The files that a run leaves in its folder, told of while it goes on, as soon as they are whole."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

MOST = 500  # files of one run that are told of
_LOOK_SECONDS = 0.2  # between two looks
_SHARE = 20  # times what a look took is left to others

_Facts = tuple[int, int]  # when it was written, in nanoseconds, and how many bytes it has


class RunFiles:
    """Looks at a folder from time to time; what has not changed from one look to the next is taken to be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, _Facts] = {}
        self._told: dict[str, _Facts] = {}
        self._look_at = 0.0

    def written(self) -> Iterator[tuple[str, int]]:
        """Give the path and the bytes of each file that was written since, when it is time to look."""
        began = time.monotonic()
        if began < self._look_at:
            return
        before, self._seen = self._seen, dict(_files(self._folder))
        self._look_at = began + max(_LOOK_SECONDS, _SHARE * (time.monotonic() - began))
        yield from self._news({path: facts for path, facts in self._seen.items() if before.get(path) == facts})

    def left(self) -> Iterator[tuple[str, int]]:
        """Give, at the end, each file that was not told of, or not as it is now."""
        yield from self._news(dict(_files(self._folder)))

    def _news(self, found: dict[str, _Facts]) -> Iterator[tuple[str, int]]:
        for path, facts in found.items():
            if self._told.get(path) != facts and (path in self._told or len(self._told) < MOST):
                self._told[path] = facts
                yield path, facts[1]


def _files(folder: Path) -> Iterator[tuple[str, _Facts]]:
    """Give the regular files, no more than may be told of, in the order of their paths in each folder."""
    found = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            with contextlib.suppress(OSError):  # it has gone meanwhile
                path = Path(place, name)
                facts = path.lstat()
                if stat.S_ISREG(facts.st_mode):
                    yield path.relative_to(folder).as_posix(), (facts.st_mtime_ns, facts.st_size)
                    found += 1
        if found >= MOST:
            return
