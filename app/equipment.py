"""What a window has beside the note: commands and what carries them out, made once the first note is shown.

Whatever is asked for earlier is made then, and a key or a click finds everything in its place.
"""

# What the first note does not need is loaded after it.
# ruff: noqa: PLC0415

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QMainWindow, QWidget

from app.commands.registry import Command, Commands
from app.middle.centre import Centre
from app.rooms.settling import Settling
from app.rooms.workspace import Workspace
from app.search.searching import Searching
from app.style.look import Look
from app.words import Words
from kb.entries import Entry

if TYPE_CHECKING:  # see above
    from app.commands.exchanging import Exchange
    from app.commands.keeping import Keeping
    from app.commands.leaving import Leaving
    from app.commands.menus import Menus
    from app.commands.palette import Palette
    from app.commands.writing import Writing
    from app.pages.helping import Helping
    from app.pages.welcomepage import WelcomePage

_MODULES = (
    "app.editor.pane", "app.middle.preview", "app.middle.finding", "app.middle.replacer", "app.commands.menus",
    "app.commands.keeping", "app.commands.exchanging", "app.commands.writing", "app.commands.palette",
    "app.pages.helping", "app.search.results", "app.search.completing", "app.search.queryhelp", "app.search.advice",
)  # fmt: skip
_INPUT = frozenset((
    QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.InputMethod, QEvent.Type.MouseButtonPress,
    QEvent.Type.ContextMenu, QEvent.Type.TouchBegin, QEvent.Type.DragEnter,
))  # fmt: skip


class Equipping(QObject):
    """Has a window equipped step by step when nothing else is to be done, or at once when somebody does something.

    Until the first note is there only the window and what has the keyboard are listened to: to listen to everything,
    PySide loads every kind of thing that something can happen to.
    """

    def __init__(self, window: QWidget, equip: Callable[[], object]) -> None:
        """Hold everything back until `go`; `equip` is called when the modules are loaded."""
        super().__init__(window)
        self._gone = False
        self._settling = Settling(self)
        loading = (functools.partial(importlib.import_module, name) for name in _MODULES)
        self._settling.hold(*loading, equip, self._rest)
        self._heard = tuple(part for part in (window, window.focusWidget()) if part is not None)
        for part in self._heard:
            part.installEventFilter(self)

    def go(self) -> None:
        """Begin: the first note is shown, or there is none."""
        if not self._gone and (application := QCoreApplication.instance()) is not None:
            application.installEventFilter(self)
        self._gone = True
        self._settling.go()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let no key and no click find something missing."""
        if event.type() in _INPUT:
            self._settling.finish()
        return super().eventFilter(watched, event)

    def _rest(self) -> None:
        self._gone = True
        for part in self._heard:
            part.removeEventFilter(self)
        if (application := QCoreApplication.instance()) is not None:
            application.removeEventFilter(self)


class EquippedWindow(QMainWindow):
    """A window with what its commands are carried out by, each made when it is first asked for."""

    workspace: Workspace
    words: Words
    look: Look
    commands: Commands
    centre: Centre
    searching: Searching
    log: Path

    def equip(self) -> tuple[QWidget, ...]:
        """Have everything at hand; return the parts that stand ready, out of sight unless somebody asked for them."""
        self.commands.complete()
        return (self.palette_, self.searching.popup, self.searching.help, self.centre.find_bar)

    def lent_commands(self) -> tuple[Command, ...]:
        """Return the commands that are carried out here, in the order of the menu."""
        return (
            *(*self.keeping.commands(), *self.menus.all(), *self.exchange.commands()),
            *(*self.helping.commands(), *self.writing.commands()),
        )

    def enter(self, root: Path | None) -> None:
        """Open a vault, or ask first where the user's own would be made by that."""
        raise NotImplementedError

    def choose_folder(self) -> None:
        """Ask for a folder of notes and open it."""
        self.menus.choose_folder()

    def close_now(self) -> None:
        """Close without a question, as when the system asks."""
        self.leaving.force()

    def translate(self, entry: Entry) -> None:
        """Begin the other language of a note."""
        self.keeping.translate(entry)

    @functools.cached_property
    def leaving(self) -> Leaving:
        """What is asked before the window closes."""
        from app.commands.leaving import Leaving

        return Leaving(self, self.centre.editor, self.workspace, self.words)

    @functools.cached_property
    def menus(self) -> Menus:
        """Most of the commands."""
        from app.commands.menus import Menus

        return Menus(
            self.workspace, self.words, self.look,
            centre=self.centre, searching=self.searching, leaving=self.leaving, window=self, enter=self.enter,
        )  # fmt: skip

    @functools.cached_property
    def welcome(self) -> WelcomePage:
        """What asks before the user's own vault is made."""
        from app.pages.welcomepage import WelcomePage

        workspace = self.workspace
        return WelcomePage(
            self.words, self.look, workspace.places.user_vault,
            make=lambda: workspace.open_vault(None), choose=self.choose_folder, close=self.centre.leave_page,
        )  # fmt: skip

    @functools.cached_property
    def keeping(self) -> Keeping:
        """Names and places of notes."""
        from app.commands.keeping import Keeping

        return Keeping(self.workspace, self.centre, self.words, self)

    @functools.cached_property
    def exchange(self) -> Exchange:
        """What is brought in and taken out."""
        from app.commands.exchanging import Exchange

        return Exchange(self.workspace, self.words, self, open_vault=self.menus.open_vault)

    @functools.cached_property
    def helping(self) -> Helping:
        """Help, the log, and what the machine lacks."""
        from app.pages.helping import Helping

        return Helping(
            self.workspace, self.centre, self.words, self.look,
            log=self.log, open_vault=self.menus.open_vault,
        )  # fmt: skip

    @functools.cached_property
    def writing(self) -> Writing:
        """What helps to write."""
        from app.commands.writing import Writing

        return Writing(self.workspace, self.centre, self.words, self.look)

    @functools.cached_property
    def palette_(self) -> Palette:
        """All commands by their words."""
        from app.commands.palette import Palette

        return Palette(self.commands, self.words, self.look, self)
