"""What somebody does in several steps, at random: names and moves notes, replaces, sets, exports, searches, drops.

Each is what a person means to do, by the fields and buttons there are; keys and clicks at random hardly come so far.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QTableWidget,
    QWidget,
)
from shiboken6 import isValid

NAMES = ("tensors/moved", "more/one", "two", "a/b/c", "名字", "tensors/gather", "../out", "", "three.zh", "index.en")
HEADINGS = ("Renamed", "另一个标题", "a `b` c", "x [y](z)", "")
QUERIES = (
    "gather",
    "显存",
    "tag:tensors",
    "status:failed",
    '"index past the end"',
    "re:[",
    "RuntimeError",
    "boradcast",
)
REPLACED = (("index", "Index"), ("the", "THE"), ("[a-z]+", "<$0>"), ("取值", "取 值"), ("print", "print"), ("x", ""))
EXPORTS = ("out.html", "out.ipynb", "out.py", "out.pdf", "名字.html")
CLIPBOARD = (
    "plain words",
    "https://example.org/a(b)",
    "1\t2\n3\t4",
    "```python\nprint(1)\n```",
    "<b>bold</b>",
    "",
)


class Journeys:
    """Needs `run`, `random` and `_tell` of who goes on them."""

    run: Any
    random: random.Random
    others: Path  # a folder with files that are no notes of this vault

    def _tell(self, what: str) -> None:
        raise NotImplementedError

    def _answer_prompt(self) -> None:
        """Give a command that asks for a name, and name something."""
        command = self.random.choice(("new", "rename", "rename", "rename_heading", "translate", "put_away"))
        folder = self.random.random() < 0.2
        keeping = self.run.window.deferred.note_commands
        text = self.random.choice(HEADINGS if command == "rename_heading" else NAMES)
        self._tell(f"answer {'rename_folder' if folder else command} with {text!r}")
        keeping.rename_folder("tensors") if folder else self.run.window.commands.run(command)
        if keeping.prompt.isVisible():
            keeping.prompt.field.setText(text)
            QTest.keyClick(keeping.prompt.field, Qt.Key.Key_Return)

    def _take_back(self) -> None:
        self._tell("undo_arranging")
        self.run.window.commands.run("undo_arranging")

    def _replace(self) -> None:
        """Replace something in the whole vault, or look what would be."""
        found, instead = self.random.choice(REPLACED)
        replacer = self.run.window.central.replace_page
        self._tell(f"replace {found!r} by {instead!r}")
        self.run.window.commands.run("replace")
        replacer.manner.regular.setChecked(found.startswith("["))
        replacer.pattern.setText(found)
        replacer.replacement.setText(instead)
        QTest.qWait(self.random.choice((0, 250)))
        if self.random.random() < 0.5:
            replacer.button.click()
        else:
            replacer.close_button.click()

    def _set(self) -> None:
        """Change something on the page of settings."""
        if self.random.random() < 0.5:
            self.run.window.commands.run("settings")
        page = self.run.window.settings
        controls = page.findChildren(QWidget) if page is not None else []
        self._use([one for one in controls if one.isVisible() and one.isEnabled()])

    def _use(self, controls: list[QWidget]) -> None:
        """Do with one of these what it is for."""
        kinds = (QComboBox, QAbstractSpinBox, QAbstractButton, QLineEdit, QTableWidget)
        found = [one for one in controls if isinstance(one, kinds)]
        if not found:
            return
        one = self.random.choice(found)
        self._tell(f"use {type(one).__name__} {one.objectName()}")
        if isinstance(one, QComboBox):
            one.setCurrentIndex(self.random.randrange(max(1, one.count())))
            one.activated.emit(one.currentIndex())
        elif isinstance(one, QAbstractSpinBox):
            one.stepBy(self.random.choice((-2, 3)))
        elif isinstance(one, QAbstractButton):
            one.click()
        elif isinstance(one, QTableWidget):
            one.selectRow(self.random.randrange(max(1, one.rowCount())))
        elif not one.isReadOnly():
            one.setText(self.random.choice((*QUERIES, "--steps 2", "7")))

    def _other_window(self) -> None:
        """Use a window that belongs to this one, such as the options of a run, or close it."""
        windows = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not self.run.window]
        if not windows:
            return
        window = self.random.choice(windows)
        if self.random.random() < 0.5:
            self._tell(f"close {type(window).__name__}")
            window.close()
        else:
            self._use([one for one in window.findChildren(QWidget) if one.isEnabled()])

    def _export(self) -> None:
        central, note = self.run.window.central, self.run.workspace.notes.current
        if note is None or central.editing:
            return
        out = self.others / self.random.choice(EXPORTS)
        self._tell(f"export to {out.name}")
        self.run.window.deferred.import_export.write(note.lead, out, out.suffix[1:])

    def _search(self) -> None:
        field = self.run.window.search_controller.field
        query = self.random.choice(QUERIES)
        self._tell(f"search {query!r}")
        field.setFocus()
        field.put(query)
        QTest.qWait(self.random.choice((0, 30, 150)))
        for _ in range(self.random.randrange(3)):
            QTest.keyClick(field, Qt.Key.Key_Down)
        if self.random.random() < 0.7 and isValid(field):
            QTest.keyClick(field, Qt.Key.Key_Return)

    def _drop(self) -> None:
        known = [one for one in self.others.iterdir() if one.is_file()]  # a folder within itself doubles each time
        known += list(self.run.workspace.vault.root.rglob("*.md"))[:5]
        places = self.random.sample(known, min(len(known), self.random.choice((1, 2))))
        self._tell(f"drop {[one.name for one in places]}")
        self.run.window.deferred.import_export.drop(places)

    def _copy(self) -> None:
        """Have something in the clipboard, and paste it where the caret is."""
        text = self.random.choice(CLIPBOARD)
        data = QMimeData()
        data.setText(text)
        if text.startswith("<"):
            data.setHtml(text)
        if text.startswith("https"):
            data.setUrls([QUrl(text)])
        QGuiApplication.clipboard().setMimeData(data)
        source = self.run.window.central.editor.source
        if self.run.window.central.editing:
            self._tell(f"paste {text!r}")
            source.paste()

    def _follow(self) -> None:
        """Press something on the page that can be pressed: a link, a task, a button of a box, a picture."""
        central = self.run.window.central
        view = central.preview.view if central.editing else central.reader.view
        places = list(_anchors(view))
        if not places or not view.isVisible():
            return
        address, position = self.random.choice(places)
        self._tell(f"follow {address[:60]}")
        cursor = QTextCursor(view.document())
        cursor.setPosition(position)
        view.setTextCursor(cursor)
        view.ensureCursorVisible()
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center() + QPoint(2, 0)
        )

    def _turn_tabs(self) -> None:
        tabs, workspace = self.run.window.central.tabs, self.run.workspace
        way = self.random.choice(("close_tab", "next_tab", "previous_tab", "reopen_tab", "move", "others"))
        self._tell(f"tabs: {way}")
        if way == "move" and tabs.count() > 1:
            tabs.moveTab(self.random.randrange(tabs.count()), self.random.randrange(tabs.count()))
        elif way == "others" and tabs.count():
            workspace.open_at(workspace.tabs.close_others(tabs.tabData(self.random.randrange(tabs.count()))))
        elif way not in ("move", "others"):
            self.run.window.commands.run(way)


def _anchors(view: Any) -> Any:
    """Yield what can be pressed in a document, with a position in it."""
    block = view.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            if piece.charFormat().isAnchor() and (address := piece.charFormat().anchorHref()):
                yield address, piece.position()
            pieces += 1
        block = block.next()
