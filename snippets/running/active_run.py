"""A run that goes on: the talk with its supervisor, told to whoever started it."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from snippets.errors import Sentence, SnippetError
from snippets.process.connection import Connection, end_marked
from snippets.results.ledger import Ledger
from snippets.results.outcome import Artifact, Outcome, unavailable
from snippets.results.run_output import Decoder, OutputChunk, Stream, gap
from snippets.running.outcome_builder import artifact_of, conclude
from snippets.running.run_progress import RunProgress, midway_of
from snippets.running.run_request import PreparedRun, Refusal, RunRequest, prepare
from snippets.running.run_variables import asked_for
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import zygote_key
from snippets.supervisor.frame_protocol import STREAMS
from snippets.supervisor.transcript import left_behind

_HEARING_SECONDS = 0.2  # Windows hears no Ctrl-C during a wait that has no end

_log = logging.getLogger(__name__)
_Told = TypeVar("_Told", OutputChunk, Artifact, RunProgress, Outcome)


@dataclass(frozen=True, kw_only=True)
class RunCallbacks:
    """Whom a run reports to. They are called from the run's own thread; an error in one is logged and harms nothing."""

    output: Callable[[OutputChunk], None]
    artifact: Callable[[Artifact], None] | None  # as soon as it is written, and again when it was written anew
    midway: Callable[[RunProgress], None] | None
    finished: Callable[[Outcome], None]
    ended: Callable[[Run], None]


