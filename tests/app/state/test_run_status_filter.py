"""How the code in a vault stands, for searches that ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.notebook import vault_snippets
from app.state.run_status_filter import RunStatusFilter
from kb.search.query_syntax import FILTERS
from kb.vault.vault import Vault
from snippets.model.metadata import DEVICE_KINDS
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger
from snippets.results.outcome import Outcome, Status
from snippets.results.snippet_status import BADGES
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

NOTE = "# Note\n\n```python\nprint(1)\n```\n\n```python id=b\nprint(2)\n```\n"
MINE = "# /// snippet\n# title.zh = '我的'\n# title.en = 'Mine'\n# devices = ['cuda']\n# ///\nprint('mine')\n"
Record = Callable[..., None]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with a note of two blocks and a file of its own."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").write_text(NOTE, encoding="utf-8")
    (root / "mine.py").write_text(MINE, encoding="utf-8")
    return Vault.open(root)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    yield ledger
    ledger.close()


@pytest.fixture
def record(ledger: Ledger) -> Record:
    """Return a function that records a run as ended."""

    def record(snippet: Snippet, status: Status, device: str = "cpu") -> None:
        run = f"{snippet.name} {status} {device}"
        ledger.begin(run, snippet, device=device)
        outcome = Outcome(
            status=status,
            exit_code=0,
            reason_en=None,
            reason_zh=None,
            seconds=1.0,
            first_output_seconds=None,
            device=device,
            torch=None,
            output="",
            artifacts=(),
            run_id=run,
            peak_rss_mb=None,
            cut_bytes=0,
        )
        ledger.finish(run, outcome)

    return record


def test_what_can_be_asked_is_what_the_ledger_and_the_snippets_know() -> None:
    """Every badge and every kind of device is a value of its filter."""
    assert {value.name for value in FILTERS["status"].values} == set(BADGES)
    assert {value.name for value in FILTERS["device"].values} == set(DEVICE_KINDS) - {"any"}


def test_statuses_are_those_of_the_last_runs(vault: Vault, ledger: Ledger, record: Record) -> None:
    """Blocks and files are known by name; one that ran out of time failed, too; what is gone is not told of."""
    record(vault_snippets.find(vault, "note.md#block1"), "passed")
    record(vault_snippets.find(vault, "note.md#b"), "timeout")
    record(vault_snippets.find(vault, "mine"), "passed", "cuda:0")
    (vault.root / "gone.md").write_text(NOTE, encoding="utf-8")
    record(vault_snippets.find(vault, "gone.md#b"), "failed")
    (vault.root / "gone.md").unlink()
    run_filter = RunStatusFilter(vault, lambda: ledger)
    assert run_filter("status", "passed") == {"note.md#block1", "mine"}
    assert run_filter("status", "failed") == {"note.md#b"}
    assert run_filter("status", "tried") == {"note.md#block1", "note.md#b", "mine"}
    assert run_filter("status", "stale") == set()


def test_a_device_is_what_code_is_for_or_ran_on(vault: Vault, ledger: Ledger, record: Record) -> None:
    """A snippet that says nothing of devices is for none in particular."""
    record(vault_snippets.find(vault, "note.md#b"), "passed", "cuda:0")
    run_filter = RunStatusFilter(vault, lambda: ledger)
    shipped = {
        name for name, one in vault_snippets.library(vault).snippets.items() if "cuda" in one.devices or one.needs_gpus
    }
    assert run_filter("device", "cuda") == {"mine", "note.md#b"} | shipped
    assert "mine" not in run_filter("device", "cpu")


def test_changed_code_is_stale(vault: Vault, ledger: Ledger, record: Record) -> None:
    """So is what ran under another Python."""
    record(vault_snippets.find(vault, "note.md#b"), "passed")
    record(vault_snippets.find(vault, "mine"), "failed")
    other = Interpreter(Path("/usr/bin/python3"), "python3", "3.11.0", None, ())
    ledger.prepared("mine failed cpu", interpreter=other)
    (vault.root / "note.md").write_text(NOTE.replace("print(2)", "print(3)"), encoding="utf-8")
    assert RunStatusFilter(vault, lambda: ledger)("status", "stale") == {"note.md#b"}
    now = Interpreter(Path("/usr/bin/python3"), "python3", "3.12.0", None, ())
    assert RunStatusFilter(vault, lambda: ledger, lambda: now)("status", "stale") == {"note.md#b", "mine"}


def test_what_nothing_here_can_run_is_unavailable(vault: Vault, ledger: Ledger, record: Record) -> None:
    """Without a run too; with a proof it is what the proof says, wherever that was made."""
    cpu = Device("cpu", "cpu", "A processor", 1, 1, available=True)
    run_filter = RunStatusFilter(vault, lambda: ledger, present=lambda: (cpu,))
    assert "mine" in run_filter("status", "unavailable")
    assert "mine" not in run_filter("status", "tried")
    record(vault_snippets.find(vault, "mine"), "passed", "cuda:0")
    run_filter.forget()
    assert "mine" not in run_filter("status", "unavailable")
    assert run_filter("status", "passed") == {"mine"}


def test_the_ledger_is_asked_once(vault: Vault, ledger: Ledger, record: Record) -> None:
    """Until it is told that something ran; then what it is told of counts."""
    asked: list[Ledger] = []

    def opened() -> Ledger:
        asked.append(ledger)
        return ledger

    run_filter = RunStatusFilter(vault, opened)
    assert run_filter("status", "passed") == set()
    record(vault_snippets.find(vault, "mine"), "passed")
    assert run_filter("status", "passed") == set()
    assert len(asked) == 1
    run_filter.forget()
    assert run_filter("status", "passed") == {"mine"}
    assert len(asked) == 2


def test_what_changes_while_it_is_looked_up_is_looked_up_again(vault: Vault, ledger: Ledger, record: Record) -> None:
    """A run that ends in between is not missed for good."""
    run_filter: RunStatusFilter

    def interrupted() -> Ledger:
        run_filter.forget()
        return ledger

    run_filter = RunStatusFilter(vault, interrupted)
    assert run_filter("status", "passed") == set()
    record(vault_snippets.find(vault, "mine"), "passed")
    assert run_filter("status", "passed") == {"mine"}
