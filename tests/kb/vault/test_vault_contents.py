"""What a vault holds: entries, links, attachments; and how the user's own is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.errors import NoteMissing, OutsideVault, SaveFailed, VaultNotMade
from kb.files.atomic import temporary_name
from kb.vault import vault as module
from kb.vault.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault
from tests.kb.vault_helpers import MakeVault, state

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")


def test_entries_and_their_files(make_vault: MakeVault) -> None:
    """Each file belongs to a note, also one that came later."""
    vault = make_vault({"a.zh.md": "# 甲", "a.en.md": "# A"})
    entry = vault.entry_of("a.en.md")
    assert entry is not None
    assert dict(entry.titles) == {"en": "A", "zh": "甲"}
    vault.save("b.md", "# B", expected_hash=None)
    assert vault.entry_of("b.md") in vault.entries()
    assert vault.entry_of("gone.md") is None


def test_links_are_resolved(root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """To notes by all their names, to other files by path, to nothing outside; new notes are found after a moment."""
    vault = make_vault({"t/gather.zh.md": "# 取值", "t/gather.en.md": "# Gather", "t/data.csv": "1", "i.md": "x"})
    (root / "out.csv").symlink_to("/etc/passwd")
    assert vault.resolve_link("i.md", "取值") == "t/gather.zh.md"
    assert vault.resolve_link("t/gather.zh.md", "data.csv") == "t/data.csv"
    assert vault.resolve_link("i.md", "out.csv") is None
    assert vault.resolve_link("i.md", "later") is None
    vault.save("later.md", "x", expected_hash=None)
    monkeypatch.setattr(vault, "_listed_at", float("-inf"))
    assert vault.resolve_link("i.md", "later") == "later.md"


def test_attachments_are_plain_files_of_the_vault(root: Path, tmp_path: Path, make_vault: MakeVault) -> None:
    """Beside the note or from the root; no pipe, folder, address or way out, by whatever spelling."""
    vault = make_vault({"a/b.md": "x", "a/in.png": "1", "top.png": "2", "a/s p.png": "3", "a/in/x.txt": "4"})
    (tmp_path / "secret.png").write_text("secret")
    (root / "out.png").symlink_to(tmp_path / "secret.png")
    (root / "link.png").symlink_to("top.png")
    os.mkfifo(root / "a" / "pipe.png")
    for target, place in (("in.png", "a/in.png"), ("top.png", "top.png"), ("s%20p.png", "a/s p.png")):
        assert vault.attachment("a/b.md", target) == root / place
    assert vault.attachment("a/b.md", "/link.png") == root / "link.png"
    for target in (
        "/out.png",
        "pipe.png",
        "in",
        "../../secret.png",
        "%2e%2e/%2e%2e/secret.png",
        "/etc/passwd/../../../etc/passwd",
        "file:///etc/passwd",
        "//host/share.png",
        "https://x.y/z.png",
        "a\0.png",
        "C:\\x.png",
        "",
    ):
        with pytest.raises((OutsideVault, NoteMissing)):
            vault.attachment("a/b.md", target)
    with pytest.raises(NoteMissing):
        vault.attachment("a/b.md", "none.png")


def test_sweeping_a_vault(root: Path, make_vault: MakeVault) -> None:
    """Leftovers of dead processes go in every folder, the notes and hidden folders stay."""
    name = temporary_name()
    dead = name.replace(name.split("-")[-2], "00000000")
    vault = make_vault({"a.md": "x", dead: "y", f"sub/{dead}": "y", f".git/{dead}": "y", name: "z"})
    assert vault.sweep() == 2
    assert set(state(root)) == {"a.md", f".git/{dead}", name}


def test_the_user_s_vault_is_made_from_the_shipped_notes(tmp_path: Path) -> None:
    """All plain notes and pictures are copied; what is there already stays as it is."""
    shipped, target = tmp_path / "shipped", tmp_path / "documents" / "Torchleaf"
    for name in ("index.zh.md", "tensors/gather.en.md", "tensors/a.png", ".hidden/x.md", "__pycache__/x.pyc", ".x"):
        (shipped / name).parent.mkdir(parents=True, exist_ok=True)
        (shipped / name).write_text(name)
    (shipped / "link.md").symlink_to("/etc/passwd")
    assert is_unmade(target)
    make_user_vault(target, shipped)
    assert not is_unmade(target)
    assert set(state(target)) == {"index.zh.md", "tensors/gather.en.md", "tensors/a.png"}
    assert [path.name for path in target.parent.iterdir()] == ["Torchleaf"]
    (target / "index.zh.md").write_text("mine")
    make_user_vault(target, shipped)
    assert (target / "index.zh.md").read_text() == "mine"


def test_without_shipped_notes_the_vault_is_empty(tmp_path: Path) -> None:
    """A folder all the same."""
    make_user_vault(tmp_path / "vault", tmp_path / "none")
    assert list((tmp_path / "vault").iterdir()) == []
    assert SHIPPED_NOTES.name == "library"


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No half a vault: the next start begins anew."""
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    for name in ("a.md", "b.md"):
        (shipped / name).write_text(name)

    def full(path: Path, data: bytes) -> None:
        if path.name == "b.md":
            raise SaveFailed(path, "the disk is full", "磁盘已满")

    monkeypatch.setattr(module, "replace_file", full)
    with pytest.raises(VaultNotMade, match=r"documents/vault could not be made: the disk is full\."):
        make_user_vault(tmp_path / "documents" / "vault", shipped)
    assert list((tmp_path / "documents").iterdir()) == []
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(VaultNotMade):
        make_user_vault(tmp_path / "file" / "vault", shipped)


def test_two_first_starts_make_one_vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes second finds the vault of the first and leaves it."""
    shipped, target = tmp_path / "shipped", tmp_path / "vault"
    shipped.mkdir()
    (shipped / "a.md").write_text("shipped")
    copy = module._copy_notes

    def late(source: Path, temp: Path) -> None:
        copy(source, temp)
        target.mkdir()
        (target / "a.md").write_text("first")

    monkeypatch.setattr(module, "_copy_notes", late)
    make_user_vault(target, shipped)
    assert state(target) == {"a.md": b"first"}
    assert len(list(tmp_path.iterdir())) == 2


def test_a_note_is_known_by_its_folder_alone(root: Path, make_vault: MakeVault) -> None:
    """Before anything is listed a file's note is the one that a listing gives, and nothing else is one."""
    vault = make_vault(
        {
            "a.zh.md": "# 甲",
            "a.en.md": "# A",
            "a.md": "# own",
            "b.md": "# B",
            "b.txt": "other",
            "in/a.md": "# inner",
            "in/index.zh.md": "# 里面",
            ".hidden/a.md": "# not listed",
            "in/.a.md": "# not listed",
            "plain": "no note",
        }
    )
    (root / "link").symlink_to(root / "in")
    listed = {path: entry for entry in Vault.open(root).entries() for path in entry.paths.values()}
    assert len(listed) == 7
    for path in (*listed, ".hidden/a.md", "in/.a.md", "link/a.md", "gone.md", "in/gone.md", "no/a.md", "plain", ""):
        assert Vault.open(root).entry_of(path) == listed.get(path), path
    assert [entry.titles for entry in vault.named("in/index")] == [{"zh": "里面"}]
    assert vault.named("nowhere/index") == ()
