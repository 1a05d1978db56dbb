"""Parts of the window that the first note does not need: created on first use, at the latest right after that note.

A key or a click before that creates all of them first, so that no input is lost.
"""

# ruff: noqa: PLC0415 - their modules are loaded after the first note

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

if TYPE_CHECKING:  # see above
    from app.commands.close_guard import CloseGuard
    from app.commands.command_palette import CommandPalette
    from app.commands.editor_commands import EditorCommands
    from app.commands.import_export import ImportExport
    from app.commands.note_commands import NoteCommands
    from app.commands.version_commands import VersionCommands
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
    "app.commands.version_commands",
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
    """Loads modules and creates parts of a window step by step while it is idle, or at once at the first input.

    Before the first note only the window and its focus widget are filtered: for an event filter on the application,
    PySide would load all classes of objects that receive events.
    """

    def __init__(self, window: QWidget, create: Callable[[], object]) -> None:
        """Wait for `start`, input or 2 seconds; `create` is called after the modules are loaded."""
        super().__init__(window)
        self._started = False
        self._steps = IdleQueue(self)
        loading = (functools.partial(importlib.import_module, name) for name in _MODULES)
        self._steps.schedule(*loading, create, self._finish)
        self._filtered = tuple(part for part in (window, window.focusWidget()) if part is not None)
        for part in self._filtered:
            part.installEventFilter(self)

    @property
    def waiting(self) -> bool:
        """Whether parts are still to be created."""
        return self._steps.waiting

    def start(self) -> None:
        """Begin, because the first note is shown or there is none."""
        if not self._started and (application := QCoreApplication.instance()) is not None:
            application.installEventFilter(self)
        self._started = True
        self._steps.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Finish all steps before the first input is handled."""
        if event.type() in _INPUT:
            self._steps.flush()
        return super().eventFilter(watched, event)

    def _finish(self) -> None:
        self._started = True
        for part in self._filtered:
            part.removeEventFilter(self)
        if (application := QCoreApplication.instance()) is not None:
            application.removeEventFilter(self)


class DeferredParts:
    """Dialogs, pages and command handlers of the window, each created on first access."""

    def __init__(
        self,
        window: QMainWindow,
        workspace: Workspace,
        words: Translator,
        look: Appearance,
        *,
        commands: Commands,
        central: CentralWidget,
        search_controller: SearchController,
        log: Path,
        enter: Callable[[Path | None], object],
    ) -> None:
        """Create parts that belong to `window`; `enter` opens a vault, or asks first."""
        self._window, self._workspace, self._words, self._look = window, workspace, words, look
        self._commands, self._central, self._search_controller = commands, central, search_controller
        self._log, self._enter = log, enter

    def create_all(self) -> tuple[QWidget, ...]:
        """Create all parts; return the widgets among them, which stay hidden unless they are in use."""
        self._commands.complete()
        search = self._search_controller
        return (self.command_palette, search.popup, search.help, self._central.find_bar)

    def commands(self) -> tuple[Command, ...]:
        """Return the commands of all handlers, in the order of the menu."""
        return (
            *self.note_commands.commands(),
            *self.version_commands.commands(),
            *self.view_commands.all(),
            *self.import_export.commands(),
            *self.help_commands.commands(),
            *self.editor_commands.commands(),
        )

    def _choose_folder(self) -> None:
        self.view_commands.choose_folder()

    @functools.cached_property
    def close_guard(self) -> CloseGuard:
        """Asks about unsaved text and active runs before the window closes."""
        from app.commands.close_guard import CloseGuard

        return CloseGuard(self._window, self._central.editor, self._workspace, self._words)

    @functools.cached_property
    def view_commands(self) -> ViewCommands:
        """Commands for vaults, navigation, appearance and search."""
        from app.commands.view_commands import ViewCommands

        return ViewCommands(
            self._workspace,
            self._words,
            self._look,
            central=self._central,
            searching=self._search_controller,
            leaving=self.close_guard,
            window=self._window,
            enter=self._enter,
        )

    @functools.cached_property
    def welcome(self) -> WelcomePage:
        """The page that asks before the user's own vault is created."""
        from app.pages.welcome_page import WelcomePage

        return WelcomePage(
            self._words,
            self._look,
            self._workspace.places.user_vault,
            make=lambda: self._workspace.open_vault(None),
            choose=self._choose_folder,
            close=self._central.leave_page,
        )

    @functools.cached_property
    def note_commands(self) -> NoteCommands:
        """Commands that create, rename, move and delete notes."""
        from app.commands.note_commands import NoteCommands

        return NoteCommands(self._workspace, self._central, self._words, self._window)

    @functools.cached_property
    def version_commands(self) -> VersionCommands:
        """Commands for earlier versions of a note and for deleted notes."""
        from app.commands.version_commands import VersionCommands

        return VersionCommands(self._workspace, self._central, self._words, self._look, self._window)

    @functools.cached_property
    def import_export(self) -> ImportExport:
        """Commands for import, export and dropped files."""
        from app.commands.import_export import ImportExport

        return ImportExport(self._workspace, self._words, self._window, open_vault=self.view_commands.open_vault)

    @functools.cached_property
    def help_commands(self) -> HelpCommands:
        """Commands for the manual, the log and the check of the machine."""
        from app.pages.help_page import HelpCommands

        return HelpCommands(
            self._workspace,
            self._central,
            self._words,
            self._look,
            log=self._log,
            open_vault=self.view_commands.open_vault,
        )

    @functools.cached_property
    def editor_commands(self) -> EditorCommands:
        """Commands of the editor."""
        from app.commands.editor_commands import EditorCommands

        return EditorCommands(self._workspace, self._central, self._words, self._look)

    @functools.cached_property
    def command_palette(self) -> CommandPalette:
        """The list of all commands, filtered by typing."""
        from app.commands.command_palette import CommandPalette

        return CommandPalette(self._commands, self._words, self._look, self._window)
