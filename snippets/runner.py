"""Runs snippets: each in a fresh process, under a supervisor, on the chosen device and interpreter."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from snippets.devices import kind_of
from snippets.errors import RunnerFailed
from snippets.interpreters import as_program
from snippets.ledger import Ledger
from snippets.outcome import Artifact, Outcome
from snippets.output import OutputChunk
from snippets.pool import Pool
from snippets.preparation import RunRequest
from snippets.running import Run, Takers
from snippets.scratch import forget_old_runs

__all__ = ["OutputChunk", "Run", "RunRequest", "Runner"]


class Runner:
    """Starts runs, and stops them when it is closed.

    `runs_folder` gets a folder for each run. With a ledger, every run is recorded in it.
    """

    def __init__(self, *, runs_folder: Path, ledger: Ledger | None = None) -> None:
        self._folder = runs_folder
        self._ledger = ledger
        self._pool = Pool(runs_folder / "supervisor.log")
        self._changing = threading.Lock()
        self._going_on: set[Run] = set()
        self._closed = False
        forget_old_runs(runs_folder)

    def start(
        self,
        request: RunRequest,
        *,
        output: Callable[[OutputChunk], None],
        finished: Callable[[Outcome], None],
        artifact: Callable[[Artifact], None] | None = None,
    ) -> Run:
        """Start a run and return at once; the callables are called from the run's own thread, `finished` once and last.

        Raises UnknownDevice, UnknownInterpreter, RunnerFailed. What this machine cannot do ends as "unavailable".
        """
        kind_of(request.device)
        if request.python is not None:
            as_program(request.python)
        takers = Takers(output=output, artifact=artifact, finished=finished, ended=self._forget)
        run = Run(request, takers, runs=self._folder, pool=self._pool, ledger=self._ledger)
        with self._changing:
            if self._closed:
                raise RunnerFailed(
                    "All runs are being ended; nothing new is started.", "正在结束所有运行，不再启动新的。"
                )
            self._going_on.add(run)
            run.begin()
        return run

    def going_on(self) -> tuple[Run, ...]:
        """Return the runs that have not finished."""
        with self._changing:
            return tuple(self._going_on)

    def close(self) -> None:
        """Stop all runs, wait for them, and end the supervisors."""
        with self._changing:
            self._closed = True
        for run in (runs := self.going_on()):
            run.stop()
        for run in runs:
            run.join()
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
