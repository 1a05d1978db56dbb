"""The file of the ledger on a real disk, through kills and damage, and from one version to the next."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results import ledger_schema
from snippets.results.ledger import Ledger, code_hash
from snippets.results.outcome import Outcome, unavailable
from tests.tally import tally

Make = Callable[..., Snippet]
DONE = replace(
    unavailable(Sentence("why", "为什么"), device="cpu", run_id="1"), status="passed", exit_code=0, output="1\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the ledger."""
    return tmp_path / "state" / "runs.sqlite"


def record(ledger: Ledger, snippet: Snippet, run_id: str = "1", outcome: Outcome = DONE) -> None:
    """Record a whole run."""
    ledger.begin(run_id, snippet, device="cpu")
    ledger.finish(run_id, outcome)


KILLS = int(os.environ.get("TORCHLEAF_KILLS", "100"))  # 300 take some 10 s
# Forks writers, several at once, and kills each at a moment that nobody has chosen. What a writer says after a write
# is kept has to be found afterwards. "naive" is what many programs do instead of keeping a database.
KILLER = """
import json, os, random, signal, sys, time
from pathlib import Path
from snippets.model.snippet import snippet_from_block
from snippets.results.ledger import Ledger, code_hash
from snippets.results.outcome import unavailable
from snippets.errors import Sentence

def writer(path, number, said):
    ledger = Ledger(path)
    assert ledger.problem is None, ledger.problem
    snippet = snippet_from_block(name="s", code="1", options={}, output=None, origin="n", line=1)
    done = unavailable(Sentence("a", "b"), device="cpu", run_id="")
    for turn in range(10**9):
        run_id = f"{number}-{turn}"
        ledger.begin(run_id, snippet, device="cpu")
        ledger.finish(run_id, done)
        if ledger.problem is None:
            os.write(said, f"{run_id}\\n".encode())

def naive(path, number, said):
    rows = ["x" * 100] * 20000
    while True:
        path.write_text(json.dumps(rows))
        os.write(said, b"kept\\n")

work, path, kills, at_once = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
broken, alive, kept = 0, [], []
for number in range(kills + at_once - 1):
    hears, says = os.pipe()
    pid = os.fork()
    if pid == 0:
        {"ledger": writer, "naive": naive}[work](path, number, says)
    os.close(says)
    alive.append((pid, hears))
    if len(alive) == at_once:
        pid, hears = alive.pop(0)
        heard = os.read(hears, 16)
        time.sleep(random.uniform(0, 0.03))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while more := os.read(hears, 1 << 16):
            heard += more
        os.close(hears)
        kept += heard.decode().split()
        if work == "naive":
            try:
                json.loads(path.read_text())
            except ValueError:
                broken += 1
for pid, hears in alive:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
print(json.dumps({"broken": broken, "kept": kept}))
"""


def kill_writers(work: str, path: Path, *, kills: int, at_once: int) -> dict[str, Any]:
    """Kill writers, and return what they are known to have written."""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", KILLER, work, str(path), str(kills), str(at_once)]
    answer = subprocess.run(command, capture_output=True, cwd=root, timeout=300, check=False)
    assert answer.returncode == 0, answer.stderr.decode()
    return dict(json.loads(answer.stdout))


def test_kills_leave_it_whole(path: Path) -> None:
    """However often its writers are killed, it is whole, nothing is left "running", and no row is lost."""
    kept = kill_writers("ledger", path, kills=KILLS, at_once=4)["kept"]
    with closing(Ledger(path)) as ledger:
        found = {row.run_id: row.status for row in ledger.listed(10**6)}
        assert ledger.problem is None
    tally(KILLS, lost=sum(found.get(run_id) != "unavailable" for run_id in kept))
    assert set(found.values()) <= {"unavailable", "interrupted"}
    assert "interrupted" in found.values(), "no writer was killed in the middle of a run"
    assert [run_id for run_id in kept if found.get(run_id) != "unavailable"] == []
    assert len(kept) >= KILLS
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_same_kills_break_a_plain_file(tmp_path: Path) -> None:
    """The control: a file that is rewritten each time does not survive what the ledger must survive."""
    assert kill_writers("naive", tmp_path / "runs.json", kills=20, at_once=1)["broken"] > 0


