"""Runs snippets: each in a fresh process, under a supervisor, on the chosen device and interpreter."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from snippets.errors import RunnerFailed, SnippetError
from snippets.process.connection import SUPERVISOR_LOG, Connection
from snippets.results.ledger import Ledger
from snippets.results.outcome import Artifact, Outcome
from snippets.results.run_output import OutputChunk
from snippets.running.active_run import Run, RunCallbacks
from snippets.running.old_runs import forget_old_runs
from snippets.running.run_progress import RunProgress
from snippets.running.run_request import RunRequest
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import ZygoteKey, zygote_key
from snippets.targets.devices import kind_of
from snippets.targets.resources import PROCESS_BYTES, memory
from snippets.targets.target import LocalTarget, Target

WARM_SECONDS = 60.0  # for importing torch, before runs are started without waiting for it
_AMPLE = 4 * PROCESS_BYTES  # of free memory: enough to keep a second Python warm for a run next to an active one
_LOOK_SECONDS = 0.1

_log = logging.getLogger(__name__)

__all__ = ["OutputChunk", "Run", "RunRequest", "Runner"]


class Runner:
    """Starts runs, and stops them when it is closed.

    `runs_folder` gets a folder for each run. With a ledger, every run is recorded in it. Without a `target` runs
    happen on this machine.
    """

    def __init__(self, *, runs_folder: Path, ledger: Ledger | None = None, target: Target | None = None) -> None:
        self._folder = runs_folder
        self._ledger = ledger
        self._target = target or LocalTarget(runs_folder)
        self._pool = SupervisorPool(self._target, runs_folder / SUPERVISOR_LOG)
        self._pools = {self._target.name: self._pool}
        self._changing = threading.Lock()
        self._active: set[Run] = set()
        self._warming: list[threading.Thread] = []
        self._closing = threading.Event()
        forget_old_runs(runs_folder)

    def start(
        self,
        request: RunRequest,
        *,
        output: Callable[[OutputChunk], None],
        finished: Callable[[Outcome], None],
        artifact: Callable[[Artifact], None] | None = None,
        midway: Callable[[RunProgress], None] | None = None,
    ) -> Run:
        """Start a run and return at once. Its own thread calls the callbacks, `finished` once and last.

        `artifact` is called as soon as a file is written, and after each change.
        Raises UnknownDevice, UnknownInterpreter, RunnerFailed. What the target cannot do ends as "unavailable".
        """
        target = request.target or self._target
        kind_of(request.device)
        if request.python is not None:
            target.check_program(request.python)
        callbacks = RunCallbacks(output=output, artifact=artifact, midway=midway, finished=finished, ended=self._forget)
        with self._changing:
            pool = self._pools.setdefault(target.name, SupervisorPool(target, self._folder / SUPERVISOR_LOG))
            run = Run(request, callbacks, target=target, runs=self._folder, pool=pool, ledger=self._ledger)
            if self._closing.is_set():
                raise RunnerFailed(
                    "All runs are being ended; nothing new is started.", "正在结束所有运行，不再启动新的。"
                )
            self._active.add(run)
            run.begin()
        return run

    def warm(self, python: Path | None = None, *, isolate: bool = False) -> None:
        """Import torch in a background Python, so that runs begin at once; returns at once.

        From now on it is replaced when it has ended, when its packages changed, and when another interpreter was used.
        If memory is ample a second one follows, for runs that begin while another is active. Where this is not
        possible, runs are started cold. `python` is None for this program's own.
        """
        with self._changing:
            if not self._closing.is_set():
                self._warming.append(
                    thread := threading.Thread(target=self._warm, args=(python, isolate), name="warm", daemon=True)
                )
                thread.start()

    def warm_up(
        self, python: Path | None = None, *, isolate: bool = False, within: float = WARM_SECONDS, count: int = 1
    ) -> bool:
        """Keep `count` Pythons warm, for as many runs at once, and wait for them at most `within` seconds.

        Return whether all are warm. Raises SnippetError, OSError.
        """
        wanted = self._wanted(python, isolate=isolate)
        if wanted is None:
            return False
        until = time.monotonic() + within
        self._pool.fill(count)
        lent: list[Connection] = []
        try:
            for _ in range(count):
                lent.append(self._pool.borrow())
                lent[-1].send(wanted.message())
            ready = [_is_warm(connection, wanted.key, until) for connection in lent]
            if all(ready):
                self._pool.keep_warm(wanted)
                return True
        finally:
            for connection in lent:
                self._pool.give_back(connection, sound=True)
        return False

    def _wanted(self, python: Path | None, *, isolate: bool) -> ZygoteKey | None:
        """Return what to keep warm, and fill the caches that the first run would have to fill."""
        self._target.devices()
        if isolate and not self._target.isolation().available:
            return None
        return zygote_key(self._target.interpreter(python), isolate=isolate)

    def _warm(self, python: Path | None, isolate: bool) -> None:  # noqa: FBT001 - an argument of a thread
        try:
            wanted = self._wanted(python, isolate=isolate)
            if wanted:
                self._pool.keep_warm(wanted)
                self._pool.fill(1)
                until = time.monotonic() + WARM_SECONDS
                while self._pool.getting_warm and time.monotonic() < until and not self._closing.wait(_LOOK_SECONDS):
                    pass
                if memory() > _AMPLE and not self._pool.getting_warm and not self._closing.is_set():
                    self._pool.fill(2)
        except (SnippetError, OSError) as error:
            _log.warning("no Python is kept warm: %s", error)

    def active(self) -> tuple[Run, ...]:
        """Return the runs that have not finished yet."""
        with self._changing:
            return tuple(self._active)

    def close(self) -> None:
        """Stop all runs, wait for them, and end the supervisors."""
        with self._changing:
            self._closing.set()
        for run in (runs := self.active()):
            run.stop()
        for run in runs:
            run.join()
        for thread in self._warming:
            thread.join()
        for pool in self._pools.values():
            pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _forget(self, run: Run) -> None:
        with self._changing:
            self._active.discard(run)


def _is_warm(connection: Connection, key: str, until: float) -> bool:
    """Wait until a supervisor reports on its warm Python; return whether it is ready."""
    while report := connection.receive(max(0.0, until - time.monotonic())):
        if report[0]["is"] == "warm" and report[0]["key"] == key:
            return not report[0]["error"]
    return False
