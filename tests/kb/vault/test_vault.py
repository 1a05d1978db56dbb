"""A vault: reading, saving, renaming, discarding, links and attachments."""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.errors import MoveFailed, NoteChanged, NoteMissing, NotText, OutsideVault, SaveFailed, VaultMissing
from kb.files.encoding import TextForm
from kb.files.paths import UserPaths
from kb.files.tree import Skipped
from kb.vault import vault as module
from kb.vault.vault import Vault
from tests.kb.vault_helpers import MakeVault, state

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes of POSIX")


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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
    with pytest.raises(MoveFailed, match="full"):
        vault.rename("sub/c.md", "d.md")
    assert state(root) == {"b.md": b"two", "sub/c.md": b"one"}


def test_renaming_to_the_same_file(root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that does not tell A from a, the new spelling is taken: there the two are one entry."""
    vault = make_vault({"a.md": "one"})

    def taken(source: Path, target: Path) -> None:
        raise FileExistsError

    monkeypatch.setattr(module, "move_new", taken)
    monkeypatch.setattr(Path, "samefile", lambda one, _: one.name == "A.md")
    assert vault.rename("a.md", "A.md") == "A.md"
    assert state(root) == {"A.md": b"one"}


def test_renaming_to_another_name_of_the_file(root: Path, make_vault: MakeVault) -> None:
    """A hard link is a name that is taken: nothing is done, and that is said."""
    vault = make_vault({"a.md": "one"})
    os.link(root / "a.md", root / "b.md")
    with pytest.raises(NoteChanged):
        vault.rename("a.md", "b.md")
    assert state(root) == {"a.md": b"one", "b.md": b"one"}


def test_a_rename_whose_old_name_cannot_go_leaves_one_name(
    root: Path, make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder that only takes new files."""
    vault = make_vault({"a.md": "one"})
    real = Path.unlink

    def unlink(place: Path, *, missing_ok: bool = False) -> None:
        if place.name == "a.md":
            raise PermissionError(1, "Operation not permitted")
        real(place, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(MoveFailed, match="not permitted"):
        vault.rename("a.md", "b.md")
    assert state(root) == {"a.md": b"one"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_discarded_note_comes_back_as_it_was(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    elsewhere: bool,  # noqa: FBT001
) -> None:
    """With its mode, times and attributes, a link as a link; also where the data folder is on another file system."""
    if elsewhere:
        monkeypatch.setattr(os, "link", _across(tmp_path, os.link))
        monkeypatch.setattr(Path, "rename", _across(tmp_path, Path.rename))
    vault = Vault.open(root, places=UserPaths.under(tmp_path / "home"))
    (root / "a.md").write_text("one")
    (root / "link.md").symlink_to("a.md")
    (root / "a.md").chmod(0o600)
    os.utime(root / "a.md", ns=(10**18, 10**18 + 5))
    attributes = hasattr(os, "setxattr")
    if attributes:
        with contextlib.suppress(OSError):  # a file system without them
            os.setxattr(root / "a.md", "user.color", b"red")
    before = _facts(root / "a.md")
    for path in ("link.md", "a.md"):
        kept = vault.discard(path)
        assert not os.path.lexists(root / path)
        vault.bring_back(kept, path)
        assert not os.path.lexists(kept)
    assert _facts(root / "a.md") == before
    assert (root / "link.md").readlink() == Path("a.md")


def _facts(place: Path) -> tuple[object, ...]:
    facts = place.lstat()
    names = os.listxattr(place) if hasattr(os, "listxattr") else []
    return place.read_bytes(), facts.st_mode, facts.st_uid, facts.st_mtime_ns, {n: os.getxattr(place, n) for n in names}


def _across(tmp_path: Path, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call that fails between the vault and the data folder, as between two file systems."""

    def call(source: Path, target: Path, **options: Any) -> Any:
        if (tmp_path / "home" in Path(source).parents) != (tmp_path / "home" in Path(target).parents):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return real(source, target, **options)

    return call


def test_a_discarded_note_is_kept_outside(root: Path, tmp_path: Path) -> None:
    """It is gone from the vault and whole in the user's data folder, however often."""
    vault = Vault.open(root, places=UserPaths.under(tmp_path / "home"))
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
    with pytest.raises(MoveFailed):
        vault.discard("a.md")
    assert state(root) == {"a.md": b"one"}