OLD_ROWS = """
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, name TEXT NOT NULL, origin TEXT NOT NULL, code_sha256 TEXT NOT NULL,
    interpreter TEXT, python TEXT, torch TEXT, device TEXT NOT NULL, started TEXT NOT NULL,
    seconds REAL, first_output_seconds REAL, peak_rss_mb REAL, status TEXT NOT NULL, exit_code INTEGER,
    reason_en TEXT, reason_zh TEXT, output TEXT NOT NULL, output_cut INTEGER NOT NULL, artifacts TEXT NOT NULL,
    host TEXT NOT NULL, owner_pid INTEGER NOT NULL, owner_started REAL NOT NULL
);
CREATE INDEX runs_by_start ON runs (started);
CREATE INDEX runs_by_name ON runs (name, started);
CREATE INDEX runs_going_on ON runs (status) WHERE status = 'running';
INSERT INTO runs VALUES ('old', 'note#block1', 'note.en.md', 'CODE', '/py', '3.12.1', '2.13.0', 'cpu',
    '2025-01-01T00:00:00+00:00', 1.5, 0.5, 100.0, 'passed', 0, NULL, NULL, '炬
', 3, '[["/a.png", "image", 5]]',
    'here', 1, 2.0);
PRAGMA user_version = 1;
"""


def old_file(path: Path, snippet: Snippet) -> None:
    """Write a ledger as the first version kept it."""
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as base:
        base.executescript(OLD_ROWS.replace("CODE", code_hash(snippet)))


def test_an_old_file_is_brought_up_to_date(path: Path, make_snippet: Make) -> None:
    """Old runs are kept, their unknown facts stay empty, and new runs are added."""
    snippet = make_snippet("1", recorded={"": "something else\n"})
    old_file(path, snippet)
    for _ in range(2):
        with closing(Ledger(path)) as ledger:
            assert ledger.problem is None
            row = ledger.find("old")
            assert (row.output, row.output_cut, row.printed, row.size) == ("炬\n", 3, "炬\n", 4)
            assert (row.artifacts[0].bytes, row.seconds, row.torch) == (5, 1.5, "2.13.0")
            assert (row.cuda, row.driver, row.as_recorded, row.recorded_sha256, row.pinned) == (*[None] * 4, False)
            assert ledger.status_of(snippet) == "passed"
    with closing(Ledger(path)) as ledger:
        record(ledger, make_snippet("2"), run_id="new")
        assert [row.run_id for row in ledger.recent()] == ["new", "old"]
        assert (ledger.trim(most_bytes=6), ledger.trim(most_bytes=5)) == (0, 1)  # the size of the old one is known


def test_a_program_of_the_first_version_goes_on(path: Path, make_snippet: Make) -> None:
    """One that has the file open while it is brought up to date writes on, and its rows can be read."""
    old_file(path, make_snippet("1"))
    with closing(sqlite3.connect(path, isolation_level=None)) as old, closing(Ledger(path)) as ledger:
        names = "run_id, name, origin, code_sha256, device, started, status, output, output_cut, artifacts, host"
        values = "'late', 'n', 'n', 'c', 'cpu', '2026', 'running', '', 0, '[]', 'h'"
        old.execute(f"INSERT INTO runs ({names}, owner_pid, owner_started) VALUES ({values}, 1, 1.0)")
        old.execute("UPDATE runs SET status = 'passed', output = 'x' WHERE run_id = 'late'")
        assert [(row.run_id, row.status, row.output) for row in ledger.recent(1)] == [("late", "passed", "x")]
        assert ledger.trim() == 0


def test_two_bring_it_up_to_date_at_once(path: Path, make_snippet: Make) -> None:
    """The second finds it done."""
    old_file(path, make_snippet("1"))
    with closing(sqlite3.connect(path, isolation_level=None)) as one, closing(Ledger(path)) as other:
        ledger_schema._bring_up_to_date(one)
        assert other.find("old").status == one.execute("SELECT status FROM runs").fetchone()[0]


