"""The record of runs: what goes in comes out, quickly, and how long it is kept."""

from __future__ import annotations

import sqlite3
import threading
import timeit
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from snippets.errors import LedgerFailed, Sentence
from snippets.model.snippet import Snippet
from snippets.results.ledger import KEPT_CHARACTERS, Ledger
from snippets.results.outcome import Artifact, Outcome, unavailable
from snippets.targets.interpreters import Interpreter

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
    """Return the path of the ledger."""
    return tmp_path / "state" / "runs.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    """Return a new ledger."""
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
    assert ledger.names() == ("s0", "s1")


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


def test_a_row_knows_where_and_against_what_it_ran(
    ledger: Ledger, make_snippet: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA and driver of a run on a GPU, its memory there, what was asked for, and whether its claim was borne out."""
    monkeypatch.setattr("snippets.targets.nvidia.driver_version", lambda: "580.1")
    one = make_snippet("1", recorded={"": "tensor(1)\n", "cuda": "tensor(1, device=...)\n"})
    ledger.begin("1", one, device="cuda:0", asked='{"args": ["2"]}')
    ledger.prepared("1", interpreter=replace(PYTHON, cuda="12.8"))
    printed = replace(DONE, device="cuda:0", output="warn\ntensor(1, device=0)\n", stdout="tensor(1, device=0)\n")
    ledger.finish("1", replace(printed, peak_gpu_mb=300.0))
    record(ledger, one, run_id="2", outcome=replace(DONE, stdout="tensor(2)\n"))
    record(ledger, make_snippet("1"), run_id="3")
    third, second, first = ledger.recent()
    assert (first.cuda, first.driver, first.peak_gpu_mb, first.asked) == ("12.8", "580.1", 300.0, '{"args": ["2"]}')
    assert (first.as_recorded, first.printed) == (True, "tensor(1, device=0)\n")
    assert (second.as_recorded, second.driver, second.asked) == (False, None, None)
    assert (third.as_recorded, third.recorded_sha256, third.stdout) == (None, "", "")
    assert [row.output for row in ledger.listed(2)] == ["", ""]
    assert [row.run_id for row in ledger.listed(5, "note#block1")] == ["3", "2", "1"]
    assert ledger.listed(5, "another") == ()


def test_a_run_is_found_by_a_part_of_its_id(ledger: Ledger, make_snippet: Make) -> None:
    """Its beginning or its end is enough where it says which; what is a pattern elsewhere is plain here."""
    for run_id in ("20260101T000000-aaaa", "20260101T000001-bb_b"):
        record(ledger, make_snippet("1"), run_id=run_id)
    assert ledger.find("aaaa").run_id.endswith("aaaa")
    assert ledger.find("20260101T000001").run_id.endswith("bb_b")
    assert ledger.find("bb_b").run_id.endswith("bb_b")
    for vague, words in (("2026", "Several"), ("", "Several"), ("bb%b", "No run"), ("cccc", "No run"), ("b__b", "No")):
        with pytest.raises(LedgerFailed, match=words):
            ledger.find(vague)


def test_what_ran_in_a_note_follows_it(ledger: Ledger, make_snippet: Make) -> None:
    """By its new path all is known that was known by the old one, in one step even where one takes another's name."""
    for number, origin in enumerate(("a.md", "b.md", "a.md#b.md", "lib")):
        snippet = replace(make_snippet("print(1)"), name=f"{origin}#one" if "." in origin else origin, origin=origin)
        record(ledger, snippet, str(number))
    ledger.follow({})
    ledger.follow({"a.md": "b.md", "b.md": "c/b.md", "gone.md": "x.md"})
    assert {row.run_id: (row.name, row.origin) for row in ledger.recent()} == {
        "0": ("b.md#one", "b.md"),
        "1": ("c/b.md#one", "c/b.md"),
        "2": ("a.md#b.md#one", "a.md#b.md"),
        "3": ("lib", "lib"),
    }
    moved = replace(make_snippet("print(1)"), name="b.md#one", origin="b.md")
    assert ledger.status_of(moved, PYTHON) == ledger.status_of(replace(moved, name="c/b.md#one"), PYTHON) != "never"


def test_the_oldest_are_forgotten(ledger: Ledger, make_snippet: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of runs or of bytes, those from long ago go; pinned ones stay, and those going on."""
    ledger.begin("going on", make_snippet("1"), device="cpu")
    for number in range(20):
        record(ledger, make_snippet("1"), run_id=str(number), outcome=replace(DONE, output="x" * 10, stdout="y" * 10))
    ledger.pin("0")
    assert ledger.trim() == 0
    assert ledger.trim(most_runs=10) == 10
    assert [row.run_id for row in ledger.recent()] == [*map(str, range(19, 10, -1)), "0", "going on"]
    assert ledger.trim(most_bytes=100) == 5
    assert [row.run_id for row in ledger.recent()] == ["19", "18", "17", "16", "0", "going on"]
    monkeypatch.setattr("snippets.results.ledger._TRIM_EVERY", 1)
    monkeypatch.setattr(Ledger.trim, "__kwdefaults__", {"most_runs": 5, "most_bytes": 10**6})
    record(ledger, make_snippet("1"), run_id="new")
    assert [row.run_id for row in ledger.recent()] == ["new", "19", "18", "17", "0", "going on"]


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
    """Window and command line share a ledger; neither marks active runs of the other as interrupted."""
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


def test_after_the_close_calls_do_nothing(ledger: Ledger, make_snippet: Make) -> None:
    """A run that ends after the window has closed its ledger harms nothing."""
    ledger.close()
    ledger.close()
    record(ledger, make_snippet("1"))
    assert ledger.recent() == ()


def test_a_hundred_thousand_runs_open_quickly(ledger: Ledger, path: Path, make_snippet: Make) -> None:
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
    assert min(timeit.repeat(lambda: ledger.listed(100, "note#block1"), number=1, repeat=3)) < 0.1
    assert min(timeit.repeat(lambda: Ledger(path).close(), number=1, repeat=3)) < 0.2
    thousand = [make_snippet("1", name=f"s{number}") for number in range(999)] + [make_snippet("1")]
    assert ledger.standings(thousand)["note#block1"].badge == "passed"
    assert min(timeit.repeat(lambda: ledger.standings(thousand), number=1, repeat=3)) < 0.3


def test_what_cannot_be_forgotten_stays(ledger: Ledger, make_snippet: Make) -> None:
    """All of it is forgotten or nothing, and what went wrong is said."""
    for number in range(5):
        record(ledger, make_snippet("1"), run_id=str(number))
    base = ledger._base
    assert base is not None
    trigger = "BEFORE DELETE ON runs WHEN old.run_id = '1' BEGIN SELECT RAISE(ABORT, 'no'); END"
    base.execute(f"CREATE TRIGGER stays {trigger}")
    assert ledger.trim(most_runs=1) == 0
    assert not base.in_transaction
    assert len(ledger.listed()) == 5
    assert "no" in str(ledger.problem)


def test_names_that_nobody_ran(ledger: Ledger) -> None:
    """Nothing is asked for nothing."""
    assert ledger.standings([]) == {}


def test_a_file_is_made_when_something_is_asked_for(tmp_path: Path) -> None:
    """A vault in which nothing is run is opened without one; who asks what is wrong with it has asked for it."""
    path = tmp_path / "data" / "runs.sqlite"
    with closing(Ledger(path)) as ledger:
        assert not path.parent.exists()
        assert ledger.problem is None
        assert path.exists()
    assert ledger.problem is None  # closed, and left alone
