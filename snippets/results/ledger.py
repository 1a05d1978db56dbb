"""The ledger: a row for each run, in an SQLite file. A run never fails because it cannot be recorded."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psutil

from snippets.errors import LedgerFailed
from snippets.model.snippet import Snippet
from snippets.results.expected_output import bears_out, claim_hash, code_hash
from snippets.results.ledger_row import BRIEF, COLUMNS, KEPT_CHARACTERS, RunRow, packed, row_of, shortened, storable
from snippets.results.ledger_schema import TELLING, open_file, unusable
from snippets.results.outcome import Outcome
from snippets.results.snippet_status import SnippetStatus, badge_of
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

__all__ = ["KEPT_CHARACTERS", "MOST_BYTES", "MOST_RUNS", "Ledger", "RunRow", "SnippetStatus", "code_hash"]

MOST_RUNS = 100_000
MOST_BYTES = 256 << 20  # of outputs

_AGAIN_SECONDS = 5.0  # before a file that could not be opened is tried again
_TRIM_EVERY = 200  # runs
_LEFT = 0.9  # the share of the limits that is left after old runs are removed
_AT_ONCE = 400  # names in one query
_LATEST = "(SELECT rowid FROM runs WHERE name = wanted.name {} ORDER BY started DESC, rowid DESC LIMIT 1)"
_T = TypeVar("_T")


class Ledger:
    """The ledger of one vault. Any thread may call; several programs may have it open.

    The file is opened on first use. If that fails, the methods do nothing and find nothing, and `problem` says why in
    both languages.
    """

    def __init__(self, path: Path) -> None:
        self._problem: LedgerFailed | None = None
        self._path = path
        self._using = threading.RLock()
        self._base: sqlite3.Connection | None = None
        self._closed = False
        self._try_at = 0.0  # of time.monotonic()
        self._going_on: dict[str, Snippet] = {}  # by run
        self._driver_version: str | None = None  # it does not change while it is loaded
        self._finished = 0

    @property
    def problem(self) -> LedgerFailed | None:
        """Why nothing can be recorded now, or what happened to earlier records."""
        self._use(lambda _: None, None)
        return self._problem

    def begin(self, run_id: str, snippet: Snippet, *, device: str, asked: str | None = None) -> None:
        """Record that a run of this program begins; `asked` are its other options, as JSON."""
        owner = psutil.Process()
        row = {
            "run_id": run_id,
            "name": snippet.name,
            "origin": snippet.origin,
            "code_sha256": code_hash(snippet),
            "device": device,
            "started": datetime.now(UTC).isoformat(),
            "status": "running",
            "output": "",
            "output_cut": 0,
            "artifacts": "[]",
            "host": socket.gethostname(),
            "owner_pid": owner.pid,
            "owner_started": owner.create_time(),
            "asked": asked,
            "size": 0,
            "driver": self._driver() if device.startswith("cuda") else None,
        }
        self._going_on[run_id] = snippet
        names = ", ".join(row)
        self._write(f"INSERT INTO runs ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))  # noqa: S608

    def prepared(self, run_id: str, *, interpreter: Interpreter) -> None:
        """Record the interpreter of a run."""
        facts = [str(interpreter.path), interpreter.version, interpreter.torch, interpreter.cuda, run_id]
        self._write("UPDATE runs SET interpreter = ?, python = ?, torch = ?, cuda = ? WHERE run_id = ?", facts)

    def finish(self, run_id: str, outcome: Outcome) -> None:
        """Record how a run ended, and whether its output is the expected one."""
        output, cut = shortened(outcome.output)
        stdout = None if outcome.stdout == outcome.output else shortened(outcome.stdout)[0]
        held, claimed = _held(self._going_on.pop(run_id, None), outcome)
        values = {
            "seconds": outcome.seconds,
            "first_output_seconds": outcome.first_output_seconds,
            "peak_rss_mb": outcome.peak_rss_mb,
            "peak_gpu_mb": outcome.peak_gpu_mb,
            "status": outcome.status,
            "exit_code": outcome.exit_code,
            "reason_en": outcome.reason_en,
            "reason_zh": outcome.reason_zh,
            "output": output,
            "stdout": stdout,
            "output_cut": outcome.cut_bytes + cut,
            "as_recorded": held,
            "recorded_sha256": claimed,
            "artifacts": packed(outcome.artifacts),
            "size": sum(len(text.encode("utf-8", "replace")) for text in (output, stdout or "")),
        }
        names = ", ".join(f"{name} = ?" for name in values)
        self._write(f"UPDATE runs SET {names} WHERE run_id = ?", [*values.values(), run_id])  # noqa: S608
        self._finished += 1
        if self._finished % _TRIM_EVERY == 0:
            self.trim()

    def recent(self, limit: int = 100, name: str | None = None) -> tuple[RunRow, ...]:
        """Return the latest runs, of all snippets or of one, newest first."""
        return self._newest(COLUMNS, limit, name)

    def listed(self, limit: int = 100, name: str | None = None) -> tuple[RunRow, ...]:
        """Return the latest runs without their outputs, which are large and not shown in lists."""
        return self._newest(BRIEF, limit, name)

    def last(self, name: str) -> RunRow | None:
        """Return the latest run of a snippet."""
        return next(iter(self.recent(1, name)), None)

    def names(self) -> tuple[str, ...]:
        """Return the names of all snippets that were ever run."""
        rows: list[tuple[str]] = []
        rows = self._use(lambda base: base.execute("SELECT DISTINCT name FROM runs ORDER BY name").fetchall(), rows)
        return tuple(name for (name,) in rows)

    def find(self, run_id: str) -> RunRow:
        """Return the run whose id begins or ends with a text. Raises LedgerFailed unless it is the only one."""
        wanted = run_id.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._rows(
            COLUMNS,
            "WHERE run_id LIKE ? ESCAPE '\\' OR run_id LIKE ? ESCAPE '\\' LIMIT 2",
            [f"{wanted}%", f"%{wanted}"],
        )
        if len(rows) != 1 or not run_id:
            raise _not_one(run_id, len(rows))
        return rows[0]

    def status_of(self, snippet: Snippet, interpreter: Interpreter | None = None) -> str:
        """Return the status of one snippet: a badge, or "running", "stopped" or "interrupted"."""
        return self.standings([snippet], interpreter)[snippet.name].status

    def standings(
        self,
        snippets: Iterable[Snippet],
        interpreter: Interpreter | None = None,
        *,
        present: Sequence[Device] | None = None,
    ) -> dict[str, SnippetStatus]:
        """Return the status of snippets, by name; a thousand take some 20 ms.

        With `present`, the devices of this machine, a snippet that none of them can run is "unavailable".
        """
        chosen = {snippet.name: snippet for snippet in snippets}
        rows = self._latest(list(chosen))
        found = {}
        for name, snippet in chosen.items():
            telling, last = rows.get(str(storable(name)), (None, None))
            badge = badge_of(snippet, telling, last=last, interpreter=interpreter, present=present, whole=self._whole)
            found[name] = SnippetStatus(badge, last)
        return found

    def pin(self, run_id: str) -> None:
        """Keep a run when old ones are removed."""
        self._write("UPDATE runs SET pinned = 1 WHERE run_id = ?", [run_id])

    def follow(self, moves: Mapping[str, str]) -> None:
        """Rename the runs of moved notes; `moves` has the new paths by the old ones."""
        if moves:
            self._use(lambda base: _follow(base, moves), 0)

    def trim(self, *, most_runs: int = MOST_RUNS, most_bytes: int = MOST_BYTES) -> int:
        """Remove the oldest runs above the limits, and a tenth more; return how many.

        Pinned and active runs stay.
        """
        old: list[tuple[int]] = []
        old = self._use(lambda base: _too_old(base, most_runs, most_bytes), old)
        return self._use(lambda base: _forget(base, old), 0) if old else 0

    def close(self) -> None:
        """Close the file; later calls do nothing."""
        with self._using:
            self._closed = True
            if self._base:
                self._base.close()
                self._base = None

    def _driver(self) -> str | None:
        from snippets.targets.nvidia import driver_version  # noqa: PLC0415 - only runs on a GPU need it

        self._driver_version = self._driver_version or driver_version()
        return self._driver_version

    def _open(self) -> None:
        try:
            opened = open_file(self._path)
        except (sqlite3.Error, OSError) as error:
            self._problem = unusable(self._path, error)
            self._try_at = time.monotonic() + _AGAIN_SECONDS
            return
        self._base = opened.base
        self._problem = opened.problem
        self._mark_interrupted()
        self.trim()

    def _mark_interrupted(self) -> None:
        """Mark the runs whose program on this machine has ended."""
        query = "SELECT run_id, owner_pid, owner_started FROM runs WHERE status = 'running' AND host = ?"
        going_on: list[tuple[str, int, float]] = []
        going_on = self._use(lambda base: base.execute(query, [socket.gethostname()]).fetchall(), going_on)
        for run_id, pid, started in going_on:
            if not _lives(pid, started):
                self._write(
                    "UPDATE runs SET status = 'interrupted', reason_en = ?, reason_zh = ?"
                    " WHERE run_id = ? AND status = 'running'",
                    ["The program that had started it ended before it did.", "启动它的程序先行结束。", run_id],
                )

    def _latest(self, names: Sequence[str]) -> Mapping[str, tuple[RunRow | None, RunRow | None]]:
        """Return for each name the latest run that says something about the code, and the latest of all."""
        telling, latest = _LATEST.format(f"AND {TELLING}"), _LATEST.format("")
        found: dict[str, tuple[RunRow | None, RunRow | None]] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = [storable(name) for name in names[start : start + _AT_ONCE]]
            query = (
                f"WITH wanted(name) AS (VALUES {', '.join(['(?)'] * len(some))}) SELECT {telling}, {latest} FROM wanted"  # noqa: S608
            )
            pairs: list[tuple[int | None, int | None]] = []
            pairs = self._use(lambda base, query=query, some=some: base.execute(query, some).fetchall(), pairs)  # type: ignore[misc]
            rows = self._by_number({number for pair in pairs for number in pair if number is not None})
            for name, (one, other) in zip(some, pairs, strict=False):
                found[str(name)] = rows.get(one), rows.get(other)
        return found

    def _by_number(self, numbers: Iterable[int]) -> dict[int | None, RunRow]:
        wanted = list(numbers)
        query = f"SELECT rowid, {BRIEF} FROM runs WHERE rowid IN ({', '.join('?' * len(wanted))})"  # noqa: S608
        rows: list[tuple[Any, ...]] = []
        rows = self._use(lambda base: base.execute(query, wanted).fetchall(), rows)
        return {row[0]: row_of(row[1:]) for row in rows}

    def _whole(self, row: RunRow) -> RunRow:
        return next(iter(self._rows(COLUMNS, "WHERE run_id = ?", [row.run_id])), row)

    def _newest(self, columns: str, limit: int, name: str | None) -> tuple[RunRow, ...]:
        if name is None:
            return self._rows(columns, "ORDER BY started DESC, rowid DESC LIMIT ?", [limit])
        return self._rows(columns, "WHERE name = ? ORDER BY started DESC, rowid DESC LIMIT ?", [name, limit])

    def _rows(self, columns: str, condition: str, values: Sequence[object]) -> tuple[RunRow, ...]:
        query = f"SELECT {columns} FROM runs {condition}"  # noqa: S608
        clean = [storable(value) for value in values]
        rows: list[tuple[Any, ...]] = []
        return tuple(row_of(row) for row in self._use(lambda base: base.execute(query, clean).fetchall(), rows))

    def _write(self, statement: str, values: Sequence[object]) -> None:
        clean = [storable(value) for value in values]
        self._use(lambda base: base.execute(statement, clean).close(), None)

    def _use(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        with self._using:
            if self._base is None and not self._closed and time.monotonic() >= self._try_at:
                self._open()
            if self._base is None:
                return otherwise
            try:
                return work(self._base)
            except sqlite3.Error as error:
                self._problem = unusable(self._path, error)
                return otherwise


def _held(snippet: Snippet | None, outcome: Outcome) -> tuple[bool | None, str | None]:
    """Return whether a run printed the expected output, and the hash of that; None for what is not known."""
    if snippet is None:
        return None, None
    claimed = claim_hash(snippet, outcome.device)
    if outcome.status != "passed":
        return None, claimed
    return bears_out(snippet, outcome.device, stdout=outcome.stdout, output=outcome.output), claimed


def _too_old(base: sqlite3.Connection, most_runs: int, most_bytes: int) -> list[tuple[int]]:
    """Return the rows to remove; fast if there are none."""
    of_age = "FROM runs INDEXED BY runs_by_age WHERE pinned = 0"
    count, size = base.execute(f"SELECT COUNT(*), TOTAL(size) {of_age}").fetchone()
    if count <= most_runs and size <= most_bytes:
        return []
    total = 0
    old = []
    for number, (rowid, size) in enumerate(base.execute(f"SELECT rowid, size {of_age} ORDER BY started DESC"), 1):
        total += size or 0
        if number > most_runs * _LEFT or total > most_bytes * _LEFT:
            old.append((rowid,))
    return old


def _follow(base: sqlite3.Connection, moves: Mapping[str, str]) -> int:
    """Rename runs in one transaction, because a note may take the path of another one."""
    known = {str(storable(old)): storable(new) for old, new in moves.items()}
    rows = base.execute("SELECT rowid, name FROM runs WHERE instr(name, '#')").fetchall()
    parted = [(rowid, *name.rpartition("#")) for rowid, name in rows]
    moved = [(f"{known[path]}#{key}", known[path], rowid) for rowid, path, _, key in parted if path in known]
    return _at_once(base, "UPDATE runs SET name = ?, origin = ? WHERE rowid = ?", moved)


def _forget(base: sqlite3.Connection, rows: Sequence[tuple[int]]) -> int:
    return _at_once(base, "DELETE FROM runs WHERE rowid = ? AND status != 'running'", rows)


def _at_once(base: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> int:
    base.execute("BEGIN IMMEDIATE")
    try:
        count = base.executemany(statement, rows).rowcount
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise
    return count


def _lives(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - started) < 1.0 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _not_one(run_id: str, count: int) -> LedgerFailed:
    if count:
        return LedgerFailed(
            f"Several runs have an id that begins or ends with {run_id}; give more of it.",
            f"有多条运行的编号以 {run_id} 开头或结尾；请写得更完整。",
        )
    return LedgerFailed(
        f"No run has the id {run_id}; the command `runs` lists them.",
        f"没有编号为 {run_id} 的运行；用 runs 命令可以列出。",
    )
