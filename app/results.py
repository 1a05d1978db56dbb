"""The results of a search, painted row by row: heading with the found words marked, place, a line of text, why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QLabel,
    QListView,
    QVBoxLayout,
    QWidget,
)

from app.look import Look, named
from app.rows import ROW_ROLE, RowPainter
from app.titles import title_of
from app.words import Words
from kb.entries import Entry
from kb.found import Hit, Progress

AnyIndex = QModelIndex | QPersistentModelIndex
MOST_HEIGHT = 540  # pixels of results; the rest scrolls


@dataclass(frozen=True)
class Row:
    """One result as it is shown, and where it leads."""

    heading: str
    place: str
    lang: str
    excerpt: str
    why: str
    marks: tuple[str, ...]
    path: str
    anchor: str
    line: int


class RowModel(QAbstractListModel):
    """The rows under the field."""

    def __init__(self, parent: QWidget) -> None:
        """Hold nothing."""
        super().__init__(parent)
        self.rows: Sequence[Row] = ()

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Hold these rows instead."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row for its painter, or its words for a screen reader."""
        if not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{row.heading}, {row.place}, {row.excerpt} {row.why}"
        return None


class ResultsPopup(QFrame):
    """The sheet of results; it never takes the keyboard from the field."""

    row_chosen = Signal(object, bool)  # Row, in a new tab
    query_suggested = Signal(str)

    def __init__(self, words: Words, look: Look, window: QWidget) -> None:
        """Lie hidden over `window`."""
        super().__init__(window)
        self._window = window
        self._words = words
        self.query = ""
        self._seconds = 0.0
        self.setObjectName("results")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._model = RowModel(self)
        self.list = self._make_list(look)
        self.message = named(QLabel(wordWrap=True), "resultsMessage")
        self.message.linkActivated.connect(self.query_suggested)
        self.message.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.footer = named(QLabel(), "resultsFooter")
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(2)
        for widget in (self.message, self.list, self.footer):
            column.addWidget(widget)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(34)
        shadow.setOffset(0, 9)
        shadow.setColor(QColor(0, 0, 0, 60))
        self.setGraphicsEffect(shadow)
        self.hide()

    def _make_list(self, look: Look) -> QListView:
        view = QListView(self)
        view.setObjectName("resultsList")
        view.setModel(self._model)
        view.setItemDelegate(RowPainter(look, view))
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName(self._words("搜索结果", "Search results"))
        view.clicked.connect(lambda index: self.row_chosen.emit(index.data(ROW_ROLE), False))
        view.selectionModel().currentChanged.connect(self._word_footer)
        look.changed.connect(view.viewport().update)
        return view

    def show_rows(
        self,
        rows: Sequence[Row],
        *,
        query: str,
        seconds: float = 0.0,
        did_you_mean: str = "",
        progress: Progress | None = None,
        message: str = "",
    ) -> None:
        """Show what a query found, its first row current; the same query again keeps the row that was."""
        before = self.current() if query == self.query else None
        self.query, self._seconds = query, seconds
        self._model.set_rows(rows)
        self.list.setVisible(bool(rows))
        self.list.scrollToTop()
        if rows:
            self.list.setCurrentIndex(self._model.index(rows.index(before) if before in rows else 0))
        self._message(message or self._remark(rows, did_you_mean, progress))
        self.reword(progress)

    def reword(self, progress: Progress | None) -> None:
        """Say how far the index is, if it is on its way."""
        self._progress = progress
        self._word_footer()

    def current(self) -> Row | None:
        """Return the current row."""
        at = self.list.currentIndex().row()
        return self._model.rows[at] if 0 <= at < len(self._model.rows) else None

    def move_by(self, rows: int) -> None:
        """Make another row the current one."""
        if self._model.rows:
            row = min(max(self.list.currentIndex().row() + rows, 0), len(self._model.rows) - 1)
            self.list.setCurrentIndex(self._model.index(row))

    def place(self, corner: QPoint, width: int) -> None:
        """Lie under the field, as high as the results need and the window allows."""
        window = self._window
        width = min(width, window.width() - corner.x() - 12)
        content = sum(self.list.sizeHintForRow(row) for row in range(min(len(self._model.rows), 30)))
        self.list.setFixedHeight(max(1, min(content, MOST_HEIGHT, window.height() - corner.y() - 90)))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(corner)
        self.show()
        self.raise_()

    def _remark(self, rows: Sequence[Row], did_you_mean: str, progress: Progress | None) -> str:
        parts = []
        if not rows and self.query:
            parts.append(self._words("没有找到。换个说法，或少写几个词。", "Nothing found. Try other words, or fewer."))
            if progress is not None:
                parts = [self._words("索引还在建立，目前没有找到。", "Nothing found so far; indexing goes on.")]
        if did_you_mean:
            link = f'<a href="{_escaped(did_you_mean)}">{_escaped(did_you_mean)}</a>'
            parts.append(self._words(f"是不是要找 {link}？", f"Did you mean {link}?"))
        return "  ".join(parts)

    def _message(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _word_footer(self) -> None:
        words, count = self._words, len(self._model.rows)
        if progress := getattr(self, "_progress", None):
            state = words(
                f"正在索引 {progress.done} / {progress.total}，以下是目前的结果",
                f"Indexing {progress.done} of {progress.total}, results so far",
            )
        elif not self.query:
            state = words("最近打开的笔记", "Notes read last")
        elif not count:
            state = f"{self._seconds * 1000:.0f} ms"
        else:
            of = words(
                f"第 {self.list.currentIndex().row() + 1} / {count} 条",
                f"{self.list.currentIndex().row() + 1} of {count}",
            )
            state = f"{of} · {self._seconds * 1000:.0f} ms"
        keys = words("↑↓ 移动    Enter 打开    Ctrl Enter 新标签页", "↑↓ move    Enter open    Ctrl Enter new tab")
        self.footer.setText(f"{keys}    {state}" if count else state)


def rows_of(hits: Sequence[Hit], query: str, words: Words) -> tuple[Row, ...]:
    """Return hits as rows; the place is the note and the headings above."""
    return tuple(
        Row(
            hit.heading or hit.title,
            " / ".join(dict.fromkeys([*_folders(hit.path), hit.title, *hit.trail])),
            hit.lang,
            " ".join(hit.excerpt.split()),
            " · ".join(reason for why in hit.why if (reason := worded(why, query, words))),
            tuple(hit.matched),
            hit.path,
            hit.anchor,
            hit.line,
        )
        for hit in hits
    )


def worded(why: str, query: str, words: Words) -> str:
    """Return a reason in the interface language; empty where it is plain: what was typed stands in the place."""
    place, colon, found = why.partition(": ")
    if not colon:
        return why
    typed = query.casefold()
    if all(word.casefold() in typed for word in found.split()):
        return ""
    places = {"heading": words("标题", "heading"), "text": words("正文", "text")}
    return f"{places.get(place, place)}: {found}"


def recent_rows(paths: Sequence[str], entries: Sequence[Entry], language: str) -> tuple[Row, ...]:
    """Return the notes read last that are still there."""
    by_path = {path: entry for entry in entries for path in entry.paths.values()}
    known = dict.fromkeys(by_path[path].key for path in paths if path in by_path)
    by_key = {entry.key: entry for entry in entries if entry.key in known}
    first = {by_path[path].key: path for path in reversed(paths) if path in by_path}
    return tuple(
        Row(title_of(by_key[key], language), by_key[key].folder, "", "", "", (), first[key], "", 0) for key in known
    )


def _folders(path: str) -> list[str]:
    return path.split("/")[:-1]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