class Run:
    """One run, from the request to its outcome. Made by a Runner."""

    def __init__(
        self,
        request: RunRequest,
        takers: RunCallbacks,
        *,
        runs: Path,
        pool: SupervisorPool,
        ledger: Ledger | None = None,
    ) -> None:
        self.id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        self.request = request
        self.pid: int | None = None  # of its main process, once there is one
        self.warm = False  # whether a Python that stood ready was forked for it; known with the process
        self.outcome: Outcome | None = None  # once it is finished
        self._takers = takers
        self._runs = runs
        self._pool = pool
        self._ledger = ledger
        self._artifacts: dict[Path, Artifact] = {}
        self._decoder = Decoder()
        self._talking = threading.Lock()
        self._connection: Connection | None = None
        self._stop_asked = False
        self._began = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"run {self.id}", daemon=True)

    def begin(self) -> None:
        """Go to work in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Ask that the whole tree end; returns at once, from any thread, as often as one likes."""
        with self._talking:
            self._stop_asked = True
            if self._connection:
                self._connection.send({"do": "stop", "run": self.id})

    def type(self, line: str) -> None:
        """Give what somebody typed, line end included, to a run that `asks`; "" is the end of the input. Any thread."""
        with self._talking:
            if self._connection:
                text = line.encode("utf-8", "surrogateescape")
                self._connection.send({"do": "input", "run": self.id}, text)

    def wait(self, timeout: float | None = None) -> Outcome:
        """Wait for the end, `finished` included; `timeout` in seconds. Raises TimeoutError."""
        while timeout is None and not self._ended.wait(_HEARING_SECONDS):
            pass
        if not self._ended.wait(timeout):
            raise TimeoutError
        return cast("Outcome", self.outcome)

    def join(self) -> None:
        """Wait until its thread is gone."""
        self._thread.join()

    def _work(self) -> None:
        outcome = self._outcome()
        if self._ledger:
            self._ledger.finish(self.id, outcome)
        self.outcome = outcome
        _tell(self._takers.finished, outcome)
        self._takers.ended(self)
        self._ended.set()

    def _outcome(self) -> Outcome:
        try:
            if self._ledger:
                self._ledger.begin(self.id, self.request.snippet, device=self.request.device, asked=self._asked())
            return self._attempt()
        except SnippetError as error:
            return self._not_run(Sentence(error.en, error.zh))
        except OSError as error:
            return self._not_run(Sentence(f"It could not be started: {error}.", f"无法启动：{error}。"))
        except Exception:  # noqa: BLE001 - logged
            # Whoever waits for this run must hear of its end, whatever is wrong here.
            _log.exception("run %s broke off", self.id)
            return self._not_run(
                Sentence("The runner itself failed; its log says why.", "运行器自身出错，原因见日志。")
            )

    def _asked(self) -> str | None:
        asked = self.request
        return asked_for(
            args=asked.args, timeout=asked.timeout, environment=asked.environment, isolate=asked.isolate
        )  # fmt: skip

    def _not_run(self, reason: Sentence) -> Outcome:
        return unavailable(reason, device=self.request.device, run_id=self.id)

    def _attempt(self) -> Outcome:
        from snippets.targets.gpu_sampler import GpuWatch  # noqa: PLC0415 - only a run needs pynvml, and a start begins none

        prepared = prepare(self.request, run_id=self.id, runs=self._runs)
        if isinstance(prepared, Refusal):
            if self._ledger and prepared.interpreter:
                self._ledger.prepared(self.id, interpreter=prepared.interpreter)
            return unavailable(
                prepared.reason, device=self.request.device, run_id=self.id, lack=prepared.lack,
                torch=prepared.interpreter.torch if prepared.interpreter else None,
            )  # fmt: skip
        if self._ledger:
            self._ledger.prepared(self.id, interpreter=prepared.interpreter)
        try:
            connection = self._pool.borrow()
        except (SnippetError, OSError):
            prepared.folder.tidy(trusted=False)
            raise
        report: dict[str, Any] = {}
        kept = b""
        watch = GpuWatch(self.request.device, lambda: self.pid)
        try:
            with watch:
                report, kept = self._converse(connection, prepared)
        finally:
            if self._pool.keeps_warm:
                self._pool.keep_warm(zygote_key(prepared.interpreter, isolate=self.request.isolate, runs=self._runs))
            self._pool.give_back(connection, sound=report.get("why", "killed") != "killed")
        prepared.folder.tidy(trusted=not self.request.isolate)
        if report["why"] == "disk":
            prepared.folder.empty()
        left = tuple(one for one in self._artifacts.values() if one.path.exists())  # some were told of while they were
        return replace(conclude(prepared, report, kept, left), peak_gpu_mb=watch.peak_mb)

    def _converse(self, connection: Connection, prepared: PreparedRun) -> tuple[dict[str, Any], bytes]:
        """Send the request and hand on the reports; give the last one."""
        header, code = prepared.message()
        self._began = time.monotonic()
        with self._talking:
            connection.send(header, code)
            self._connection = connection
            if self._stop_asked:
                connection.send({"do": "stop", "run": self.id})
        try:
            while frame := connection.receive():
                if frame[0]["is"] == "finished":
                    return frame
                self._hand_on(prepared, *frame)
        finally:
            with self._talking:
                self._connection = None
        return self._left_behind(prepared)

    def _hand_on(self, prepared: PreparedRun, report: dict[str, Any], payload: bytes) -> None:
        if report["is"] == "started":
            self.pid, self.warm = report["pid"], report["warm"]
        elif report["is"] == "output":
            self._hand_on_output(STREAMS.index(report["stream"]), report["skipped"], payload)
        elif report["is"] == "artifact":
            artifact = artifact_of(prepared.folder.work, report)
            self._artifacts[artifact.path] = artifact
            if self._takers.artifact:
                _tell(self._takers.artifact, artifact)
        elif report["is"] == "midway" and self._takers.midway:
            _tell(self._takers.midway, midway_of(report))

    def _hand_on_output(self, stream: int, skipped: int, data: bytes) -> None:
        before = self._decoder.jump(stream) + gap(skipped) if skipped else ""
        text = before + self._decoder.decode(stream, data)
        if text:
            _tell(self._takers.output, OutputChunk(cast("Stream", STREAMS[stream]), text, skipped))

    def _left_behind(self, prepared: PreparedRun) -> tuple[dict[str, Any], bytes]:
        """Clear up after a supervisor that was killed, and report in its place."""
        ended = end_marked(self.id)
        head, kept = left_behind(prepared.folder.log)
        report: dict[str, Any] = {
            "why": "killed", "exit_code": None, "seconds": time.monotonic() - self._began, "first_output_seconds": None,
            "peak_rss": 0, "cut": 0, "head": head, "ended": ended, "wrapped": False,
            "returned": 0, "limit": 0, "stood": [],
        }  # fmt: skip
        return report, kept


def _tell(taker: Callable[[_Told], None], what: _Told) -> None:
    try:
        taker(what)
    except Exception:  # noqa: BLE001 - it is not ours, and must not harm the run
        _log.exception("whoever takes %s failed", type(what).__name__)
