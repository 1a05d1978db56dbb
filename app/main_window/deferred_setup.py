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

from app.central.central_widget import CentralWidget
from app.commands.registry import Command, Commands
from app.i18n import Translator
from app.search.search_controller import SearchController
from app.state.idle_queue import IdleQueue
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from kb.notes.note_listing import NoteEntry

if TYPE_CHECKING:  # see above
    from app.commands.close_guard import CloseGuard
    from app.commands.command_palette import CommandPalette
    from app.commands.editor_commands import EditorCommands
    from app.commands.import_export import ImportExport
    from app.commands.note_commands import NoteCommands
    from app.commands.view_commands import ViewCommands
    from app.pages.help_page import HelpCommands
    from app.pages.welcome_page import WelcomePage

_MODULES = (
    "app.editor.editor_pane",
    "app.central.preview_pane",
    "app.central.find_bar",
    "app.central.replace_page",
    "app.commands.view_commands",
    "app.commands.note_commands",
    "app.commands.import_export",
    "app.commands.editor_commands",
    "app.commands.command_palette",
    "app.pages.help_page",
    "app.search.results_popup",
    "app.search.filter_completion",
    "app.search.query_help",
    "app.search.suggestions",
)
_INPUT = frozenset(
    (
        QEvent.Type.KeyPress,
        QEvent.Type.ShortcutOverride,
        QEvent.Type.InputMethod,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.ContextMenu,
        QEvent.Type.TouchBegin,
        QEvent.Type.DragEnter,
    )
)


class DeferredSetup(QObject):
    """Has a window equipped step by step when nothing else is to be done, or at once when somebody does something.

    Until the first note is there only the window and what has the keyboard are listened to: to listen to everything,
    PySide loads every kind of thing that something can happen to.
    """

    def __init__(self, window: QWidget, equip: Callable[[], object]) -> None:
        """Hold everything back until `go`; `equip` is called when the modules are loaded."""
        super().__init__(window)
        self._gone = False
        self._settling = IdleQueue(self)
        loading = (functools.partial(importlib.import_module, name) for name in _MODULES)
        self._settling.schedule(*loading, equip, self._rest)
        self._heard = tuple(part for part in (window, window.focusWidget()) if part is not None)
        for part in self._heard:
            part.installEventFilter(self)

    def start(self) -> None:
        """Begin: the first note is shown, or there is none."""
        if not self._gone and (application := QCoreApplication.instance()) is not None:
            application.installEventFilter(self)
        self._gone = True
        self._settling.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let no key and no click find something missing."""
        if event.type() in _INPUT:
            self._settling.flush()
        return super().eventFilter(watched, event)

    def _rest(self) -> None:
        self._gone = True
        for part in self._heard:
            part.removeEventFilter(self)
        if (application := QCoreApplication.instance()) is not None:
            application.removeEventFilter(self)


class DeferredWindow(QMainWindow):
    """A window with what its commands are carried out by, each made when it is first asked for."""

    workspace: Workspace
    words: Translator
    look: Appearance
    commands: Commands
    central: CentralWidget
    search_controller: SearchController
    log: Path

    def create_deferred(self) -> tuple[QWidget, ...]:
        """Have everything at hand; return the parts that stand ready, out of sight unless somebody asked for them."""
        self.commands.complete()
        return (self.command_palette, self.search_controller.popup, self.search_controller.help, self.central.find_bar)

    def deferred_commands(self) -> tuple[Command, ...]:
        """Return the commands that are carried out here, in the order of the menu."""
        return (
            *(*self.note_commands.commands(), *self.view_commands.all(), *self.import_export.commands()),
            *(*self.help_commands.commands(), *self.editor_commands.commands()),
        )

    def enter(self, root: Path | None) -> None:
        """Open a vault, or ask first where the user's own would be made by that."""
        raise NotImplementedError

    def choose_folder(self) -> None:
        """Ask for a folder of notes and open it."""
        self.view_commands.choose_folder()

    def close_now(self) -> None:
        """Close without a question, as when the system asks."""
        self.close_guard.force_close()

    def translate(self, entry: NoteEntry) -> None:
        """Begin the other language of a note."""
        self.note_commands.translate(entry)

    @functools.cached_property
    def close_guard(self) -> CloseGuard:
        """What is asked before the window closes."""
        from app.commands.close_guard import CloseGuard

        return CloseGuard(self, self.central.editor, self.workspace, self.words)

    @functools.cached_property
    def view_commands(self) -> ViewCommands:
        """Most of the commands."""
        from app.commands.view_commands import ViewCommands

        return ViewCommands(
            self.workspace,
            self.words,
            self.look,
            centre=self.central,
            searching=self.search_controller,
            leaving=self.close_guard,
            window=self,
            enter=self.enter,
        )

    @functools.cached_property
    def welcome(self) -> WelcomePage:
        """What asks before the user's own vault is made."""
        from app.pages.welcome_page import WelcomePage

        workspace = self.workspace
        return WelcomePage(
            self.words, self.look, workspace.places.user_vault,
            make=lambda: workspace.open_vault(None), choose=self.choose_folder, close=self.central.leave_page,
        )  # fmt: skip

    @functools.cached_property
    def note_commands(self) -> NoteCommands:
        """Names and places of notes."""
        from app.commands.note_commands import NoteCommands

        return NoteCommands(self.workspace, self.central, self.words, self)

    @functools.cached_property
    def import_export(self) -> ImportExport:
        """What is brought in and taken out."""
        from app.commands.import_export import ImportExport

        return ImportExport(self.workspace, self.words, self, open_vault=self.view_commands.open_vault)

    @functools.cached_property
    def help_commands(self) -> HelpCommands:
        """Help, the log, and what the machine lacks."""
        from app.pages.help_page import HelpCommands

        return HelpCommands(
            self.workspace, self.central, self.words, self.look,
            log=self.log, open_vault=self.view_commands.open_vault,
        )  # fmt: skip

    @functools.cached_property
    def editor_commands(self) -> EditorCommands:
        """What helps to write."""
        from app.commands.editor_commands import EditorCommands

        return EditorCommands(self.workspace, self.central, self.words, self.look)

    @functools.cached_property
    def command_palette(self) -> CommandPalette:
        """All commands by their words."""
        from app.commands.command_palette import CommandPalette

        return CommandPalette(self.commands, self.words, self.look, self)