def test_a_disk_that_fills_up_meanwhile(path: Path, make_snippet: Make) -> None:
    """Then the old file stays as it was, and can be brought up to date another time."""
    old_file(path, make_snippet("1"))
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.executescript(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO runs "
            "SELECT 'r' || i, name, origin, code_sha256, interpreter, python, torch, device, started, seconds, "
            "first_output_seconds, peak_rss_mb, status, exit_code, reason_en, reason_zh, output, output_cut, "
            "artifacts, host, owner_pid, owner_started FROM runs, n;"
        )
        base.execute(f"PRAGMA max_page_count = {base.execute('PRAGMA page_count').fetchone()[0]}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            ledger_schema._bring_up_to_date(base)
        assert not base.in_transaction
        assert ledger_schema._version(base) == 1
    with closing(Ledger(path)) as ledger:
        assert len(ledger.listed(1000)) == 501


def test_on_a_network_disk_no_common_memory_is_needed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There two machines may write at once, which the quicker journal does not bear."""
    monkeypatch.setattr(ledger_schema, "network_kind", lambda _: "nfs4")
    with closing(ledger_schema.open_file(path).base) as base:
        assert base.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert not list(path.parent.glob("*-wal"))


@pytest.mark.parametrize("damage", ["garbage", "torn", "another table"])
def test_a_damaged_file_is_set_aside(damage: str, path: Path, make_snippet: Make) -> None:
    """It is kept under another name, a new one serves, and one sentence says so."""
    with closing(Ledger(path)) as ledger:
        for number in range(100):
            record(ledger, make_snippet("x" * 1000), run_id=str(number))
    if damage == "garbage":
        path.write_bytes(b"this is no database at all" * 1000)
    elif damage == "torn":
        data = path.read_bytes()
        path.write_bytes(data[:50] + b"\xff" * 5000 + data[5050:])
    else:
        path.unlink()
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("CREATE TABLE runs (run_id TEXT)")
            base.execute("PRAGMA user_version = 2")
    with closing(Ledger(path)) as ledger:
        assert "set aside" in str(ledger.problem)
        record(ledger, make_snippet("1"), run_id="new")
        assert [row.run_id for row in ledger.recent()] == ["new"]
    assert len(list(path.parent.glob("runs.sqlite.broken-*"))) == 1


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_lost_journal_files(ending: str, path: Path, make_snippet: Make) -> None:
    """Without them there is still a ledger, and no crash."""
    with closing(Ledger(path)) as ledger:
        record(ledger, make_snippet("1"))
        path.with_name(path.name + ending).unlink()
        with closing(Ledger(path)) as other:
            other.recent()
    with closing(Ledger(path)) as ledger:
        record(ledger, make_snippet("1"), run_id="2")
        assert ledger.last("note#block1") is not None


def test_a_newer_version_is_left_alone(path: Path, make_snippet: Make) -> None:
    """Its file is not touched; a ledger next to it is used, and one sentence says so."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for expected in (1, 2):
        with closing(Ledger(path)) as ledger:
            assert "newer version" in str(ledger.problem)
            record(ledger, make_snippet("1"), run_id=str(expected))
            assert len(ledger.recent()) == expected
    assert path.read_bytes() == before


def test_a_locked_file_costs_the_record_only(path: Path, make_snippet: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls do nothing and report why; recording resumes when the lock is gone."""
    monkeypatch.setattr("snippets.results.ledger_schema.LOCKED_SECONDS", 0.1)
    path.parent.mkdir()
    with closing(Ledger(path)) as ledger, closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert ledger.recent() == ()
        other.execute("BEGIN IMMEDIATE")
        record(ledger, make_snippet("1"))
        assert "locked" in str(ledger.problem)
        with closing(Ledger(path)) as second:
            assert second.recent() == ()
        other.execute("ROLLBACK")
        record(ledger, make_snippet("1"))
        assert len(ledger.recent()) == 1


def test_a_file_that_could_not_be_opened_is_tried_again(path: Path, make_snippet: Make) -> None:
    """After a while, without a new start of the program; then nothing is wrong any more."""
    path.parent.parent.mkdir(exist_ok=True)
    path.parent.touch()
    with closing(Ledger(path)) as ledger:
        record(ledger, make_snippet("1"))
        assert ledger.problem is not None
        path.parent.unlink()
        record(ledger, make_snippet("1"))
        assert ledger.recent() == ()
        ledger._try_at = 0.0
        record(ledger, make_snippet("1"))
        assert [row.status for row in ledger.recent()] == ["passed"]
        assert ledger.problem is None


def test_a_full_disk_costs_the_record_only(path: Path, make_snippet: Make) -> None:
    """What cannot be written is not recorded; what is there can be read."""
    with closing(Ledger(path)) as ledger:
        record(ledger, make_snippet("1"))
        base = ledger._base
        assert base is not None
        pages = base.execute("PRAGMA page_count").fetchone()[0]
        base.execute(f"PRAGMA max_page_count = {pages}")
        for number in range(200):
            record(ledger, make_snippet("1"), run_id=f"n{number}", outcome=replace(DONE, output="x" * 10_000))
        assert "full" in str(ledger.problem)
        assert ledger.recent()
        assert ledger.trim(most_runs=0)  # what is forgotten makes room again
        record(ledger, make_snippet("1"), run_id="after")
        assert ledger.find("after").status == "passed"


def test_a_place_that_cannot_be_written(tmp_path: Path, make_snippet: Make) -> None:
    """Where there can be no ledger there is none; the sentence names the file, in both languages."""
    (tmp_path / "file").touch()
    with closing(Ledger(tmp_path / "file" / "runs.sqlite")) as ledger:
        record(ledger, make_snippet("1"))
        assert ledger.recent() == ()
        assert ledger.last("x") is None
        assert ledger.problem is not None
        assert "runs.sqlite" in ledger.problem.sentence("en")
        assert "不受影响" in ledger.problem.sentence("zh")
