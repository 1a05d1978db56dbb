"""What was chosen for the runs of snippets, from one start to the next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.runs.run_options import MOST_REMEMBERED, RunChoices, RunOptions

CHOSEN = RunOptions(threads=2, blocking=True, variables="A=b", arguments="'x y'", timeout="30", device="cuda:1")


def test_it_is_remembered(tmp_path: Path) -> None:
    """By the next start, in a folder for this user alone; what is taken back is gone, as is what was never chosen."""
    file = tmp_path / "data" / "options.json"
    choices = RunChoices(file)
    choices["note#a"] = CHOSEN
    choices["note#b"] = RunOptions(threads=1)
    choices["note#b"] = RunOptions()
    del choices["note#c"]
    assert RunChoices(file) == {"note#a": CHOSEN}
    assert RunChoices(file)["note#other"] == RunOptions()
    assert file.parent.stat().st_mode & 0o077 == 0
    choices["note#a"] = RunOptions()
    assert RunChoices(file) == {}


def test_it_follows_a_note_that_is_moved(tmp_path: Path) -> None:
    """What was chosen for its code holds under its new path, at the next start as well; nothing else changes."""
    file = tmp_path / "options.json"
    choices = RunChoices(file)
    choices["a.md#x"], choices["b.md#x"], choices["file"] = CHOSEN, RunOptions(threads=1), RunOptions(threads=3)
    choices.follow({"a.md": "b.md", "b.md": "c/b.md"})
    assert choices == {"b.md#x": CHOSEN, "c/b.md#x": RunOptions(threads=1), "file": RunOptions(threads=3)}
    assert RunChoices(file) == choices
    file.unlink()
    choices.follow({"other.md": "x.md"})
    assert not file.exists()


def test_as_many_as_are_of_use(tmp_path: Path) -> None:
    """Those that were chosen for longest ago are forgotten first."""
    choices = RunChoices()
    for number in range(MOST_REMEMBERED + 3):
        choices[str(number)] = CHOSEN
    assert len(choices) == MOST_REMEMBERED
    assert next(iter(choices)) == "3"


@pytest.mark.parametrize("broken", ["{", "[]", "3", '{"a": ' + "[" * 5000])
def test_a_broken_file(broken: str, tmp_path: Path) -> None:
    """It is set aside, and nothing is chosen."""
    file = tmp_path / "options.json"
    file.write_text(broken)
    assert RunChoices(file) == {}
    assert (tmp_path / "options.json.broken").read_text() == broken


@given(st.dictionaries(st.text(), st.dictionaries(st.text(), st.none() | st.integers() | st.text()) | st.integers()))
def test_entries_that_make_no_sense(tmp_path_factory: pytest.TempPathFactory, document: dict[str, object]) -> None:
    """They are passed over one by one; whatever is left could have been typed into the form."""
    file = tmp_path_factory.mktemp("data") / "options.json"
    file.write_text(json.dumps({**document, "good": {"threads": 3, "timeout": 5, "other": 1}, "bad": {"timeout": "x"}}))
    found = RunChoices(file)
    assert found["good"] == RunOptions(threads=3)
    assert "bad" not in found
    for options in found.values():
        options.check()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    """It holds until the end of the window all the same."""
    (tmp_path / "file").write_text("")
    choices, told = RunChoices(tmp_path / "file" / "options.json"), list[Exception]()
    choices.failed = told.append
    choices["a"] = CHOSEN
    assert choices["a"] == CHOSEN
    assert len(told) == 1


def test_two_windows_keep_each_other_s_options(tmp_path: Path) -> None:
    """Each writes what it changed or removed, and takes over the rest."""
    file = tmp_path / "options.json"
    one, two = RunChoices(file), RunChoices(file)
    one["a"] = RunOptions(threads=1)
    two["b"] = RunOptions(threads=2)
    one["c"] = RunOptions(threads=3)
    assert set(one) == {"a", "b", "c"}
    del two["a"]
    one["b"] = RunOptions(threads=4)
    assert dict(RunChoices(file)) == {"b": RunOptions(threads=4), "c": RunOptions(threads=3)}
