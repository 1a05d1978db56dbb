"""The main window: layout, its own commands, opening a vault, and closing."""

# ruff: noqa: PLC0415 - what the first note does not need is loaded after it

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from app.central.central_widget import CentralWidget
from app.commands.focus_mode import FocusMode
from app.commands.registry import Command, Commands
from app.error_reporting import ErrorReporter
from app.i18n import Translator
from app.main_window.deferred_setup import DeferredParts, DeferredSetup
from app.notebook.note_loader import OpenNote
from app.panels.note_tree import TreePanel
from app.panels.outline_panel import OutlinePanel
from app.panels.status_bar import StatusBar
from app.panels.top_bar import TopBar
from app.search.search_controller import SearchController
from app.state.notification_texts import vault_first
from app.state.settings import NAME
from app.state.vault_setup import asks_first
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets import accessibility
from app.widgets.deferred_delete import popup_once
from app.widgets.notification import Notification, NotificationAction
from kb.errors import KbError, VaultNotMade
from kb.notes.note_listing import NoteEntry

if TYPE_CHECKING:  # reads all fonts, so it is loaded on first use
    from app.pages.settings_page import SettingsPage

_SIZE = (1360, 860)
_LEAST = (720, 480)
_PANELS = (230, 910, 220)
_NARROW = 900  # pixels; a narrower window has no outline
_BEFORE_A_VAULT = {"look", "language", "window", "help"}, {"open", "own", "next_part", "previous_part"}  # groups, names


