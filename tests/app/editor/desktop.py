"""The editor in a window, for tests that use it as a person does."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.editor.editor_pane import EditorPane
from app.i18n import Translator
from app.style.theme import LIGHT
from kb.notes.note import Note
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport

PATH = "a/gather.zh.md"
TEXT = "# gather\n\ntext\n\n```python\nprint(1)\n```\n"


class Beside:
    """A preview that counts the pages it is given."""

    def __init__(self) -> None:
        self.label = QLabel()
        self.shown = 0

    def widget(self) -> QWidget:
        return self.label

    def show_page(self, page: Page, path: str, *, part: Viewport) -> None:
        self.shown += 1

    def listen(self, **calls: Any) -> None:
        pass

    def listen_for_more(self, look: Any) -> None:
        self.look = look

    def follow(self, line: int) -> None:
        pass

    def wait(self) -> None:
        pass


class Desktop:
    """The editor in a window with another field."""

    def __init__(self, store: Any, qtbot: QtBot) -> None:
        self.store = store
        self.words = Translator("en")
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
        note: Note = self.store.put(PATH, text)
        self.pane.open(note, store=self.store, **options)
        return note

    def type(self, text: str) -> None:
        QTest.keyClicks(self.pane.source, text)

    def press(self, name: str) -> None:
        QTest.keySequence(self.pane.source, QKeySequence(name))

    def others_write(self, text: str) -> None:
        self.pane.note_changed_outside(self.store.put(PATH, text))

    def choose(self, words: str) -> None:
        """Press the button of the notification with this text."""
        buttons = self.pane.ask_bar.findChildren(QPushButton)
        next(button for button in buttons if button.text() == words and button.isVisible()).click()

    @property
    def asked(self) -> str:
        return self.pane.ask_bar.notice.topic if self.pane.ask_bar.notice else ""

    @property
    def on_disk(self) -> str:
        return str(self.store.files[PATH].decode())
