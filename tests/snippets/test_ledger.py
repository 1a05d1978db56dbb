"""The record of runs on a real disk, through kills and damage."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
import timeit
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from snippets.errors import Sentence
from snippets.form import Snippet
from snippets.interpreters import Interpreter
from snippets.ledger import KEPT_CHARACTERS, Ledger
from snippets.outcome import Artifact, Outcome, unavailable

Make = Callable[..., Snippet]
PYTHON = Interpreter(Path("/usr/bin/python3"), "Python", "3.12.1", "2.13.0")
DONE = replace(
    unavailable(Sentence("why", "为什么"), device="cpu", run_id="1", torch="2.13.0"),
    status="passed",
    exit_code=0,
    output="tensor(1)\n",
    seconds=1.5,
    first_output_seconds=0.5,
    peak_rss_mb=100.0,
    artifacts=(Artifact(Path("/runs/1/a.png"), "image", 5),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Say where the ledger is."""
    return tmp_path / "state" / "runs.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    """Give a new ledger."""
    with closing(Ledger(path)) as made:
        assert made.problem is None
        yield made


def record(ledger: Ledger, snippet: Snippet, run_id: str = "1", outcome: Outcome = DONE) -> None:
    """Record a whole run."""
    ledger.begin(run_id, snippet, device="cpu")
    ledger.prepared(run_id, interpreter=PYTHON)
    ledger.finish(run_id, outcome)


def test_a_row_has_all_of_a_run(ledger: Ledger, make_snippet: Make) -> None:
    """What went in comes out, with the time of the start in UTC."""
    before = datetime.now(UTC)
    record(ledger, make_snippet("print(1)"))
    (row,) = ledger.recent()
    assert before <= datetime.fromisoformat(row.started) <= datetime.now(UTC)
    assert (row.run_id, row.name, row.origin, row.device) == ("1", "note#block1", "note.en.md", "cpu")
    assert (row.interpreter, row.python, row.torch) == (str(PYTHON.path), "3.12.1", "2.13.0")
    assert (row.status, row.exit_code, row.reason_en, row.reason_zh) == ("passed", 0, "why", "为什么")
    assert (row.seconds, row.first_output_seconds, row.peak_rss_mb) == (1.5, 0.5, 100.0)
    assert (row.output, row.output_cut, row.artifacts) == ("tensor(1)\n", 0, DONE.artifacts)


def test_newest_first(ledger: Ledger, make_snippet: Make) -> None:
    """The list is in the order of the starts, as long as asked for."""
    for number in range(5):
        record(ledger, make_snippet("1", name=f"s{number % 2}"), run_id=str(number))
    assert [row.run_id for row in ledger.recent(3)] == ["4", "3", "2"]
    last = ledger.last("s1")
    assert last is not None
    assert last.run_id == "3"
    assert ledger.last("unknown") is None


def test_the_status_of_a_snippet(ledger: Ledger, make_snippet: Make) -> None:
    """Never, running, its outcome, and stale as soon as code, interpreter, Python or torch are others."""
    snippet = make_snippet("print(1)")
    assert ledger.status_of(snippet) == "never"
    ledger.begin("1", snippet, device="cpu")
    assert ledger.status_of(snippet) == "running"
    assert ledger.status_of(make_snippet("print(2)")) == "running"
    ledger.prepared("1", interpreter=PYTHON)
    ledger.finish("1", DONE)
    assert ledger.status_of(snippet) == ledger.status_of(snippet, PYTHON) == "passed"
    assert ledger.status_of(make_snippet("print(2)")) == "stale"
    for changed in (
        replace(PYTHON, torch="2.14.0"),
        replace(PYTHON, version="3.13.0"),
        replace(PYTHON, path=Path("/x")),
    ):
        assert ledger.status_of(snippet, changed) == "stale"


@pytest.mark.parametrize("output", ["a\0b\n", "炬" * 10, "\ud800", ""])
def test_outputs_of_every_kind(output: str, ledger: Ledger, make_snippet: Make) -> None:
    """A NUL is kept; half a surrogate, which no file can hold, is replaced."""
    record(ledger, make_snippet("1", name=output), outcome=replace(DONE, output=output))
    expected = output.replace("\ud800", "?")
    assert (ledger.recent()[0].output, ledger.recent()[0].name) == (expected, expected)


def test_a_large_output_is_noted_as_cut(ledger: Ledger, make_snippet: Make) -> None:
    """Beginning and end are kept, and the bytes between are counted with those cut before."""
    output = "炬" * (10 << 20)
    record(ledger, make_snippet("1"), outcome=replace(DONE, output=output, cut_bytes=7))
    (row,) = ledger.recent()
    assert len(row.output) < KEPT_CHARACTERS + 40
    assert row.output_cut == 3 * (len(output) - KEPT_CHARACTERS) + 7
    assert row.output.startswith("炬炬")
    assert row.output.endswith("炬炬")


def test_any_thread_may_call(ledger: Ledger, make_snippet: Make) -> None:
    """Runs record themselves from threads of their own."""
    threads = [
        threading.Thread(target=record, args=(ledger, make_snippet("1")), kwargs={"run_id": str(number)})
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.recent()) == 20
    assert ledger.problem is None


def test_two_programs_at_once(ledger: Ledger, path: Path, make_snippet: Make) -> None:
    """Window and command line share a ledger; what goes on in one is not taken for interrupted by the other."""
    ledger.begin("1", make_snippet("1"), device="cpu")
    with closing(Ledger(path)) as other:
        assert [row.status for row in other.recent()] == ["running"]
        record(other, make_snippet("2"), run_id="2")
    ledger.finish("1", DONE)
    assert [row.status for row in ledger.recent()] == ["passed", "passed"]


def test_runs_of_the_dead_are_interrupted(ledger: Ledger, path: Path, make_snippet: Make) -> None:
    """A program that is gone, or another that has got its number, does not finish a run; those elsewhere may."""
    for run_id in ("gone", "other", "elsewhere"):
        ledger.begin(run_id, make_snippet("1"), device="cpu")
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE runs SET owner_pid = 4194305 WHERE run_id = 'gone'")
        base.execute("UPDATE runs SET owner_started = owner_started - 100 WHERE run_id = 'other'")
        base.execute("UPDATE runs SET host = 'another', owner_pid = 4194305 WHERE run_id = 'elsewhere'")
    with closing(Ledger(path)) as again:
        found = {row.run_id: row.status for row in again.recent()}
        assert found == {"gone": "interrupted", "other": "interrupted", "elsewhere": "running"}
        assert again.recent()[-1].reason_zh


WRITER = """
import sys
from pathlib import Path
from snippets.form import snippet_from_block
from snippets.ledger import Ledger
from snippets.outcome import unavailable
from snippets.errors import Sentence

