"""Notes that were moved out of the vault: the list of them, and taking one of them back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kb.files.paths import UserPaths
from kb.vault.trash import discarded
from kb.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "vault").mkdir()
    return Vault.open(tmp_path / "vault", places=UserPaths.under(tmp_path / "user"))


def test_discarded_notes_are_listed(vault: Vault) -> None:
    """The newest first, with path and time; one that was brought back is no longer in the list."""
    began = time.time()
    for path in ("a.md", "训练/b.zh.md"):
        vault.save(path, path, expected_hash=None)
        vault.discard(path)
    found = vault.discarded()
    assert [one.path for one in found] == ["训练/b.zh.md", "a.md"]
    assert all(began - 1 <= one.at <= time.time() for one in found)
    assert found[1].kept.read_text() == "a.md"
    vault.bring_back(found[1].kept, "a.md")
    assert vault.read("a.md").text == "a.md"
    assert [one.path for one in vault.discarded()] == ["训练/b.zh.md"]


def test_a_note_that_was_discarded_twice_is_there_twice(vault: Vault) -> None:
    """Each with its own text."""
    for text in ("first", "second"):
        vault.save("a.md", text, expected_hash=None)
        vault.discard("a.md")
    assert [one.kept.read_text() for one in vault.discarded()] == ["second", "first"]


def test_strange_files_are_no_notes(vault: Vault, tmp_path: Path) -> None:
    """What another program left there is not in the list; without the folder the list is empty."""
    assert vault.discarded() == ()
    for name in ("file", "2026/a.md", "20260101-000000-1"):
        (tmp_path / "trash" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "trash" / name).write_text("x")
    assert discarded(tmp_path / "trash") == ()
