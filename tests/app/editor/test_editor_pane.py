"""The editor as a whole: typing, saving, notifications, keys and the preview."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.editor.editor_pane import EditorPane
from app.i18n import Translator
from app.style.theme import DARK
from kb.errors import KbError, SaveFailed
from kb.notes.note import parse
from tests.app.editor.desktop import PATH, TEXT, Desktop


def test_typed_text_is_saved(editor: Desktop, qtbot: QtBot) -> None:
    """Typed text is in the file within two seconds, and the header says so in words."""
    editor.open(line=3)
    editor.type("new ")
    assert editor.pane.header.state_label.text() == "● Edited"
    qtbot.waitUntil(lambda: "new text" in editor.on_disk, timeout=30_000)
    assert editor.pane.header.state_label.text() == "✓ Saved"
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
    """Opening another note saves the previous one, also if that takes a while."""
    editor.open(line=3)
    editor.type("new ")
    editor.store.held = True
    other = parse("b.md", b"other\n")
    editor.store.files["b.md"] = b"other\n"
    editor.pane.open(other, store=editor.store)
    assert editor.pane.text() == "other\n"
    assert not editor.pane.flush()
    with qtbot.waitSignal(editor.pane.rested):
        editor.store.go()
    assert "new text" in editor.on_disk
    assert editor.store.files["b.md"] == b"other\n"
    assert editor.store.drafts == {}
    assert editor.pane.flush()


def test_note_left_unsaved_is_told(editor: Desktop, qtbot: QtBot) -> None:
    """A note whose last save failed is reported, and its draft stays."""
    editor.open(line=3)
    editor.type("new ")
    editor.store.broken = SaveFailed(PATH, "no space left")
    with qtbot.waitSignal(editor.pane.left_unsaved) as left:
        editor.pane.open(parse("b.md", b"other\n"), store=editor.store)
    assert left.args[0] == PATH
    assert "new text" in editor.store.drafts[PATH][0]


def test_same_note_again_keeps_undo(editor: Desktop) -> None:
    """Opening the edited note again keeps its undo steps."""
    note = editor.open(line=3)
    editor.type("x")
    editor.pane.save_now()
    editor.pane.open(parse(PATH, editor.store.files[PATH]), 3, store=editor.store)
    assert editor.pane.source.document().isUndoAvailable()
    editor.pane.source.undo()
    editor.pane.save_now()
    assert editor.on_disk == note.text


def test_leaving_saves_and_shows_nothing(editor: Desktop) -> None:
    """Before another vault is opened, the note is saved and its text removed."""
    editor.open(line=3)
    editor.type("new ")
    editor.pane.leave()
    assert "new text" in editor.on_disk
    assert (editor.pane.path, editor.pane.text()) == ("", "")
    editor.type("x")
    editor.pane.note_changed_outside(editor.store.put(PATH, "theirs"))
    assert editor.pane.text() == ""
    assert editor.pane.flush()


def test_external_change_keeps_the_place(editor: Desktop) -> None:
    """If another program adds lines above the caret of an unedited note, the caret stays at the same words."""
    editor.open(line=3)
    editor.others_write("first\n" + TEXT)
    assert editor.pane.text() == "first\n" + TEXT
    assert editor.pane.source.line() == 4
    assert editor.store.count("save") == 0
    assert editor.asked == ""


def test_run_only_inside_a_python_fence(editor: Desktop, qtbot: QtBot) -> None:
    """Ctrl+Enter in a Python fence saves and requests a run of its line; in prose it does nothing."""
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
    """Neither at once nor when a later save succeeds: the request has expired by then."""
    editor.open(line=6)
    asked: list[int] = []
    editor.pane.run_requested.connect(lambda _, line, __: asked.append(line))
    editor.store.broken = SaveFailed("n.md", "disk full", "磁盘已满")
    editor.type("x = 1; ")
    editor.press("Ctrl+Return")
    editor.store.broken = None
    editor.pane.save_now()
    assert "x = 1" in editor.on_disk
    assert asked == []


def test_a_run_waits_for_the_save_of_its_text(editor: Desktop) -> None:
    """It does not start with an older save in progress, nor with text typed later."""
    editor.open(line=6)
    asked: list[str] = []
    editor.pane.run_requested.connect(lambda note, *_: asked.append(note.text))
    editor.store.held = True
    editor.type("a = 1; ")
    editor.pane.save_now()
    editor.type("b = 2; ")
    editor.press("Ctrl+Return")
    assert asked == []
    editor.store.go()
    assert len(asked) == 1
    assert "a = 1; b = 2; print(1)" in asked[0]


def test_keys_of_the_window_do_not_compete(editor: Desktop, qtbot: QtBot) -> None:
    """A shortcut of the window on the same key is not triggered, also not while text is composed."""
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
    """Text being composed is not a change; the committed text is."""
    editor.open(line=3)
    editor.store.calls.clear()
    QApplication.sendEvent(editor.pane.source, QInputMethodEvent("nihao", []))
    qtbot.wait(400)
    assert editor.store.calls == []
    assert editor.pane.state.kind == "saved"
    event = QInputMethodEvent()
    event.setCommitString("你好")
    QApplication.sendEvent(editor.pane.source, event)
    qtbot.waitUntil(lambda: "你好text" in editor.on_disk, timeout=30_000)
    assert editor.store.count("render") >= 1


def test_keys_work_from_the_find_bar(editor: Desktop, qtbot: QtBot) -> None:
    """Ctrl+S, Ctrl+E and F3 work wherever in the editor the focus is."""
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
    """The preview shows the note at once, and its button hides and shows it."""
    editor.open()
    assert editor.beside.shown == 1
    editor.pane.header.preview_button.click()
    assert not editor.beside.label.isVisible()
    editor.pane.header.preview_button.click()
    assert editor.beside.label.isVisible()
    assert editor.beside.shown == 2


def test_editor_without_a_preview(store: Any, qtbot: QtBot) -> None:
    """Without a preview the source has the whole width, and there is no button for it."""
    pane = EditorPane(Translator("zh"), DARK)
    qtbot.addWidget(pane)
    pane.show()
    assert pane.flush()
    assert pane.path == ""
    pane.open(store.put(PATH, TEXT), store=store)
    assert not pane.header.preview_button.isVisible()
    assert not pane.side_pane.isVisible()
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
    """After shutting down, no timer fires."""
    editor.open(line=3)
    editor.type("x")
    editor.pane.shut_down()
    editor.store.calls.clear()
    qtbot.wait(400)
    assert [name for name, _ in editor.store.calls if name != "render"] == []


def test_another_desk_gets_nothing_of_the_first(editor: Desktop, qtbot: QtBot) -> None:
    """A save in progress when another vault is opened ends in its own vault, and so do drafts."""
    editor.open(line=3)
    editor.store.held = True
    editor.type("new ")
    editor.pane.save_now()
    editor.type("newer ")
    other = type(editor.store)()
    same = other.put(PATH, TEXT)
    other.drafts[PATH] = ("of the other vault", None)
    editor.pane.open(same, store=other)
    with qtbot.waitSignal(editor.pane.rested):
        editor.store.go()
    assert "new newer text" in editor.on_disk
    assert editor.store.drafts == {}
    assert other.files[PATH].decode() == TEXT
    assert other.drafts == {PATH: ("of the other vault", None)}
    assert other.count("save") == 0


def test_more_carets_do_not_squeeze_the_path(editor: Desktop) -> None:
    """The number of carets takes the place of the word count, which matters less, and not that of the path."""
    editor.open("text text text text")
    header, carets = editor.pane.header, editor.pane.source.carets
    header.show_path("tensors/a-name.en.md")
    header.show_count("a length that is told", "a tip")
    labels = (header.path_label, header.state_label, header.count_label, header.place_label)
    parts = (*labels, *header.findChildren(QPushButton))
    margins = header._row.contentsMargins()
    room = sum(part.sizeHint().width() for part in parts) + header._row.spacing() * len(parts)
    header.setFixedWidth(room + margins.left() + margins.right())
    QApplication.processEvents()
    assert header.count_label.isVisible()
    for _ in range(3):
        carets.next_same()
    QApplication.processEvents()
    assert "carets" in header.place_label.text()
    assert header.path_label.width() >= header.path_label.sizeHint().width()


def test_note_without_permission_is_locked(editor: Desktop) -> None:
    """Without write permission the note is read-only and says why, also after another program changed it."""
    editor.store.refused = KbError("you have no permission", "没有权限")
    editor.open("text")
    assert editor.asked == "locked"
    assert "you have no permission" in editor.pane.ask_bar.sentence.text()
    editor.others_write("theirs")
    editor.type("x")
    editor.pane.save_now()
    assert editor.pane.text() == editor.on_disk == "theirs"
    assert editor.asked == "locked"
