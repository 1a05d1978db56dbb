"""Pictures kept beside a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.errors import KbError, NotText, SaveFailed
from kb.vault.attachments import LARGEST, attach, attach_file, picture_name, shown_in
from kb.vault.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Give a vault with a note in a folder."""
    (tmp_path / "vault" / "a b").mkdir(parents=True)
    (tmp_path / "vault" / "a b" / "n.en.md").write_text("# n\n", "utf-8")
    return Vault.open(tmp_path / "vault")


NOTE = "a b/n.en.md"


def test_a_picture_lies_beside_its_note_under_a_name_of_its_own(vault: Vault) -> None:
    """What is there stays as it was; the link leads to the new file."""
    assert [attach(vault, NOTE, data, name=picture_name(NOTE)) for data in (b"1", b"2", b"3")] == [
        "a b/n-picture.png",
        "a b/n-picture-2.png",
        "a b/n-picture-3.png",
    ]
    assert [(vault.root / f"a b/n-picture{end}.png").read_bytes() for end in ("", "-2", "-3")] == [b"1", b"2", b"3"]
    assert shown_in(NOTE, "a b/n-picture.png") == "![](n-picture.png)"
    assert shown_in(NOTE, "c d/图.png") == "![](../c%20d/图.png)"
    assert shown_in("top.md", "c d/x.png") == "![](c%20d/x.png)"
    assert vault.attachment(NOTE, "n-picture.png").read_bytes() == b"1"


@pytest.mark.parametrize(
    "name", ["../../out.png", "/etc/x.png", "a/b.png", "x\0.png", "..", "", "a:b.png", ".hidden.png"]
)
def test_no_name_leads_out(vault: Vault, tmp_path: Path, name: str) -> None:
    """Whatever it is called, the file lies beside the note, or nothing is written."""
    before = set(tmp_path.rglob("*"))
    try:
        path = attach(vault, NOTE, b"x", name=name)
    except KbError:
        assert set(tmp_path.rglob("*")) == before
        return
    assert [one.parent for one in set(tmp_path.rglob("*")) - before] == [vault.root / "a b"]
    assert (vault.root / path).read_bytes() == b"x"


def test_reserved_names_are_refused(vault: Vault) -> None:
    """They could not be opened on another system."""
    with pytest.raises(SaveFailed):
        attach(vault, NOTE, b"x", name="CON.png")


def test_a_file_is_copied_unless_it_is_of_the_vault(vault: Vault, tmp_path: Path) -> None:
    """The one that was given stays where it is."""
    (tmp_path / "cat 猫.png").write_bytes(b"cat")
    assert attach_file(vault, NOTE, tmp_path / "cat 猫.png") == "a b/cat 猫.png"
    assert (tmp_path / "cat 猫.png").exists()
    assert attach_file(vault, "top.md", vault.root / "a b" / "cat 猫.png") == "a b/cat 猫.png"


def test_what_cannot_be_taken_in_is_said(vault: Vault, tmp_path: Path) -> None:
    """No file, no plain file, too large a file: nothing is written."""
    with (tmp_path / "big.png").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name in ("big.png", "missing.png"):
        with pytest.raises(KbError):
            attach_file(vault, NOTE, tmp_path / name)
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    with pytest.raises(KbError):
        attach_file(vault, NOTE, tmp_path / "loop.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises((NotText, KbError)):
        attach_file(vault, NOTE, tmp_path / "folder.png")
    with pytest.raises(KbError):
        attach_file(vault, NOTE, vault.root / "a b")
    assert [path.name for path in (vault.root / "a b").iterdir()] == ["n.en.md"]


def test_names_come_to_an_end(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every number is taken, that is said."""
    monkeypatch.setattr("kb.vault.attachments._MOST", 3)
    for _ in range(2):
        attach(vault, NOTE, b"x", name="a.png")
    with pytest.raises(SaveFailed):
        attach(vault, NOTE, b"x", name="a.png")
