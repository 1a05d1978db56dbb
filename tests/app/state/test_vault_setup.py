"""Opening a vault: when to ask first, and which note to show first."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from app.runs.run_services import RunServices
from app.state.vault_setup import asks_first, count_shipped, open_vault_folder, start_note
from kb.errors import KbError
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


def test_a_vault_whose_data_cannot_be_kept_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence for the window with the folder, not an unexpected error."""

    def refuse(_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/data/runs")

    monkeypatch.setattr(RunServices, "of", refuse)
    with pytest.raises(KbError, match="cannot be opened: /data/runs: Permission denied"):
        open_vault_folder(tmp_path, UserPaths.under(tmp_path / "home"))
