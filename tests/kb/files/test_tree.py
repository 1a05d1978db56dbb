"""Walking a vault and opening what is in it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.errors import BadName, NoteMissing, OutsideVault, VaultMissing
from kb.files import tree
from kb.files.tree import Skipped, inside, is_note_name, read_own, read_regular, refuse_name, walk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and modes of POSIX")

MakeVault = Callable[..., object]


@pytest.fixture
def nobody() -> Iterator[None]:
    """Act as a user without rights, until the end of the test."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_notes_are_found_in_order(root: Path, make_vault: MakeVault) -> None:
    """Depth first and sorted; hidden and temporary files, and what is no note, are left out."""
    names = ["b.md", "a/z.md", "a/b/c.TXT", "a.markdown", "页/é.md", "a b.md"]
    others = [".git/x.md", ".hidden.md", "a/.obsidian/x.md", "b.md~", "~$b.md", ".#b.md", "#b.md#", "b.png", "b.md.tmp"]
    make_vault(dict.fromkeys([*names, *others], "x"))
    found = list(walk(root))
    assert found == ["a/b/c.TXT", "a/z.md", "a b.md", "a.markdown", "b.md", "页/é.md"]
    assert not any(is_note_name(name) for name in others if "/" not in name)


def test_loops_pipes_and_devices_do_no_harm(root: Path, make_vault: MakeVault) -> None:
    """The walk ends, nothing is waited for, and each is named with its reason."""
    make_vault({"a/note.md": "x"})
    (root / "a" / "loop").symlink_to(root)
    (root / "self.md").symlink_to("self.md")
    os.mkfifo(root / "pipe.md")
    os.mkfifo(root / "pipe")
    (root / "null.md").symlink_to("/dev/null")
    (root / "gone.md").symlink_to("nowhere.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "s.md"))
        found = list(walk(root))
    assert [path for path in found if isinstance(path, str)] == ["a/note.md"]
    assert {one.path: one.reason for one in found if isinstance(one, Skipped)} == {
        "a/loop": "it is a link to a folder",
        "gone.md": "it is a link to nothing that can be read",
        "null.md": "it is a link to nothing that can be read",
        "pipe.md": "it is not a plain file",
        "s.md": "it is not a plain file",
        "self.md": "it is a link to nothing that can be read",
    }


def test_links_are_followed_inside_the_vault_only(root: Path, tmp_path: Path, make_vault: MakeVault) -> None:
    """A link to a note of the vault is a note; one that leaves it is told and not followed."""
    make_vault({"a.md": "x"})
    (tmp_path / "vault-secret.md").write_text("secret")
    (tmp_path / "other").mkdir()
    (root / "in.md").symlink_to("a.md")
    (root / "out.md").symlink_to(tmp_path / "vault-secret.md")
    (root / "folder").symlink_to(tmp_path / "other")
    (root / "picture.png").symlink_to("/etc/passwd")
    found = list(walk(root))
    assert found == [
        "a.md",
        Skipped("folder", "it is a link to a folder outside the vault"),
        "in.md",
        Skipped("out.md", "it is a link that leaves the vault"),
    ]


def test_a_vault_that_is_itself_a_link(root: Path, tmp_path: Path, make_vault: MakeVault) -> None:
    """Its notes are inside it, by either name."""
    make_vault({"a.md": "x"})
    (root / "b.md").symlink_to("a.md")
    (tmp_path / "link").symlink_to(root)
    assert list(walk(tmp_path / "link")) == ["a.md", "b.md"]
    assert read_regular(inside(tmp_path / "link", "b.md"), "b.md") == b"x"


def test_names_are_kept_as_they_are_on_disk(root: Path, make_vault: MakeVault) -> None:
    """Decomposed letters stay so; bytes that are no text are told."""
    make_vault({"e\u0301.md": "x"})
    (root / os.fsdecode(b"\xff.md")).write_text("x")
    assert list(walk(root)) == ["e\u0301.md", Skipped("\ufffd.md", "its name is not text")]


def test_a_folder_that_may_not_be_read(common_ground: Path, nobody: None) -> None:
    """It is told, and the rest is found."""
    closed = common_ground / "closed"
    closed.mkdir()
    (closed / "b.md").write_text("x", "utf-8")
    (common_ground / "a.md").write_text("x", "utf-8")
    closed.chmod(0)
    try:
        assert list(walk(common_ground)) == ["a.md", Skipped("closed", "the folder cannot be read: Permission denied")]
    finally:
        closed.chmod(0o755)


def test_a_missing_root_is_said(root: Path) -> None:
    """It is not an empty vault."""
    with pytest.raises(VaultMissing):
        list(walk(root / "gone"))


@pytest.mark.parametrize(
    "path", ["../x.md", "a/../../x.md", "..", "/etc/passwd", "", "a\0b.md", "out/x.md", "out.md", "\ud800.md"]
)
def test_nothing_leads_out(root: Path, tmp_path: Path, path: str) -> None:
    """Neither dots, nor a slash, nor a NUL, nor a link."""
    (tmp_path / "vault2").mkdir()
    (tmp_path / "vault2" / "x.md").write_text("secret")
    (root / "out").symlink_to(tmp_path / "vault2")
    (root / "out.md").symlink_to(tmp_path / "vault2" / "x.md")
    with pytest.raises(OutsideVault):
        inside(root, path)


def test_what_stays_inside_is_where_it_says(root: Path) -> None:
    """Also what is not there yet, and where a slash or dot is too many."""
    assert inside(root, "./a//b c.md") == root / "a" / "b c.md"


@pytest.mark.parametrize(
    "path",
    [
        "CON.md",
        "a/nul.txt",
        "com1.zh.md",
        ".hidden.md",
        "a/.x/b.md",
        "b.md~",
        "n" * 253 + ".md",
        "a\nb.md",
        "a\x1b.md",
        "a.png",
        "a",
    ],
)
def test_names_that_would_be_lost_are_refused(path: str) -> None:
    """What Windows takes for a device, what would not be listed, what no disk can hold."""
    with pytest.raises(BadName, match="cannot be the name of a note"):
        refuse_name(path)


def test_reading_a_file_or_its_head(root: Path) -> None:
    """All bytes or the first of them."""
    (root / "a.md").write_bytes(b"12345")
    assert read_regular(root / "a.md", "a.md") == b"12345"
    assert read_regular(root / "a.md", "a.md", most=2) == b"12"


def test_own_files_are_plain_and_bounded(root: Path) -> None:
    """A pipe is not waited for, a device not opened, a sparse giant not read; each is an error like a missing file."""
    (root / "own").write_bytes(b"12345")
    assert read_own(root / "own", most=5) == b"12345"
    os.mkfifo(root / "fifo")
    (root / "zero").symlink_to("/dev/zero")
    (root / "giant").touch()
    os.truncate(root / "giant", 1 << 40)
    for name in ("fifo", "zero", "giant", ".", "gone"):
        with pytest.raises(OSError, match=name if name != "." else None):
            read_own(root / name)


def test_what_is_no_file_is_not_opened(root: Path) -> None:
    """A pipe would be waited for, a device might do anything, a folder has no text."""
    os.mkfifo(root / "pipe.md")
    (root / "null.md").symlink_to("/dev/zero")
    for name in ("pipe.md", "null.md", "."):
        with pytest.raises(OutsideVault):
            read_regular(root / name, name)
    for name in ("gone.md", "pipe.md/x"):
        with pytest.raises(NoteMissing):
            read_regular(root / name, name)


def test_the_names_of_notes() -> None:
    """By suffix, whatever its case."""
    assert all(is_note_name(name) for name in ("a.md", "A.MD", "x.markdown", "页.txt"))
    assert tree.SUFFIXES == (".md", ".markdown", ".txt")
