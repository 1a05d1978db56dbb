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
from snippets.process.connection import Connection
from snippets.process.isolation import isolation
from snippets.results.ledger import Ledger
from snippets.results.outcome import Artifact, Outcome
from snippets.results.run_output import OutputChunk
from snippets.running.active_run import Run, RunCallbacks
from snippets.running.run_folder import forget_old_runs
from snippets.running.run_progress import RunProgress
from snippets.running.run_request import RunRequest
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import ZygoteKey, zygote_key
from snippets.targets.devices import devices, kind_of
from snippets.targets.interpreters import as_program, probe, running
from snippets.targets.resources import PROCESS_BYTES, memory

WARM_SECONDS = 60.0  # for importing torch, before runs are started without waiting for it
_AMPLE = 4 * PROCESS_BYTES  # of free memory: a second Python stands ready then, for a run beside one that goes on
_LOOK_SECONDS = 0.1

_log = logging.getLogger(__name__)

__all__ = ["OutputChunk", "Run", "RunRequest", "Runner"]


class Runner:
    """Starts runs, and stops them when it is closed.

    `runs_folder` gets a folder for each run. With a ledger, every run is recorded in it.
    """

    def __init__(self, *, runs_folder: Path, ledger: Ledger | None = None) -> None:
        self._folder = runs_folder
        self._ledger = ledger
        self._pool = SupervisorPool(runs_folder / "supervisor.log")
        self._changing = threading.Lock()
        self._going_on: set[Run] = set()
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
        """Start a run and return at once; the callables are called from the run's own thread, `finished` once and last.

        `artifact` comes as soon as a file is written, and again when it is written anew.
        Raises UnknownDevice, UnknownInterpreter, RunnerFailed. What this machine cannot do ends as "unavailable".
        """
        kind_of(request.device)
        if request.python is not None:
            as_program(request.python)
        takers = RunCallbacks(output=output, artifact=artifact, midway=midway, finished=finished, ended=self._forget)
        run = Run(request, takers, runs=self._folder, pool=self._pool, ledger=self._ledger)
        with self._changing:
            if self._closing.is_set():
                raise RunnerFailed(
                    "All runs are being ended; nothing new is started.", "正在结束所有运行，不再启动新的。"
                )
            self._going_on.add(run)
            run.begin()
        return run

    def warm(self, python: Path | None = None, *, isolate: bool = False) -> None:
        """Have a Python import torch in the background and stand ready, so that runs begin at once; returns at once.

        From now on it is renewed when it has gone, when its packages changed, and when another interpreter was run.
        Where memory is ample another follows it, for runs that begin while one goes on. Where none can be, runs are
        started cold; nobody has to know. `python` is None for this program's own.
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
        """Have `count` stand ready, for as many runs at once, and wait for them, `within` seconds.

        Say whether all do. Raises SnippetError, OSError.
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
            ready = [_told(connection, wanted.key, until) for connection in lent]
            if all(ready):
                self._pool.keep_warm(wanted)
                return True
        finally:
            for connection in lent:
                self._pool.give_back(connection, sound=True)
        return False

    def _wanted(self, python: Path | None, *, isolate: bool) -> ZygoteKey | None:
        """Say what is to stand ready; on the way all is asked once that the first run would have to ask."""
        devices()
        if isolate and not isolation().available:
            return None
        return zygote_key(probe(python or running()), isolate=isolate, runs=self._folder)

    def _warm(self, python: Path | None, isolate: bool) -> None:  # noqa: FBT001 - handed on by a thread
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
            _log.warning("no Python stands ready: %s", error)

    def going_on(self) -> tuple[Run, ...]:
        """Return the runs that have not finished."""
        with self._changing:
            return tuple(self._going_on)

    def close(self) -> None:
        """Stop all runs, wait for them, and end the supervisors."""
        with self._changing:
            self._closing.set()
        for run in (runs := self.going_on()):
            run.stop()
        for run in runs:
            run.join()
        for thread in self._warming:
            thread.join()
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _forget(self, run: Run) -> None:
        with self._changing:
            self._going_on.discard(run)


def _told(connection: Connection, key: str, until: float) -> bool:
    """Wait until a supervisor tells of a Python that it does or does not stand ready; say which."""
    while report := connection.receive(max(0.0, until - time.monotonic())):
        if report[0]["is"] == "warm" and report[0]["key"] == key:
            return not report[0]["error"]
    return False
