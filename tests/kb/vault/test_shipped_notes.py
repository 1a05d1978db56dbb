"""The shipped notes in a user's own vault: a newer program brings newer ones, and touches nothing that was edited."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kb.errors import SaveFailed
from kb.files import atomic
from kb.vault import shipped_notes
from kb.vault.shipped_notes import UpdatedNotes, update_shipped
from kb.vault.vault import Vault, make_user_vault


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """Give the notes of a first version: three, one of them in a folder, and what is no note of them."""
    made = tmp_path / "shipped"
    (made / "a" / "__pycache__").mkdir(parents=True)
    for name in ("one.md", "two.md", "a/three.zh.md", ".hidden", "a/__pycache__/x.md"):
        (made / name).write_text(f"# {name}, first\n", "utf-8")
    return made


@pytest.fixture
def vault(tmp_path: Path, shipped: Path) -> Vault:
    """Give the vault that was made of them, and known to be."""
    make_user_vault(tmp_path / "own", shipped)
    vault = Vault.open(tmp_path / "own")
    assert not update_shipped(vault, shipped, record(vault))
    return vault


def record(vault: Vault) -> Path:
    """Return where it is recorded what was brought."""
    return vault.root.parent / "state" / "shipped.json"


def text(vault: Vault, path: str) -> str:
    """Return what lies in the vault."""
    return (vault.root / path).read_text("utf-8")


def test_what_nobody_edited_is_renewed_and_the_rest_is_left(vault: Vault, shipped: Path) -> None:
    """Unchanged files are updated, new ones come; edited, deleted and moved ones stay as the user has them."""
    for name in ("one.md", "two.md", "a/three.zh.md", "b/four.md", "mine.md"):
        (shipped / name).parent.mkdir(exist_ok=True)
        (shipped / name).write_text(f"# {name}, second\n", "utf-8")
    (vault.root / "two.md").write_text("# my own words\n", "utf-8")
    (vault.root / "a" / "three.zh.md").rename(vault.root / "moved.md")
    (vault.root / "mine.md").write_text("# a note of the user's of that name\n", "utf-8")
    did = update_shipped(vault, shipped, record(vault))
    assert did == UpdatedNotes(updated=("one.md",), added=("b/four.md",), left=("mine.md", "two.md"))
    assert text(vault, "one.md") == "# one.md, second\n"
    assert text(vault, "b/four.md") == "# b/four.md, second\n"
    assert text(vault, "two.md") == "# my own words\n"
    assert text(vault, "mine.md") == "# a note of the user's of that name\n"
    assert not (vault.root / "a" / "three.zh.md").exists()
    assert not (vault.root / ".hidden").exists()


def test_it_is_said_once(vault: Vault, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left is not told of at each start, and as long as nothing new was shipped no file is read."""
    (shipped / "one.md").write_text("# second\n", "utf-8")
    (vault.root / "one.md").write_text("# mine\n", "utf-8")
    assert update_shipped(vault, shipped, record(vault)).left == ("one.md",)
    monkeypatch.setattr(shipped_notes, "read_regular", lambda *_: pytest.fail("a file was read"))
    assert not update_shipped(vault, shipped, record(vault))


def test_a_note_taken_back_to_what_was_shipped_is_renewed_again(vault: Vault, shipped: Path) -> None:
    """Who undoes an edit has the next version like everybody."""
    (vault.root / "one.md").write_text("# mine\n", "utf-8")
    (vault.root / "one.md").write_text("# one.md, first\n", "utf-8")
    (shipped / "one.md").write_text("# second\n", "utf-8")
    assert update_shipped(vault, shipped, record(vault)).updated == ("one.md",)


@pytest.mark.parametrize("written", [None, b"", b"[]", b'{"mark": 1, "files": {}}', b'{"mark": "", "files": {"a": 1}}'])
def test_without_a_record_nothing_is_touched(vault: Vault, shipped: Path, written: bytes | None) -> None:
    """Nobody knows what the user edited then: all stays, and from now on it is known what was shipped."""
    shutil.rmtree(record(vault).parent)
    if written is not None:
        record(vault).parent.mkdir()
        record(vault).write_bytes(written)
    (shipped / "one.md").write_text("# second\n", "utf-8")
    (shipped / "new.md").write_text("# new\n", "utf-8")
    assert not update_shipped(vault, shipped, record(vault))
    assert text(vault, "one.md") == "# one.md, first\n"
    assert not (vault.root / "new.md").exists()
    assert set(json.loads(record(vault).read_text("utf-8"))["files"]) == {"one.md", "two.md", "new.md", "a/three.zh.md"}


def test_a_vault_without_any_of_them_gets_none(vault: Vault, shipped: Path) -> None:
    """Who has thrown all of them away has done with them; one's own notes stand among no others then."""
    for name in ("one.md", "two.md", "a/three.zh.md"):
        (vault.root / name).unlink()
    (vault.root / "mine.md").write_text("# mine\n", "utf-8")
    (shipped / "new.md").write_text("# new\n", "utf-8")
    assert not update_shipped(vault, shipped, record(vault))
    assert sorted(vault.files()) == ["mine.md"]


def test_what_fails_is_tried_again(vault: Vault, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that could not be written is renewed at the next start; the others are not told of twice."""
    (shipped / "one.md").write_text("# second\n", "utf-8")
    (shipped / "two.md").write_text("# second\n", "utf-8")
    true_replace = atomic.replace_file

    def full(place: Path, *given: Any, **more: Any) -> None:
        if place.name == "one.md":
            raise SaveFailed("one.md", "the disk is full")
        true_replace(place, *given, **more)

    monkeypatch.setattr(shipped_notes, "replace_file", full)
    assert update_shipped(vault, shipped, record(vault)).updated == ("two.md",)
    monkeypatch.undo()
    assert update_shipped(vault, shipped, record(vault)).updated == ("one.md",)
    assert not update_shipped(vault, shipped, record(vault))


def test_an_edit_at_the_last_moment_is_kept(vault: Vault, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written between the look and the replacing is not replaced, and the note counts as edited next time."""
    (shipped / "one.md").write_text("# second\n", "utf-8")
    true_replace = atomic.replace_file

    def late(place: Path, *given: Any, **more: Any) -> None:
        if place.name == "one.md":
            place.write_text("# just now\n", "utf-8")
        true_replace(place, *given, **more)

    monkeypatch.setattr(shipped_notes, "replace_file", late)
    assert not update_shipped(vault, shipped, record(vault))
    assert text(vault, "one.md") == "# just now\n"
    monkeypatch.undo()
    assert update_shipped(vault, shipped, record(vault)).left == ("one.md",)


def test_a_link_out_of_the_vault_is_not_followed(vault: Vault, shipped: Path, tmp_path: Path) -> None:
    """Where a shipped note would lie behind a link that leads out, nothing is written there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault.root / "out").symlink_to(outside)
    (shipped / "out").mkdir()
    (shipped / "out" / "x.md").write_text("# x\n", "utf-8")
    assert not update_shipped(vault, shipped, record(vault))
    assert not any(outside.iterdir())
