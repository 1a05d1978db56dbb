"""Opening a vault: when to ask first, and which note to show first."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.state.vault_setup import asks_first, count_shipped, start_note
from kb.files.paths import UserPaths
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import SHIPPED_NOTES, Vault


def entry(key: str) -> NoteEntry:
    """Return the entry of a note without titles."""
    folder, _, name = key.rpartition("/")
    return NoteEntry(key, folder, name, {"": f"{key}.md"}, {}, ())


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        (("a", "index", "b/index"), "index"),
        (("a", "README"), "README"),
        (("b/index", "z"), "z"),
        (("a/deep", "b/readme"), "b/readme"),
        (("templates/index", "a/b/note"), "a/b/note"),
        (("templates/only",), "templates/only"),
    ],
)
def test_the_start_note(keys: tuple[str, ...], first: str) -> None:
    """An index or readme, the less deep the better; a template only if there is nothing else."""
    assert start_note(map(entry, keys)).key == first


def test_only_the_missing_vault_of_the_user_is_asked_about(tmp_path: Path) -> None:
    """Opening any other folder creates nothing."""
    places = UserPaths.under(tmp_path)
    assert asks_first(None, places)
    assert not asks_first(tmp_path / "other", places)
    places.user_vault.mkdir(parents=True)
    assert not asks_first(None, places)


def test_shipped_notes_count_once_for_their_languages() -> None:
    """Most of them have two files."""
    files = len(tuple(Vault.open(SHIPPED_NOTES).files()))
    assert files / 2 <= count_shipped() < files
