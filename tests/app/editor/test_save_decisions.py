"""The editor asks about conflicts, drafts and deleted notes, and explains locked ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.style.theme import DARK
from kb.errors import KbError, SaveFailed
from kb.files.encoding import TextForm
from kb.notes.note import parse
from kb.vault.drafts import Draft
from tests.app.editor.desktop import PATH, Desktop


@pytest.mark.parametrize(
    ("choice", "disk", "text"),
    [("Keep mine", "mine text", "mine text"), ("Take theirs", "theirs", "theirs"), ("Keep both", "theirs", "theirs")],
)
def test_conflict_is_decided(editor: Desktop, choice: str, disk: str, text: str) -> None:
    """The user is asked once; after any answer text and file are equal, and nothing else is lost."""
    editor.open("text", line=1)
    editor.type("mine ")
    editor.others_write("theirs")
    assert editor.asked == "conflict"
    assert editor.store.drafts[PATH][0] == "mine text"
    assert editor.on_disk == "theirs"
    editor.choose(choice)
    assert editor.asked == ""
    assert (editor.on_disk, editor.pane.text()) == (disk, text)
    copies = [path for path in editor.store.files if "conflict" in path]
    assert [editor.store.files[path] for path in copies] == ([b"mine text"] if choice == "Keep both" else [])
    assert editor.pane.state.kind == "saved"


def test_difference_is_shown(editor: Desktop) -> None:
    """Before deciding, the user can show the difference and close it again."""
    editor.open("text", line=1)
    editor.type("mine ")
    editor.others_write("theirs")
    editor.choose("Show difference")
    lines = editor.pane.side_pane.difference.lines
    assert lines.isVisible()
    assert lines.toPlainText().split("\n")[1:] == ["-theirs", "+mine text", ""]
    editor.pane.set_theme(DARK)
    assert "+mine text" in lines.toPlainText()
    editor.press("Esc")
    assert not lines.isVisible()
    assert editor.asked == "conflict"


def test_the_difference_goes_once_it_is_decided(editor: Desktop) -> None:
    """The preview returns, because nothing is left to compare."""
    editor.open()
    editor.type("Mine. ")
    editor.others_write("# theirs\n")
    editor.choose("Show difference")
    assert not editor.beside.label.isVisible()
    editor.choose("Take theirs")
    assert editor.beside.label.isVisible()


def test_deleted_note(editor: Desktop, qtbot: QtBot) -> None:
    """The user is asked about a deleted note, and it is recreated only if that is chosen."""
    editor.open("text", line=1)
    del editor.store.files[PATH]
    editor.pane.note_deleted_outside()
    assert editor.asked == "gone"
    editor.type("new ")
    editor.pane.save_now()
    assert PATH not in editor.store.files
    editor.choose("Save again here")
    assert editor.on_disk == "new text"
    del editor.store.files[PATH]
    editor.pane.note_deleted_outside()
    with qtbot.waitSignal(editor.pane.closed):
        editor.choose("Close")
    assert PATH not in editor.store.files


def test_lasting_failure_has_a_sign(editor: Desktop) -> None:
    """After three failures a notification stays until a save succeeds; its button tries again."""
    editor.open("text", line=1)
    editor.type("new ")
    editor.store.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    for _ in range(2):
        editor.pane.save_now()
    assert editor.asked == ""
    editor.pane.save_now()
    assert editor.asked == "failed"
    assert "no space left" in editor.pane.ask_bar.sentence.text()
    editor.words.switch("zh")
    assert "磁盘已满" in editor.pane.ask_bar.sentence.text()
    editor.store.broken = None
    editor.choose("立即重试")
    assert editor.asked == ""
    assert editor.on_disk == "new text"


def test_lost_draft_is_said(editor: Desktop, qtbot: QtBot) -> None:
    """If not even the draft can be kept, the user is told to keep the window open."""
    editor.open("text", line=1)
    editor.store.broken = editor.store.broken_drafts = SaveFailed(PATH, "no space left")
    editor.type("new ")
    qtbot.waitUntil(lambda: editor.asked == "draft-failed", timeout=30_000)
    editor.store.broken = editor.store.broken_drafts = None
    editor.pane.save_now()
    assert editor.asked == ""


def test_draft_is_offered_and_restored(editor: Desktop) -> None:
    """A draft of an earlier session is offered; before the choice neither file nor text changes."""
    note = editor.store.put(PATH, "text")
    editor.pane.open(note, store=editor.store, draft=Draft(PATH, "text, typed before the crash", note.hash, 0.0))
    assert editor.asked == "draft"
    editor.type("x")
    editor.pane.save_now()
    assert (editor.on_disk, editor.pane.text()) == ("text", "text")
    editor.choose("Restore")
    assert editor.pane.text() == "text, typed before the crash"
    editor.pane.save_now()
    assert editor.on_disk == "text, typed before the crash"
    editor.pane.source.undo()
    assert editor.pane.text() == "text"


def test_draft_is_discarded(editor: Desktop) -> None:
    """A discarded draft is deleted, and the note can be edited."""
    editor.store.drafts[PATH] = ("old", None)
    editor.open("text", draft=Draft(PATH, "old", None, 0.0))
    editor.choose("Show difference")
    editor.choose("Discard")
    assert editor.store.drafts == {}
    editor.type("x")
    assert editor.pane.text() == "xtext"


def test_draft_of_a_changed_file_is_a_conflict(editor: Desktop) -> None:
    """A draft of an older version of the file is restored as one of two versions."""
    editor.open("text of today", draft=Draft(PATH, "typed yesterday", "of yesterday", 0.0))
    assert "has been changed since" in editor.pane.ask_bar.sentence.text()
    editor.choose("Restore")
    assert editor.asked == "conflict"
    assert editor.on_disk == "text of today"
    editor.choose("Keep both")
    assert editor.on_disk == editor.pane.text() == "text of today"
    assert b"typed yesterday" in editor.store.files.values()


def test_draft_that_says_nothing_new_is_dropped(editor: Desktop) -> None:
    """A draft equal to the file is deleted without asking."""
    editor.store.drafts[PATH] = ("text", None)
    editor.open("text", draft=Draft(PATH, "text", None, 0.0))
    assert editor.asked == ""
    assert editor.store.drafts == {}


def test_file_changes_while_a_draft_is_offered(editor: Desktop) -> None:
    """The text follows the file, and the draft is still offered."""
    editor.store.drafts[PATH] = ("mine", None)
    note = editor.store.put(PATH, "text")
    editor.pane.open(note, store=editor.store, draft=Draft(PATH, "mine", note.hash, 0.0))
    editor.others_write("theirs")
    assert editor.pane.text() == "theirs"
    assert editor.asked == "draft"
    assert "has been changed since" in editor.pane.ask_bar.sentence.text()
    assert editor.store.drafts[PATH] == ("mine", None)


def test_locked_notes_say_why(editor: Desktop) -> None:
    """A note without permission, with broken bytes, or too large is read-only and says so; nothing is written."""
    editor.open("text", locked=KbError("you may not write here", "没有写入权限"))
    assert editor.asked == "locked"
    assert "you may not write here" in editor.pane.ask_bar.sentence.text()
    editor.type("x")
    editor.pane.save_now()
    assert editor.pane.text() == editor.on_disk == "text"
    note = editor.store.put("b.md", "text")
    lossy = replace(note, form=TextForm(lossless=False))
    editor.pane.open(lossy, store=editor.store)
    assert "bytes" in editor.pane.ask_bar.sentence.text()
    assert editor.pane.source.isReadOnly()


def test_huge_note_is_read_only(editor: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note so long that each save would freeze the window is read-only; its text is the file's."""
    monkeypatch.setattr("app.editor.editor_pane.LONGEST", 5)
    monkeypatch.setattr("app.editor.source_editor.LONGEST", 5)
    editor.open("a\r\nb\u2029c\n")
    assert editor.asked == "locked"
    assert "too large to be edited here" in editor.pane.ask_bar.sentence.text()
    assert editor.pane.source.isReadOnly()
    assert editor.pane.text() == "a\r\nb\u2029c\n"


