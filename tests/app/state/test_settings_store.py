"""What is remembered, and what happens when it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.state.settings import SettingsStore
from kb.files.paths import UserPaths


def unwritten(error: Exception) -> None:
    """Fail a test in which everything can be written."""
    raise error


@pytest.fixture
def places(tmp_path: Path) -> UserPaths:
    """Give the places of an empty home."""
    made = UserPaths.under(tmp_path)
    made.user_vault.mkdir(parents=True)
    return made


def test_each_vault_has_its_own_state(places: UserPaths, tmp_path: Path) -> None:
    """And the one open last is known at the next start."""
    memory = SettingsStore(places, unwritten)
    memory.switch_vault(places.user_vault)
    assert memory.preferences.vault == ""
    memory.set_state(note="a.md", mode="zh")
    memory.save()
    other = tmp_path / "other"
    other.mkdir()
    memory.switch_vault(other)
    assert memory.state.note == ""
    again = SettingsStore(places, unwritten)
    assert again.preferences.vault == str(other)
    again.switch_vault(places.user_vault)
    assert (again.state.note, again.state.mode) == ("a.md", "zh")


def test_preferences_are_written_at_once(places: UserPaths) -> None:
    """A crash later loses none."""
    SettingsStore(places, unwritten).set_preference(theme="dark")
    assert SettingsStore(places, unwritten).preferences.theme == "dark"


def test_broken_files_are_told_of_once(places: UserPaths) -> None:
    """Both kinds."""
    places.data.mkdir()
    (places.data / "settings.json").write_text("{", "utf-8")
    state = places.for_vault(places.user_vault).state
    state.parent.mkdir(parents=True)
    state.write_text("[]", "utf-8")
    memory = SettingsStore(places, unwritten)
    memory.switch_vault(places.user_vault)
    assert [path.name for path in memory.take_set_aside()] == ["settings.json.broken", "state.json.broken"]
    assert memory.take_set_aside() == ()


def test_what_cannot_be_written_is_told_and_kept_in_memory(places: UserPaths) -> None:
    """The window goes on with it."""
    places.data.write_text("a file where a folder should be", "utf-8")
    told: list[Exception] = []
    memory = SettingsStore(places, told.append)
    memory.set_preference(theme="dark")
    assert memory.preferences.theme == "dark"
    assert len(told) == 1
    memory.save()
    assert len(told) == 1
