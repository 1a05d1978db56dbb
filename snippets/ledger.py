"""The record of runs: one row for each, in an SQLite file. A run never fails because it cannot be recorded."""

from __future__ import annotations

import hashlib
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psutil

from snippets.errors import LedgerFailed
from snippets.form import Snippet
from snippets.interpreters import Interpreter
from snippets.outcome import Artifact, Outcome

SCHEMA = 1
KEPT_CHARACTERS = 1 << 18  # of an output in a row; half from its beginning, half from its end

_LOCKED_SECONDS = 2.0
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_T = TypeVar("_T")
_CREATE = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, origin TEXT NOT NULL, code_sha256 TEXT NOT NULL,
    interpreter TEXT, python TEXT, torch TEXT, device TEXT NOT NULL, started TEXT NOT NULL,
    seconds REAL, first_output_seconds REAL, peak_rss_mb REAL, status TEXT NOT NULL, exit_code INTEGER,
    reason_en TEXT, reason_zh TEXT, output TEXT NOT NULL, output_cut INTEGER NOT NULL, artifacts TEXT NOT NULL,
    host TEXT NOT NULL, owner_pid INTEGER NOT NULL, owner_started REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_by_start ON runs (started);
CREATE INDEX IF NOT EXISTS runs_by_name ON runs (name, started);
CREATE INDEX IF NOT EXISTS runs_going_on ON runs (status) WHERE status = 'running';
"""


@dataclass(frozen=True)
class RunRow:
    """A run as it is recorded. Times in seconds, memory in MiB, `started` in UTC as ISO 8601."""

    run_id: str
    name: str
    origin: str
    code_sha256: str
    interpreter: str | None
    python: str | None
    torch: str | None
    device: str
    started: str
    seconds: float | None
    first_output_seconds: float | None
    peak_rss_mb: float | None
    status: str  # as of an outcome, or "running", or "interrupted": its owner died
    exit_code: int | None
    reason_en: str | None
    reason_zh: str | None
    output: str
    output_cut: int  # bytes of the output that are not kept
    artifacts: tuple[Artifact, ...]


_COLUMNS = ", ".join(field.name for field in fields(RunRow))


class Ledger:
    """The ledger of one vault. Any thread may call; several programs may have it open.

    When the file cannot be used, the calls do nothing and find nothing, and `problem` says why in both languages.
    """

    def __init__(self, path: Path) -> None:
        self.problem: LedgerFailed | None = None
        self._path = path
        self._using = threading.RLock()
        self._base: sqlite3.Connection | None = None
        try:
            self._base = self._open()
        except (sqlite3.Error, OSError) as error:
            self.problem = _unusable(path, error)
        else:
            self._mark_interrupted()

    def begin(self, run_id: str, snippet: Snippet, *, device: str) -> None:
        """Record that a run of this program begins."""
        owner = psutil.Process()
        row = {
            "run_id": run_id, "name": snippet.name, "origin": snippet.origin, "code_sha256": code_hash(snippet),
            "device": device, "started": datetime.now(UTC).isoformat(), "status": "running", "output": "",
            "output_cut": 0, "artifacts": "[]", "host": socket.gethostname(), "owner_pid": owner.pid,
            "owner_started": owner.create_time(),
        }  # fmt: skip
        names = ", ".join(row)
        self._write(f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))  # noqa: S608

    def prepared(self, run_id: str, *, interpreter: Interpreter) -> None:
        """Record what it runs under."""
        facts = [str(interpreter.path), interpreter.version, interpreter.torch, run_id]
        self._write("UPDATE runs SET interpreter = ?, python = ?, torch = ? WHERE run_id = ?", facts)

    def finish(self, run_id: str, outcome: Outcome) -> None:
        """Record how it ended."""
        kept, cut = _shortened(outcome.output)
        values = {
            "seconds": outcome.seconds, "first_output_seconds": outcome.first_output_seconds,
            "peak_rss_mb": outcome.peak_rss_mb, "status": outcome.status, "exit_code": outcome.exit_code,
            "reason_en": outcome.reason_en, "reason_zh": outcome.reason_zh, "output": kept,
            "output_cut": outcome.cut_bytes + cut, "artifacts": _packed(outcome.artifacts),
        }  # fmt: skip
        names = ", ".join(f"{name} = ?" for name in values)
        self._write(f"UPDATE runs SET {names} WHERE run_id = ?", [*values.values(), run_id])  # noqa: S608

    def recent(self, limit: int = 100) -> tuple[RunRow, ...]:
        """Return the latest runs, newest first."""
        return self._rows("ORDER BY started DESC, rowid DESC LIMIT ?", [limit])

    def last(self, name: str) -> RunRow | None:
        """Return the latest run of a snippet."""
        rows = self._rows("WHERE name = ? ORDER BY started DESC, rowid DESC LIMIT 1", [name])
        return rows[0] if rows else None

    def names(self) -> tuple[str, ...]:
        """Return the names of all snippets that were ever run."""
        rows: list[tuple[str]] = []
        rows = self._use(lambda base: base.execute("SELECT DISTINCT name FROM runs ORDER BY name").fetchall(), rows)
        return tuple(name for (name,) in rows)

    def status_of(self, snippet: Snippet, interpreter: Interpreter | None = None) -> str:
        """Return the status of the latest run; "never" without one, "stale" when code, Python or torch have changed."""
        row = self.last(snippet.name)
        if row is None:
            return "never"
        changed = row.code_sha256 != code_hash(snippet)
        if interpreter is not None and row.interpreter is not None:
            now = (str(interpreter.path), interpreter.version, interpreter.torch)
            changed = changed or now != (row.interpreter, row.python, row.torch)
        return "stale" if changed and row.status != "running" else row.status

    def close(self) -> None:
        """Close the file; later calls do nothing."""
        with self._using:
            if self._base:
                self._base.close()
                self._base = None

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return self._connect(self._path)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in _DAMAGE:  # locked, full, read-only: what is in it is well
                raise
            aside = self._path.with_name(f"{self._path.name}.broken-{time.time_ns()}")
            self._path.replace(aside)
            for ending in ("-wal", "-shm"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            self.problem = _set_aside(aside, error)
            return self._connect(self._path)

    def _connect(self, path: Path) -> sqlite3.Connection:
        base = sqlite3.connect(path, timeout=_LOCKED_SECONDS, check_same_thread=False, isolation_level=None)
        try:
            version = base.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA:
                base.close()
                # A newer version of this program may have it open at this moment: it is left alone.
                self.problem = _newer(path)
                return self._connect(path.with_name(f"{path.stem}-{SCHEMA}{path.suffix}"))
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")
            if version < SCHEMA:
                base.executescript(f"BEGIN IMMEDIATE; {_CREATE} PRAGMA user_version = {SCHEMA}; COMMIT;")
            base.execute(f"SELECT {_COLUMNS}, owner_pid FROM runs LIMIT 1").fetchall()  # noqa: S608
        except BaseException:
            base.close()
            raise
        return base

    def _mark_interrupted(self) -> None:
        """Mark the runs whose owner on this machine is no more; those of living programs go on."""
        query = "SELECT run_id, owner_pid, owner_started FROM runs WHERE status = 'running' AND host = ?"
        going_on: list[tuple[str, int, float]] = []
        going_on = self._use(lambda base: base.execute(query, [socket.gethostname()]).fetchall(), going_on)
        for run_id, pid, started in going_on:
            if not _lives(pid, started):
                self._write(
                    "UPDATE runs SET status = 'interrupted', reason_en = ?, reason_zh = ? WHERE run_id = ?",
                    ["The program that had started it ended before it did.", "启动它的程序先行结束。", run_id],
                )

    def _rows(self, condition: str, values: Sequence[object]) -> tuple[RunRow, ...]:
        query = f"SELECT {_COLUMNS} FROM runs {condition}"  # noqa: S608
        rows: list[tuple[Any, ...]] = []
        rows = self._use(lambda base: base.execute(query, values).fetchall(), rows)
        return tuple(RunRow(*(*row[:-1], _unpacked(row[-1]))) for row in rows)

    def _write(self, statement: str, values: Sequence[object]) -> None:
        clean = [_storable(value) for value in values]
        self._use(lambda base: base.execute(statement, clean).close(), None)

    def _use(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        with self._using:
            if self._base is None:
                return otherwise
            try:
                return work(self._base)
            except sqlite3.Error as error:
                self.problem = _unusable(self._path, error)
                return otherwise


def code_hash(snippet: Snippet) -> str:
    """Return what tells one state of a snippet's code from another."""
    return hashlib.sha256(snippet.code.encode("utf-8", "surrogatepass")).hexdigest()


