"""Focus mode: the note alone in full screen, without bars and panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.commands.registry import Command

_NEED_BARS = frozenset(("search", "menu"))  # commands of the bars that focus mode hides


class FocusMode(QObject):
    """Hides the bars and panels around the page, and shows again those that were visible."""

    def __init__(self, window: QWidget) -> None:
        """Act on `window`; the widgets to hide are set later by `set_surroundings`."""
        super().__init__(window)
        self._window = window
        self._around: Sequence[QWidget] = ()
        self._hidden: list[QWidget] = []
        self._was_full = False
        self.on = False
        window.installEventFilter(self)

    def set_surroundings(self, around: Sequence[QWidget]) -> None:
        """Set the widgets around the page."""
        self._around = around

    def command(self) -> Command:
        """Return the command that turns it on and off."""
        return Command("focus", "panels", "专注：只看笔记", "Focus: the note alone", self.toggle, ("F11",))

    def leaving_focus_mode(self, command: Command) -> Command:
        """Return the command; one that needs the bars leaves focus mode first."""
        if command.name not in _NEED_BARS:
            return command

        def act() -> None:
            self.leave()
            command.act()

        return replace(command, act=act)

    def toggle(self) -> None:
        """Show the note alone, or everything again."""
        if self.on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        """Show the note alone."""
        if self.on:
            return
        self.on = True
        self._hidden = [part for part in self._around if not part.isHidden()]
        for part in self._hidden:
            part.hide()
        self._was_full = self._window.isFullScreen()
        self._window.setWindowState(self._window.windowState() | Qt.WindowState.WindowFullScreen)

    def leave(self) -> None:
        """Show again what was visible before."""
        if not self.on:
            return
        self.on = False
        for part in self._hidden:
            part.show()
        if not self._was_full:
            self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowFullScreen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave by Escape, if no widget of the window used the key."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if self.on and pressed and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # it is a QKeyEvent
            self.leave()
            return True
        return super().eventFilter(watched, event)
