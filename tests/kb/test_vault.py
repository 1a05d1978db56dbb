"""A vault: reading, saving, renaming, discarding, links and attachments."""

from __future__ import annotations

import codecs
import hashlib
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from kb import vault as module
from kb.atomic import temporary_name
from kb.encoding import TextForm
from kb.errors import NoteChanged, NoteMissing, NotText, OutsideVault, SaveFailed, VaultMissing, VaultNotMade
from kb.places import Places
from kb.tree import Skipped
from kb.vault import SHIPPED_NOTES, Backlink, Vault, make_user_vault

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")


class MakeVault(Protocol):
    """Writes files by relative path and opens the folder as a vault."""

    def __call__(self, files: Mapping[str, str | bytes]) -> Vault: ...


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def state(folder: Path) -> dict[str, bytes]:
    """Everything that lies in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_opens_as_a_vault(root: Path, make_vault: MakeVault) -> None:
    """Its files, and what is skipped, are told."""
    vault = make_vault({"b.md": "x", "a/c.txt": "y"})
    os.mkfifo(root / "p.md")
    assert vault.root == root
    assert list(vault.files()) == ["a/c.txt", "b.md"]
    assert vault.skipped() == (Skipped("p.md", "it is not a plain file"),)


def test_a_vault_that_is_not_there(root: Path) -> None:
    """Neither a missing folder nor a file is one, and the sentence names it."""
    (root / "file").write_text("x")
    for path in (root / "gone", root / "file"):
        with pytest.raises(VaultMissing, match=path.name):
            Vault.open(path)


def test_a_vault_whose_disk_is_gone(root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing folder, or an empty one of another disk in its place, is not a vault without notes."""
    vault = make_vault({"a.md": "x"})
    monkeypatch.setattr(vault, "_device", -1)
    with pytest.raises(VaultMissing):
        vault.files()
    root.rename(root.with_name("moved"))
    with pytest.raises(VaultMissing):
        vault.skipped()


def test_reading_a_note(make_vault: MakeVault) -> None:
    """By its relative path; what cannot be read says why."""
    vault = make_vault({"a/b.zh.md": "# 取值\n", "binary.md": b"\0" * 99})
    assert vault.read("a/b.zh.md").title == "取值"
    with pytest.raises(NoteMissing):
        vault.read("gone.md")
    with pytest.raises(NotText):
        vault.read("binary.md")
    with pytest.raises(OutsideVault):
        vault.read("../vault/a/b.zh.md")


