"""A second indexing process: it reads notes and hands over complete segments.

It writes into a folder of its own, takes no lock, and exits when its pipe closes. Files that it has not handed over go
back to the first process, however it ended.
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

_FOLDER = "handed-"  # prefix of its folders' names, in the folder of the index
_BATCH = 8  # files sent at once
_AHEAD = 96  # files in its queue: enough while the first process commits
_SHARE = 3  # at most one in so many of the remaining files is queued, so that both end together

Batch = list[tuple[str, str | None]]  # paths, each with its indexed hash


@dataclass(frozen=True)
class IndexedBatch:
    """The extracted notes of a batch, and the segment with their sections, if any; its files are in a folder."""

    looked: tuple[ExtractedNote, ...]
    segment: Any
    folder: Path
    last: bool


class IndexWorker:
    """The first process's side of the second process, which `start` starts; to be closed."""

    def __init__(self, root: Path, index: Path, *, most: int) -> None:
        """Remember what to index; a segment has about `most` sections."""
        self.started = False  # also if starting failed
        self._root = root
        self._index = index
        self._most = most
        self._folder: Path | None = None
        self._pipe: Connection | None = None
        self._process: SpawnProcess | None = None
        self._given: deque[str] = deque()  # files not handed back yet
        self._looked = 0  # how many of these it has looked at
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
        """Whether it has files that it has not handed over."""
        return bool(self._given)

    @property
    def ahead(self) -> int:
        """How many files it was given and has not looked at."""
        return len(self._given) - self._looked

    def start(self) -> None:
        """Start the process if there is a spare processor; without one, or on any error, it is never busy."""
        self.started = True
        if not _possible():
            return
        with contextlib.suppress(OSError):
            self._folder = Path(tempfile.mkdtemp(prefix=_FOLDER, dir=self._index))
            self._pipe, theirs = Pipe()
            with contextlib.closing(theirs):
                self._process = start_worker(_work, theirs, self._root, self._folder, self._most, name="gathering")

    def share(self, waiting: deque[str], known: Mapping[str, str]) -> None:
        """Give it some of the waiting files, from the end, and receive its messages. Files that it lost wait again."""
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
        """Ask it to hand over what it has, and wait for its next message."""
        assert self._pipe is not None
        try:
            if not self._finishing:
                self._finishing = True
                self._pipe.send(None)
            self._hear(self._pipe.recv())
        except (EOFError, OSError):
            self._lose(waiting)

    def handed(self) -> list[IndexedBatch]:
        """Return the batches handed over since the last call."""
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
    """Delete the folders left by killed processes."""
    for left in index.glob(f"{_FOLDER}*"):
        shutil.rmtree(left, ignore_errors=True)


def _possible() -> bool:
    """Return whether there is a spare processor, and this process may start another."""
    return _cores() > 1 and not current_process().daemon


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _work(pipe: Connection, root: Path, folder: Path, most: int) -> None:
    """Process the files that come through the pipe, until None or the end of the pipe."""
    wishes: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wishes), daemon=True).start()
    with contextlib.suppress(KbError, OSError):  # the first process meets the same error and reports it
        store = _WorkerSide(pipe, Vault.open(root), folder)
        while batch := wishes.get():
            for path, known in batch:
                store.extract(path, known)
                if store.size >= most:
                    store.hand_over(last=False)
        store.hand_over(last=True)


def _listen(pipe: Connection, wishes: queue.SimpleQueue[Batch | None]) -> None:
    while True:
        try:
            wishes.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)  # the first process is gone


class _WorkerSide:
    """The files looked at and not yet handed over."""

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
