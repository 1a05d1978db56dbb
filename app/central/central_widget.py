"""The middle of the window: tabs, notifications, and below them the reader, the editor or another page."""

from __future__ import annotations

from collections.abc import Callable
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
from app.widgets.notification import Kind, Notification, NotificationAction, of_error
from app.widgets.notification_bar import NotificationBar
from kb.notes.note import Note
from kb.vault.drafts import Draft

if TYPE_CHECKING:
    from app.central.find_bar import FindBar
    from app.central.preview_pane import PreviewPane
    from app.central.replace_page import ReplacePage
    from app.editor.editor_pane import EditorPane


_MIN_PAGE_HEIGHT = 90  # pixels


class EmptyPage(QStackedWidget):
    """A sentence in the middle if no note is open, or the welcome page before there is a vault.

    It asks for no space of its own, so that it does not squeeze the notifications above.
    """

    def __init__(self, words: Translator) -> None:
        """Create it without a sentence."""
        super().__init__()
        self._words = words
        self._welcome: QWidget | None = None
        self.sentence = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.sentence.setObjectName("emptyPage")
        self.addWidget(self.sentence)

    def hasHeightForWidth(self) -> bool:
        """Return False: otherwise Qt would give all pages of the stack, the editor too, their preferred height."""
        return False

    @property
    def begins(self) -> bool:
        """Whether the welcome page is shown."""
        return self._welcome is not None

    def begin_with(self, page: QWidget | None) -> None:
        """Show a welcome page instead of the sentence, which comes back for None, and let it take the focus."""
        self._welcome = page
        if page is not None:
            self.addWidget(page)
        shown = page or self.sentence
        self.setFocusProxy(shown)
        self.setCurrentWidget(shown)

    def show_hint(self, *, there_are: bool) -> None:
        """Say what to do: `there_are` notes to choose from, or none yet."""
        search, new = self._words.key("search", "Ctrl+K"), self._words.key("new", "Ctrl+N")
        if there_are:
            zh = f"{f'按 {search} ' if search else ''}搜索，或在左边选一篇笔记"
            en = f"{f'Press {search} to search' if search else 'Search'}, or choose a note on the left"
        else:
            zh = f"还没有笔记：{f'按 {new} ' if new else ''}写第一篇，或把一个笔记文件夹拖到这里"
            en = f"No notes yet: {f'press {new} to ' if new else ''}write the first, or drop a folder of notes here"
        self.sentence.setText(self._words(zh, en))


