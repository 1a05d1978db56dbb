"""An active run: talks to its supervisor and reports to callbacks."""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from snippets.errors import RunnerFailed, Sentence, SnippetError
from snippets.process.connection import Connection
from snippets.results.ledger import Ledger
from snippets.results.outcome import Artifact, Outcome, unavailable
from snippets.results.run_output import Decoder, OutputChunk, Stream, gap
from snippets.running.outcome_builder import artifact_at, conclude
from snippets.running.run_progress import RunProgress, midway_of
from snippets.running.run_record import RunRecord, file_parts
from snippets.running.run_request import PreparedRun, Refusal, RunRequest, prepare
from snippets.running.run_variables import asked_for
from snippets.running.supervisor_pool import SupervisorPool
from snippets.running.zygote_key import zygote_key
from snippets.supervisor.frame_protocol import STREAMS
from snippets.targets.target import Target

_WAIT_SECONDS = 0.2  # on Windows a Ctrl-C does not interrupt a wait without a limit

_log = logging.getLogger(__name__)
_Report = TypeVar("_Report", OutputChunk, Artifact, RunProgress, Outcome)


@dataclass(frozen=True, kw_only=True)
class RunCallbacks:
    """The callbacks of a run, called from the thread of the run. An error in one is logged; the run goes on."""

    output: Callable[[OutputChunk], None]
    artifact: Callable[[Artifact], None] | None  # as soon as it is written, and after each change
    midway: Callable[[RunProgress], None] | None
    finished: Callable[[Outcome], None]
    ended: Callable[[Run], None]