ledger = Ledger(Path(sys.argv[1]))
snippet = snippet_from_block(name="s", code="1", options={}, output=None, origin="n", line=1)
done = unavailable(Sentence("a", "b"), device="cpu", run_id="")
print("ready", flush=True)
for number in range(10**9):
    run_id = sys.argv[2] + "-" + str(number)
    ledger.begin(run_id, snippet, device="cpu")
    ledger.finish(run_id, done)
"""


def test_kills_leave_it_whole(path: Path) -> None:
    """However often its writers are killed, it is whole, nothing is left "running", and no row is lost."""
    root = Path(__file__).parents[2]
    rows = 0
    for round_ in range(4):
        writers = []
        for number in range(4):
            command = [sys.executable, "-c", WRITER, str(path), f"{round_}-{number}"]
            writers.append(subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root))
        for delay, writer in enumerate(writers):
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(0.01 * delay)
            writer.kill()
            writer.wait()
            writer.stdout.close()
        with closing(Ledger(path)) as ledger:
            found = ledger.recent(10**6)
            assert ledger.problem is None
            assert {row.status for row in found} <= {"unavailable", "interrupted"}
            assert len(found) >= rows
            rows = len(found)
        with closing(sqlite3.connect(path)) as base:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert rows > 16


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
            base.execute("PRAGMA user_version = 1")
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
    """Its file is not touched; a ledger beside it serves, and one sentence says so."""
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
    """Calls do nothing and say why; when the lock is gone recording goes on."""
    monkeypatch.setattr("snippets.ledger._LOCKED_SECONDS", 0.1)
    with closing(Ledger(path)) as ledger, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        record(ledger, make_snippet("1"))
        assert "locked" in str(ledger.problem)
        with closing(Ledger(path)) as second:
            assert second.recent() == ()
        other.execute("ROLLBACK")
        record(ledger, make_snippet("1"))
        assert len(ledger.recent()) == 1


def test_a_full_disk_costs_the_record_only(ledger: Ledger, make_snippet: Make) -> None:
    """What cannot be written is not recorded; what is there can be read."""
    record(ledger, make_snippet("1"))
    base = ledger._base
    assert base is not None
    pages = base.execute("PRAGMA page_count").fetchone()[0]
    base.execute(f"PRAGMA max_page_count = {pages}")
    for number in range(200):
        record(ledger, make_snippet("1"), run_id=f"n{number}", outcome=replace(DONE, output="x" * 10_000))
    assert "full" in str(ledger.problem)
    assert ledger.recent()


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


def test_after_the_close_calls_do_nothing(ledger: Ledger, make_snippet: Make) -> None:
    """A run that ends after the window has closed its ledger harms nothing."""
    ledger.close()
    ledger.close()
    record(ledger, make_snippet("1"))
    assert ledger.recent() == ()


def test_a_hundred_thousand_runs_open_quickly(ledger: Ledger, make_snippet: Make) -> None:
    """The list of the latest is there within 100 ms."""
    record(ledger, make_snippet("1"))
    base = ledger._base
    assert base is not None
    names = [row[1] for row in base.execute("PRAGMA table_info(runs)") if row[1] not in {"run_id", "started"}]
    base.execute("BEGIN")
    base.execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        f"INSERT INTO runs (run_id, started, {', '.join(names)}) "
        f"SELECT 'r' || i, '2025-01-01T' || i, {', '.join(names)} FROM runs, n"
    )
    base.execute("COMMIT")
    assert len(ledger.recent(100)) == 100
    assert ledger.status_of(make_snippet("1")) == "passed"
    assert min(timeit.repeat(lambda: ledger.recent(100), number=1, repeat=3)) < 0.1
    assert min(timeit.repeat(lambda: ledger.last("note#block1"), number=1, repeat=3)) < 0.1