def test_what_is_just_being_saved_is_not_offered(editor: Desktop, qtbot: QtBot) -> None:
    """Its draft is still known while its deletion waits for the disk; typing goes on."""
    editor.open("text", line=1)
    store = editor.store
    store.held = True
    editor.type("mine ")
    qtbot.waitUntil(lambda: store.count("keep_draft") == 1, timeout=30_000)
    editor.type("own ")
    editor.pane.save_now()
    store._waiting.pop()()  # the save ends before the draft is written
    known = Draft(PATH, "mine text", "base", 1.0)
    editor.pane.open(editor.store.put(PATH, "mine own text"), store=store, draft=known)
    assert editor.asked == ""
    editor.type("more ")
    assert "more" in editor.pane.text()
    store.go()


def test_a_note_that_is_left_and_opened_again_is_not_offered(editor: Desktop, qtbot: QtBot) -> None:
    """While its last save goes on, its draft is no text of an earlier session."""
    note = editor.open("text", line=1)
    editor.type("mine ")
    store = editor.store
    qtbot.waitUntil(lambda: store.count("keep_draft") == 1, timeout=30_000)
    store.held = True
    editor.pane.open(store.put("other.md", "other"), store=store)
    editor.pane.open(note, store=store, draft=Draft(PATH, "mine text", note.hash, 1.0))
    assert editor.asked == ""
    store.go()
    editor.pane.note_changed_outside(parse(PATH, store.files[PATH]))
    assert editor.pane.text() == editor.on_disk == "mine text"
    assert editor.asked == ""