def _shortened(output: str) -> tuple[str, int]:
    if len(output) <= KEPT_CHARACTERS:
        return output, 0
    half = KEPT_CHARACTERS // 2
    cut = len(output[half:-half].encode("utf-8", "replace"))
    return f"{output[:half]}\n⋯ {cut:,} B ⋯\n{output[-half:]}", cut


def _packed(artifacts: Sequence[Artifact]) -> str:
    return json.dumps([[str(artifact.path), artifact.kind, artifact.bytes] for artifact in artifacts])


def _unpacked(text: str) -> tuple[Artifact, ...]:
    return tuple(Artifact(Path(path), kind, size) for path, kind, size in json.loads(text))


def _storable(value: object) -> object:
    """SQLite takes no half of a surrogate pair, which names of files may contain."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _lives(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - started) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _unusable(path: Path, error: Exception) -> LedgerFailed:
    return LedgerFailed(
        f"Runs are not recorded now: {path} cannot be used ({error}). Running goes on.",
        f"现在无法记录运行：{path} 不能使用（{error}）。运行不受影响。",
    )


def _set_aside(aside: Path, error: Exception) -> LedgerFailed:
    return LedgerFailed(
        f"The record of runs was damaged ({error}); it was set aside as {aside.name} and a new one begun.",
        f"运行记录已损坏（{error}）；原文件改名为 {aside.name}，并已新建一份。",
    )


def _newer(path: Path) -> LedgerFailed:
    return LedgerFailed(
        f"{path.name} is from a newer version of this program; it is left alone and another one is used beside it.",
        f"{path.name} 来自本程序的更新版本；保持不动，另用一份记录。",
    )