class MainWindow(QMainWindow):
    """The window with its bars and panels; parts created later are in `deferred`."""

    def __init__(
        self, workspace: Workspace, words: Translator, look: Appearance, faults: ErrorReporter, *, reopens: bool = True
    ) -> None:
        """Create the window without a vault; with `reopens` the last note is opened with its vault."""
        super().__init__()
        self._reopens, self._narrow = reopens, False
        self.workspace = workspace
        self.words = words
        self.look = look
        self.setObjectName("window")
        self.setAcceptDrops(True)
        self.setWindowTitle(NAME)
        self.setMinimumSize(*_LEAST)
        self.resize(*_SIZE)
        self.commands = Commands(self, words)
        self.search_controller = SearchController(workspace, words, look, self)
        self.central = CentralWidget(workspace, words, look)
        self.focus_mode = FocusMode(self)
        self.deferred = DeferredParts(
            self,
            workspace,
            words,
            look,
            commands=self.commands,
            central=self.central,
            search_controller=self.search_controller,
            log=faults.log_file,
            enter=self.enter,
        )
        self.commands.expect(self._all_commands)
        self.bar = TopBar(workspace, words, look, self.commands, self.search_controller.field)
        self.tree = TreePanel(workspace, words, look)
        self.outline = OutlinePanel(workspace, words, look, self.commands)
        self.status = StatusBar(workspace, words, look)
        self.settings: SettingsPage | None = None
        self.commands.rebind(workspace.settings_store.preferences.keys)
        self._place_parts()
        self.focus_mode.set_surroundings((self.bar, self.tree, self.outline, self.status))
        self._connect(faults)
        self.search_controller.field.setFocus()
        self._deferred_setup = DeferredSetup(self, self._create_deferred)

    def _place_parts(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.splitter.setHandleWidth(1)
        for part in (self.tree, self.central, self.outline):
            self.splitter.addWidget(part)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(list(_PANELS))
        container = QWidget()
        column = QVBoxLayout(container)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.status)
        self.setCentralWidget(container)

    def _connect(self, faults: ErrorReporter) -> None:
        workspace, reading = self.workspace, self.central.reader
        workspace.vault_opened.connect(lambda _: self._on_vault_opened())
        workspace.vault_missing.connect(self._on_vault_missing)
        workspace.notes.opened.connect(self._on_note_opened)
        workspace.notes.reloaded.connect(lambda _: self._retitle())
        workspace.mode_changed.connect(lambda _: self._retitle())
        reading.section_reached.connect(self.outline.reached)
        reading.page_actions.translation_requested.connect(self._translate)
        reading.view.links.tag_chosen.connect(self._show_tagged)
        reading.view.link_hovered.connect(self.status.show_target)
        self.outline.heading_chosen.connect(reading.go_to)
        self.tree.menu_asked.connect(
            lambda entry, folder, place: popup_once(self.deferred.note_commands.menu(entry, folder), place)
        )
        self.search_controller.finished.connect(self.focus_page)
        faults.happened.connect(self._on_fault)
        self.words.changed.connect(self._retitle)

    def _create_deferred(self) -> None:
        self.deferred.create_all()
        for part in (self.central.reader.view.viewport(), self.tree.view.viewport(), self.outline.viewport()):
            part.installEventFilter(self)

    # --- commands

    def _all_commands(self) -> tuple[Command, ...]:
        commands = (*self.deferred.commands(), *self._own_commands())
        return tuple(self._vault_first(self.focus_mode.leaving_focus_mode(command)) for command in commands)

    def _vault_first(self, command: Command) -> Command:
        """Return the command, with a notification instead of its action while it needs a vault and none is open."""
        groups, names = _BEFORE_A_VAULT
        if command.group in groups or command.name in names:
            return command

        def act() -> None:
            if self.central.empty.begins:
                self.workspace.noticed.emit(vault_first())
            else:
                command.act()

        return replace(command, act=act)

    def _own_commands(self) -> tuple[Command, ...]:
        return (
            Command("tree", "panels", "显示 / 隐藏笔记栏", "Show / hide the notes", self.toggle_tree, ("Ctrl+B",)),
            Command(
                "outline",
                "panels",
                "显示 / 隐藏目录栏",
                "Show / hide the outline",
                self.toggle_outline,
                ("Ctrl+Shift+B",),
            ),
            self.focus_mode.command(),
            Command("next_part", "panels", "到下一个区域", "Go to the next part", self._go_on, ("F6",)),
            Command("previous_part", "panels", "到上一个区域", "Go to the part before", self._go_back, ("Shift+F6",)),
            Command("like", "go", "与本篇类似的笔记", "Notes like this one", self._show_like),
            Command("query_help", "go", "搜索语法", "How to search", self.search_controller.toggle_help, hidden=True),
            Command("palette", "window", "全部命令…", "All commands…", self._show_palette, ("Ctrl+Shift+P",)),
            Command("menu", "window", "菜单", "Menu", self._show_menu, ("F10",), hidden=True),
            Command("settings", "window", "设置", "Settings", self._show_settings, ("Ctrl+,",)),
            Command("quit", "window", "退出", "Quit", self.close, ("Ctrl+Q",)),
        )

    def _show_settings(self) -> None:
        if self.settings is None:
            from app.pages.settings_page import SettingsPage

            self.settings = SettingsPage(
                self.workspace, self.words, self.look, self.commands, self.deferred.view_commands
            )
        self.settings.show_state()
        self.central.show_page(self.settings)

    def _go_on(self) -> None:
        self._go_to_part(back=False)

    def _go_back(self) -> None:
        self._go_to_part(back=True)

    def _go_to_part(self, *, back: bool) -> None:
        parts = (self.bar, self.tree, *self.central.regions(), self.outline, self.status)
        if (stop := accessibility.next_section_stop(parts, self.focusWidget(), back=back)) is not None:
            stop.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_palette(self) -> None:
        self.deferred.command_palette.ask()

    def _show_like(self) -> None:
        from app.search.results_popup import rows_of

        like, words = self.workspace.related_notes.kin.like, self.words
        if like:
            message = words("与这篇笔记类似：", "Like the note you are reading:")
        else:
            message = words("没有找到与这篇类似的笔记。", "No note like this one was found.")
        # Similarity comes from many common words: marking or naming them would explain nothing.
        rows = [replace(row, marks=(), why="") for row in rows_of(like, "", words)]
        self.search_controller.show_hits(rows, message)

    def _translate(self, entry: NoteEntry) -> None:
        self.deferred.note_commands.translate(entry)

    def _show_tagged(self, tag: str) -> None:
        self.focus_mode.leave()
        self.search_controller.field.setText(f'tag:"{tag}"' if " " in tag else f"tag:{tag}")
        self.search_controller.enter()

    def _show_menu(self) -> None:
        self.bar.menu_button.showMenu()

    def report_crash(self, log: Path) -> None:
        """Show that the last session ended unexpectedly."""
        zh, en = f"上次程序意外退出；日志在 {log}。", f"The program ended unexpectedly last time; its log is {log}."
        if not self._reopens:
            zh, en = f"{zh}这次没有自动打开任何笔记。", f"{en} No note was opened automatically this time."
        self.workspace.noticed.emit(Notification(zh, en, "failed", topic="crash"))

    def close_now(self) -> None:
        """Close without asking, because the system ends the program."""
        self.deferred.close_guard.force_close()

    def focus_page(self) -> None:
        """Move the keyboard focus to the page."""
        self.central.take_focus()

    def toggle_tree(self) -> None:
        """Show or hide the note tree."""
        self.tree.setVisible(self.tree.isHidden())
        self.workspace.set_state(tree_shown=not self.tree.isHidden())

    def toggle_outline(self) -> None:
        """Show or hide the outline."""
        self.outline.setVisible(self.outline.isHidden())
        self.workspace.set_state(outline_shown=not self.outline.isHidden())

    # --- the vault

    def enter(self, root: Path | None) -> None:
        """Open a vault, or ask first if that would create the user's own."""
        if asks_first(root, self.workspace.places):
            self._ask_for_vault()
        else:
            self.workspace.open_vault(root)

    def _ask_for_vault(self, problem: VaultNotMade | None = None) -> None:
        """Show the welcome page, with the `problem` of the last attempt; without a vault, hide everything else."""
        self._deferred_setup.start()
        opened, welcome = self.workspace.vault is not None, self.deferred.welcome
        welcome.ask(closes=opened, problem=problem)
        if opened:
            self.central.show_page(welcome)
            return
        for part in (self.tree, self.outline, self.status):
            part.hide()
        self.bar.serve(vault=False)
        self.central.empty.begin_with(welcome)
        self.central.leave_page()

    def _show_parts(self) -> None:
        """Show what the welcome page hid, because a vault was opened."""
        self.workspace.unnoticed.emit("vault first")
        self.central.empty.begin_with(None)
        self.bar.serve(vault=True)
        self.status.show()
        self.search_controller.field.setFocus()

    def _on_vault_opened(self) -> None:
        if self.central.empty.begins:
            self._show_parts()
        state = self.workspace.state
        self.tree.setVisible(state.tree_shown)
        self.outline.setVisible(state.outline_shown and not self._narrow)
        if state.geometry:
            self.restoreGeometry(_bytes(state.geometry))
        if state.layout:
            self.splitter.restoreState(_bytes(state.layout))
        self._retitle()
        if self._reopens and state.note:
            self.workspace.open_note(state.note, anchor=state.anchor)
            return
        self._deferred_setup.start()
        if self._reopens:
            self.workspace.open_first()

    def _on_vault_missing(self, error: KbError) -> None:
        if isinstance(error, VaultNotMade):
            self._ask_for_vault(error)
            return
        self._deferred_setup.start()
        commands = self.deferred.view_commands
        actions = (
            NotificationAction("打开其他文件夹…", "Open another folder…", commands.choose_folder),
            NotificationAction("打开自己的笔记库", "Open your own vault", lambda: commands.open_vault(None)),
        )
        self.workspace.noticed.emit(
            Notification(error.sentence("zh"), error.sentence("en"), "failed", actions, topic="vault")
        )

    def _on_note_opened(self, note: OpenNote) -> None:
        self._retitle()
        self._deferred_setup.start()
        current = self.workspace.notes.current or note  # the reader may have set the section in view since
        self.outline.reached(current.place.anchor)

    def _retitle(self) -> None:
        note = self.workspace.notes.current
        mode = self.workspace.state.mode
        language = mode if mode != "both" else self.words.language
        self.setWindowTitle(f"{note.titled(language)} — {NAME}" if note else NAME)

    def _on_fault(self, line: str) -> None:
        self.central.save_now()
        zh = f"程序内部出错：{line}。已记入日志；正在编辑的文字已保留。"
        en = f"Internal error: {line}. Details are in the log; your text is safe."
        self.workspace.noticed.emit(Notification(zh, en, "failed", topic="fault"))

    # --- events

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Move the focus with Tab and Shift+Tab in visual order."""
        if (stop := accessibility.neighbour_stop(self, back=not next_)) is not None:
            stop.setFocus(Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason)
        return stop is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go back and forward with the side buttons of the mouse, over the page and the panels."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            if event.button() == Qt.MouseButton.BackButton:
                self.workspace.notes.back()
                return True
            if event.button() == Qt.MouseButton.ForwardButton:
                self.workspace.notes.forward()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return to the page with Escape, from any part that does not use it."""
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.focus_page()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Look for changes on disk when the window gets the focus back."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.workspace.rescan()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local files and folders."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open or import dropped files."""
        self.deferred.import_export.drop(
            [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        )
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the search results with their field, and hide the outline in a narrow window."""
        super().resizeEvent(event)
        if (narrow := self.width() < _NARROW) != self._narrow:
            self._narrow = narrow
            shown = self.workspace.state.outline_shown and not self.central.empty.begins
            self.outline.setVisible(shown and not narrow)
        self.search_controller.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask if something would be lost, then save the layout and close the workspace."""
        if not self.deferred.close_guard.may_close():
            event.ignore()
            return
        self.focus_mode.leave()
        self.workspace.set_state(geometry=_text(self.saveGeometry()), layout=_text(self.splitter.saveState()))
        self.hide()  # closing waits for work in progress, such as a PDF
        self.workspace.close()
        event.accept()


def _text(data: QByteArray) -> str:
    return b64encode(bytes(data.data())).decode()


def _bytes(text: str) -> QByteArray:
    try:
        return QByteArray(b64decode(text, validate=True))
    except (NotBase64, ValueError):
        return QByteArray()
