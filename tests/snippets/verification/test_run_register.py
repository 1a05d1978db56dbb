"""The register of runs: what is proven on which kind of device, and nothing that was never run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from snippets.errors import Sentence
from snippets.model.catalog import LIBRARY, catalog
from snippets.model.snippet import Snippet, read_snippet
from snippets.results.outcome import unavailable
from snippets.verification.run_register import NAME, add_runs, proven_kinds, read_register
from snippets.verification.verdicts import Verdict

FILE = '# /// snippet\n# title.zh = "题"\n# title.en = "title"\n# devices = ["cpu", "cuda"]\n# ///\nprint("y")\n'
SHIPPED = dict(catalog(LIBRARY).snippets)


@pytest.fixture
def snippet(tmp_path: Path) -> Snippet:
    """A file with a record."""
    (tmp_path / "one.py").write_text(FILE, "utf-8")
    (tmp_path / "one.out").write_text("y\n", "utf-8")
    return read_snippet(tmp_path / "one.py")


def verdict(snippet: Snippet, status: str = "passed", device: str = "cpu", accepted: str | None = None) -> Verdict:
    """Say what became of a claim."""
    outcome = replace(unavailable(Sentence("none", "无"), device=device, run_id=""), torch="2.13.0+cpu")
    return Verdict(snippet, status, outcome, accepted=accepted)  # type: ignore[arg-type]


def test_a_passed_run_is_added(snippet: Snippet, tmp_path: Path) -> None:
    """With torch and day, a line each; it stands for this code and this record only."""
    assert add_runs(tmp_path, [verdict(snippet)], "2026-11-23") == 1
    register = read_register(tmp_path)
    assert (register["one"]["cpu"].day, register["one"]["cpu"].torch) == ("2026-11-23", "2.13.0+cpu")
    assert proven_kinds(snippet, register) == ("cpu",)
    assert proven_kinds(replace(snippet, code=snippet.code + "#"), register) == ()
    assert proven_kinds(replace(snippet, recorded={"": "z\n"}), register) == ()
    add_runs(tmp_path, [verdict(snippet, device="cuda:0")], "2026-11-24")
    assert proven_kinds(snippet, read_register(tmp_path)) == ("cpu", "cuda")
    assert len((tmp_path / NAME).read_text().splitlines()) == 6


def test_what_is_no_proof_is_not_added(snippet: Snippet, tmp_path: Path) -> None:
    """Neither a failed run, nor one whose output was just accepted, nor a file of another folder."""
    verdicts = [
        verdict(snippet, "failed"),
        verdict(snippet, accepted="y\n"),
        verdict(replace(snippet, path=tmp_path / "other" / "one.py")),
        verdict(replace(snippet, path=None)),
    ]
    assert add_runs(tmp_path, verdicts, "2026-11-23") == 0
    assert not (tmp_path / NAME).exists()


def test_a_file_that_is_gone_leaves_the_register(snippet: Snippet, tmp_path: Path) -> None:
    """With the next run that is added; without a register there is none."""
    assert read_register(tmp_path) == {}
    (tmp_path / NAME).write_text(json.dumps({"gone": {"cpu": {"day": "d", "python": "p", "proof": "x"}}}))
    add_runs(tmp_path, [verdict(snippet)], "2026-11-23")
    assert set(read_register(tmp_path)) == {"one"}


@pytest.mark.parametrize("name", SHIPPED)
def test_each_record_of_the_library_has_a_run_behind_it(name: str) -> None:
    """On the CPU for every snippet that declares it; a record for another kind of device was made there."""
    snippet, register = SHIPPED[name], read_register(LIBRARY)
    kinds = proven_kinds(snippet, register)
    if {"cpu", "any"} & set(snippet.devices):
        assert "cpu" in kinds, f"{name} was changed since it was last proven: make verify ARGS=--stamp"
    assert set(snippet.recorded) - {""} <= set(kinds)


def test_the_register_names_no_other_files() -> None:
    """Each entry is that of a shipped snippet; one of a GPU names the card and its driver."""
    register = read_register(LIBRARY)
    assert set(register) <= set(SHIPPED)
    for runs in register.values():
        assert all(run.device and run.driver for kind, run in runs.items() if kind == "cuda")
