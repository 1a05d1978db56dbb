"""What is remembered, and what happens when it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.rooms.memory import Memory
from kb.places import Places


def unwritten(error: Exception) -> None:
    """Fail a test in which everything can be written."""
    raise error


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Give the places of an empty home."""
    made = Places.under(tmp_path)
    made.user_vault.mkdir(parents=True)
    return made


def test_each_vault_has_its_own_state(places: Places, tmp_path: Path) -> None:
    """And the one open last is known at the next start."""
    memory = Memory(places, unwritten)
    memory.turn_to(places.user_vault)
    assert memory.preferences.vault == ""
    memory.remember(note="a.md", mode="zh")
    memory.save()
    other = tmp_path / "other"
    other.mkdir()
    memory.turn_to(other)
    assert memory.state.note == ""
    again = Memory(places, unwritten)
    assert again.preferences.vault == str(other)
    again.turn_to(places.user_vault)
    assert (again.state.note, again.state.mode) == ("a.md", "zh")


def test_preferences_are_written_at_once(places: Places) -> None:
    """A crash later loses none."""
    Memory(places, unwritten).prefer(theme="dark")
    assert Memory(places, unwritten).preferences.theme == "dark"


def test_broken_files_are_told_of_once(places: Places) -> None:
    """Both kinds."""
    places.data.mkdir()
    (places.data / "settings.json").write_text("{", "utf-8")
    state = places.for_vault(places.user_vault).state
    state.parent.mkdir(parents=True)
    state.write_text("[]", "utf-8")
    memory = Memory(places, unwritten)
    memory.turn_to(places.user_vault)
    assert [path.name for path in memory.take_set_aside()] == ["settings.json.broken", "state.json.broken"]
    assert memory.take_set_aside() == ()


def test_what_cannot_be_written_is_told_and_kept_in_memory(places: Places) -> None:
    """The window goes on with it."""
    places.data.write_text("a file where a folder should be", "utf-8")
    told: list[Exception] = []
    memory = Memory(places, told.append)
    memory.prefer(theme="dark")
    assert memory.preferences.theme == "dark"
    assert len(told) == 1
    memory.save()
    assert len(told) == 1
