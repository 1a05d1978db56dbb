"""The editor as a whole: what is typed, what is said, what one can decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.editor.pane import EditorPane
from app.theme import DARK, LIGHT
from app.words import Words
from kb.drafts import Draft
from kb.encoding import TextForm
from kb.errors import KbError, SaveFailed
from kb.note import Note, parse
from kb.page import Page

PATH = "a/gather.zh.md"
TEXT = "# gather\n\ntext\n\n```python\nprint(1)\n```\n"


class Beside:
    """A preview that only counts."""

    def __init__(self) -> None:
        self.label = QLabel()
        self.shown = 0

    def widget(self) -> QWidget:
        return self.label

    def show_page(self, page: Page, path: str) -> None:
        self.shown += 1

    def listen(self, **calls: Any) -> None:
        pass

    def follow(self, line: int) -> None:
        pass


class Desktop:
    """The editor in a window with another field beside it."""

    def __init__(self, desk: Any, qtbot: QtBot) -> None:
        self.desk = desk
        self.words = Words("en")
        self.beside = Beside()
        self.pane = EditorPane(self.words, LIGHT, preview=self.beside)
        self.window, self.elsewhere = QWidget(), QLineEdit()
        column = QVBoxLayout(self.window)
        column.addWidget(self.pane)
        column.addWidget(self.elsewhere)
        qtbot.addWidget(self.window)
        self.window.resize(1200, 800)
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.window.activateWindow()
        self.pane.source.setFocus()
        QApplication.processEvents()

    def open(self, text: str = TEXT, **options: Any) -> Note:
        note: Note = self.desk.put(PATH, text)
        self.pane.open(note, desk=self.desk, **options)
        return note

    def type(self, text: str) -> None:
        QTest.keyClicks(self.pane.source, text)

    def press(self, name: str) -> None:
        QTest.keySequence(self.pane.source, QKeySequence(name))

    def others_write(self, text: str) -> None:
        self.pane.note_changed_outside(self.desk.put(PATH, text))

    def choose(self, words: str) -> None:
        """Press the button of the question that says this."""
        buttons = self.pane.ask_bar.findChildren(QPushButton)
        next(button for button in buttons if button.text() == words and button.isVisible()).click()

    @property
    def asked(self) -> str:
        return self.pane.ask_bar.notice.topic if self.pane.ask_bar.notice else ""

    @property
    def on_disk(self) -> str:
        return str(self.desk.files[PATH].decode())


@pytest.fixture
def editor(desk: Any, qtbot: QtBot) -> Iterator[Desktop]:
    """Give an editor in a window."""
    made = Desktop(desk, qtbot)
    yield made
    made.pane.shut_down()


def test_typed_text_is_saved(editor: Desktop, qtbot: QtBot) -> None:
    """What is typed is in the file within two seconds, and the window says so in words."""
    editor.open(line=3)
    editor.type("new ")
    assert editor.pane.header.state_words() == "● Edited"
    qtbot.waitUntil(lambda: "new text" in editor.on_disk, timeout=2000)
    assert editor.pane.header.state_words() == "✓ Saved"
    assert editor.pane.text() == editor.on_disk


def test_saved_at_once_by_key_and_by_leaving(editor: Desktop, qtbot: QtBot) -> None:
    """Ctrl+S, another field, and closing the editor each save without waiting."""
    editor.open(line=3)
    editor.type("a")
    editor.press("Ctrl+S")
    assert "atext" in editor.on_disk
    editor.type("b")
    editor.elsewhere.setFocus()
    assert "abtext" in editor.on_disk
    editor.pane.source.setFocus()
    editor.type("c")
    with qtbot.waitSignal(editor.pane.closed) as closed:
        editor.press("Ctrl+E")
    assert closed.args == [3]
    assert "abctext" in editor.on_disk


def test_escape_closes_step_by_step(editor: Desktop, qtbot: QtBot) -> None:
    """Escape closes the find bar first, and then the editor at its line."""
    editor.open(line=5)
    editor.press("Ctrl+F")
    assert editor.pane.find_bar.isVisible()
    editor.pane.source.setFocus()
    editor.press("Esc")
    assert not editor.pane.find_bar.isVisible()
    with qtbot.waitSignal(editor.pane.closed) as closed:
        editor.press("Esc")
    assert closed.args == [5]


def test_another_note_saves_the_first(editor: Desktop, qtbot: QtBot) -> None:
    """Opening another note saves the one before, also when that takes its time."""
    editor.open(line=3)
    editor.type("new ")
    editor.desk.held = True
    other = parse("b.md", b"other\n")
    editor.desk.files["b.md"] = b"other\n"
    editor.pane.open(other, desk=editor.desk)
    assert editor.pane.text() == "other\n"
    assert not editor.pane.settle()
    with qtbot.waitSignal(editor.pane.rested):
        editor.desk.go()
    assert "new text" in editor.on_disk
    assert editor.desk.files["b.md"] == b"other\n"
    assert editor.desk.drafts == {}
    assert editor.pane.settle()


def test_note_left_unsaved_is_told(editor: Desktop, qtbot: QtBot) -> None:
    """A note that was left and could not be saved is told, and its draft stays."""
    editor.open(line=3)
    editor.type("new ")
    editor.desk.broken = SaveFailed(PATH, "no space left")
    with qtbot.waitSignal(editor.pane.left_unsaved) as left:
        editor.pane.open(parse("b.md", b"other\n"), desk=editor.desk)
    assert left.args[0] == PATH
    assert "new text" in editor.desk.drafts[PATH][0]


def test_same_note_again_keeps_undo(editor: Desktop) -> None:
    """Coming back to the note that is being edited keeps its undo steps."""
    note = editor.open(line=3)
    editor.type("x")
    editor.pane.save_now()
    editor.pane.open(parse(PATH, editor.desk.files[PATH]), 3, desk=editor.desk)
    assert editor.pane.source.document().isUndoAvailable()
    editor.pane.source.undo()
    editor.pane.save_now()
    assert editor.on_disk == note.text


def test_leaving_saves_and_shows_nothing(editor: Desktop) -> None:
    """Before another vault is opened the note is saved, and nothing of it stays on the screen."""
    editor.open(line=3)
    editor.type("new ")
    editor.pane.leave()
    assert "new text" in editor.on_disk
    assert (editor.pane.path, editor.pane.text()) == ("", "")
    editor.type("x")
    editor.pane.note_changed_outside(editor.desk.put(PATH, "theirs"))
    assert editor.pane.text() == ""
    assert editor.pane.settle()


def test_external_change_keeps_the_place(editor: Desktop) -> None:
    """Another program adds lines above the caret of an unedited note: the caret stays at its words."""
    editor.open(line=3)
    editor.others_write("first\n" + TEXT)
    assert editor.pane.text() == "first\n" + TEXT
    assert editor.pane.source.line() == 4
    assert editor.desk.count("save") == 0
    assert editor.asked == ""


@pytest.mark.parametrize(
    ("choice", "disk", "text"),
    [("Keep mine", "mine text", "mine text"), ("Take theirs", "theirs", "theirs"), ("Keep both", "theirs", "theirs")],
)
def test_conflict_is_decided(editor: Desktop, choice: str, disk: str, text: str) -> None:
    """One question is put; whatever is answered, text and file are the same, and nothing else is lost."""
    editor.open("text", line=1)
    editor.type("mine ")
    editor.others_write("theirs")
    assert editor.asked == "conflict"
    assert editor.desk.drafts[PATH][0] == "mine text"
    assert editor.on_disk == "theirs"
    editor.choose(choice)
    assert editor.asked == ""
    assert (editor.on_disk, editor.pane.text()) == (disk, text)
    copies = [path for path in editor.desk.files if "conflict" in path]
    assert [editor.desk.files[path] for path in copies] == ([b"mine text"] if choice == "Keep both" else [])
    assert editor.pane.state.kind == "saved"


def test_difference_is_shown(editor: Desktop) -> None:
    """Before one decides, the difference can be read, and put away again."""
    editor.open("text", line=1)
    editor.type("mine ")
    editor.others_write("theirs")
    editor.choose("Show difference")
    lines = editor.pane._beside._difference._lines
    assert lines.isVisible()
    assert lines.toPlainText().split("\n")[1:] == ["-theirs", "+mine text", ""]
    editor.pane.wear(DARK)
    assert "+mine text" in lines.toPlainText()
    editor.press("Esc")
    assert not lines.isVisible()
    assert editor.asked == "conflict"


def test_deleted_note(editor: Desktop, qtbot: QtBot) -> None:
    """A deleted note is asked about, and made again only when that is chosen."""
    editor.open("text", line=1)
    del editor.desk.files[PATH]
    editor.pane.note_deleted_outside()
    assert editor.asked == "gone"
    editor.type("new ")
    editor.pane.save_now()
    assert PATH not in editor.desk.files
    editor.choose("Save again here")
    assert editor.on_disk == "new text"
    del editor.desk.files[PATH]
    editor.pane.note_deleted_outside()
    with qtbot.waitSignal(editor.pane.closed):
        editor.choose("Close")
    assert PATH not in editor.desk.files


def test_lasting_failure_has_a_sign(editor: Desktop) -> None:
    """After three failures a sentence stays until a save works; trying again is a button."""
    editor.open("text", line=1)
    editor.type("new ")
    editor.desk.broken = SaveFailed(PATH, "no space left", "磁盘已满")
    for _ in range(2):
        editor.pane.save_now()
    assert editor.asked == ""
    editor.pane.save_now()
    assert editor.asked == "failed"
    assert "no space left" in editor.pane.ask_bar._sentence.text()
    editor.words.switch("zh")
    assert "磁盘已满" in editor.pane.ask_bar._sentence.text()
    editor.desk.broken = None
    editor.choose("立即重试")
    assert editor.asked == ""
    assert editor.on_disk == "new text"


def test_lost_draft_is_said(editor: Desktop, qtbot: QtBot) -> None:
    """Where not even the draft can be kept, one is told to leave the window open."""
    editor.open("text", line=1)
    editor.desk.broken = editor.desk.broken_drafts = SaveFailed(PATH, "no space left")
    editor.type("new ")
    qtbot.waitUntil(lambda: editor.asked == "draft-failed", timeout=2000)
    editor.desk.broken = editor.desk.broken_drafts = None
    editor.pane.save_now()
    assert editor.asked == ""


def test_draft_is_offered_and_restored(editor: Desktop) -> None:
    """A draft left behind is offered; until one chooses nothing changes, neither file nor text."""
    note = editor.desk.put(PATH, "text")
    editor.pane.open(note, desk=editor.desk, draft=Draft(PATH, "text, typed before the crash", note.hash, 0.0))
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
    """A discarded draft is gone, and the note can be edited."""
    editor.desk.drafts[PATH] = ("old", None)
    editor.open("text", draft=Draft(PATH, "old", None, 0.0))
    editor.choose("Show difference")
    editor.choose("Discard")
    assert editor.desk.drafts == {}
    editor.type("x")
    assert editor.pane.text() == "xtext"


def test_draft_of_a_changed_file_is_a_conflict(editor: Desktop) -> None:
    """A draft of an older file is restored as one of two versions."""
    editor.open("text of today", draft=Draft(PATH, "typed yesterday", "of yesterday", 0.0))
    assert "has been changed since" in editor.pane.ask_bar._sentence.text()
    editor.choose("Restore")
    assert editor.asked == "conflict"
    assert editor.on_disk == "text of today"
    editor.choose("Keep both")
    assert editor.on_disk == editor.pane.text() == "text of today"
    assert b"typed yesterday" in editor.desk.files.values()


def test_draft_that_says_nothing_new_is_dropped(editor: Desktop) -> None:
    """A draft of what is in the file is not worth a question."""
    editor.desk.drafts[PATH] = ("text", None)
    editor.open("text", draft=Draft(PATH, "text", None, 0.0))
    assert editor.asked == ""
    assert editor.desk.drafts == {}


def test_file_changes_while_a_draft_is_offered(editor: Desktop) -> None:
    """The file is followed, and the draft stays on offer."""
    editor.desk.drafts[PATH] = ("mine", None)
    note = editor.desk.put(PATH, "text")
    editor.pane.open(note, desk=editor.desk, draft=Draft(PATH, "mine", note.hash, 0.0))
    editor.others_write("theirs")
    assert editor.pane.text() == "theirs"
    assert editor.asked == "draft"
    assert "has been changed since" in editor.pane.ask_bar._sentence.text()
    assert editor.desk.drafts[PATH] == ("mine", None)


def test_locked_notes_say_why(editor: Desktop) -> None:
    """A note without permission, with broken bytes, or too large is read-only and says so; nothing is written."""
    editor.open("text", locked=KbError("you may not write here", "没有写入权限"))
    assert editor.asked == "locked"
    assert "you may not write here" in editor.pane.ask_bar._sentence.text()
    editor.type("x")
    editor.pane.save_now()
    assert editor.pane.text() == editor.on_disk == "text"
    note = editor.desk.put("b.md", "text")
    lossy = Note(**{**vars(note), "form": TextForm(lossless=False)})
    editor.pane.open(lossy, desk=editor.desk)
    assert "bytes" in editor.pane.ask_bar._sentence.text()
    assert editor.pane.source.isReadOnly()


def test_huge_note_is_read_only(editor: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that would stop the window at each save is shown, not edited; its text is the file's."""
    monkeypatch.setattr("app.editor.pane.LONGEST", 5)
    monkeypatch.setattr("app.editor.source.LONGEST", 5)
    editor.open("a\r\nb\u2029c\n")
    assert editor.asked == "locked"
    assert "too large to be edited here" in editor.pane.ask_bar._sentence.text()
    assert editor.pane.source.isReadOnly()
    assert editor.pane.text() == "a\r\nb\u2029c\n"


