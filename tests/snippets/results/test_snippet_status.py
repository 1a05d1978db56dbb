"""The status of a snippet: which run counts, what it is compared with, and when it is stale."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger
from snippets.results.ledger_schema import TELLING
from snippets.results.outcome import Outcome, unavailable
from snippets.results.snippet_status import BADGES, SnippetStatus, worst
from snippets.targets.devices import Device
from snippets.targets.interpreters import Interpreter

Make = Callable[..., Snippet]
CPU = Device("cpu", "cpu", "A processor", 1, 1, available=True)
GPU = Device("cuda:0", "cuda", "A GPU", 1, 1, available=True)
PYTHON = Interpreter(Path("/usr/bin/python3"), "Python", "3.12.1", "2.13.0")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Return a new ledger."""
    with closing(Ledger(tmp_path / "runs.sqlite")) as made:
        yield made


def ended(status: str, stdout: str = "1\n", *, device: str = "cpu", more: str = "", cut: int = 0) -> Outcome:
    """Make an outcome."""
    bare = unavailable(Sentence("why", "为什么"), device=device, run_id="1")
    facts = {"status": status, "stdout": stdout, "output": stdout + more, "cut_bytes": cut}
    return Outcome(**{**bare.__dict__, **facts})


class Runs:
    """Records runs one after another."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.count = 0

    def __call__(self, snippet: Snippet, outcome: Outcome, python: Interpreter | None = PYTHON) -> None:
        """Record a run that ended so; None: it was refused before a Python was asked."""
        self.count += 1
        self.ledger.begin(str(self.count), snippet, device=outcome.device)
        if python is not None:
            self.ledger.prepared(str(self.count), interpreter=python)
        self.ledger.finish(str(self.count), outcome)

    def standing(self, snippet: Snippet, **known: object) -> SnippetStatus:
        """Return its status."""
        return self.ledger.standings([snippet], **known)[snippet.name]  # type: ignore[arg-type]


@pytest.fixture
def runs(ledger: Ledger) -> Runs:
    """Return a recorder of runs."""
    return Runs(ledger)


@pytest.mark.parametrize(
    ("status", "badge"),
    [
        ("passed", "passed"),
        ("failed", "failed"),
        ("timeout", "failed"),
        ("killed", "failed"),
        ("stopped", "never"),
        ("unavailable", "unavailable"),
    ],
)
def test_how_a_run_ended(status: str, badge: str, runs: Runs, make_snippet: Make) -> None:
    """A run that the user stopped does not count; one that timed out or was killed failed."""
    snippet = make_snippet("1")
    assert runs.standing(snippet) == SnippetStatus("never")
    runs(snippet, ended(status))
    found = runs.standing(snippet)
    assert (found.badge, found.status) == (badge, "stopped" if status == "stopped" else badge)
    assert found.badge in BADGES


def test_the_last_run_that_says_something_counts(runs: Runs, make_snippet: Make) -> None:
    """Neither a run that was stopped, nor one that this machine could not do, nor one going on takes a proof away."""
    snippet = make_snippet("1")
    runs(snippet, ended("passed"))
    for status in ("stopped", "unavailable"):
        runs(snippet, ended(status))
        assert runs.standing(snippet).badge == "passed"
    runs.ledger.begin("now", snippet, device="cpu")
    found = runs.standing(snippet)
    assert (found.badge, found.status) == ("passed", "running")
    assert found.last is not None
    assert found.last.run_id == "now"


def test_another_output_than_the_recorded_one_is_no_proof(runs: Runs, make_snippet: Make) -> None:
    """A run that ends well and prints something else has failed its claim."""
    snippet = make_snippet("1", recorded={"": "t ... s\n"})
    runs(snippet, ended("passed", "t 3 s\n", more="a warning\n"))
    assert runs.standing(snippet).badge == "passed"
    runs(snippet, ended("passed", "nothing\n"))
    assert runs.standing(snippet).badge == "failed"


def test_a_claim_that_was_changed_is_held_against_what_was_printed(runs: Runs, make_snippet: Make) -> None:
    """A changed expected output needs no new run, unless the output of the last one was cut."""
    runs(make_snippet("1", recorded={"": "old\n"}), ended("passed", "new\n"))
    assert runs.standing(make_snippet("1", recorded={"": "new\n"})).badge == "passed"
    assert runs.standing(make_snippet("1", recorded={"": "else\n"})).badge == "failed"
    assert runs.standing(make_snippet("1")).badge == "passed"
    runs(make_snippet("1", recorded={"": "old\n"}), ended("passed", "new\n", cut=5))
    assert runs.standing(make_snippet("1", recorded={"": "new\n"})).badge == "stale"


def test_each_device_has_its_claim(runs: Runs, make_snippet: Make) -> None:
    """A run on a GPU is held against what is recorded for it."""
    snippet = make_snippet("1", recorded={"": "cpu\n", "cuda": "cuda\n"})
    runs(snippet, ended("passed", "cuda\n", device="cuda:0"))
    assert runs.standing(snippet).badge == "passed"
    assert runs.standing(make_snippet("1", recorded={"": "cpu\n"})).badge == "failed"


def test_what_makes_it_stale(runs: Runs, make_snippet: Make) -> None:
    """Other code, another interpreter, another Python, another torch; whatever the run had shown."""
    for status in ("passed", "failed"):
        snippet = make_snippet("1")
        runs(snippet, ended(status))
        assert runs.standing(snippet, interpreter=PYTHON).badge == status
        assert runs.standing(make_snippet("2"), interpreter=PYTHON).badge == "stale"
        for other in ({"torch": "2.14.0"}, {"version": "3.13.0"}, {"path": Path("/x")}):
            assert runs.standing(snippet, interpreter=replace(PYTHON, **other)).badge == "stale"


def test_what_nothing_here_can_run(runs: Runs, make_snippet: Make) -> None:
    """It is unavailable, unless it has a proof; and where its device is there, it just has not been run yet."""
    snippet = make_snippet("1", devices=("cuda",))
    pair = make_snippet("1", needs_gpus=2)
    for_cuda = replace(PYTHON, builds=("cuda",))
    assert runs.standing(snippet, present=[CPU]).badge == "unavailable"
    assert runs.standing(pair, present=[CPU, GPU]).badge == "unavailable"
    assert runs.standing(pair, present=[CPU, GPU, replace(GPU, id="cuda:1")]).badge == "never"
    assert runs.standing(snippet, present=[CPU, GPU]).badge == "never"
    assert runs.standing(snippet, present=[CPU, GPU], interpreter=for_cuda).badge == "never"
    assert runs.standing(snippet, present=[CPU, GPU], interpreter=PYTHON).badge == "unavailable"  # its torch cannot
    runs(snippet, ended("unavailable", device="cuda:0"), None)
    assert runs.standing(snippet, present=[CPU, GPU]).badge == "never"
    runs(snippet, ended("unavailable", device="cuda:0"))  # the Python is what was wrong
    assert runs.standing(snippet, present=[CPU, GPU]).badge == "unavailable"
    assert runs.standing(snippet, present=[CPU, GPU], interpreter=for_cuda).badge == "unavailable"
    assert runs.standing(snippet, present=[CPU, GPU], interpreter=replace(for_cuda, torch="2.14.0")).badge == "never"
    runs(snippet, ended("passed", device="cuda:0"))
    assert runs.standing(snippet, present=[CPU]).badge == "passed"


def test_a_vault_is_asked_for_at_once(runs: Runs, make_snippet: Make) -> None:
    """More names than fit into one question, names that no file can hold, and the same name twice."""
    names = [*(f"s{number}" for number in range(900)), "\ud800", "a'b", ""]
    for name in names[::2]:
        runs(make_snippet("1", name=name), ended("passed"))
    found = runs.ledger.standings(make_snippet("1", name=name) for name in [*names, "s0"])
    assert {name: one.badge for name, one in found.items()} == {
        name: "never" if at % 2 else "passed" for at, name in enumerate(names)
    }
    runs.ledger.close()
    assert {one.badge for one in runs.ledger.standings([make_snippet("1", name=name) for name in names]).values()} == {
        "never"
    }


def test_the_question_is_answered_from_the_indexes(ledger: Ledger) -> None:
    """However many runs there are, none is looked at but the two that count."""
    question = f"SELECT rowid FROM runs WHERE name = 'a' AND {TELLING} ORDER BY started DESC LIMIT 1"
    assert ledger.problem is None  # and it is open
    assert ledger._base is not None
    plan = ledger._base.execute(f"EXPLAIN QUERY PLAN {question}").fetchall()
    assert "USING INDEX runs_telling" in str(plan)
    assert "TEMP B-TREE" not in str(plan)


def test_the_worst_counts_for_a_note() -> None:
    """A failure counts most; only snippets that never ran count less than unavailable ones."""
    assert worst(["passed", "failed", "passed"]) == ("failed", 1)
    assert worst(["passed", "stale"]) == ("stale", 1)
    assert worst(["never", "passed", "passed"]) == ("passed", 2)
    assert worst(["never", "unavailable"]) == ("unavailable", 1)
    assert worst(["never"]) == ("never", 1)
    assert worst([]) == ("", 0)
