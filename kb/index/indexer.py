"""Keeps a vault's index up to date in a background process that can be killed at any moment."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import Pipe, current_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from kb.errors import IndexFailed, KbError
from kb.results import IndexReport, Progress
from kb.vault.vault import Vault
from kb.worker_process import start_worker

_BETWEEN = 0.05  # seconds between two reports of progress
_BACK = 10  # steps of niceness
_QUIT = None

Message = Progress | IndexReport | KbError
Wanted = frozenset[str] | None  # None: the whole vault
Request = tuple[Path, Path, Wanted]  # the vault, the folder of its index, and what to index


class Indexer:
    """Owns the indexing process of one vault, which starts with the first `refresh`.

    The callables are called in a thread of the Indexer: `progressed` during an indexing, then either `finished` or
    `failed`. After `stop` has returned, none is called any more (unless `stop` was called by one of them).
    """

    def __init__(
        self,
        vault_root: Path,
        folder: Path,
        *,
        progressed: Callable[[Progress], None],
        finished: Callable[[IndexReport], None],
        failed: Callable[[KbError], None],
        idle: list[IndexProcess] | None = None,
    ) -> None:
        """`idle` holds processes that wait for work: one is taken from there, and given back by `stop`."""
        self._root = vault_root
        self._folder = folder
        self._progressed = progressed
        self._finished = finished
        self._failed = failed
        self._wishes: queue.SimpleQueue[tuple[Wanted] | None] = queue.SimpleQueue()
        self._turn = threading.Lock()  # guards the fields below
        self._worker: IndexProcess | None = None
        self._idle = idle
        self._working = False
        self._thread: threading.Thread | None = None
        self._stopped = False

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Bring the index up to date with these notes (or all in these folders), or with the whole vault.

        Returns at once. Requests made during an indexing are combined and done after it.
        """
        with self._turn:
            if self._stopped:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)
                self._thread.start()
        self._wishes.put((None if paths is None else frozenset(paths),))

    def stop(self) -> None:
        """Kill the process if it is at work, whatever it is doing; the index stays intact."""
        with self._turn:
            self._stopped = True
            if self._worker is not None and self._working:
                self._worker.kill()
            thread = self._thread
        self._wishes.put(_QUIT)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while (wanted := self._next()) is not _QUIT:
            if not self._grant(wanted[0]):
                self._grant(wanted[0])
        with self._turn:
            if self._worker is not None:
                self._leave(self._worker)
                self._worker = None

    def _leave(self, worker: IndexProcess) -> None:
        if self._idle is None or worker.killed or worker.lost or not worker.alive:
            worker.end()
        else:
            self._idle.append(worker)

    def _grant(self, wanted: Wanted) -> bool:
        """Index what was requested; return False if the process had died while idle and another should be tried."""
        worker = self._running()
        if worker is None:
            return True  # stopped: the result is not wanted
        fresh = not worker.used
        for message in worker.index(self._root, self._folder, wanted):
            self._tell(message)
        with self._turn:
            self._working = False
        if worker.lost and (fresh or worker.answered):
            self._tell(_ended_early())
        return fresh or worker.answered or not worker.lost

    def _next(self) -> tuple[Wanted] | None:
        """Wait for a request and combine it with all others that wait; None to end."""
        wishes = [self._wishes.get()]
        while True:
            try:
                wishes.append(self._wishes.get_nowait())
            except queue.Empty:
                break
        paths: set[str] = set()
        whole = False
        for wish in wishes:
            if wish is None:
                return _QUIT
            whole = whole or wish[0] is None
            paths.update(wish[0] or ())
        return (None if whole else frozenset(paths),)

    def _running(self) -> IndexProcess | None:
        with self._turn:
            if self._stopped:
                return None
            if self._worker is not None and not self._worker.alive:
                self._worker.end()
                self._worker = None
            if self._worker is None:
                self._worker = self._idle.pop() if self._idle else IndexProcess()
            self._working = True
            return self._worker

    def _tell(self, message: Message) -> None:
        if self._stopped:
            return
        if isinstance(message, Progress):
            self._progressed(message)
        elif isinstance(message, IndexReport):
            self._finished(message)
        else:
            self._failed(message)


class IndexProcess:
    """A process that indexes one vault after another, and the pipe to it."""

    def __init__(self) -> None:
        """Start it."""
        self._pipe, theirs = Pipe()
        self._process: SpawnProcess = start_worker(_work, theirs, name="index")
        theirs.close()
        self.killed = False
        self.used = False  # whether it ever got a request
        self.answered = False  # whether it answered the last request
        self.lost = False  # whether it ended before it was done

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def index(self, root: Path, folder: Path, wanted: Wanted) -> Iterator[Message]:
        """Start an indexing and yield its messages, the report or an error last."""
        self.used, self.answered = True, False
        try:
            self._pipe.send((root, folder, wanted))
            message: Message | None = None
            while message is None or isinstance(message, Progress):
                message = self._pipe.recv()
                self.answered = True
                yield message
        except (EOFError, OSError):
            self.lost = True
            self._process.join()

    def kill(self) -> None:
        """Kill the process, whatever it is doing."""
        self.killed = True
        self._process.kill()

    def end(self) -> None:
        """Kill the process, and wait until it is gone."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._pipe.close()


def _ended_early() -> IndexFailed:
    return IndexFailed(
        "The indexing process ended before its time; the index is as it was at its last step. Try again.",
        "索引进程意外结束；索引停留在它最后完成的一步。请重试。",
    )


def _work(pipe: Connection) -> None:
    """Serve the requests that come through the pipe until it is closed, as it is when the program dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl+C is the program's to act on
    from kb.index.index_update import update_index  # noqa: PLC0415 - the program itself need not load the index to have it built

    current_process().daemon = False  # a daemon may not start the second process, which ends by itself
    wishes: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, wishes), daemon=True).start()

    def index(root: Path, folder: Path, wanted: Wanted) -> Message:
        try:
            return update_index(Vault.open(root), folder, paths=wanted, progress=_Reporter(pipe))
        except KbError as error:
            return error
        except Exception as error:  # noqa: BLE001 - reported to the user; the next attempt may succeed
            return IndexFailed(f"Indexing failed ({error!r}).", f"建立索引失败（{error!r}）。")

    with contextlib.suppress(ConnectionError):  # the program is gone
        while True:
            pipe.send(_answer(index, wishes.get()))


def _answer(index: Callable[[Path, Path, Wanted], Message], request: Request) -> Message:
    return _aside(lambda: index(*request)) if request[2] is None else index(*request)


def _aside(work: Callable[[], Message]) -> Message:
    """Do long work at low priority and return its result.

    On Linux one thread, with the processes it starts, gets a lower priority; a saved note is indexed at the usual one.
    """
    done: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def run() -> None:
        if sys.platform == "linux":
            os.nice(_BACK)
        done.put(work())

    thread = threading.Thread(target=run, name="aside")
    thread.start()
    thread.join()
    return done.get()


def _listen(pipe: Connection, wishes: queue.SimpleQueue[Request]) -> None:
    while True:
        try:
            wishes.put(pipe.recv())
        except (EOFError, OSError):
            os._exit(0)  # the program is gone; committed data is complete


class _Reporter:
    """Passes progress on, at most every 50 ms."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now >= self._next or progress.done == progress.total:
            self._next = now + _BETWEEN
            self._pipe.send(progress)
