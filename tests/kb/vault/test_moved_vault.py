"""A vault that was moved finds its data again, and no other one takes them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts
from kb.vault.moved_vault import follow_moved
from kb.vault.vault import Vault

pytestmark = pytest.mark.skipif(os.name == "nt", reason="inodes of POSIX")


@pytest.fixture
def places(tmp_path: Path) -> UserPaths:
    return UserPaths.under(tmp_path / "user")


def opened(root: Path, places: UserPaths) -> Vault:
    """Open a vault as the program does."""
    follow_moved(root, places)
    return Vault.open(root, places=places)


@pytest.fixture
def root(tmp_path: Path, places: UserPaths) -> Path:
    """A vault with a saved note and an unsaved text."""
    root = tmp_path / "vault"
    root.mkdir()
    vault = opened(root, places)
    vault.save("a.md", "saved", expected_hash=None)
    vault.save("b.md", "saved", expected_hash=None)
    Drafts(places.for_vault(root).drafts).keep("a.md", "unsaved", base_hash=None)
    opened(root, places)
    return root


def test_drafts_and_versions_follow_a_moved_vault(root: Path, tmp_path: Path, places: UserPaths) -> None:
    """Also if its notes changed in part; the old folder of data is gone."""
    (tmp_path / "elsewhere").mkdir()
    there = root.rename(tmp_path / "elsewhere" / "renamed")
    (there / "b.md").rename(there / "c.md")
    vault = opened(there, places)
    assert [json.loads(one.read_text())["text"] for one in places.for_vault(there).drafts.glob("*.json")] == ["unsaved"]
    assert [one.bytes for one in vault.versions.versions("a.md")] == [5]
    assert len(list((places.data / "vaults").iterdir())) == 1


def test_a_copy_has_data_of_its_own(root: Path, tmp_path: Path, places: UserPaths) -> None:
    """And the first one keeps its own."""
    copy = Path(shutil.copytree(root, tmp_path / "copy"))
    assert opened(copy, places).versions.versions("a.md") == ()
    assert opened(root, places).versions.versions("a.md") != ()


def test_a_new_folder_with_the_same_inode_takes_nothing(root: Path, tmp_path: Path, places: UserPaths) -> None:
    """An inode is used again once its folder is deleted."""
    there = root.rename(tmp_path / "new")
    for name in ("a.md", "b.md"):
        (there / name).unlink()
    (there / "other.md").write_text("x")
    assert opened(there, places).versions.versions("a.md") == ()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"root": 1}', '{"root": "/x", "names": 1}'])
def test_damaged_notes_of_where_it_was_harm_nothing(root: Path, tmp_path: Path, places: UserPaths, text: str) -> None:
    """Nothing is raised, and nothing is taken."""
    file = places.for_vault(root).state.with_name("vault.json")
    assert json.loads(file.read_text())["names"] == ["a.md", "b.md"]
    file.write_text(text)
    assert opened(root.rename(tmp_path / "new"), places).versions.paths() == ()


def test_a_vault_that_is_not_there_harms_nothing(tmp_path: Path, places: UserPaths) -> None:
    """What opens it says so."""
    follow_moved(tmp_path / "gone", places)
    assert not places.data.exists()