def test_run_only_inside_a_python_fence(editor: Desktop, qtbot: QtBot) -> None:
    """Ctrl+Enter in a python fence saves and asks for the run of its line; in prose it does nothing."""
    editor.open(line=3)
    asked: list[tuple[str, int, str]] = []
    editor.pane.run_requested.connect(lambda note, line, device: asked.append((note.text, line, device)))
    editor.press("Ctrl+Return")
    assert asked == []
    editor.pane.source.go_to_line(6)
    editor.type("x = 1; ")
    editor.press("Ctrl+Return")
    assert asked == [(editor.on_disk, 6, "")]
    assert "x = 1; print(1)" in editor.on_disk


def test_what_cannot_be_saved_is_not_run(editor: Desktop) -> None:
    """Neither at once nor when a later save succeeds: by then nobody waits for it."""
    editor.open(line=6)
    asked: list[int] = []
    editor.pane.run_requested.connect(lambda _, line, __: asked.append(line))
    editor.desk.broken = SaveFailed("n.md", "disk full", "磁盘已满")
    editor.type("x = 1; ")
    editor.press("Ctrl+Return")
    editor.desk.broken = None
    editor.pane.save_now()
    assert "x = 1" in editor.on_disk
    assert asked == []


def test_a_run_waits_for_the_save_of_its_text(editor: Desktop) -> None:
    """Not for an older save that is under way, and not for what is typed after it."""
    editor.open(line=6)
    asked: list[str] = []
    editor.pane.run_requested.connect(lambda note, *_: asked.append(note.text))
    editor.desk.held = True
    editor.type("a = 1; ")
    editor.pane.save_now()
    editor.type("b = 2; ")
    editor.press("Ctrl+Return")
    assert asked == []
    editor.desk.go()
    assert len(asked) == 1
    assert "a = 1; b = 2; print(1)" in asked[0]


