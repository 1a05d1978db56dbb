"""Recent notes and sections: newest first, and only existing ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import Location
from app.notebook.note_loader import OpenNote
from app.state import recent_notes
from app.state.recent_notes import Recent
from app.state.settings import SettingsStore
from kb.files.paths import UserPaths
from kb.notes.note_listing import NoteEntry
from kb.rendering.rendered_page import Page, PageSection
from kb.vault.vault import Vault

PAIR = NoteEntry("a/x", "a", "x", {"zh": "a/x.zh.md", "en": "a/x.en.md"}, {"zh": "甲", "en": "X"}, ())


def opened(path: str, anchor: str = "") -> OpenNote:
    """Return a note that was opened at a section."""
    page = Page((PageSection("", "Bounds", 2, "bounds", 3, ()),))
    return OpenNote(PAIR, {}, {"en": page}, Location(path, anchor), {}, {})


def test_places_are_kept_with_their_heading_the_newest_first() -> None:
    """The same place twice is there once; a note and a section of it are two places."""
    kept: tuple[str, ...] = ()
    for path, anchor in (("a.md", ""), ("b.md", "bounds"), ("a.md", ""), ("a.md", "bounds")):
        kept = recent_notes.visited(kept, opened(path, anchor))
    assert [recent_notes.read(one) for one in kept] == [
        Recent("a.md", "bounds", "Bounds"),
        Recent("a.md"),
        Recent("b.md", "bounds", "Bounds"),
    ]


def test_a_state_of_an_older_version_has_paths_alone() -> None:
    """They are read as notes."""
    assert recent_notes.read("tensors/gather.en.md") == Recent("tensors/gather.en.md")


def test_few_are_kept_and_one_note_does_not_fill_the_list() -> None:
    """A dozen, and of one note a few sections."""
    kept: tuple[str, ...] = ()
    for number in range(30):
        kept = recent_notes.visited(kept, opened(f"{number}.md"))
    assert len(kept) == recent_notes.MOST
    for number in range(20):
        kept = recent_notes.visited(kept, opened("same.md", f"part-{number}"))
    assert sum(recent_notes.read(one).path == "same.md" for one in kept) <= recent_notes.EACH + 1


def test_rows_lead_to_what_is_still_there_once_a_note() -> None:
    """Either language of a pair is the same note; a section is shown by its heading under the note's title."""
    rows = recent_notes.rows(["a/x.en.md", "gone.md", "a/x.zh.md", "a/x.zh.md\tbounds\t越界"], [PAIR], "zh")
    assert [(row.heading, row.place, row.path, row.anchor) for row in rows] == [
        ("甲", "a", "a/x.en.md", ""),
        ("越界", "a / 甲", "a/x.zh.md", "bounds"),
    ]


def test_the_title_of_a_note_is_not_shown_as_a_section_of_it() -> None:
    """Its first heading, in whichever language it was read, is the note itself, in the language of the window."""
    (row,) = recent_notes.rows(["a/x.en.md\tx\tX", "a/x.zh.md\t甲\t甲", "a/x.en.md"], [PAIR], "zh")
    assert (row.heading, row.place, row.path, row.anchor) == ("甲", "a", "a/x.en.md", "x")


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Give a vault of two notes."""
    (tmp_path / "a.md").write_text("# A\n\n## Kept\n\ntext\n", "utf-8")
    (tmp_path / "b.md").write_bytes(b"\x00\x01\x02\xff" * 64)
    return Vault.open(tmp_path)


def test_a_note_that_is_given_the_name_of_one_that_is_gone_has_one_tab(home: Path) -> None:
    """The tab of the file that is gone was still there; one tab alone is none."""
    memory = SettingsStore(UserPaths.under(home), lambda _: None)
    memory.switch_vault(home / "vault")
    memory.set_state(tabs=("gone.md", "a.md", "b.md"), note="a.md")
    recent_notes.follow(memory, {"a.md": "gone.md"})
    assert (memory.state.tabs, memory.state.note) == (("gone.md", "b.md"), "gone.md")
    recent_notes.follow(memory, {"b.md": "gone.md"})
    assert memory.state.tabs == ()


def test_what_is_gone_is_found_out(vault: Vault) -> None:
    """A note, or a section of one; a note that cannot be read says nothing of its sections."""
    kept = ["a.md\t\t", "a.md\tkept\tKept", "a.md\tlost\tLost", "c.md\t\t", "b.md\tx\tX"]
    assert recent_notes.gone(kept, vault, frozenset({"a.md", "b.md"})) == {"a.md\tlost\tLost", "c.md\t\t"}
