"""The middle of the window: tabs, notices, and in one place the reader or the editor."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from app.central.reader_controller import ReaderController
from app.i18n import Translator
from app.notebook.note_loader import OpenNote
from app.state.vault_edits import VaultChange
from app.state.workspace import Workspace
from app.style.appearance import Appearance, named
from app.style.icons import icon
from app.widgets.deferred_delete import popup_once
from app.widgets.note_tabs import NoteTabs
from app.widgets.notification import Notification, NotificationAction, of_error
from app.widgets.notification_bar import NotificationBar
from kb.notes.note import Note
from kb.vault.drafts import Draft

if TYPE_CHECKING:
    from app.central.find_bar import FindBar
    from app.central.preview_pane import PreviewPane
    from app.central.replace_page import ReplacePage
    from app.editor.editor_pane import EditorPane


class EmptyPage(QStackedWidget):
    """A sentence in the middle, or a page to begin with before there is a vault.

    It asks for no room of its own: the notices above are not to be squeezed by it.
    """

    def __init__(self, words: Translator) -> None:
        """Say nothing yet."""
        super().__init__()
        self._words = words
        self._beginning: QWidget | None = None
        self.sentence = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.sentence.setObjectName("emptyPage")
        self.addWidget(self.sentence)

    def hasHeightForWidth(self) -> bool:
        """Say no: Qt would have all pages beneath it, the editor too, be as high as they like to be."""
        return False

    @property
    def begins(self) -> bool:
        """Whether a page to begin with is in the place of the sentence."""
        return self._beginning is not None

    def begin_with(self, page: QWidget | None) -> None:
        """Show a page in the place of the sentence, or the sentence again; the page has the keyboard of this one."""
        self._beginning = page
        if page is not None:
            self.addWidget(page)
        shown = page or self.sentence
        self.setFocusProxy(shown)
        self.setCurrentWidget(shown)

    def show_hint(self, *, there_are: bool) -> None:
        """Say what to do where no note is open, or where there is none."""
        search, new = self._words.key("search", "Ctrl+K"), self._words.key("new", "Ctrl+N")
        self.sentence.setText(self._words(
            f"{f'按 {search} ' if search else ''}搜索，或在左边选一篇笔记",
            f"{f'Press {search} to search' if search else 'Search'}, or choose a note on the left",
        ) if there_are else self._words(
            f"还没有笔记：{f'按 {new} ' if new else ''}写第一篇，或把一个笔记文件夹拖到这里",
            f"No notes yet: {f'press {new} to ' if new else ''}write the first, or drop a folder of notes here",
        ))  # fmt: skip


_LEAST_PAGE = 90  # pixels


class CentralWidget(QWidget):
    """Switches between reading and editing the open note, at the same place."""

    edited = Signal(bool)  # whether the editor is in view

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Follow the notes of `workspace`."""
        super().__init__()
        self._workspace = workspace
        self._words = words
        self._look = look
        self.setObjectName("centre")
        self.tabs = named(NoteTabs(), "tabs")
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.hide()
        self.notification_bar = NotificationBar(words, look)
        workspace.notes.opened.connect(self._on_opened)  # first: a page is laid out for the width it is read in
        self.reader = ReaderController(workspace, words, look, self)
        self._editing = ""
        self._owes_focus = False
        self.empty = EmptyPage(words)
        self.stack = QStackedWidget()
        self.stack.setMinimumHeight(_LEAST_PAGE)  # or the tallest of its pages would squeeze the notices
        for page in (self.empty, self.reader.view):
            self.stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tabs, self.notification_bar, self.stack):
            column.addWidget(widget)
        column.setStretchFactor(self.stack, 1)
        self._connect(look)
        self.retranslate()

    def _connect(self, look: Appearance) -> None:
        workspace, notes = self._workspace, self._workspace.notes
        workspace.noticed.connect(self.notification_bar.show_notice)
        workspace.unnoticed.connect(self.notification_bar.drop)
        workspace.tabs.changed.connect(self._show_tabs)
        workspace.vault_opened.connect(lambda _: self._on_vault_opened())
        notes.reloaded.connect(self._on_reloaded)
        notes.gone.connect(self._on_gone)
        notes.confirmed.connect(self._on_confirmed)
        notes.open_failed.connect(lambda *_: self._on_open_failed())
        notes.listed.connect(self._on_listed)
        workspace.vault_edits.about_to_arrange.connect(self.save_now)
        workspace.vault_edits.arranged.connect(self._on_arranged)
        notes.drafts_found.connect(self._on_drafts_found)
        self.reader.edit_requested.connect(self.edit)
        self.tabs.tabBarClicked.connect(self._on_tab_clicked)
        self.tabs.tabMoved.connect(workspace.tabs.move)
        self.tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabs.customContextMenuRequested.connect(self._on_tab_menu)
        self.tabs.installEventFilter(self)
        look.changed.connect(lambda _: self._show_tabs())
        self._words.changed.connect(self.retranslate)

    # --- what is made when it is first needed: a start has no use for it

    @cached_property
    def editor(self) -> EditorPane:
        """The editor."""
        from app.editor.editor_pane import EditorPane  # noqa: PLC0415 - see above

        made = EditorPane(self._words, self._look.theme, preview=self.preview)
        self.stack.addWidget(made)
        made.closed.connect(self._on_editor_closed)
        made.run_requested.connect(self._on_run_requested)
        made.left_unsaved.connect(self._on_left_unsaved)
        made.kept_beside.connect(self._on_kept_beside)
        self._look.changed.connect(made.set_theme)
        view = self.reader.view
        for asked in (self.preview.view.zoom_changed, made.source.zoom_wanted):
            asked.connect(view.set_zoom)
        for other in (made.source, self.preview.view):
            other.set_zoom(view.zoom)
            view.zoom_changed.connect(other.set_zoom)
        return made

    @cached_property
    def preview(self) -> PreviewPane:
        """The page beside the editor."""
        from app.central.preview_pane import PreviewPane  # noqa: PLC0415 - see above

        made = PreviewPane(self._workspace, self._words, self._look, self)
        made.listen_for_links(self.reader.follow)
        return made

    @cached_property
    def find_bar(self) -> FindBar:
        """The bar that finds in the page."""
        from app.central.find_bar import FindBar  # noqa: PLC0415 - see above

        made = FindBar(self.reader.view, self._words, self._look)
        if (column := self.layout()) is not None:
            column.addWidget(made)
        return made

    @cached_property
    def replace_page(self) -> ReplacePage:
        """The page that finds and replaces in the whole vault."""
        from app.central.replace_page import ReplacePage  # noqa: PLC0415 - see above

        made = ReplacePage(self._workspace, self._words, self._look)
        made.closed.connect(self.leave_page)
        made.place_chosen.connect(lambda path, line: self._workspace.open_note(path, line=line))
        return made

    def _is_made(self, part: str) -> bool:
        return part in vars(self)

    def save_now(self) -> None:
        """Save what is typed in the editor, if anything is."""
        if self._is_made("editor"):
            self.editor.save_now()

    def retranslate(self) -> None:
        """Word everything again."""
        self.tabs.setAccessibleName(self._words("打开的笔记", "Open notes"))
        self.empty.show_hint(there_are=bool(self._workspace.notes.entries) or self._workspace.vault is None)
        self._show_tabs()

    def _on_listed(self, entries: tuple[object, ...]) -> None:
        self.empty.show_hint(there_are=bool(entries))
        self._show_tabs()

    @property
    def editing(self) -> bool:
        """Whether the editor is in view."""
        return self._is_made("editor") and self.stack.currentWidget() is self.editor

    def toggle_editor(self) -> None:
        """Switch between the reader and the editor, at the same place."""
        if self.editing:
            self.editor.close_editor()
        elif (note := self._workspace.notes.current) is not None:
            self.edit(note.lead.path, self.reader.line_in_view())

    def edit(self, path: str, line: int = 1) -> None:
        """Edit a file of the open note, at a line."""
        note = self._workspace.notes.current
        source = note.note_at(path) if note is not None else None
        desk = self._workspace.notes.desk
        if source is None or desk is None:
            return
        self._editing = path
        self.editor.open(source, line, desk=desk, draft=desk.left.get(path))
        self.find_bar.hide()
        self.stack.setCurrentWidget(self.editor)
        self.editor.setFocus()
        self.edited.emit(True)

    def replace_in_vault(self) -> None:
        """Bring the page to find and replace in the whole vault into view; what is typed in the editor is saved."""
        selected = self.editor.source.textCursor() if self.editing else self.reader.view.textCursor()
        self.show_page(self.replace_page)
        self.replace_page.enter(selected.selectedText().partition("\u2029")[0])

    def show_page(self, page: QWidget) -> None:
        """Bring a page that is no note into view; what is typed in the editor is saved."""
        self.save_now()
        if self._is_made("find_bar"):
            self.find_bar.hide()
        if self.stack.indexOf(page) < 0:
            self.stack.addWidget(page)
        self.stack.setCurrentWidget(page)
        self.edited.emit(False)
        page.setFocus()

    def leave_page(self) -> None:
        """Go back from such a page to the note, or to what one begins with."""
        self.show_reader()
        (self.empty if self.empty.begins else self.reader.view).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back to the note with Escape, from any page that is none."""
        if event.key() == Qt.Key.Key_Escape and self._on_a_page():
            self.leave_page()
        else:
            super().keyPressEvent(event)

    def _on_a_page(self) -> bool:
        return not self.editing and self.stack.currentWidget() not in {self.empty, self.reader.view}

    def regions(self) -> tuple[QWidget, ...]:
        """Return the parts of the middle that the keyboard goes to one after the other."""
        if not self.editing:
            return (self.tabs, self.notification_bar, self.stack, self.find_bar)
        editor = self.editor
        writing = (editor.header, editor.ask_bar, editor.source, editor.find_bar, self.preview.view)
        return (self.tabs, self.notification_bar, *writing, self.find_bar)

    def take_focus(self) -> None:
        """Give the keyboard to what is in view: the reader, the editor, or a page that is no note."""
        if (page := self.stack.currentWidget()) is not None:
            page.setFocus()

    def show_reader(self) -> None:
        """Bring the reader into view, if a note is open."""
        has_note = self._workspace.notes.current is not None
        focused, page = QApplication.focusWidget(), self.stack.currentWidget()
        held = page is not None and focused is not None and (page is focused or page.isAncestorOf(focused))
        if held and self._on_a_page():
            self._owes_focus = True  # the page takes the keyboard along, which would go who knows where
        self.stack.setCurrentWidget(self.reader.view if has_note else self.empty)
        if has_note and self._owes_focus:
            self._owes_focus = False
            self.reader.view.setFocus()
        self.edited.emit(False)
        QTimer.singleShot(0, self.reader, self.reader.catch_up)

    def _on_vault_opened(self) -> None:
        if self._is_made("editor"):
            self.editor.leave()
        self._editing = ""
        self.show_reader()

    def _on_opened(self, note: OpenNote) -> None:
        self._tell_of_front_matter(note)
        if self.editing and self._editing in note.entry.paths.values():
            return
        if self.editing:
            self.editor.save_now()
        self.show_reader()

    def _on_reloaded(self, note: OpenNote) -> None:
        self._tell_of_front_matter(note)
        self._workspace.unnoticed.emit("gone")
        source = note.note_at(self._editing)
        if self.editing and source is not None:
            self.editor.note_changed_outside(source)
        elif self.editing:  # one language of two
            self.editor.note_deleted_outside()

    def _on_confirmed(self, note: OpenNote) -> None:
        if self.editing and (source := note.note_at(self._editing)) is not None:
            self.editor.note_changed_outside(source, same=True)

    def _on_arranged(self, did: VaultChange) -> None:
        """Go on editing a file that was moved at the place where it is now."""
        if self.editing and (path := did.moves.get(self._editing)) is not None:
            line = self.editor.source.line()
            self.editor.leave()
            self._workspace.open_then(path, lambda: self.edit(path, line))

    def _tell_of_front_matter(self, note: OpenNote) -> None:
        broken = next((one for one in note.notes.values() if one.meta.problem), None)
        if broken is None:
            self._workspace.unnoticed.emit("front matter")
            return
        path, problem = broken.path, broken.meta.problem
        self._workspace.noticed.emit(Notification(
            f"{path} 开头的 front matter 不是有效的 YAML（{problem}），其中的标题和标签读不出来。",
            f"The front matter of {path} is not valid YAML ({problem}); its title and tags cannot be read.", "failed",
            (NotificationAction("去修改", "Mend it", lambda: self.edit(path)),), topic="front matter",
        ))  # fmt: skip

    def _on_open_failed(self) -> None:
        """Go on reading where the note was to be edited at its new place, and another was asked for meanwhile."""
        if self.editing and not self.editor.path:
            self.show_reader()

    def _on_gone(self, path: str) -> None:
        if self.editing:
            self.editor.note_deleted_outside()  # it looks for itself: the other language may be gone, too
            if path == self._editing:
                return
        self._workspace.noticed.emit(Notification(
            f"笔记 {path} 已在别处被删除；这里还显示着它原来的内容。",
            f"The note {path} was deleted elsewhere; what it said is still shown here.", "failed", topic="gone",
        ))  # fmt: skip

    def _on_left_unsaved(self, path: str, error: Exception) -> None:
        reason = of_error(error)
        self._workspace.noticed.emit(Notification(
            f"{path} 没能保存，文字已留作草稿。{reason.zh}",
            f"{path} was not saved; its text is kept as a draft. {reason.en}", "failed",
            (NotificationAction("查看", "Look at it", lambda: self._open_draft(path)),), topic=f"draft {path}",
        ))  # fmt: skip

    def _on_editor_closed(self, line: int) -> None:
        path = self._editing
        self.show_reader()
        self._workspace.notes.reload()
        self.reader.go_to_line(path, line)
        self.reader.view.setFocus()

    def _on_kept_beside(self, path: str) -> None:
        self._workspace.noticed.emit(Notification(
            f"你的版本已另存为 {path}。", f"Your version is kept as {path}.", "told",
            (NotificationAction("打开", "Open it", lambda: self._workspace.open_note(path)),), topic=f"copy {path}",
        ))  # fmt: skip

    def _on_run_requested(self, note: Note, line: int, device: str) -> None:
        """Run a block of the note that is being edited; what it prints stands in the preview."""
        self.editor.show_preview(on=True)
        self._workspace.run_at(note, line, device=device or None)
        self.preview.follow(line)

    def _on_drafts_found(self, drafts: tuple[Draft, ...]) -> None:
        for draft in drafts:
            path = draft.note_path
            self._workspace.noticed.emit(Notification(
                f"{path} 有上次没来得及保存的文字。", f"{path} has text that could not be saved last time.", "asked",
                (NotificationAction("查看", "Look at it", lambda path=path: self._open_draft(path)),),  # type: ignore[misc]
                topic=f"draft {path}",
            ))  # fmt: skip

    def _open_draft(self, path: str) -> None:
        self._workspace.open_then(path, lambda: self.edit(path))

    def _show_tabs(self) -> None:
        tabs = self._workspace.tabs
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for path in tabs.paths:
            index = self.tabs.addTab(self._workspace.title_at(path, self._words.language))
            self.tabs.setTabData(index, path)
            self.tabs.setTabToolTip(index, path)
            self.tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, self._closer(path))
            if path == tabs.current:
                self.tabs.setCurrentIndex(index)
        self.tabs.blockSignals(False)
        self.tabs.setVisible(len(tabs.paths) > 1)

    def _closer(self, path: str) -> QToolButton:
        button = named(QToolButton(), "tabCloser")
        button.setProperty("quiet", True)
        button.setIcon(icon("close", self._look.theme.dim))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        name = self._words.with_key(self._words("关闭标签页", "Close tab"), "close_tab", "Ctrl+W")
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.clicked.connect(lambda: self._close_tab(path))
        return button

    def _on_tab_clicked(self, index: int) -> None:
        if index >= 0:
            self._workspace.open_at(self._workspace.tabs.place(self.tabs.tabData(index)))

    def _close_tab(self, path: str) -> None:
        self._workspace.open_at(self._workspace.tabs.close(path))

    def _on_tab_menu(self, at: QPoint) -> None:
        if (index := self.tabs.tabAt(at)) < 0:
            return
        path, words, tabs = self.tabs.tabData(index), self._words, self._workspace.tabs
        menu = QMenu(self.tabs)
        menu.addAction(words("关闭", "Close"), lambda: self._close_tab(path))
        menu.addAction(
            words("关闭其他标签页", "Close the others"), lambda: self._workspace.open_at(tabs.close_others(path))
        )
        popup_once(menu, self.tabs.mapToGlobal(at))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close a tab with the middle button."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            index = self.tabs.tabAt(event.position().toPoint())
            if event.button() == Qt.MouseButton.MiddleButton and index >= 0:
                self._close_tab(self.tabs.tabData(index))
                return True
        return super().eventFilter(watched, event)
