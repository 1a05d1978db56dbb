"""A second process that looks at notes beside the one that brings the index up to date, and hands it whole segments.

It writes into a folder of its own, takes no lock, and ends when the pipe to it does. What it was given and has not
handed over is not lost, however it ended: whoever gave it does it then.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import Pipe, current_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kb.errors import KbError
from kb.index.document_extraction import DocumentExtractor, ExtractedNote
from kb.index.segments import SegmentWriter
from kb.vault.vault import Vault
from kb.worker_process import start_worker

_FOLDER = "handed-"  # how the names of its folders begin, in that of the index
_BATCH = 8  # files that are given at once
_AHEAD = 96  # files that it may have before it: enough for while the other commits
_SHARE = 3  # of the files that are left it has before it one in so many at most, so that both end at one time

Batch = list[tuple[str, str | None]]  # paths, each with the hash by which it is known


@dataclass(frozen=True)
class IndexedBatch:
    """What was looked at, and the segment with what was added, if anything was; it lies in a folder."""

    looked: tuple[ExtractedNote, ...]
    segment: Any
    folder: Path
    last: bool


class IndexWorker:
    """The other end of that process, which begins with `start`; to be closed."""

    def __init__(self, root: Path, index: Path, *, most: int) -> None:
        """`most`: sections of a segment, about."""
        self.started = False  # even if in vain
        self._root = root
        self._index = index
        self._most = most
        self._folder: Path | None = None
        self._pipe: Connection | None = None
        self._process: SpawnProcess | None = None
        self._given: deque[str] = deque()  # what was not handed back
        self._looked = 0  # how many of these it is done with
        self._finishing = False
        self._handed: list[IndexedBatch] = []

    def __enter__(self) -> Self:
        clear(self._index)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def busy(self) -> bool:
        """Whether it has something that it did not hand over."""
        return bool(self._given)

    @property
    def ahead(self) -> int:
        """How many files it was given and did not look at."""
        return len(self._given) - self._looked

    def start(self) -> None:
        """Begin, where there is a processor for it; without one, or on any trouble, it is never busy."""
        self.started = True
        if not _possible():
            return
        with contextlib.suppress(OSError):
            self._folder = Path(tempfile.mkdtemp(prefix=_FOLDER, dir=self._index))
            self._pipe, theirs = Pipe()
            with contextlib.closing(theirs):
                self._process = start_worker(_work, theirs, self._root, self._folder, self._most, name="gathering")

    def share(self, waiting: deque[str], known: Mapping[str, str]) -> None:
        """Give it some of the files that wait, from their end, and hear what it did. What it lost waits again."""
        try:
            while self._pipe is not None and self._pipe.poll():
                self._hear(self._pipe.recv())
            while self._pipe is not None and self.ahead + _BATCH <= min(_AHEAD, len(waiting) // _SHARE):
                batch = [waiting.pop() for _ in range(_BATCH)]
                self._given.extend(batch)
                self._pipe.send([(path, known.get(path)) for path in batch])
        except (EOFError, OSError):
            self._lose(waiting)

    def wait(self, waiting: deque[str]) -> None:
        """Have it hand over what it has, and wait for the next that it says."""
        assert self._pipe is not None
        try:
            if not self._finishing:
                self._finishing = True
                self._pipe.send(None)
            self._hear(self._pipe.recv())
        except (EOFError, OSError):
            self._lose(waiting)

    def handed(self) -> list[IndexedBatch]:
        """Return what it handed over since this was last asked."""
        found, self._handed = self._handed, []
        return found

    def _hear(self, said: IndexedBatch | None) -> None:
        if said is None:
            self._looked += 1
            return
        self._handed.append(said)
        for _ in said.looked:
            self._given.popleft()
        self._looked -= len(said.looked)
        if said.last:
            self._end()

    def _lose(self, waiting: deque[str]) -> None:
        waiting.extend(reversed(self._given))
        self._given.clear()
        self._looked = 0
        self._end()

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None


def clear(index: Path) -> None:
    """Delete what was not handed over before somebody was killed."""
    for left in index.glob(f"{_FOLDER}*"):
        shutil.rmtree(left, ignore_errors=True)


def _possible() -> bool:
    """Tell whether there is a processor for it, and this process may start another."""
    return _cores() > 1 and not current_process().daemon


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _work(pipe: Connection, root: Path, folder: Path, most: int) -> None:
    """Look at what comes through the pipe until None comes, or its end."""
    wishes: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wishes), daemon=True).start()
    with contextlib.suppress(KbError, OSError):  # whoever gave it meets the same, and says it
        desk = _WorkerSide(pipe, Vault.open(root), folder)
        while batch := wishes.get():
            for path, known in batch:
                desk.extract(path, known)
                if desk.size >= most:
                    desk.hand_over(last=False)
        desk.hand_over(last=True)


def _listen(pipe: Connection, wishes: queue.SimpleQueue[Batch | None]) -> None:
    while True:
        try:
            wishes.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)  # nobody is left to gather for


class _WorkerSide:
    """What was looked at and not handed over."""

    def __init__(self, pipe: Connection, vault: Vault, folder: Path) -> None:
        self._pipe = pipe
        self._folder = folder
        self._gathering = DocumentExtractor(vault, self._add)
        self._looked: list[ExtractedNote] = []
        self._writer: SegmentWriter | None = None
        self._before = 0

    @property
    def size(self) -> int:
        return self._gathering.size - self._before

    def extract(self, path: str, known: str | None) -> None:
        self._looked.append(self._gathering.extract(path, known))
        self._pipe.send(None)

    def _add(self, **document: object) -> None:
        if self._writer is None:
            self._writer = SegmentWriter(self._folder)
        self._writer.add_document(**document)

    def hand_over(self, *, last: bool) -> None:
        segment = self._writer.end() if self._writer is not None else None
        self._pipe.send(IndexedBatch(tuple(self._looked), segment, self._folder, last))
        self._writer, self._looked, self._before = None, [], self._gathering.size
