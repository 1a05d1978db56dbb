"""The files that a run leaves in its scratch folder, reported with their content as soon as they are complete."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST = 500  # files of one run that are reported
MOST_BYTES = 32 << 20  # of one file whose content is sent
MOST_SENT = 128 << 20  # bytes of content that are sent while a run goes on, and again at its end
_LOOK_SECONDS = 0.2  # between two looks
_SHARE = 20  # after a look, the pause is at least this many times as long as the look

_Facts = tuple[int, int]  # modification time in nanoseconds, size in bytes


@dataclass(frozen=True)
class RunFile:
    """A file of a run. Its path is relative to the scratch folder, with slashes."""

    path: str
    size: int  # bytes
    content: bytes | None  # None: too much to send

    def report(self) -> dict[str, object]:
        """Return the header of the report; the content follows as its payload."""
        return {"is": "artifact", "path": self.path, "bytes": self.size, "sent": self.content is not None}


class RunFiles:
    """Looks at a folder from time to time. A file that did not change between two looks counts as complete.

    The run can replace any file or folder by a link at any moment, so nothing is opened through a link.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, _Facts] = {}
        self._told: dict[str, _Facts] = {}
        self._unsent: set[str] = set()  # reported without their content
        self._budget = MOST_SENT
        self._look_at = 0.0

    @property
    def present(self) -> list[str]:
        """The paths of the reported files that were there at the last look."""
        return [path for path in self._told if path in self._seen]

    def written(self) -> Iterator[RunFile]:
        """Yield each file that was written since the last call, if it is time to look."""
        began = time.monotonic()
        if began < self._look_at:
            return
        before, self._seen = self._seen, dict(_files(self._folder))
        self._look_at = began + max(_LOOK_SECONDS, _SHARE * (time.monotonic() - began))
        yield from self._news({path: facts for path, facts in self._seen.items() if before.get(path) == facts})

    def left(self) -> Iterator[RunFile]:
        """Yield, once the run is over, each file whose final state was not reported with its content."""
        self._seen = dict(_files(self._folder))
        self._budget = MOST_SENT
        for path in self._unsent & self._seen.keys():
            if self._seen[path][1] <= MOST_BYTES:
                self._told[path] = (0, -1)
        yield from self._news(self._seen)

    def _news(self, found: dict[str, _Facts]) -> Iterator[RunFile]:
        for path, facts in found.items():
            if self._told.get(path) != facts and (path in self._told or len(self._told) < MOST):
                content = read_inside(self._folder, path, min(MOST_BYTES, self._budget)) if facts[1] else b""
                self._budget -= len(content or b"")
                self._told[path] = facts
                (self._unsent.add if content is None else self._unsent.discard)(path)
                yield RunFile(path, facts[1] if content is None else len(content), content)


def _files(folder: Path) -> Iterator[tuple[str, _Facts]]:
    """Yield the regular files, sorted within each folder, about as many as may be reported."""
    found = 0
    for place, folders, names, handle in _walk(str(folder)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            with contextlib.suppress(OSError):  # it has gone meanwhile
                path = Path(place, name)
                facts = path.lstat() if handle is None else os.lstat(name, dir_fd=handle)
                if stat.S_ISREG(facts.st_mode):
                    yield path.relative_to(folder).as_posix(), (facts.st_mtime_ns, facts.st_size)
                    found += 1
        if found >= MOST:
            return


def _walk(folder: str) -> Iterator[tuple[str, list[str], list[str], int | None]]:
    """Walk through a folder without following links, even if the run replaces a folder by a link meanwhile."""
    if hasattr(os, "fwalk"):
        with contextlib.suppress(OSError):  # the run removed its own folder
            yield from os.fwalk(folder)
    else:  # pragma: no cover - Windows only
        yield from ((*entry, None) for entry in os.walk(folder))


def read_inside(folder: Path, path: str, most: int) -> bytes | None:
    """Read a regular file below a folder without following any link; None if it is none or has more bytes than `most`.

    The folder itself must not be a link either.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    with contextlib.suppress(OSError, ValueError), contextlib.ExitStack() as stack:
        handle = _open_folder(folder, path.split("/")[:-1], flags, stack)
        name = str(folder / path) if handle is None else path.rpartition("/")[2]
        file = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0) | flags, dir_fd=handle)
        stack.callback(os.close, file)
        facts = os.fstat(file)
        if stat.S_ISREG(facts.st_mode) and facts.st_size <= most:
            with os.fdopen(os.dup(file), "rb") as opened:
                content = opened.read(most + 1)
            return content if len(content) <= most else None
    return None


def _open_folder(folder: Path, parts: list[str], flags: int, stack: contextlib.ExitStack) -> int | None:
    """Open a folder one step at a time; None where the system cannot open relative to a folder. Raises OSError."""
    if os.open not in os.supports_dir_fd:  # pragma: no cover - Windows only
        return None
    if ".." in parts:
        raise ValueError("a path that leads out of the folder")
    handle = None
    for name in (str(folder), *parts):
        handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | flags, dir_fd=handle)
        stack.callback(os.close, handle)
    return handle
