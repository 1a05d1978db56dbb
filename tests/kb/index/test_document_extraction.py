"""A look at a file: what is added to the index of it, and what is said of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kb.index import document_extraction
from kb.index.document_extraction import DocumentExtractor, ExtractedNote, documents
from kb.notes.note import hash_of, parse
from tests.kb.vault_helpers import MakeVault

NOTE = "# One\n\nvalues\n\n## Two\n\n" + "much text " * 1000


def test_each_section_is_added(make_vault: MakeVault) -> None:
    """By the hash of the file's bytes, with the day it was written; a long section weighs as several."""
    found: list[dict[str, Any]] = []
    one = DocumentExtractor(make_vault({"a.md": NOTE}), lambda **document: found.append(document))
    assert one.extract("a.md", None) == ExtractedNote("a.md", hash_of(NOTE.encode()))
    assert [document["title"] for document in found] == ["One", "Two"]
    assert {document["file"][0] for document in found} == {f"{hash_of(NOTE.encode())}/a.md"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", found[0]["modified"][0])
    assert one.size == 4


def test_what_is_known_is_not_read_again(make_vault: MakeVault) -> None:
    """The same bytes give nothing new."""
    one = DocumentExtractor(make_vault({"a.md": NOTE}), lambda **_: pytest.fail("it was added"))
    assert one.extract("a.md", hash_of(NOTE.encode())) == ExtractedNote("a.md")
    assert one.size == 0


def test_what_cannot_be_read_is_told_apart(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gone, no text, outside of the vault: nothing of it is to be found; an error of the disk changes nothing."""
    one = DocumentExtractor(make_vault({"a.md": NOTE, "odd.md": b"\0\1"}), lambda **_: pytest.fail("it was added"))
    assert one.extract("none.md", None) == ExtractedNote("none.md", gone=True)
    assert one.extract("../a.md", None) == ExtractedNote("../a.md", gone=True)
    odd = one.extract("odd.md", None)
    assert (odd.gone, bool(odd.skipped)) == (True, True)

    def fail(place: Path, path: str, *, most: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(document_extraction, "read_regular", fail)
    assert one.extract("a.md", None) == ExtractedNote("a.md", skipped="it cannot be read: Input/output error")


def test_nobody_knows_when_some_files_were_written(tmp_path: Path) -> None:
    """A file that is gone again has no day, and neither has what is asked for without one."""
    assert document_extraction._time_of(tmp_path / "none.md") == ""
    assert next(documents(parse("a.md", b"# One\n")))["modified"] == []


def test_a_giant_is_read_to_a_bound(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole lines up to it are found, and it is told; the rest may change without any work."""
    monkeypatch.setattr(document_extraction, "_MOST_BYTES", 40)
    vault = make_vault({"a.md": "# One\n\nfound\n\n## Two\n\n张量 beyond the bound\n" + "lost\n" * 9})
    found: list[dict[str, Any]] = []
    one = DocumentExtractor(vault, lambda **document: found.append(document))
    took = one.extract("a.md", None)
    assert "what comes after that is not searched" in took.skipped
    assert "found" in found[0]["body"]
    assert "lost" not in "".join(document["body"] for document in found)
    count = len(found)
    with (vault.root / "a.md").open("a", encoding="utf-8") as file:
        file.write("more of it\n")
    assert one.extract("a.md", took.hash).hash == ""
    assert len(found) == count
