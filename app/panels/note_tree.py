"""The panel on the left: the notes by folder with the status of their code, and the tags."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6 import QtWidgets
from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QCursor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from app.i18n import Translator
from app.state.tree_model import ENTRY_ROLE, SIGN_ROLE, SIGN_WORDS, TreeModel, tags_of
from app.state.workspace import Workspace
from app.style.appearance import Appearance, named
from app.style.theme import Theme
from app.widgets.accessibility import LinkLabel
from app.widgets.list_delegates import AnyIndex, text_font
from app.widgets.notification import of_error
from kb.lazy_regex import expression
from kb.notes.note_listing import NoteEntry

if TYPE_CHECKING:  # events that occur only while a note is dragged
    from PySide6.QtGui import QDragLeaveEvent, QDragMoveEvent, QDropEvent

_SIGNS = {"passed": "✓", "failed": "✕", "stale": "◔", "unavailable": "–", "never": ""}
_COLOURS = {"passed": "good", "failed": "bad", "stale": "warn", "unavailable": "dim", "never": "dim"}
_TAGS_SHOWN = 12
_BREAKS = expression(r"(?<=[^ -~])(?=.)|(?<=.)(?=[^ -~])")  # where a line may end: next to a Chinese character
_FEW_TAGS, _LOW = 4, 620  # tags shown if the panel is lower than 620 pixels, to leave space for the notes
CHEVRON_ROOM = 28  # pixels at the right end of a caption


class TreePanel(QWidget):
    """Lists notes and tags: a click opens a note, a tag filters the list, and a note can be dragged to a folder."""

    menu_asked = Signal(object, str, object)  # NoteEntry or None, folder, QPoint on the screen

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Show the notes of `workspace`."""
        super().__init__()
        self._workspace = workspace
        self._words = words
        self._tag = ""
        self._listed: bool | Exception = False  # whether the notes are listed, or why that failed
        self._low = False
        self.setProperty("panel", True)
        self.setObjectName("treePanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(150)
        self._model = TreeModel(words, workspace.vault_scanner.facts, self)
        self.view = self._make_view(look)
        self._empty = named(QLabel(wordWrap=True), "treeEmpty")
        self._tags_caption = named(QLabel(), "caption")
        self._tags = named(LinkLabel(wordWrap=True), "tags")
        self._tags.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self._tags.setIndent(0)  # otherwise Qt counts the sheet's padding twice when it computes the height
        self._tags.linkActivated.connect(self._on_tag)
        self._place_parts()
        self._connect(look)
        self.retranslate()

    def _make_view(self, look: Appearance) -> QTreeView:
        view = _Tree(self)
        view.setModel(self._model)
        view.setItemDelegate(NoteDelegate(look, self._words, view))
        view.setHeaderHidden(True)
        view.setIndentation(0)
        view.setRootIsDecorated(False)
        view.setItemsExpandable(True)
        view.setExpandsOnDoubleClick(False)
        view.setMouseTracking(True)
        view.setUniformRowHeights(False)
        view.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.setDragDropMode(QTreeView.DragDropMode.InternalMove)
        view.setDefaultDropAction(Qt.DropAction.MoveAction)
        view.setObjectName("noteTree")
        return view

    def _place_parts(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 12, 8, 8)
        column.setSpacing(4)
        column.addWidget(self._empty)
        column.addWidget(self.view, 1)
        column.addWidget(self._tags_caption)
        column.addWidget(self._tags)

    def _connect(self, look: Appearance) -> None:
        notes, survey = self._workspace.notes, self._workspace.vault_scanner
        notes.listed.connect(self._on_listed)
        notes.list_failed.connect(self._on_list_failed)
        notes.opened.connect(lambda _: self._mark_open())
        survey.found.connect(self._model.update_titles)
        self._workspace.vault_opened.connect(lambda _: self._on_vault_opened())
        self.view.clicked.connect(self._on_clicked)
        self.view.activated.connect(self._on_activated)
        self.view.customContextMenuRequested.connect(self._on_menu_asked)
        self._model.dragged.connect(self._on_dragged)
        self._words.changed.connect(self.retranslate)
        look.changed.connect(lambda _: self._show_tags())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show fewer tags in a low panel."""
        super().resizeEvent(event)
        if (low := self.height() < _LOW) != self._low:
            self._low = low
            self._show_tags()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.view.setAccessibleName(self._words("笔记", "Notes"))
        self._tags.setAccessibleName(self._words("标签", "Tags"))
        self._tags_caption.setText(self._words("标签", "TAGS"))
        self._tell_empty()
        self._show_tags()
        if self.view.isVisible():
            self.view.scheduleDelayedItemsLayout()

    def _on_vault_opened(self) -> None:
        self._tag, self._listed = "", False
        self._model.set_facts(self._workspace.vault_scanner.facts)
        self._model.set_entries(())
        self.retranslate()

    def _on_listed(self, entries: tuple[NoteEntry, ...]) -> None:
        folders = enumerate(self._model.folders)
        closed = {folder.path for row, folder in folders if not self.view.isExpanded(self._model.index(row, 0))}
        at = self.view.verticalScrollBar().value()
        self._model.set_entries(entries, tag=self._tag)
        for row, folder in enumerate(self._model.folders):
            self.view.setExpanded(self._model.index(row, 0), folder.path not in closed)
        self.view.verticalScrollBar().setValue(at)
        self._empty.setVisible(not entries)
        self._listed = True
        self._tell_empty()
        self._show_tags()
        self._mark_open()

    def _on_list_failed(self, error: Exception) -> None:
        """Say why nothing is listed; notes that were listed before stay."""
        self._listed = error
        self._tell_empty()

    def _tell_empty(self) -> None:
        """Say why the list is empty."""
        key = self._words.key("new", "Ctrl+N")
        if isinstance(self._listed, Exception):
            said = of_error(self._listed)
            self._empty.setText(self._words(said.zh, said.en))
        elif self._listed:
            zh = f"这个文件夹里还没有笔记。{f'按 {key} 新建一篇。' if key else ''}"
            en = f"No notes in this folder yet.{f' {key} creates one.' if key else ''}"
            self._empty.setText(self._words(zh, en))
        else:
            self._empty.setText(self._words("正在列出笔记…", "Listing the notes…"))

    def _mark_open(self) -> None:
        if (note := self._workspace.notes.current) is not None:
            index = self._model.find(note.entry.key)
            self.view.setCurrentIndex(index)
            if index.isValid():
                self.view.scrollTo(index)

    def _on_clicked(self, index: QModelIndex) -> None:
        """Open the clicked note; the right end of a caption expands or collapses its folder."""
        pointer = self.view.viewport().mapFromGlobal(QCursor.pos())
        at_end = pointer.x() > self.view.visualRect(index).right() - CHEVRON_ROOM
        if not index.parent().isValid() and (at_end or index.data(ENTRY_ROLE) is None):
            self.view.setExpanded(index, not self.view.isExpanded(index))
        else:
            self._on_activated(index)

    def _on_activated(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE)
        if entry is not None:
            self._workspace.open_note(self._workspace.path_of(entry))

    def _on_menu_asked(self, at: QPoint) -> None:
        """Request the context menu of the note or folder at a point."""
        index = self.view.indexAt(at)
        entry = index.data(ENTRY_ROLE) if index.parent().isValid() else None
        folder = self._model.folder_of(index)
        self.menu_asked.emit(entry, folder, self.view.viewport().mapToGlobal(at))

    def _on_dragged(self, key: str, folder: str) -> None:
        entry = next((one for one in self._workspace.notes.entries if one.key == key), None)
        if entry is not None and entry.folder != folder:
            self._workspace.vault_edits.rename_note(entry, f"{folder}/{entry.name}" if folder else entry.name)

    def _on_tag(self, tag: str) -> None:
        self._tag = "" if tag == self._tag else tag
        self._on_listed(self._workspace.notes.entries)

    def _show_tags(self) -> None:
        tags = tags_of(self._workspace.notes.entries)
        self._tags_caption.setVisible(bool(tags))
        self._tags.setVisible(bool(tags))
        theme = self.view.itemDelegate().theme  # type: ignore[attr-defined]  # set in _make_view
        links = (
            f'<a href="{escape(tag)}" style="{_tag_style(theme, chosen=tag == self._tag)}">{escape(_in_one_line(tag))}'
            f'&nbsp;<span style="font-size:12px">{count}</span></a>'
            for tag, count in tags[: _FEW_TAGS if self._low else _TAGS_SHOWN]
        )
        self._tags.setText("&nbsp;&nbsp;&nbsp;&nbsp; ".join(links))


def _in_one_line(tag: str) -> str:
    """Return a tag with joiners so that no line breaks within it, not between Chinese characters either."""
    return _BREAKS.sub("\u2060", tag.replace(" ", "\u00a0").replace("-", "\u2011"))


def _tag_style(theme: Theme, *, chosen: bool) -> str:
    """Return the style of a tag; the chosen one differs by more than its colour."""
    if chosen:
        return f"color:{theme.accent}; font-weight:700; text-decoration:underline"
    return f"color:{theme.dim}; text-decoration:none"


class _Tree(QTreeView):
    """A tree that highlights the folder into which a dragged note would be dropped."""

    def __init__(self, parent: QWidget) -> None:
        """Create it without a highlighted folder."""
        super().__init__(parent)
        self.setDropIndicatorShown(False)  # Qt's frame is open at one side, and next to a note it frames the note
        self.target = QModelIndex()  # caption of the folder that a note would be dropped into

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Highlight the folder whose caption or note is under the pointer."""
        super().dragMoveEvent(event)
        at = self.indexAt(event.position().toPoint()) if event.isAccepted() else QModelIndex()
        self._set_target(at.parent() if at.parent().isValid() else at)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the highlight."""
        super().dragLeaveEvent(event)
        self._set_target(QModelIndex())

    def dropEvent(self, event: QDropEvent) -> None:
        """Remove the highlight and move the note."""
        self._set_target(QModelIndex())
        super().dropEvent(event)

    def _set_target(self, caption: QModelIndex) -> None:
        if caption != self.target:
            self.target = caption
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the open note visible if the tags below take space from the list."""
        row = self.visualRect(self.currentIndex())
        visible = row.isValid() and row.top() >= 0 and row.bottom() <= event.oldSize().height()
        super().resizeEvent(event)
        if visible:
            self.scrollTo(self.currentIndex())

    def drawBranches(self, painter: QPainter, rect: QRect, index: AnyIndex) -> None:
        """Draw nothing: NoteDelegate draws the chevrons."""


class NoteDelegate(QStyledItemDelegate):
    """Draws folder captions, and notes with the status of their code at the right."""

    def __init__(self, look: Appearance, words: Translator, parent: QWidget) -> None:
        """Use the colours of `look`."""
        super().__init__(parent)
        self._look = look
        self._words = words
        self._caption = text_font(12)
        self._title = text_font(14)
        self._current = text_font(14, bold=True)

    @property
    def theme(self) -> Theme:
        """The current theme."""
        return self._look.theme

    def sizeHint(self, _: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the size of a caption, with space above it, or of a note."""
        first = index.row() == 0 and not index.parent().isValid()
        if not index.parent().isValid():
            return QSize(60, 26 if first else 36)
        return QSize(60, 29)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        (self._paint_note if index.parent().isValid() else self._paint_caption)(painter, option, index)
        painter.restore()

    def _paint_caption(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        view, theme, states = option.widget, self._look.theme, QtWidgets.QStyle.StateFlag
        is_open = isinstance(view, QTreeView) and isinstance(index, QModelIndex) and view.isExpanded(index)
        box = option.rect.adjusted(8, 0, -9, -5)
        at_bottom = Qt.AlignmentFlag.AlignBottom
        is_target = isinstance(view, _Tree) and view.target == index
        if is_target:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft))
            painter.drawRoundedRect(option.rect.adjusted(0, max(0, option.rect.height() - 26), -1, -1), 6, 6)
        lit = is_target or option.state & (states.State_HasFocus | states.State_Selected)
        hovered = option.state & states.State_MouseOver
        painter.setFont(self._caption)
        painter.setPen(QColor(theme.accent if lit else theme.ink if hovered else theme.dim))
        if hovered or not is_open:
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | at_bottom, "▾" if is_open else "▸")
        room = box.width() - CHEVRON_ROOM // 2
        text = QFontMetrics(self._caption).elidedText(index.data(), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | at_bottom, text)

    def _paint_note(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme, states = self._look.theme, QtWidgets.QStyle.StateFlag
        selected = bool(option.state & states.State_Selected)
        hovered = bool(option.state & states.State_MouseOver)
        if selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft if selected else theme.hover))
            painter.drawRoundedRect(option.rect.adjusted(0, 0, -1, -1), 6, 6)
        if option.state & states.State_HasFocus:
            painter.setPen(QColor(theme.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(option.rect.adjusted(0, 0, -1, -1), 6, 6)
        box = option.rect.adjusted(18, 0, -9, 0)
        box.setRight(box.right() - self._paint_sign(painter, box, index.data(SIGN_ROLE), bold=selected))
        font = self._current if selected else self._title
        painter.setFont(font)
        painter.setPen(QColor(theme.accent if selected else theme.ink))
        title = QFontMetrics(font).elidedText(index.data(), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_sign(self, painter: QPainter, box: QRect, sign: tuple[str, int], *, bold: bool) -> int:
        """Draw the status at the right edge; return its width with the gap, in pixels."""
        status, count = sign
        if not status or not _SIGNS[status]:
            return 0
        told = {"stale": self._words(*SIGN_WORDS["stale"]), "unavailable": ""}.get(status, str(count))
        text = f"{_SIGNS[status]} {told}".rstrip()
        font = self._current if bold else self._title
        painter.setFont(font)
        painter.setPen(QColor(getattr(self._look.theme, _COLOURS[status])))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        return QFontMetrics(font).horizontalAdvance(text) + 8