class CentralWidget(QWidget):
    """Switches between reading and editing the open note, at the same place."""

    edited = Signal(bool)  # whether the editor is shown

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Follow the notes of `workspace`."""
        super().__init__()
        self._workspace = workspace
        self._words = words
        self._look = look
        self.setObjectName("central")
        self.tabs = named(NoteTabs(), "tabs")
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.hide()
        self.notification_bar = NotificationBar(words, look)
        workspace.notes.opened.connect(self._on_opened)  # first, so that the page is laid out in its final width
        self.reader = ReaderController(workspace, words, look, self)
        self._editing = ""  # path of the file in the editor
        self._focus_reader = False  # once a note is open
        self.empty = EmptyPage(words)
        self.stack = QStackedWidget()
        self.stack.setMinimumHeight(_MIN_PAGE_HEIGHT)  # otherwise the tallest page squeezes the notifications
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

    # --- parts that are created and imported when first needed, to keep the start quick

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
        made.merged.connect(self._on_merged)
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
        """The live preview next to the editor."""
        from app.central.preview_pane import PreviewPane  # noqa: PLC0415 - see above

        made = PreviewPane(self._workspace, self._words, self._look, self)
        made.listen_for_links(self.reader.follow)
        return made

    @cached_property
    def find_bar(self) -> FindBar:
        """The bar to find text in the page."""
        from app.central.find_bar import FindBar  # noqa: PLC0415 - see above

        made = FindBar(self.reader.view, self._words, self._look)
        if (column := self.layout()) is not None:
            column.addWidget(made)
        return made

    @cached_property
    def replace_page(self) -> ReplacePage:
        """The page to find and replace in the whole vault."""
        from app.central.replace_page import ReplacePage  # noqa: PLC0415 - see above

        made = ReplacePage(self._workspace, self._words, self._look)
        made.closed.connect(self.leave_page)
        made.place_chosen.connect(lambda path, line: self._workspace.open_note(path, line=line))
        return made

    def _is_created(self, part: str) -> bool:
        return part in vars(self)

    def save_now(self) -> None:
        """Save the text in the editor if it has changed."""
        if self._is_created("editor"):
            self.editor.save_now()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.tabs.setAccessibleName(self._words("打开的笔记", "Open notes"))
        self.empty.show_hint(there_are=bool(self._workspace.notes.entries) or self._workspace.vault is None)
        self._show_tabs()

    def _on_listed(self, entries: tuple[object, ...]) -> None:
        self.empty.show_hint(there_are=bool(entries))
        self._show_tabs()

    @property
    def editing(self) -> bool:
        """Whether the editor is shown."""
        return self._is_created("editor") and self.stack.currentWidget() is self.editor

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
        store = self._workspace.notes.store
        if source is None or store is None:
            return
        self._editing = path
        self.editor.open(source, line, store=store, draft=store.left.get(path))
        self.find_bar.hide()
        self.stack.setCurrentWidget(self.editor)
        self.editor.setFocus()
        self.edited.emit(True)

    def replace_in_vault(self) -> None:
        """Show the page to find and replace in the whole vault, with the selected text; save the editor."""
        selected = self.editor.source.textCursor() if self.editing else self.reader.view.textCursor()
        self.show_page(self.replace_page)
        self.replace_page.enter(selected.selectedText().partition("\u2029")[0])

    def show_page(self, page: QWidget) -> None:
        """Show a page that is not a note, such as the settings; save the editor."""
        self.save_now()
        if self._is_created("find_bar"):
            self.find_bar.hide()
        if self.stack.indexOf(page) < 0:
            self.stack.addWidget(page)
        self.stack.setCurrentWidget(page)
        self.edited.emit(False)
        page.setFocus()

    def leave_page(self) -> None:
        """Go back from such a page to the note or the welcome page."""
        self.show_reader()
        (self.empty if self.empty.begins else self.reader.view).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back to the note by Escape from a page that is not a note."""
        if event.key() == Qt.Key.Key_Escape and self._on_a_page():
            self.leave_page()
        else:
            super().keyPressEvent(event)

    def _on_a_page(self) -> bool:
        return not self.editing and self.stack.currentWidget() not in {self.empty, self.reader.view}

    def regions(self) -> tuple[QWidget, ...]:
        """Return the parts that the keyboard visits one after the other."""
        if not self.editing:
            return (self.tabs, self.notification_bar, self.stack, self.find_bar)
        editor = self.editor
        writing = (editor.header, editor.ask_bar, editor.source, editor.find_bar, self.preview.view)
        return (self.tabs, self.notification_bar, *writing, self.find_bar)

    def take_focus(self) -> None:
        """Focus the current page: reader, editor, or another one."""
        if (page := self.stack.currentWidget()) is not None:
            page.setFocus()

    def show_reader(self) -> None:
        """Show the reader if a note is open, otherwise the empty page."""
        has_note = self._workspace.notes.current is not None
        focused, page = QApplication.focusWidget(), self.stack.currentWidget()
        held = page is not None and focused is not None and (page is focused or page.isAncestorOf(focused))
        if held and self._on_a_page():
            self._focus_reader = True  # Qt would move the focus of the hidden page to an arbitrary widget
        self.stack.setCurrentWidget(self.reader.view if has_note else self.empty)
        if has_note and self._focus_reader:
            self._focus_reader = False
            self.reader.view.setFocus()
        self.edited.emit(False)
        QTimer.singleShot(0, self.reader, self.reader.catch_up)

    def _on_vault_opened(self) -> None:
        if self._is_created("editor"):
            self.editor.leave()
        self._editing = ""
        self.show_reader()

    def _on_opened(self, note: OpenNote) -> None:
        self._check_front_matter(note)
        if self.editing and self._editing in note.entry.paths.values():
            return
        if self.editing:
            self.editor.save_now()
        self.show_reader()

    def _on_reloaded(self, note: OpenNote) -> None:
        self._check_front_matter(note)
        self._workspace.unnoticed.emit("gone")
        source = note.note_at(self._editing)
        if self.editing and source is not None:
            self.editor.note_changed_outside(source)
        elif self.editing:  # the file of the other language still exists
            self.editor.note_deleted_outside()

    def _on_confirmed(self, note: OpenNote) -> None:
        if self.editing and (source := note.note_at(self._editing)) is not None:
            self.editor.note_changed_outside(source, same=True)

    def _on_arranged(self, did: VaultChange) -> None:
        """Continue editing a moved file at its new path."""
        if self.editing and (path := did.moves.get(self._editing)) is not None:
            line = self.editor.source.line()
            self.editor.leave()
            self._workspace.open_then(path, lambda: self.edit(path, line))

    def _notify(
        self, zh: str, en: str, kind: Kind, *, topic: str, action: tuple[str, str, Callable[[], object]] | None = None
    ) -> None:
        """Show a notification; `action` is the label in both languages and the effect of its button."""
        choices = (NotificationAction(*action),) if action is not None else ()
        self._workspace.noticed.emit(Notification(zh, en, kind, choices, topic))

    def _check_front_matter(self, note: OpenNote) -> None:
        broken = next((one for one in note.notes.values() if one.meta.problem), None)
        if broken is None:
            self._workspace.unnoticed.emit("front matter")
            return
        path, problem = broken.path, broken.meta.problem
        zh = f"{path} 开头的 front matter 不是有效的 YAML（{problem}），其中的标题和标签读不出来。"
        en = f"The front matter of {path} is not valid YAML ({problem}); its title and tags cannot be read."
        edit = ("去修改", "Correct it", lambda: self.edit(path))
        self._notify(zh, en, "failed", action=edit, topic="front matter")

    def _on_open_failed(self) -> None:
        """Show the reader if a moved note was to be edited again, but another one was requested meanwhile."""
        if self.editing and not self.editor.path:
            self.show_reader()

    def _on_gone(self, path: str) -> None:
        if self.editing:
            self.editor.note_deleted_outside()  # it checks its own file: both languages may be deleted
            if path == self._editing:
                return
        zh = f"笔记 {path} 已不在笔记库里；这里还显示着它原来的内容。"
        en = f"The note {path} is no longer in the vault; its last content is still shown here."
        self._notify(zh, en, "failed", topic="gone")

    def _on_left_unsaved(self, path: str, error: Exception) -> None:
        reason = of_error(error)
        zh = f"{path} 没能保存，文字已留作草稿。{reason.zh}"
        en = f"{path} was not saved; its text is kept as a draft. {reason.en}"
        self._notify(zh, en, "failed", action=self._show_draft(path), topic=f"draft {path}")

    def _on_editor_closed(self, line: int) -> None:
        path = self._editing
        self.show_reader()
        self._workspace.notes.reload()
        self.reader.go_to_line(path, line)
        self.reader.view.setFocus()

    def _on_kept_beside(self, path: str) -> None:
        zh, en = f"你的版本已另存为 {path}。", f"Your version is kept as {path}."
        show = ("打开", "Open it", lambda: self._workspace.open_note(path))
        self._notify(zh, en, "told", action=show, topic=f"copy {path}")

    def _on_merged(self, path: str) -> None:
        zh = f"另一个程序也改了 {path}，改动已与你的合并；撤销一步即可去掉它。"
        en = f"Another program changed {path}, too; its change is merged with yours. One undo step takes it out."
        self._notify(zh, en, "told", topic=f"merged {path}")

    def _on_run_requested(self, note: Note, line: int, device: str) -> None:
        """Run a block of the edited note; the preview shows its output."""
        self.editor.show_preview(on=True)
        self._workspace.run_at(note, line, device=device or None)
        self.preview.follow(line)

    def _on_drafts_found(self, drafts: tuple[Draft, ...]) -> None:
        for draft in drafts:
            path = draft.note_path
            if draft.orphaned:
                self._offer_orphan(draft)
                continue
            zh, en = f"{path} 有上次没来得及保存的文字。", f"{path} has text that could not be saved last time."
            self._notify(zh, en, "asked", action=self._show_draft(path), topic=f"draft {path}")

    def _offer_orphan(self, draft: Draft) -> None:
        """Offer an unsaved text whose note is missing as a note of its own."""
        workspace, path = self._workspace, draft.note_path
        if (store := workspace.notes.store) is None:
            return

        def keep() -> None:
            store.keep_as_note(
                draft, done=lambda: workspace.open_note(path), failed=workspace.vault_edits.failed("new")
            )

        zh = f"{path} 已不在，但它有上次没来得及保存的文字。"
        en = f"{path} is gone, but it has text that could not be saved last time."
        self._notify(zh, en, "asked", action=("存为笔记", "Keep as a note", keep), topic=f"draft {path}")

    def _show_draft(self, path: str) -> tuple[str, str, Callable[[], object]]:
        return "查看", "Look at it", lambda: self._workspace.open_then(path, lambda: self.edit(path))

    def _show_tabs(self) -> None:
        tabs = self._workspace.tabs
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for path in tabs.paths:
            index = self.tabs.addTab(self._workspace.title_at(path, self._words.language))
            self.tabs.setTabData(index, path)
            self.tabs.setTabToolTip(index, path)
            self.tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, self._close_button(path))
            if path == tabs.current:
                self.tabs.setCurrentIndex(index)
        self.tabs.blockSignals(False)
        self.tabs.setVisible(len(tabs.paths) > 1)

    def _close_button(self, path: str) -> QToolButton:
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
        """Close a tab by the middle button of the mouse."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            index = self.tabs.tabAt(event.position().toPoint())
            if event.button() == Qt.MouseButton.MiddleButton and index >= 0:
                self._close_tab(self.tabs.tabData(index))
                return True
        return super().eventFilter(watched, event)