def test_keys_of_the_window_do_not_compete(editor: Desktop, qtbot: QtBot) -> None:
    """A shortcut of the window on the same key is not fired by the editor's key, nor while one composes."""
    fired: list[str] = []
    for name in ("Ctrl+E", "Ctrl+K"):
        shortcut = QShortcut(QKeySequence(name), editor.window)
        shortcut.activated.connect(lambda name=name: fired.append(name))
    editor.open(line=3)
    closed: list[int] = []
    editor.pane.closed.connect(closed.append)
    QApplication.sendEvent(editor.pane.source, QInputMethodEvent("ni", []))
    for key in (Qt.Key.Key_E, Qt.Key.Key_K):
        QTest.keyClick(editor.pane.source, key, Qt.KeyboardModifier.ControlModifier)
    assert (closed, fired) == ([], [])
    QApplication.sendEvent(editor.pane.source, QInputMethodEvent("", []))
    QTest.keyClick(editor.pane.source, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert (closed, fired) == ([3], [])
    QTest.keyClick(editor.pane.source, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert fired == ["Ctrl+K"]


def test_composing_neither_saves_nor_renders(editor: Desktop, qtbot: QtBot) -> None:
    """Text in composition is no change; the committed text is."""
    editor.open(line=3)
    editor.desk.calls.clear()
    QApplication.sendEvent(editor.pane.source, QInputMethodEvent("nihao", []))
    qtbot.wait(400)
    assert editor.desk.calls == []
    assert editor.pane.state.kind == "saved"
    event = QInputMethodEvent()
    event.setCommitString("你好")
    QApplication.sendEvent(editor.pane.source, event)
    qtbot.waitUntil(lambda: "你好text" in editor.on_disk, timeout=2500)
    assert editor.desk.count("render") >= 1


def test_keys_work_from_the_find_bar(editor: Desktop, qtbot: QtBot) -> None:
    """Ctrl+S and Ctrl+E are obeyed wherever in the editor the focus is; F3 goes on."""
    editor.open(line=3)
    editor.type("text ")
    editor.press("Ctrl+H")
    QTest.keyClicks(editor.pane.find_bar.pattern, "text")
    QTest.keyClick(editor.pane.find_bar.pattern, Qt.Key.Key_F3)
    assert editor.pane.find_bar.count.text() == "1 of 2"
    QTest.keyClick(editor.pane.find_bar.pattern, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert "text text" in editor.on_disk
    with qtbot.waitSignal(editor.pane.closed):
        QTest.keyClick(editor.pane.find_bar.pattern, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)


def test_preview_can_be_hidden(editor: Desktop, qtbot: QtBot) -> None:
    """The preview shows the note at once, and goes away and comes back by its button."""
    editor.open()
    assert editor.beside.shown == 1
    editor.pane.header.preview_button.click()
    assert not editor.beside.label.isVisible()
    editor.pane.header.preview_button.click()
    assert editor.beside.label.isVisible()
    assert editor.beside.shown == 2


def test_editor_without_a_preview(desk: Any, qtbot: QtBot) -> None:
    """Without a preview the source has the whole width, and there is no button for it."""
    pane = EditorPane(Words("zh"), DARK)
    qtbot.addWidget(pane)
    pane.show()
    assert pane.settle()
    assert pane.path == ""
    pane.open(desk.put(PATH, TEXT), desk=desk)
    assert not pane.header.preview_button.isVisible()
    assert not pane._beside.isVisible()
    pane.shut_down()


def test_everything_is_named_in_both_languages(editor: Desktop) -> None:
    """Every control has an accessible name, and it changes with the language."""
    editor.open()
    named = (editor.pane, editor.pane.source, editor.pane.header.done_button, editor.pane.header.find_button)
    english = [widget.accessibleName() for widget in named]
    editor.words.switch("zh")
    chinese = [widget.accessibleName() for widget in named]
    assert all(english)
    assert all(a != b for a, b in zip(english, chinese, strict=True))
    unnamed = [
        button for button in editor.pane.findChildren(QPushButton) if not (button.accessibleName() or button.text())
    ]
    assert unnamed == []


def test_no_timer_is_left(editor: Desktop, qtbot: QtBot) -> None:
    """After the end nothing fires by itself."""
    editor.open(line=3)
    editor.type("x")
    editor.pane.shut_down()
    editor.desk.calls.clear()
    qtbot.wait(400)
    assert [name for name, _ in editor.desk.calls if name != "render"] == []


def test_another_desk_gets_nothing_of_the_first(editor: Desktop, qtbot: QtBot) -> None:
    """A save that is under way when another vault is opened ends in its own vault, drafts too."""
    editor.open(line=3)
    editor.desk.held = True
    editor.type("new ")
    editor.pane.save_now()
    editor.type("newer ")
    other = type(editor.desk)()
    same = other.put(PATH, TEXT)
    other.drafts[PATH] = ("of the other vault", None)
    editor.pane.open(same, desk=other)
    with qtbot.waitSignal(editor.pane.rested):
        editor.desk.go()
    assert "new newer text" in editor.on_disk
    assert editor.desk.drafts == {}
    assert other.files[PATH].decode() == TEXT
    assert other.drafts == {PATH: ("of the other vault", None)}
    assert other.count("save") == 0


def test_note_without_permission_is_locked(editor: Desktop) -> None:
    """Where the user may not write, the note is read-only and says why, also after another program changed it."""
    editor.desk.refused = KbError("you have no permission", "没有权限")
    editor.open("text")
    assert editor.asked == "locked"
    assert "you have no permission" in editor.pane.ask_bar._sentence.text()
    editor.others_write("theirs")
    editor.type("x")
    editor.pane.save_now()
    assert editor.pane.text() == editor.on_disk == "theirs"
    assert editor.asked == "locked"
