"""Somebody who does anything whatever: commands, keys, the mouse, other programs; and what must hold all the while."""

from __future__ import annotations

import contextlib
import random
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QDesktopServices, QInputMethodEvent, QTextCursor
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMessageBox, QWidget
from shiboken6 import isValid

from app.widgets.notification_bar import NotificationBar
from tests.e2e.invariants import Witness, tell
from tests.e2e.journeys import Journeys

KEYS = (
    *(Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Backspace),
    *(Qt.Key.Key_Delete, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home),
    *(Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Space, Qt.Key.Key_F3, Qt.Key.Key_Menu),
)
MODIFIERS = (
    *[Qt.KeyboardModifier.NoModifier] * 6,
    *(Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier),
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
)
TYPED = (
    *("gather", "取值", "# ", "```python\n", "- [ ] ", "$x$", "[[", "](", "tag:", "lang:zh", "*", "|", "\t", "((", "'"),
    *("torch.nn", "𝒳", "e\u0301", "re:[", "code:x", '"', "\\", "0", "RuntimeError: index 3 is out of bounds"),
)
WRITTEN = (
    "# one\n\nText.\n",
    "",
    "# 二\n\n文字。\n\n```python\nprint(1)\n```\n",
    "---\ntags: [a\n---\n# broken\n",
    "\n" * 50,
)
LEFT_OUT = {"quit"}
MENU_MS = 15  # after which somebody chooses from an open menu


class Wanderer(Journeys):
    """Acts on a window; `done` tells what was done last."""

    def __init__(self, run: Any, seed: int, *, other: Path, others: Path, witness: Witness) -> None:
        """Choose by `seed`; `other` is a second vault to turn to now and then, `others` has files to bring in."""
        self.run = run
        self.other, self.others, self.witness = other, others, witness
        self.random = random.Random(seed)
        self.done: deque[str] = deque(maxlen=25)
        self._menus = QTimer(run.window, interval=MENU_MS)
        self._menus.timeout.connect(self._answer_menu)
        self._menus.start()
        self._ways: tuple[tuple[float, Callable[[], object]], ...] = (
            (24, self._command),
            (22, self._key),
            (12, self._type),
            (14, self._click),
            (4, self._open),
            (3, self._resize),
            (3, self._other_program),
            (2, self._turn_wheel),
            (2, self._compose),
            (2, self._edit),
            (1, self._turn_vault),
            (3, self._answer_notice),
            (6, self._wait),
            (3, self._follow),
            (3, self._turn_tabs),
            (2, self._search),
            (2, self._other_window),
            (2, self._copy),
            (1.5, self._answer_prompt),
            (1, self._take_back),
            (1, self._replace),
            (1, self._set),
            (0.4, self._export),
            (0.3, self._drop),
        )

    def act(self) -> None:
        """Do one thing."""
        weights, ways = zip(*self._ways, strict=True)
        self.random.choices(ways, weights)[0]()
        QApplication.processEvents()

    def stop(self) -> None:
        """Choose from no menu any more."""
        self._menus.stop()

    def _tell(self, what: str) -> None:
        self.done.append(what)
        tell(what)

    def _command(self) -> None:
        commands = self.run.window.commands
        name = self.random.choice([command.name for command in commands if command.name not in LEFT_OUT])
        self._tell(f"command {name}")
        commands.run(name)

    def _target(self) -> QWidget:
        popup = QApplication.activePopupWidget()
        window = self.run.window
        held = (popup and (popup.focusWidget() or popup)) or window.focusWidget() or window
        return held if isValid(held) else window  # the list of a box of choices may be gone with its popup

    def _key(self) -> None:
        key, modifier = self.random.choice(KEYS), self.random.choice(MODIFIERS)
        self._tell(f"key {key.name} {modifier.name}")
        with _while_there(target := self._target()):
            QTest.keyClick(target, key, modifier)

    def _type(self) -> None:
        text = self.random.choice(TYPED)
        self._tell(f"type {text!r}")
        for part in text.splitlines(keepends=True):
            line = part.rstrip("\n")
            with _while_there(target := self._target()):
                if line.isascii():
                    QTest.keyClicks(target, line)
                else:
                    self._commit(target, line)  # as an input method gives it; QTest has no key for it
            with _while_there(target := self._target()):
                if line != part:
                    QTest.keyClick(target, Qt.Key.Key_Return)

    def _compose(self) -> None:
        target = self._target()
        if not target.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled):
            return
        self._tell("compose")
        QApplication.sendEvent(target, QInputMethodEvent("xian'cun", []))
        self._commit(target, self.random.choice(("显存", "")))

    @staticmethod
    def _commit(target: QWidget, text: str) -> None:
        event = QInputMethodEvent("", [])
        event.setCommitString(text)
        QApplication.sendEvent(target, event)

    def _somewhere(self) -> tuple[QWidget, QPoint] | None:
        window = QApplication.activePopupWidget() or self.run.window
        at = QPoint(self.random.randrange(window.width()), self.random.randrange(window.height()))
        widget = window.childAt(at)
        return (widget, widget.mapFrom(window, at)) if widget is not None else None

    def _click(self) -> None:
        if (found := self._somewhere()) is None:
            return
        widget, at = found
        button = self.random.choice((*[Qt.MouseButton.LeftButton] * 5, Qt.MouseButton.RightButton))
        self._tell(f"{button.name} on {type(widget).__name__} {widget.objectName()} at {at.x()}, {at.y()}")
        (QTest.mouseDClick if self.random.random() < 0.1 else QTest.mouseClick)(widget, button, pos=at)

    def _turn_wheel(self) -> None:
        view = self.run.window.central.reader.view
        self._tell("scroll")
        view.verticalScrollBar().setValue(self.random.randrange(1 + view.verticalScrollBar().maximum()))

    def _open(self) -> None:
        workspace = self.run.workspace
        paths = [path for entry in workspace.notes.entries for path in entry.paths.values()]
        path = self.random.choice([*paths, "gone.md"])
        self._tell(f"open {path}")
        workspace.open_note(path, new_tab=self.random.random() < 0.4, line=self.random.choice((0, 1, 999)))

    def _edit(self) -> None:
        central, note = self.run.window.central, self.run.workspace.notes.current
        if note is None:
            return
        self._tell("edit")
        central.edit(note.lead.path, self.random.randrange(30))
        source = central.editor.source
        cursor = source.textCursor()
        cursor.setPosition(self.random.randrange(source.document().characterCount()))
        cursor.movePosition(QTextCursor.MoveOperation.Down, QTextCursor.MoveMode.KeepAnchor, self.random.randrange(3))
        source.setTextCursor(cursor)

    def _other_program(self) -> None:
        root = self.run.workspace.vault.root
        place = root / self.random.choice(("new.md", "more/new.zh.md", "tensors/expand.md", "tensors/gather.zh.md"))
        if place.exists() and self.random.random() < 0.3:
            self._tell(f"delete {place.name} from outside")
            place.unlink()
            self.witness.deleted(root, str(place.relative_to(root)))
            return
        self._tell(f"write {place.name} from outside")
        place.parent.mkdir(exist_ok=True)
        place.write_text(self.random.choice(WRITTEN), "utf-8")

    def _turn_vault(self) -> None:
        root = self.random.choice((self.other, None))
        self._tell(f"open vault {root}")
        self.run.window.deferred.view_commands.open_vault(root)

    def _answer_notice(self) -> None:
        for strip in self.run.window.findChildren(NotificationBar):
            if strip.cards:
                card = self.random.choice(strip.cards)
                button = self.random.choice([card.done, *(one for one, _ in card.buttons)])
                self._tell(f"answer {card.notice.en[:40]!r}")
                button.click()
                return

    def _resize(self) -> None:
        width, height = self.random.randint(400, 1900), self.random.randint(300, 1100)
        self._tell(f"resize {width} x {height}")
        self.run.window.resize(width, height)

    def _wait(self) -> None:
        self._tell("wait")
        QTest.qWait(self.random.choice((1, 20, 120)))

    def _answer_menu(self) -> None:
        menu = QApplication.activePopupWidget()
        if not isinstance(menu, QMenu):
            return
        actions = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
        if actions and self.random.random() < 0.5:
            chosen = self.random.choice(actions)
            if chosen is not self.run.window.commands.action("quit"):
                self._tell(f"choose {chosen.text()}")
                menu.setActiveAction(chosen)
                QTest.keyClick(menu, Qt.Key.Key_Return)
                return
        menu.close()


