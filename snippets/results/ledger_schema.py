"""Opens the file of a ledger, migrates it, and moves a damaged one aside."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from snippets.errors import LedgerFailed
from snippets.results.ledger_row import COLUMNS
from snippets.targets.filesystems import network_kind

SCHEMA = 2
LOCKED_SECONDS = 2.0

TELLING = "status IN ('passed', 'failed', 'timeout', 'killed')"  # these say something about the code
# What each version added. An older program that has the file open keeps working, because it names its columns.
_STEPS = (
    """
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
    """,
    """
    ALTER TABLE runs ADD COLUMN cuda TEXT;
    ALTER TABLE runs ADD COLUMN driver TEXT;
    ALTER TABLE runs ADD COLUMN peak_gpu_mb REAL;
    ALTER TABLE runs ADD COLUMN as_recorded INTEGER;
    ALTER TABLE runs ADD COLUMN recorded_sha256 TEXT;
    ALTER TABLE runs ADD COLUMN stdout TEXT;
    ALTER TABLE runs ADD COLUMN asked TEXT;
    ALTER TABLE runs ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN size INTEGER;
    UPDATE runs SET size = length(CAST(output AS BLOB));
    CREATE INDEX runs_by_age ON runs (pinned, started, size);
    CREATE INDEX runs_telling ON runs (name, started) WHERE status IN ('passed', 'failed', 'timeout', 'killed');
    """,
)


@dataclass(frozen=True)
class OpenedLedger:
    """An open ledger file, and what the user should know about it."""

    base: sqlite3.Connection
    problem: LedgerFailed | None = None


def open_file(path: Path) -> OpenedLedger:
    """Open or create the file of a ledger. Raises sqlite3.Error, OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return _connect(path)
    except sqlite3.DatabaseError as error:
        if not _of_damage(error):  # locked, full or read-only, but not damaged
            raise
        aside = path.with_name(f"{path.name}.broken-{time.time_ns()}")
        path.replace(aside)
        for ending in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        return OpenedLedger(_connect(path).base, _set_aside(aside, error))


def _of_damage(error: sqlite3.DatabaseError) -> bool:
    damage = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
    return error.sqlite_errorcode & 0xFF in damage


def unusable(path: Path, error: Exception) -> LedgerFailed:
    """Return the error that nothing is recorded now."""
    return LedgerFailed(
        f"Runs are not recorded now: {path} cannot be used ({error}). Running goes on.",
        f"现在无法记录运行：{path} 不能使用（{error}）。运行不受影响。",
    )


def _connect(path: Path) -> OpenedLedger:
    base = sqlite3.connect(path, timeout=LOCKED_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        version = _version(base)
        if version > SCHEMA:
            base.close()
            # A newer version of this program may have it open, so leave it alone.
            beside = _connect(path.with_name(f"{path.stem}-{SCHEMA}{path.suffix}"))
            return OpenedLedger(beside.base, _newer(path))
        _choose_journal(base, path)
        if version < SCHEMA:
            _bring_up_to_date(base)
        base.execute(f"SELECT {COLUMNS}, owner_pid, size FROM runs LIMIT 1").fetchall()  # noqa: S608
    except BaseException:
        base.close()
        raise
    return OpenedLedger(base)


def _version(base: sqlite3.Connection) -> int:
    return int(base.execute("PRAGMA user_version").fetchone()[0])


def _choose_journal(base: sqlite3.Connection, path: Path) -> None:
    """Use a write-ahead log, unless two machines may share the file: the log needs shared memory."""
    shared = network_kind(path) is not None
    base.execute(f"PRAGMA journal_mode = {'DELETE' if shared else 'WAL'}")
    base.execute(f"PRAGMA synchronous = {'FULL' if shared else 'NORMAL'}")


def _bring_up_to_date(base: sqlite3.Connection) -> None:
    """Apply the missing steps in one transaction; another program may have applied them meanwhile."""
    base.execute("BEGIN IMMEDIATE")
    try:
        for step in _STEPS[_version(base) :]:
            for statement in step.split(";"):
                base.execute(statement)
        base.execute(f"PRAGMA user_version = {SCHEMA}")
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:  # SQLite has rolled back already if the disk is full
            base.execute("ROLLBACK")
        raise


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