class Run:
    """One run, from the request to its outcome. Made by a Runner."""

    def __init__(
        self,
        request: RunRequest,
        callbacks: RunCallbacks,
        *,
        target: Target,
        runs: Path,
        pool: SupervisorPool,
        ledger: Ledger | None = None,
    ) -> None:
        self.id = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
        self.request = request
        self.pid: int | None = None  # of its main process, once it is started
        self.warm = False  # whether a warm Python served it; known with the process
        self.outcome: Outcome | None = None  # once it has finished
        self._callbacks = callbacks
        self._target = target
        self._record = RunRecord(runs, self.id)
        self._pool = pool
        self._ledger = ledger
        self._artifacts: dict[str, Artifact] = {}  # by the path that the supervisor reports
        self._decoder = Decoder()
        self._sending = threading.Lock()
        self._connection: Connection | None = None
        self._stop_asked = False
        self._began = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"run {self.id}", daemon=True)

    def begin(self) -> None:
        """Start working in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask all its processes to end, and return at once. Any thread may call this, repeatedly."""
        with self._sending:
            self._stop_asked = True
            if self._connection:
                self._connection.send({"do": "stop", "run": self.id})

    def type(self, line: str) -> None:
        """Send a line of input, line end included, to a run that `asks`; "" is the end of the input. Any thread."""
        with self._sending:
            if self._connection:
                text = line.encode("utf-8", "surrogateescape")
                self._connection.send({"do": "input", "run": self.id}, text)

    def wait(self, timeout: float | None = None) -> Outcome:
        """Wait for the end, `finished` included; `timeout` in seconds. Raises TimeoutError."""
        while timeout is None and not self._ended.wait(_WAIT_SECONDS):
            pass
        if not self._ended.wait(timeout):
            raise TimeoutError
        return cast("Outcome", self.outcome)

    def join(self) -> None:
        """Wait until its thread has ended."""
        self._thread.join()

    def _work(self) -> None:
        outcome = self._outcome()
        if self._ledger:
            self._ledger.finish(self.id, outcome)
        self.outcome = outcome
        _report(self._callbacks.finished, outcome)
        self._callbacks.ended(self)
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
            # The caller must learn that the run has ended, whatever is wrong here.
            _log.exception("run %s broke off", self.id)
            return self._not_run(
                Sentence("The runner itself failed; its log says why.", "运行器自身出错，原因见日志。")
            )

    def _asked(self) -> str | None:
        asked = self.request
        return asked_for(args=asked.args, timeout=asked.timeout, environment=asked.environment, isolate=asked.isolate)

    def _not_run(self, reason: Sentence) -> Outcome:
        return unavailable(reason, device=self.request.device, run_id=self.id)

    def _attempt(self) -> Outcome:
        prepared = prepare(self.request, run_id=self.id, target=self._target)
        if isinstance(prepared, Refusal):
            if self._ledger and prepared.interpreter:
                self._ledger.prepared(self.id, interpreter=prepared.interpreter)
            return unavailable(
                prepared.reason,
                device=self.request.device,
                run_id=self.id,
                lack=prepared.lack,
                torch=prepared.interpreter.torch if prepared.interpreter else None,
            )
        if self._ledger:
            self._ledger.prepared(self.id, interpreter=prepared.interpreter)
        connection = self._pool.borrow()
        finished = None
        watch = self._target.watch_gpus(self.request.device, lambda: self.pid)
        try:
            with watch or contextlib.nullcontext():
                finished = self._converse(connection, prepared)
        finally:
            if self._pool.keeps_warm:
                self._pool.keep_warm(zygote_key(prepared.interpreter, isolate=self.request.isolate))
            self._pool.give_back(connection, sound=finished is not None)
        report, kept = finished or self._recover(prepared)
        with contextlib.suppress(OSError):  # a full disk does not change how the run ended
            self._record.keep_output(report["head"], kept)
        there = set(report["files"])
        left = tuple(artifact for name, artifact in self._artifacts.items() if name in there)
        self._record.retain([artifact.path for artifact in left])
        return replace(conclude(prepared, report, kept, left), peak_gpu_mb=watch.peak_mb if watch else None)

    def _converse(self, connection: Connection, prepared: PreparedRun) -> tuple[dict[str, Any], bytes] | None:
        """Send the request and pass on the reports; return the last one, None if the supervisor was killed."""
        header, code = prepared.message()
        self._began = time.monotonic()
        with self._sending:
            connection.send(header, code)
            self._connection = connection
            if self._stop_asked:
                connection.send({"do": "stop", "run": self.id})
        try:
            return self._listen(connection)
        finally:
            with self._sending:
                self._connection = None

    def _listen(self, connection: Connection) -> tuple[dict[str, Any], bytes] | None:
        while frame := connection.receive():
            if frame[0]["is"] == "finished":
                return frame
            self._pass_on(*frame)
        return None

    def _pass_on(self, report: dict[str, Any], payload: bytes) -> None:
        if report["is"] == "started":
            self.pid, self.warm = report["pid"], report["warm"]
        elif report["is"] == "output":
            self._pass_on_output(STREAMS.index(report["stream"]), report["skipped"], payload)
        elif report["is"] == "artifact":
            self._pass_on_file(report, payload)
        elif report["is"] == "midway" and self._callbacks.midway:
            _report(self._callbacks.midway, midway_of(report))

    def _pass_on_file(self, report: dict[str, Any], content: bytes) -> None:
        """Save a copy of a file and report it; a file that is too large for that is only reported."""
        name = report["path"]
        path = None
        if report["sent"]:
            with contextlib.suppress(ValueError, OSError):
                path = self._record.keep(name, content)
        artifact = (
            self._original(name, report["bytes"]) if path is None else artifact_at(path, len(content), is_copy=True)
        )
        if artifact:
            self._artifacts[name] = artifact
            if self._callbacks.artifact:
                _report(self._callbacks.artifact, artifact)

    def _original(self, name: str, size: int) -> Artifact | None:
        """Return a file that was not copied, if it is on this machine."""
        folder = self._target.folder(self.id)
        with contextlib.suppress(ValueError):
            return artifact_at(folder.joinpath("work", *file_parts(name)), size, is_copy=False) if folder else None
        return None

    def _pass_on_output(self, stream: int, skipped: int, data: bytes) -> None:
        before = self._decoder.jump(stream) + gap(skipped) if skipped else ""
        text = before + self._decoder.decode(stream, data)
        if text:
            _report(self._callbacks.output, OutputChunk(cast("Stream", STREAMS[stream]), text, skipped))

    def _recover(self, prepared: PreparedRun) -> tuple[dict[str, Any], bytes]:
        """Let another supervisor finish a run whose own one was killed. Raises SnippetError, OSError."""
        with contextlib.closing(self._pool.start()) as connection:
            connection.send({"do": "recover", "run": self.id, "keep": prepared.keeps_folder})
            finished = self._listen(connection)
        if finished is None:
            raise RunnerFailed(
                "The supervisor of the run was killed, and so was the one that should clear up after it.",
                "运行监督进程被终止，负责清理的监督进程也被终止。",
            )
        finished[0]["seconds"] = time.monotonic() - self._began
        return finished


def _report(callback: Callable[[_Report], None], value: _Report) -> None:
    try:
        callback(value)
    except Exception:  # noqa: BLE001 - it is not ours, and must not harm the run
        _log.exception("the callback for %s failed", type(value).__name__)
