"""Help on the query language in a popup under the field: examples that can be tried by key or click."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QLabel, QListView, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from app.i18n import Translator
from app.style.appearance import Appearance, named
from app.widgets.accessibility import announce
from app.widgets.list_delegates import paint_background, text_font
from app.widgets.popup_frame import PopupFrame
from kb.search.query_syntax import SYNTAX_EXAMPLES, SyntaxExample

WIDTH = 740  # pixels
_EXAMPLE = 250  # pixels of the column of examples
_MARGIN, _ABOVE = 12, 5  # pixels
_MANNER = Qt.ItemDataRole.UserRole + 1
AnyIndex = QModelIndex | QPersistentModelIndex


class QueryHelp(PopupFrame):
    """The examples, hidden until requested; the keyboard focus stays in the field, which forwards its keys."""

    example_chosen = Signal(str)

    def __init__(self, words: Translator, look: Appearance, window: QWidget) -> None:
        """Create the popup hidden over `window`."""
        super().__init__(window)
        self._window, self._words = window, words
        self.title, self.footer = (named(QLabel(wordWrap=True), "resultsFooter") for _ in range(2))
        self.list = named(QListView(), "resultsList")
        self.list.setModel(_Model(words, self))
        self.list.setItemDelegate(_Painter(look, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.clicked.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(5, 5, 5, 5)
        column.setSpacing(2)
        for part in (self.title, self.list, self.footer):
            column.addWidget(part)
        words.changed.connect(self._reword)
        look.changed.connect(self.list.viewport().update)

    def place(self, corner: QPoint) -> None:
        """Show the popup under the field, as high as the window allows, with no row current."""
        self._reword()
        width = min(WIDTH, self._window.width() - corner.x() - 12)
        inner = width - 12
        self.list.setFixedWidth(inner)
        self.list.doItemsLayout()
        around = self.title.heightForWidth(inner) + self.footer.heightForWidth(inner) + 16
        self.list.setFixedHeight(self._whole_rows(self._window.height() - corner.y() - 40 - around))
        self.setGeometry(corner.x(), corner.y(), width, self.list.height() + around)
        if not self.isVisible():
            self.list.setCurrentIndex(QModelIndex())
            self.list.scrollToTop()
        self.show()
        self.raise_()

    def _whole_rows(self, room: int) -> int:
        """Return the height of as many complete rows as fit."""
        height = 2 * self.list.frameWidth()
        for row in range(len(SYNTAX_EXAMPLES)):
            more = self.list.sizeHintForRow(row)
            if row and height + more > room:
                break
            height += more
        return height

    def move_by(self, rows: int) -> None:
        """Make another row current; the first or last one if none is."""
        last, at = len(SYNTAX_EXAMPLES) - 1, self.list.currentIndex().row()
        row = min(max(at + rows, 0), last) if at >= 0 else 0 if rows > 0 else last
        self.list.setCurrentIndex(self.list.model().index(row, 0))
        announce(self.list, self.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole))

    def try_current(self) -> bool:
        """Search for the current example; return whether there is one."""
        if (index := self.list.currentIndex()).isValid():
            self._choose(index)
        return index.isValid()

    def _choose(self, index: QModelIndex) -> None:
        self.hide()
        self.example_chosen.emit(index.data(_MANNER).example)

    def _reword(self) -> None:
        words = self._words
        title = words("可以这样搜索", "Ways to search")
        self.title.setText(title)
        self.footer.setText(
            words(
                "↑↓ 选一个    Enter 试试    Esc 关闭    条件可以并用：tag:ddp lang:zh 梯度。"
                "看不懂的写法一律当作普通文字。",
                "↑↓ choose    Enter try it    Esc close    They can be combined: tag:ddp lang:en gradient. "
                "What makes no sense is read as plain words.",
            )
        )
        self.list.setAccessibleName(title)
        self.list.doItemsLayout()


class _Model(QAbstractListModel):
    def __init__(self, words: Translator, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 0 if parent.isValid() else len(SYNTAX_EXAMPLES)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(SYNTAX_EXAMPLES):
            return None
        manner = SYNTAX_EXAMPLES[index.row()]
        meaning = self._words(manner.zh, manner.en)
        if role == Qt.ItemDataRole.DisplayRole:
            return meaning
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{manner.example}: {meaning}"
        return manner if role == _MANNER else None


class _Painter(QStyledItemDelegate):
    """Paints an example and its meaning in two columns; the meaning is wrapped."""

    def __init__(self, look: Appearance, view: QListView) -> None:
        super().__init__(view)
        self._look, self._view, self._font = look, view, text_font(14)

    def sizeHint(self, _: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        metrics, room = QFontMetrics(self._font), self._meaning(QRect(0, 0, 0, 1000))
        return QSize(100, metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, index.data()).height() + 2 * _ABOVE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme, manner = self._look.theme, index.data(_MANNER)
        assert isinstance(manner, SyntaxExample)
        box = option.rect.adjusted(_MARGIN, _ABOVE, -_MARGIN, -_ABOVE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_background(painter, option, theme, inset=6)
        painter.setFont(self._font)
        painter.setPen(QColor(theme.accent))
        example = QRect(box.left(), box.top(), min(_EXAMPLE, box.width() // 2) - _MARGIN, box.height())
        shown = QFontMetrics(self._font).elidedText(manner.example, Qt.TextElideMode.ElideRight, example.width())
        painter.drawText(example, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)
        painter.setPen(QColor(theme.ink))
        painter.drawText(self._meaning(option.rect).adjusted(0, _ABOVE, 0, 0), Qt.TextFlag.TextWordWrap, index.data())
        painter.restore()

    def _meaning(self, row: QRect) -> QRect:
        """Return the rectangle of the second column, which has the same width with and without a scroll bar.

        Rows are measured before the list is shown, and Qt does not measure them again when the scroll bar disappears.
        """
        width = self._view.maximumViewportSize().width() - self._view.verticalScrollBar().sizeHint().width()
        inner = QRect(row.left(), row.top(), width, row.height()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        return inner.adjusted(min(_EXAMPLE, inner.width() // 2), 0, 0, 0)
