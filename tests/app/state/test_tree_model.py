"""The tree of folders and notes, titles, and how long ago something was."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.state.tree_model import (
    ENTRY_ROLE,
    SIGN_ROLE,
    TreeModel,
    ago,
    folder_title,
    folders_of,
    seconds_since,
    tags_of,
    title_of,
)
from app.state.vault_scanner import NoteFacts
from kb.notes.note_listing import NoteEntry


def entry(key: str, *tags: str, **titles: str) -> NoteEntry:
    """Return an entry with a file for each title."""
    folder, _, name = key.rpartition("/")
    return NoteEntry(key, folder, name, {side: f"{key}.{side}.md" for side in titles}, titles, tags)


ENTRIES = (
    entry("start", zh="开始", en="Start"),
    entry("tensors/index", zh="张量", en="Tensors"),
    entry("tensors/gather", "indexing", zh="取值", en="gather"),
    entry("tensors/view", "indexing", "shape", en="view"),
    entry("loose/one", "shape", en="one"),
)


def test_folders_take_their_captions_from_their_own_note() -> None:
    """Chinese first, as on a page of two columns; a folder without one is called by its path."""
    folders = {folder.path: folder for folder in folders_of(ENTRIES)}
    assert folders["tensors"].captions == ("张量", "Tensors")
    assert [one.key for one in folders["tensors"].entries] == ["tensors/gather", "tensors/view"]
    assert folders["loose"].captions == ("loose",)
    assert folders[""].captions == ()


def test_a_tag_narrows_the_tree() -> None:
    """To the notes that have it; empty folders go."""
    folders = folders_of(ENTRIES, "shape")
    assert [one.key for folder in folders for one in folder.entries] == ["loose/one", "tensors/view"]


def test_tags_are_counted() -> None:
    """The commonest first."""
    assert tags_of(ENTRIES) == (("indexing", 2), ("shape", 2))


def test_the_model_is_sound_and_finds_notes(qtbot: QtBot) -> None:
    """Qt's own tester watches; a folder's own note is found at its caption."""
    parent = QObject()
    words = Translator("en")
    facts = {"tensors/gather": NoteFacts(frozenset(), {"a": "passed", "b": "failed"})}
    model = TreeModel(words, facts, parent)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_entries(ENTRIES)
    found = model.find("tensors/gather")
    assert found.data() == "gather"
    assert found.data(SIGN_ROLE) == ("failed", 1)
    assert found.parent().data() == "张量  TENSORS"
    assert model.find("tensors/index") == found.parent()
    assert found.parent().data(ENTRY_ROLE).key == "tensors/index"
    assert model.find("nowhere") == QModelIndex()
    changed: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, last: changed.append(first))
    model.update_titles(frozenset({"tensors/gather"}))
    assert len(changed) == 1
    del tester


def test_a_title_is_given_in_the_language_where_there_is_one() -> None:
    """Else in the other, else the name."""
    assert title_of(ENTRIES[0], "zh") == "开始"
    assert title_of(ENTRIES[3], "zh") == "view"
    assert title_of(NoteEntry("a/b", "a", "b", {}, {}, ()), "zh") == "b"


def test_the_sign_of_a_note_is_its_worst() -> None:
    """Failed before stale before passed; without a snippet there is none."""
    assert NoteFacts(frozenset(), {}).sign == ("", 0)
    assert NoteFacts(frozenset(), {"a": "never"}).sign == ("never", 1)
    assert NoteFacts(frozenset(), {"a": "passed", "b": "stale"}).sign == ("stale", 1)
    assert NoteFacts(frozenset(), {"a": "passed", "b": "passed"}).sign == ("passed", 2)


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


def test_a_folder_is_called_as_its_index_says() -> None:
    """Else by its path; the index, whose title it is, lies in the folder above."""
    index, note, other = entry("a/b/index", en="All of B"), entry("a/b/x", en="X"), entry("a/c/y", en="Y")
    assert folder_title(note, (note, index), "en") == "All of B"
    assert folder_title(other, (note, index), "en") == "a / c"
    assert folder_title(index, (note, index), "en") == "a"
    assert folder_title(entry("index", en="Start"), (index,), "en") == ""
