"""The search results in a popup under the field: suggestions and hits, with messages above and below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QElapsedTimer, QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import QLabel, QListView, QVBoxLayout, QWidget

from app.i18n import Translator
from app.search.filter_chips import ChipRow
from app.search.match_reasons import reasons
from app.style.appearance import Appearance, named
from app.widgets.accessibility import announce
from app.widgets.list_delegates import ROW_ROLE, AnyIndex, QuerySuggestion, Row, RowDelegate
from app.widgets.popup_frame import PopupFrame
from kb.results import Hit, Progress

MOST_HEIGHT = 540  # pixels of results; the rest scrolls
_MEASURED = 30  # rows measured for the height
_NEAR = 4  # rows below the best to which the current row may move if it was not chosen
UNSURE_MS = 300  # in which a click may have been meant for the row that was under the pointer before


class RowModel(QAbstractListModel):
    """The rows under the field."""

    def __init__(self, parent: QWidget) -> None:
        """Start without rows."""
        super().__init__(parent)
        self.rows: Sequence[Row | QuerySuggestion] = ()

    def set_rows(self, rows: Sequence[Row | QuerySuggestion]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row for its painter, or its text for a screen reader."""
        if not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        return row.spoken if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole} else None


class ResultsPopup(PopupFrame):
    """The popup of results; it never takes the keyboard focus from the field.

    While the pointer is over the list, or a row was chosen by keys, a newer answer to the same query leaves every row
    in place: new rows are appended, and reordered when the pointer has left.
    """

    row_chosen = Signal(object, bool)  # Row, in a new tab
    query_suggested = Signal(str)

    def __init__(self, words: Translator, look: Appearance, window: QWidget) -> None:
        """Create the popup hidden over `window`."""
        super().__init__(window)
        self._window = window
        self._words = words
        self._state = ""
        self._seconds = 0.0
        self._progress: Progress | None = None
        self._chosen = False  # whether a row was chosen by keys
        self._pointed = False  # whether the pointer is over the list
        self._later: Sequence[Row | QuerySuggestion] = ()  # the order to take once the pointer has left
        self._since = QElapsedTimer()  # since other rows came under the pointer
        self.query = ""
        self._model = RowModel(self)
        self.chips = ChipRow(words, self)
        self.list = self._make_list(look)
        self.message = named(QLabel(wordWrap=True), "resultsMessage")
        self.footer = named(QLabel(), "resultsFooter")
        self.message.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.message.linkActivated.connect(self.query_suggested)
        column = QVBoxLayout(self)
        column.setContentsMargins(5, 5, 5, 5)
        column.setSpacing(2)
        for widget in (self.chips, self.message, self.list, self.footer):
            column.addWidget(widget)

    def _make_list(self, look: Appearance) -> QListView:
        view = QListView(self)
        view.setObjectName("resultsList")
        view.setModel(self._model)
        view.setItemDelegate(RowDelegate(look, view))
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.clicked.connect(self._on_clicked)
        view.selectionModel().currentChanged.connect(self._word_footer)
        view.viewport().installEventFilter(self)
        look.changed.connect(view.viewport().update)
        return view

    def show_rows(
        self,
        rows: Sequence[Row | QuerySuggestion],
        *,
        query: str,
        start: int = 0,
        seconds: float = 0.0,
        progress: Progress | None = None,
        message: str = "",
        state: str = "",
    ) -> None:
        """Show the results of a query with row `start` current; for the same query the current row is kept.

        `message` is shown above the rows, `state` below them instead of their number and the seconds.
        """
        again = query == self.query and self.isVisible() and bool(self._model.rows)
        self.query, self._seconds, self._progress, self._state = query, seconds, progress, state
        self._chosen = self._chosen and again
        self.list.setAccessibleName(self._words("搜索结果", "Search results"))
        held = again and (self._chosen or self._pointed)
        self._later = rows if held else ()
        self._put(_settled(self._model.rows, rows) if held else rows, start, again=again, held=held)
        self.message.setText(message)
        self.message.setVisible(bool(message))
        self._word_footer()
        if not again:
            announce(self.list, message or self._counted())

    def _put(self, rows: Sequence[Row | QuerySuggestion], start: int, *, again: bool, held: bool) -> None:
        pointed, current, at = self._under_pointer(), self.current(), self.list.verticalScrollBar().value()
        self._model.set_rows(rows)
        self.list.setVisible(bool(rows))
        wanted = start
        if again and current is not None:
            wanted = next((place for place, row in enumerate(rows) if row.same == current.same), start)
            if not held and wanted > start + _NEAR:  # it was not chosen, and the best would be out of view
                wanted = start
        if rows:
            self.list.doItemsLayout()
            self.list.setCurrentIndex(self._model.index(min(wanted, len(rows) - 1)))
        if held:
            self.list.verticalScrollBar().setValue(at)
        elif not again:
            self.list.scrollToTop()
        if pointed is not None and pointed.same != getattr(self._under_pointer(), "same", None):
            self._since.start()

    def reword(self, progress: Progress | None) -> None:
        """Show the progress of the index, if it is being updated."""
        self._progress = progress
        self._word_footer()

    @property
    def rows(self) -> Sequence[Row | QuerySuggestion]:
        """The rows shown."""
        return self._model.rows

    def current(self) -> Row | QuerySuggestion | None:
        """Return the current row."""
        at = self.list.currentIndex().row()
        return self._model.rows[at] if 0 <= at < len(self._model.rows) else None

    def move_by(self, rows: int) -> None:
        """Make another row current."""
        if self._model.rows:
            self._chosen = True
            row = min(max(self.list.currentIndex().row() + rows, 0), len(self._model.rows) - 1)
            self.list.setCurrentIndex(self._model.index(row))
            announce(self.list, self._model.rows[row].spoken)

    def place(self, corner: QPoint, width: int) -> None:
        """Place the popup under the field, as high as the results need and the window allows."""
        window = self._window
        width = min(width, window.width() - corner.x() - 12)
        chips = self.chips.sizeHint().height() if self.chips.isVisibleTo(self) else 0
        room = min(MOST_HEIGHT, window.height() - corner.y() - 90 - chips)
        self.list.setFixedHeight(max(1, self._whole_rows(room)))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move(corner)
        self.show()
        self.raise_()

    def _whole_rows(self, room: int) -> int:
        """Return the height of as many complete rows as fit; a partial row would show pieces of letters."""
        height = 2 * self.list.frameWidth()
        for row in range(min(len(self._model.rows), _MEASURED)):
            more = self.list.sizeHintForRow(row)
            if row and height + more > room:
                break
            height += more
        return min(height, room)

    def hideEvent(self, event: QHideEvent) -> None:
        """Reset the pointer's state and the choice."""
        super().hideEvent(event)
        self._chosen = self._pointed = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Track whether the pointer is over the list."""
        if watched is self.list.viewport():
            if event.type() in {QEvent.Type.Enter, QEvent.Type.MouseMove}:
                self._pointed = True
            elif event.type() == QEvent.Type.Leave:
                self._on_left()
        return super().eventFilter(watched, event)

    def _on_left(self) -> None:
        self._pointed = False
        if self._later and not self._chosen:
            later, self._later = self._later, ()
            self._put(later, 0, again=True, held=False)
            self._word_footer()

    def _under_pointer(self) -> Row | QuerySuggestion | None:
        if not self._pointed:
            return None
        index = self.list.indexAt(self.list.viewport().mapFromGlobal(self.cursor().pos()))
        row: Row | QuerySuggestion | None = index.data(ROW_ROLE)
        return row

    def _on_clicked(self, index: QModelIndex) -> None:
        if not self._since.isValid() or self._since.hasExpired(UNSURE_MS):
            control = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
            self.row_chosen.emit(index.data(ROW_ROLE), bool(control))

    def _counted(self) -> str:
        """Return the number of rows, and the current one."""
        current, count = self.current(), len(self._model.rows)
        many = self._words(f"{count} 条", f"{count} results" if count != 1 else "1 result")
        return self._words("，", ", ").join((many, current.spoken)) if current is not None else ""

    def _word_footer(self) -> None:
        words, rows = self._words, self._model.rows
        found = [row for row in rows if isinstance(row, Row)]
        if progress := self._progress:
            state = words(
                f"正在索引 {progress.done} / {progress.total}，以下是目前的结果",
                f"Indexing {progress.done} of {progress.total}, results so far",
            )
        elif self._state:
            state = self._state
        else:
            current = self.current()
            place = found.index(current) + 1 if isinstance(current, Row) and current in found else 0
            of = words(f"第 {place} / {len(found)} 条", f"{place} of {len(found)}") if place else ""
            state = " · ".join(part for part in (of, f"{self._seconds * 1000:.0f} ms") if part)
        keys = words("↑↓ 移动    Enter 打开    Ctrl Enter 新标签页", "↑↓ move    Enter open    Ctrl Enter new tab")
        self.footer.setText(f"{keys}    {state}" if rows else state)


def _settled(
    before: Sequence[Row | QuerySuggestion], now: Sequence[Row | QuerySuggestion]
) -> Sequence[Row | QuerySuggestion]:
    """Return the earlier rows in their places, updated, followed by the new ones."""
    newer = {row.same: row for row in now}
    known = {row.same for row in before}
    return (*(newer.get(row.same, row) for row in before), *(row for row in now if row.same not in known))


def rows_of(hits: Sequence[Hit], query: str, words: Translator) -> tuple[Row, ...]:
    """Return hits as rows; their place is the note and the headings above."""
    return tuple(
        Row(
            hit.heading or hit.title,
            _place(hit),
            hit.lang,
            " ".join(hit.excerpt.split()),
            reasons(hit.why, query, words),
            tuple(hit.matched),
            hit.path,
            hit.anchor,
            hit.line,
        )
        for hit in hits
    )


def _place(hit: Hit) -> str:
    """Return folders, note and headings above, without the heading itself."""
    above = dict.fromkeys([*hit.path.split("/")[:-1], hit.title, *hit.trail])
    return " / ".join(one for one in above if one != (hit.heading or hit.title)) or hit.path
