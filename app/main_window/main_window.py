"""The window: its parts in their places, the commands, and what happens when it is closed."""

# What the first note does not need is loaded after it.
# ruff: noqa: PLC0415

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.central.central_widget import CentralWidget
from app.commands.registry import Command, Commands
from app.commands.view_commands import FocusMode
from app.error_reporting import ErrorReporter
from app.i18n import Translator
from app.main_window.deferred_setup import DeferredSetup, DeferredWindow
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

if TYPE_CHECKING:  # it knows every font, and is loaded when it is first asked for
    from app.pages.settings_page import SettingsPage

_SIZE = (1360, 860)
_LEAST = (720, 480)
_PANELS = (230, 910, 220)
_NARROW = 900  # pixels below which the page gets the room of the outline
_BEFORE_A_VAULT = {"look", "language", "window", "help"}, {"open", "own", "next_part", "previous_part"}  # groups, names


class MainWindow(DeferredWindow):
    """Everything a person sees."""

    def __init__(
        self, workspace: Workspace, words: Translator, look: Appearance, faults: ErrorReporter, *, reopens: bool = True
    ) -> None:
        """Put the parts together; nothing is open yet. Unless it `reopens`, the note of last time stays closed."""
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
        self.log = faults.log_file
        self.focus_mode = FocusMode(self)
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
        self._equipping = DeferredSetup(self, self._stand_ready)

    def _place_parts(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.splitter.setHandleWidth(1)
        for part in (self.tree, self.central, self.outline):
            self.splitter.addWidget(part)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(list(_PANELS))
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.splitter, 1)
        column.addWidget(self.status)
        self.setCentralWidget(middle)

    def _connect(self, faults: ErrorReporter) -> None:
        workspace, reading = self.workspace, self.central.reader
        workspace.vault_opened.connect(lambda _: self._on_vault_opened())
        workspace.vault_missing.connect(self._on_vault_missing)
        workspace.notes.opened.connect(self._on_note_opened)
        workspace.notes.reloaded.connect(lambda _: self._retitle())
        workspace.mode_changed.connect(lambda _: self._retitle())
        reading.section_reached.connect(self.outline.reached)
        reading.page_actions.translation_requested.connect(self.translate)
        reading.view.links.tag_chosen.connect(self._show_tagged)
        reading.view.link_hovered.connect(self.status.show_target)
        self.outline.heading_chosen.connect(reading.go_to)
        self.tree.menu_asked.connect(
            lambda entry, folder, place: popup_once(self.note_commands.menu(entry, folder), place)
        )
        self.search_controller.finished.connect(self.focus_page)
        faults.happened.connect(self._on_fault)
        self.words.changed.connect(self._retitle)

    def _stand_ready(self) -> None:
        self.create_deferred()
        for part in (self.central.reader.view.viewport(), self.tree.view.viewport(), self.outline.viewport()):
            part.installEventFilter(self)

    # --- what commands do here

    def _all_commands(self) -> tuple[Command, ...]:
        return tuple(
            map(
                self._vault_first,
                map(self.focus_mode.leaving_focus_mode, (*self.deferred_commands(), *self._own_commands())),
            )
        )

    def _vault_first(self, command: Command) -> Command:
        """Return a command that says so where it needs a vault, and there is none yet."""
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

            self.settings = SettingsPage(self.workspace, self.words, self.look, self.commands, self.view_commands)
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
        self.command_palette.ask()

    def _show_like(self) -> None:
        from app.search.results_popup import rows_of

        kin, words = self.workspace.related_notes.kin, self.words
        message = (
            words("与这篇笔记类似：", "Like the note you are reading:")
            if kin.like
            else words("没有找到与这篇类似的笔记。", "No note like this one was found.")
        )
        # A note is like another by many small words: to mark them, or to name them as the reason, would say nothing.
        rows = [replace(row, marks=(), why="") for row in rows_of(kin.like, "", words)]
        self.search_controller.show_hits(rows, message)

    def _show_tagged(self, tag: str) -> None:
        self.focus_mode.leave()
        self.search_controller.field.setText(f'tag:"{tag}"' if " " in tag else f"tag:{tag}")
        self.search_controller.enter()

    def _show_menu(self) -> None:
        self.bar.menu_button.showMenu()

    def report_crash(self, log: Path) -> None:
        """Say once that the last start ended badly."""
        more = (
            ("这次没有自动打开任何笔记。", " No note was opened by itself this time.")
            if not self._reopens
            else ("", "")
        )
        self.workspace.noticed.emit(Notification(
            f"上次程序意外退出；日志在 {log}。{more[0]}",
            f"The program ended unexpectedly last time; its log is {log}.{more[1]}", "failed", topic="crash",
        ))  # fmt: skip

    def focus_page(self) -> None:
        """Give the keyboard to the page."""
        self.central.take_focus()

    def toggle_tree(self) -> None:
        """Show or hide the notes at the left."""
        self.tree.setVisible(self.tree.isHidden())
        self.workspace.set_state(tree_shown=not self.tree.isHidden())

    def toggle_outline(self) -> None:
        """Show or hide the outline at the right."""
        self.outline.setVisible(self.outline.isHidden())
        self.workspace.set_state(outline_shown=not self.outline.isHidden())

    # --- what happens

    def enter(self, root: Path | None) -> None:
        """Open a vault, or ask first where the user's own would be made by that."""
        if asks_first(root, self.workspace.places):
            self._ask_for_vault()
        else:
            self.workspace.open_vault(root)

    def _ask_for_vault(self, problem: VaultNotMade | None = None) -> None:
        """Ask before the user's own vault is made, or say why it could not be; without any, nothing else is in view."""
        self._equipping.start()
        opened = self.workspace.vault is not None
        self.welcome.ask(closes=opened, problem=problem)
        if opened:
            self.central.show_page(self.welcome)
            return
        for part in (self.tree, self.outline, self.status):
            part.hide()
        self.bar.serve(vault=False)
        self.central.empty.begin_with(self.welcome)
        self.central.leave_page()

    def _begin(self) -> None:
        """Have everything in view, now that there is a vault."""
        self.workspace.unnoticed.emit("vault first")
        self.central.empty.begin_with(None)
        self.bar.serve(vault=True)
        self.status.show()
        self.search_controller.field.setFocus()

    def _on_vault_opened(self) -> None:
        if self.central.empty.begins:
            self._begin()
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
        self._equipping.start()
        if self._reopens:
            self.workspace.open_first()

    def _on_vault_missing(self, error: KbError) -> None:
        if isinstance(error, VaultNotMade):
            self._ask_for_vault(error)
            return
        self._equipping.start()
        self.workspace.noticed.emit(
            Notification(error.sentence("zh"), error.sentence("en"), "failed", self._ways_out(), topic="vault")
        )

    def _ways_out(self) -> tuple[NotificationAction, ...]:
        return (
            NotificationAction("打开其他文件夹…", "Open another folder…", self.view_commands.choose_folder),
            NotificationAction("打开自己的笔记库", "Open your own vault", lambda: self.view_commands.open_vault(None)),
        )

    def _on_note_opened(self, note: OpenNote) -> None:
        self._retitle()
        self._equipping.start()
        current = self.workspace.notes.current or note  # its reader has found out meanwhile which section is in view
        self.outline.reached(current.place.anchor)

    def _retitle(self) -> None:
        note = self.workspace.notes.current
        mode = self.workspace.state.mode
        self.setWindowTitle(
            f"{note.titled(mode if mode != 'both' else self.words.language)} — {NAME}" if note else NAME
        )

    def _on_fault(self, line: str) -> None:
        self.central.save_now()
        self.workspace.noticed.emit(Notification(
            f"程序内部出错：{line}。已记入日志；正在编辑的文字已保留。",
            f"Something went wrong inside: {line}. It is in the log; what you were typing is kept.",
            "failed", topic="fault",
        ))  # fmt: skip

    # --- Qt's own events

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Go on as the eye does, with Tab and back with Shift+Tab."""
        if (stop := accessibility.neighbour_stop(self, back=not next_)) is not None:
            stop.setFocus(Qt.FocusReason.TabFocusReason if next_ else Qt.FocusReason.BacktabFocusReason)
        return stop is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go back and forward with the mouse's side buttons, over the page and the panels."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            if event.button() == Qt.MouseButton.BackButton:
                self.workspace.notes.back()
                return True
            if event.button() == Qt.MouseButton.ForwardButton:
                self.workspace.notes.forward()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back to the page with Escape, from any part that has no other use for it."""
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
        """Take files and folders of this machine."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped, or bring it in."""
        self.import_export.drop([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the results under the field, and the page wide enough to be read."""
        super().resizeEvent(event)
        if (narrow := self.width() < _NARROW) != self._narrow:
            self._narrow = narrow
            shown = self.workspace.state.outline_shown and not self.central.empty.begins
            self.outline.setVisible(shown and not narrow)
        self.search_controller.place()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save, ask where something would be lost, and stop everything."""
        if not self.close_guard.may_close():
            event.ignore()
            return
        self.focus_mode.leave()
        self.workspace.set_state(geometry=_text(self.saveGeometry()), layout=_text(self.splitter.saveState()))
        self.workspace.close()
        event.accept()


def _text(data: QByteArray) -> str:
    return b64encode(bytes(data.data())).decode()


def _bytes(text: str) -> QByteArray:
    try:
        return QByteArray(b64decode(text, validate=True))
    except (NotBase64, ValueError):
        return QByteArray()
