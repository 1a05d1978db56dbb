"""The note alone: panels and bars out of sight, and the window as large as the screen, until it is asked for again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.commands.registry import Command

_NEEDS_THE_BARS = frozenset(("search", "menu"))  # commands that act in what is hidden


class FocusMode(QObject):
    """Hides what stands round the page, and brings back what was to be seen before."""

    def __init__(self, window: QWidget) -> None:
        """Act on `window`; what is to be hidden is told later, once it is there."""
        super().__init__(window)
        self._window = window
        self._around: Sequence[QWidget] = ()
        self._hidden: list[QWidget] = []
        self._was_full = False
        self.on = False
        window.installEventFilter(self)

    def set_surroundings(self, around: Sequence[QWidget]) -> None:
        """Take what stands round the page."""
        self._around = around

    def command(self) -> Command:
        """Return the command that turns it on and off."""
        return Command("focus", "panels", "专注：只看笔记", "Focus: the note alone", self.toggle, ("F11",))

    def leaving_focus_mode(self, command: Command) -> Command:
        """Return a command that brings the bars back first where it needs them."""
        if command.name not in _NEEDS_THE_BARS:
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
        """Bring back what was to be seen before."""
        if not self.on:
            return
        self.on = False
        for part in self._hidden:
            part.show()
        if not self._was_full:
            self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowFullScreen)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave with Escape, where nothing in the window had a use for it."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if self.on and pressed and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # it is a QKeyEvent
            self.leave()
            return True
        return super().eventFilter(watched, event)