def test_a_file_that_may_not_be_read(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason is in the sentence."""
    vault = make_vault({"a.md": "x"})

    def refuse(place: Path, path: str) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "read_regular", refuse)
    with pytest.raises(NotText, match="Permission denied"):
        vault.read("a.md")


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb\0c\r\n",
        codecs.BOM_UTF8 + "中\u2028文".encode(),
        codecs.BOM_UTF16_LE + "中文\r\n".encode("utf-16-le"),
        "显存不足时的办法\r\n".encode("gb18030"),
        b"mixed\r\nends\nand\rmore",
        b"",
    ],
)
def test_open_and_save_give_the_same_bytes(root: Path, make_vault: MakeVault, data: bytes) -> None:
    """Whatever the encoding and the line ends."""
    vault = make_vault({"a.md": data})
    note = vault.read("a.md")
    saved = vault.save("a.md", note.text, expected_hash=note.hash)
    assert (root / "a.md").read_bytes() == data
    assert saved == note


def test_an_edit_is_saved_in_the_encoding_of_the_file(root: Path, make_vault: MakeVault) -> None:
    """The note that comes back is what a new reading gives."""
    vault = make_vault({"a.md": "显存不足时的办法\n".encode("gb18030")})
    note = vault.read("a.md")
    saved = vault.save("a.md", note.text + "先清空缓存\n", expected_hash=note.hash)
    assert (root / "a.md").read_bytes() == "显存不足时的办法\n先清空缓存\n".encode("gb18030")
    assert saved == vault.read("a.md")


def test_what_an_old_encoding_cannot_hold_is_saved_in_utf8(root: Path, make_vault: MakeVault) -> None:
    """No typed character is lost, and none is misread at the next opening."""
    latin = "L'élève étudie près du théâtre, où l'été est très agréable.\n" * 3
    vault = make_vault({"a.md": latin.encode("latin-1")})
    note = vault.read("a.md")
    saved = vault.save("a.md", note.text + "张量", expected_hash=note.hash)
    assert (root / "a.md").read_text("utf-8") == latin + "张量"
    assert saved.form.encoding == "utf-8"
    (root / "a.md").write_bytes(latin.encode("latin-1"))
    saved = vault.save("a.md", "é", expected_hash=hash_of(latin.encode("latin-1")))
    assert vault.read("a.md").text == "é"


def test_a_form_can_be_asked_for(root: Path, make_vault: MakeVault) -> None:
    """It is used, or the save fails; it is never silently another."""
    vault = make_vault({"a.md": "x"})
    saved = vault.save("a.md", "中", form=TextForm("utf-16-le", bom=True), expected_hash=hash_of(b"x"))
    assert (root / "a.md").read_bytes() == codecs.BOM_UTF16_LE + "中".encode("utf-16-le")
    with pytest.raises(SaveFailed):
        vault.save("a.md", "中", form=TextForm("ascii"), expected_hash=saved.hash)


def test_a_damaged_note_is_read_only(root: Path, make_vault: MakeVault) -> None:
    """Its broken bytes would be lost; so would a text that could not be opened again."""
    data = "显存不足时的办法\n".encode()[:-3]
    vault = make_vault({"a.md": data, "b.md": "x"})
    note = vault.read("a.md")
    assert not note.form.lossless
    with pytest.raises(SaveFailed, match="reading only"):
        vault.save("a.md", note.text, expected_hash=note.hash)
    with pytest.raises(SaveFailed, match="control"):
        vault.save("b.md", "\0" * 100, expected_hash=hash_of(b"x"))
    assert state(root) == {"a.md": data, "b.md": b"x"}


def test_another_program_s_text_is_never_overwritten(root: Path, make_vault: MakeVault) -> None:
    """Also when it has the same size and time as the text that was read."""
    vault = make_vault({"a.md": "one\n"})
    note = vault.read("a.md")
    before = (root / "a.md").stat()
    (root / "a.md").write_bytes(b"two\n")
    os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(NoteChanged):
        vault.save("a.md", "mine\n", expected_hash=note.hash)
    assert state(root) == {"a.md": b"two\n"}


def test_a_change_in_the_last_moment_is_noticed(
    root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is compared when all is written and nothing yet replaced."""
    vault = make_vault({"a.md": "one\n"})
    note = vault.read("a.md")
    fsync = os.fsync

    def change(handle: int) -> None:
        fsync(handle)
        (root / "a.md").write_bytes(b"two\n")

    monkeypatch.setattr(os, "fsync", change)
    with pytest.raises(NoteChanged):
        vault.save("a.md", "mine\n", expected_hash=note.hash)
    assert state(root) == {"a.md": b"two\n"}


def test_a_deleted_note_is_not_made_again(root: Path, make_vault: MakeVault) -> None:
    """Neither if it went before the save nor in the middle of it."""
    vault = make_vault({"a.md": "one\n"})
    note = vault.read("a.md")
    (root / "a.md").unlink()
    with pytest.raises(NoteMissing):
        vault.save("a.md", "mine\n", expected_hash=note.hash)
    with pytest.raises(NoteMissing):
        vault.save("a.md", "mine\n", form=note.form, expected_hash=note.hash)
    assert state(root) == {}


def test_a_save_that_failed_late_can_be_tried_again(
    root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the new text is already in place, the second try succeeds with the same expectation."""
    vault = make_vault({"a.md": "one\n"})
    fsync = os.fsync

    def fail_on_folders(handle: int) -> None:
        if Path(f"/dev/fd/{handle}").is_dir():
            raise OSError(5, "Input/output error")
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail_on_folders)
        with pytest.raises(SaveFailed, match=r"^a\.md could not"):
            vault.save("a.md", "two\n", expected_hash=hash_of(b"one\n"))
        with pytest.raises(SaveFailed):
            vault.save("new.md", "three\n", expected_hash=None)
    assert vault.save("a.md", "two\n", expected_hash=hash_of(b"one\n")).text == "two\n"
    assert vault.save("new.md", "three\n", expected_hash=None).text == "three\n"


def test_a_linked_note_is_saved_where_it_lies(root: Path, make_vault: MakeVault) -> None:
    """The link survives."""
    vault = make_vault({"a.md": "one"})
    (root / "link.md").symlink_to("a.md")
    vault.save("link.md", "two", expected_hash=hash_of(b"one"))
    assert (root / "link.md").is_symlink()
    assert (root / "a.md").read_text() == "two"


def test_a_new_note_takes_no_name_from_another(root: Path, make_vault: MakeVault) -> None:
    """Folders are made for it; a name that is taken, or that could not be kept, is refused."""
    vault = make_vault({"a.md": "one"})
    assert vault.save("new/页.zh.md", "# 新\n", expected_hash=None).title == "新"
    with pytest.raises(NoteChanged):
        vault.save("a.md", "two", expected_hash=None)
    (root / "dangling.md").symlink_to("nowhere.md")
    with pytest.raises(NoteChanged):
        vault.save("dangling.md", "two", expected_hash=None)
    for path, error in (("con.md", SaveFailed), ("a.md/b.md", SaveFailed), ("../b.md", OutsideVault)):
        with pytest.raises(error):
            vault.save(path, "x", expected_hash=None)
    assert state(root) == {"a.md": b"one", "new/页.zh.md": "# 新\n".encode()}


def test_of_two_windows_one_saves(root: Path, make_vault: MakeVault) -> None:
    """Both began from the same text: one is told, and its text is not lost in silence."""
    make_vault({"a.md": "one"})
    told: list[str] = []
    gate = threading.Barrier(4)

    def save(text: str) -> None:
        window = Vault.open(root)
        gate.wait()
        try:
            window.save("a.md", text, expected_hash=hash_of(b"one"))
        except NoteChanged:
            told.append(text)

    windows = [threading.Thread(target=save, args=(f"text {number}",)) for number in range(4)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert len(told) == 3
    assert (root / "a.md").read_text() not in told


def test_renaming_takes_no_name_from_another(
    root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note moves, also into a new folder; a name that is taken, bad or outside is refused."""

    def full(source: Path, target: Path) -> None:
        raise OSError(28, "the disk is full")

    vault = make_vault({"a.md": "one", "b.md": "two"})
    assert vault.rename("a.md", "sub/c.md") == "sub/c.md"
    for new, error in (
        ("b.md", NoteChanged),
        ("nul.md", SaveFailed),
        ("../c.md", OutsideVault),
        ("b.md/c.md", SaveFailed),
    ):
        with pytest.raises(error):
            vault.rename("sub/c.md", new)
    with pytest.raises(NoteMissing):
        vault.rename("gone.md", "d.md")
    monkeypatch.setattr(module, "move_new", full)
    with pytest.raises(SaveFailed, match="full"):
        vault.rename("sub/c.md", "d.md")
    assert state(root) == {"b.md": b"two", "sub/c.md": b"one"}


def test_renaming_to_the_same_file(root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that does not tell A from a, the new spelling is taken: there the two are one file."""
    vault = make_vault({"a.md": "one"})

    def taken(source: Path, target: Path) -> None:
        os.link(source, target)
        raise FileExistsError

    monkeypatch.setattr(module, "move_new", taken)
    assert vault.rename("a.md", "A.md") == "A.md"
    assert (root / "A.md").read_bytes() == b"one"


def test_a_discarded_note_is_kept_outside(root: Path, tmp_path: Path) -> None:
    """It is gone from the vault and whole in the user's data folder, however often."""
    vault = Vault.open(root, places=Places.under(tmp_path / "home"))
    kept = []
    for text in ("one", "two"):
        vault.save("sub/a.md", text, expected_hash=None)
        kept.append(vault.discard("sub/a.md"))
    assert [path.read_text() for path in kept] == ["one", "two"]
    assert not any(path.is_relative_to(root) for path in kept)
    assert state(root) == {}
    with pytest.raises(NoteMissing):
        vault.discard("sub/a.md")


def test_a_note_that_cannot_be_kept_is_not_discarded(root: Path, home: Path, make_vault: MakeVault) -> None:
    """Without a place for it, it stays."""
    vault = make_vault({"a.md": "one"})
    (home / "data").write_text("in the way")
    with pytest.raises(SaveFailed):
        vault.discard("a.md")
    assert state(root) == {"a.md": b"one"}


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


def test_backlinks_name_note_line_and_label(make_vault: MakeVault) -> None:
    """Links to either language count, those of the note to itself do not."""
    vault = make_vault(
        {
            "gather.zh.md": "[self](gather.en.md)",
            "gather.en.md": "# Gather",
            "a.md": "one\n\n[[Gather|see]] and [it](gather.zh.md#x) and ![x](gather.png)",
            "b.md": "[other](a.md)",
        }
    )
    notes = [vault.read(path) for path in vault.files()]
    assert vault.backlinks("gather.en.md", notes) == (Backlink("a.md", 3, "see"), Backlink("a.md", 3, "it"))
    assert vault.backlinks("gone.md", notes) == ()


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
    make_user_vault(target, shipped)
    assert set(state(target)) == {"index.zh.md", "tensors/gather.en.md", "tensors/a.png"}
    assert [path.name for path in target.parent.iterdir()] == ["Torchleaf"]
    (target / "index.zh.md").write_text("mine")
    make_user_vault(target, shipped)
    assert (target / "index.zh.md").read_text() == "mine"


def test_without_shipped_notes_the_vault_is_empty(tmp_path: Path) -> None:
    """A folder all the same."""
    make_user_vault(tmp_path / "vault", tmp_path / "none")
    assert list((tmp_path / "vault").iterdir()) == []
    assert SHIPPED_NOTES.name == "notes"


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
