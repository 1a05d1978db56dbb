"""Titles of notes, and how long ago something was."""

from __future__ import annotations

import pytest

from app.i18n import Translator
from app.state.tree_model import ago, folder_title, seconds_since
from kb.notes.note_listing import NoteEntry


@pytest.mark.usefixtures("qapp")  # words in Chinese bring Qt's own
def test_times_are_told_in_the_largest_unit() -> None:
    """In both languages."""
    assert [ago(seconds, Translator("en")) for seconds in (15, 90, 7200, 3 * 86400)] == [
        "15 s ago",
        "2 min ago",
        "2 h ago",
        "3 d ago",
    ]
    assert ago(-1, Translator("zh")) == "刚刚"
    assert seconds_since("2020-01-01T00:00:00+00:00") > 0


def entry(key: str, title: str) -> NoteEntry:
    """Return a note that has a title in English."""
    folder, _, name = key.rpartition("/")
    return NoteEntry(key, folder, name, {"en": f"{key}.en.md"}, {"en": title}, ())


def test_a_folder_is_called_as_its_index_says() -> None:
    """Else by its path; the index, whose title it is, lies in the folder above."""
    index, note, other = entry("a/b/index", "All of B"), entry("a/b/x", "X"), entry("a/c/y", "Y")
    assert folder_title(note, (note, index), "en") == "All of B"
    assert folder_title(other, (note, index), "en") == "a / c"
    assert folder_title(index, (note, index), "en") == "a"
    assert folder_title(entry("index", "Start"), (index,), "en") == ""
