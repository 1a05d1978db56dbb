"""What a vault holds, as a reader sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.notes import note_listing as module
from kb.notes.note_listing import MetadataCache
from kb.vault.vault import Vault
from tests.pace import thinking_within


def write(root: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return [name.replace("__", ".") for name in files]


def test_two_languages_are_one_note(root: Path) -> None:
    """Titles by language, tags of both, in the order of the languages."""
    paths = write(
        root,
        gather__zh__md="---\ntags: [取值, index]\naliases: [选取]\n---\n# 取值\n",
        gather__en__md="---\ntitle: Gather\ntags: [index, rows]\n---\n",
    )
    (entry,) = MetadataCache(root).entries(paths)
    assert (entry.key, entry.folder, entry.name) == ("gather", "", "gather")
    assert dict(entry.paths) == {"en": "gather.en.md", "zh": "gather.zh.md"}
    assert dict(entry.titles) == {"en": "Gather", "zh": "取值"}
    assert entry.tags == ("index", "rows", "取值")
    assert entry.aliases == ("选取",)


def test_notes_are_sorted_as_people_count(root: Path) -> None:
    """2 before 10, letters of either case together, Chinese and numbers side by side."""
    paths = write(root, n10__md="", n2__md="", B__md="", a__md="", 二__md="", **{"1__md": ""})
    assert [entry.key for entry in MetadataCache(root).entries(paths)] == ["1", "a", "B", "n2", "n10", "二"]


def test_two_files_of_one_name_are_two_notes(root: Path) -> None:
    """Neither hides the other."""
    paths = write(root, a__md="# one", a__txt="# two", a__zh__md="# three")
    found = MetadataCache(root).entries(paths)
    assert [(entry.key, dict(entry.titles)) for entry in found] == [
        ("a", {"en": "one", "zh": "three"}),
        ("a.txt", {"": "two"}),
    ]


def test_a_name_without_a_language_is_the_twin_of_one_with(root: Path) -> None:
    """x.md beside x.en.md is the Chinese one, whatever it says: else they would never stand side by side."""
    paths = write(
        root,
        a__md="# 一",
        a__en__md="# one",
        b__md="# b",
        b__zh__md="# 二",
        c__md="",
        d__md="",
        d__zh__md="",
        d__en__md="",
    )
    assert [dict(entry.paths) for entry in MetadataCache(root).entries(paths)] == [
        {"zh": "a.md", "en": "a.en.md"},
        {"en": "b.md", "zh": "b.zh.md"},
        {"": "c.md"},
        {"": "d.md", "en": "d.en.md", "zh": "d.zh.md"},
    ]


def test_only_changed_files_are_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time, size and inode tell; what is gone is forgotten."""
    paths = write(root, a__md="# one", b__md="# two")
    read: list[str] = []
    real = module._read_head

    def counted(path: str, data: bytes) -> module._Head:
        read.append(path)
        return real(path, data)

    monkeypatch.setattr(module, "_read_head", counted)
    shelf = MetadataCache(root)
    shelf.entries(paths)
    shelf.entries(paths)
    assert read == ["a.md", "b.md"]
    (root / "new").write_text("# six")  # as long as before, at the same time, but another file
    os.utime(root / "new", ns=(0, (root / "a.md").stat().st_mtime_ns))
    (root / "new").replace(root / "a.md")
    assert shelf.entries(["a.md"])[0].titles[""] == "six"
    assert read == ["a.md", "b.md", "a.md"]
    shelf.entries(paths)
    assert read == ["a.md", "b.md", "a.md", "b.md"]


def test_a_file_that_cannot_be_read_is_still_listed(root: Path) -> None:
    """Under its name."""
    (root / "a.zh.md").write_bytes(b"\0" * 50)
    found = MetadataCache(root).entries(["a.zh.md", "gone.md"])
    assert [dict(entry.titles) for entry in found] == [{"zh": "a"}, {"": "gone"}]


def test_a_long_note_is_not_read_to_its_end(root: Path) -> None:
    """The head is enough, also where it ends within a character."""
    (root / "a.md").write_text("---\ntitle: 长\n---\n" + "张量" * 20 + "\n" + "梯度" * 10_000, encoding="utf-8")
    (root / "b.md").write_text("# 标题\n" + "梯度\n" * 10_000, encoding="utf-8")
    assert [entry.titles[""] for entry in MetadataCache(root).entries(["a.md", "b.md"])] == ["长", "标题"]


def test_many_notes_are_listed_quickly(root: Path) -> None:
    """2,000 notes: under four seconds at first, under one when nothing changed."""
    for folder in range(20):
        (root / f"{folder}").mkdir()
        for note in range(100):
            (root / f"{folder}" / f"{note}.md").write_bytes(b"---\ntitle: a note\ntags: [a, b]\n---\n# x\n")
    vault = Vault.open(root)
    for seconds in (4, 1):
        with thinking_within(seconds):
            assert len(vault.entries()) == 2_000
