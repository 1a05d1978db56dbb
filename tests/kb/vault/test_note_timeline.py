"""The timeline of a note and of a section, and putting a version of either back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.files.paths import UserPaths
from kb.notes.note import parse
from kb.vault.note_timeline import part_of, restored, section_text, text_of, timeline, with_section
from kb.vault.transaction import apply, revert
from kb.vault.vault import Vault

FIRST = "# T\n\nintro\n\n## A\n\none\n\n### Below\n\nx\n\n## B\n\nend\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with a note that was saved several times."""
    (tmp_path / "vault").mkdir()
    vault = Vault.open(tmp_path / "vault", places=UserPaths.under(tmp_path / "user"))
    note = vault.save("n.md", FIRST, expected_hash=None)
    for old, new in (("end", "END"), ("one", "two"), ("intro", "INTRO")):
        note = vault.save("n.md", note.text.replace(old, new), expected_hash=note.hash)
    return vault


def test_the_timeline_of_a_section_has_its_changes_only(vault: Vault) -> None:
    """Those of the sections below it count too; a section that never existed has none."""
    assert len(timeline(vault, "n.md")) == 4
    assert [text_of(vault, one, "a") for one in timeline(vault, "n.md", "a")] == [
        "## A\n\ntwo\n\n### Below\n\nx\n",
        "## A\n\none\n\n### Below\n\nx\n",
    ]
    assert len(timeline(vault, "n.md", "t")) == 4
    assert len(timeline(vault, "n.md", "below")) == 1
    assert timeline(vault, "n.md", "never") == ()


def test_a_section_is_put_back_alone(vault: Vault) -> None:
    """Everything else stays; undo is to the byte."""
    now = vault.data("n.md")
    done = apply(vault, restored(vault, timeline(vault, "n.md", "a")[-1], "a"))
    assert vault.data("n.md") == now.replace(b"two", b"one")
    revert(vault, done.back)
    assert vault.data("n.md") == now


def test_a_whole_note_is_put_back(vault: Vault) -> None:
    """And the text that it replaces is a version too."""
    now = vault.read("n.md").text
    apply(vault, restored(vault, timeline(vault, "n.md")[-1]))
    assert vault.read("n.md").text == FIRST
    assert text_of(vault, timeline(vault, "n.md")[1]) == now


def test_a_deleted_section_comes_back_at_the_end(vault: Vault) -> None:
    """And a version without the section changes nothing."""
    note = vault.read("n.md")
    gone = with_section(note, "a", "")
    assert gone == "# T\n\nINTRO\n\n## B\n\nEND\n"
    vault.save("n.md", gone, expected_hash=note.hash)
    old = timeline(vault, "n.md", "a")[0]
    apply(vault, restored(vault, old, "a"))
    assert vault.read("n.md").text == gone + "\n## A\n\ntwo\n\n### Below\n\nx\n"
    newest = timeline(vault, "n.md")[0]
    assert restored(vault, newest, "never").texts[0].text == vault.read("n.md").text


def test_front_matter_and_text_before_the_first_heading_stay() -> None:
    """Also with line ends of Windows."""
    note = parse("n.md", b"---\r\ntitle: t\r\n---\r\nbefore\r\n\r\n# A\r\n\r\nold\r\n")
    assert with_section(note, "a", "# A\n\nnew\n") == "---\r\ntitle: t\r\n---\r\nbefore\r\n\r\n# A\r\n\r\nnew\r\n"
    assert part_of(note) == note.text
    assert part_of(note, "never") == ""


@given(st.lists(st.sampled_from(["# A", "## B", "# C", "text", "", "```", "- x"]), max_size=12))
def test_putting_a_section_back_as_it_is_changes_only_empty_lines(lines: list[str]) -> None:
    """Whatever the note looks like."""
    note = parse("n.md", "\n".join(lines).encode())
    for section in note.sections:
        text = section_text(note, section.anchor)
        assert text is not None
        again = with_section(note, section.anchor, text)
        assert [line for line in again.split("\n") if line] == [line for line in note.text.split("\n") if line]
