"""Settings and state: files that are read and written, and failures of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.state.settings import Preferences, SettingsStore, VaultState, load, store
from kb.files.paths import UserPaths

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    """Every field, tuples included."""
    state = VaultState(tabs=("a.md", "b.md"), note="a.md", mode="zh", tree_shown=False)
    store(tmp_path / "new" / "state.json", state)
    assert load(tmp_path / "new" / "state.json", VaultState).value == state


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    """Nothing is set aside."""
    loaded = load(tmp_path / "settings.json", Preferences)
    assert loaded.value == Preferences()
    assert loaded.set_aside is None


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe\x00", b"[1]", b"[" * 100_000])
def test_a_broken_file_is_set_aside(tmp_path: Path, text: bytes) -> None:
    """The defaults are taken and what it held is kept."""
    file = tmp_path / "settings.json"
    file.write_bytes(text)
    loaded = load(file, Preferences)
    assert loaded.value == Preferences()
    assert loaded.set_aside == tmp_path / "settings.json.broken"
    assert loaded.set_aside.read_bytes() == text
    assert not file.exists()


def test_a_broken_file_that_cannot_be_moved_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only folder is no reason not to start."""

    def refuse(*_: object) -> None:
        raise PermissionError

    (tmp_path / "settings.json").write_text("{", "utf-8")
    monkeypatch.setattr(Path, "replace", refuse)
    assert load(tmp_path / "settings.json", Preferences).set_aside is None


@given(document=st.dictionaries(st.sampled_from([*VaultState.__dataclass_fields__, "other"]), JSON))
def test_whatever_the_values_are_the_sound_ones_are_taken(
    document: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A value of the wrong kind is its default; a file from another version gives what it can."""
    file = tmp_path_factory.mktemp("settings") / "state.json"
    file.write_text(json.dumps(document), "utf-8")
    state = load(file, VaultState).value
    assert state.mode in {"zh", "en", "both"}
    assert isinstance(state.tree_shown, bool)
    assert all(isinstance(tab, str) for tab in state.tabs)
    note = document.get("note")
    assert state.note == (note if isinstance(note, str) else "")


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


def test_two_windows_keep_each_other_s_choices(tmp_path: Path) -> None:
    """What one changed is taken over by the other with its next change, for preferences and for a vault's state."""
    places, root = UserPaths.under(tmp_path), tmp_path / "vault"
    root.mkdir()
    one, two = (SettingsStore(places, lambda error: pytest.fail(str(error))) for _ in range(2))
    for window in (one, two):
        window.switch_vault(root)
    one.set_preference(theme="dark")
    two.set_preference(language="zh")
    assert (two.preferences.theme, two.preferences.language) == ("dark", "zh")
    assert load(places.data / "settings.json", Preferences).value == two.preferences
    one.set_preference(theme="light")
    assert (one.preferences.theme, one.preferences.language) == ("light", "zh")
    one.set_state(isolated=False)
    one.save()
    two.set_state(mode="zh")
    two.save()
    state = load(places.for_vault(root).state, VaultState).value
    assert (state.isolated, state.mode) == (False, "zh")


def test_a_choice_that_could_not_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    """It is not replaced by what the file has."""
    places, failures = UserPaths.under(tmp_path), list[Exception]()
    window = SettingsStore(places, failures.append)
    window.set_preference(language="zh")
    aside = (places.data / "settings.json").replace(tmp_path / "aside.json")
    (places.data / "settings.json").mkdir()
    window.set_preference(theme="dark")
    assert len(failures) == 1
    (places.data / "settings.json").rmdir()
    aside.replace(places.data / "settings.json")
    window.set_preference(spelling="off")
    stored = load(places.data / "settings.json", Preferences).value
    assert (stored.language, stored.theme, stored.spelling) == ("zh", "dark", "off")