@contextlib.contextmanager
def _while_there(target: QWidget) -> Iterator[None]:
    """Let a key be the end of what it is pressed in: of a list that a box of choices opens, and deletes again."""
    try:
        yield
    except RuntimeError:
        if isValid(target):
            raise


def without_dialogs(monkeypatch: pytest.MonkeyPatch, chance: random.Random, files: Callable[[], list[Path]]) -> None:
    """Answer what the system or Qt would ask by a choice of `files`, by nothing, or by any button."""

    def one(*_: object, **__: object) -> tuple[str, str]:
        return (str(chance.choice(found)) if (found := files()) and chance.random() < 0.5 else ""), ""

    def many(*_: object, **__: object) -> tuple[list[str], str]:
        return ([str(chance.choice(found))] if (found := files()) and chance.random() < 0.5 else []), ""

    def folder(*_: object, **__: object) -> str:
        return str(found[0].parent) if (found := files()) and chance.random() < 0.3 else ""

    def answer(box: QMessageBox) -> int:
        chosen = chance.choice(box.buttons())
        monkeypatch.setattr(QMessageBox, "clickedButton", lambda _: chosen)
        return 0

    monkeypatch.setattr(QFileDialog, "getOpenFileName", one)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", many)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", folder)
    monkeypatch.setattr(QMessageBox, "exec", answer)
    monkeypatch.setattr(QPrintDialog, "exec", lambda _: QDialog.DialogCode.Rejected)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)
