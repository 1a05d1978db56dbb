"""The page to find and replace in the whole vault: each change is listed and can be deselected before it is made."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.central import vault_replace
from app.central.vault_replace import NoteMatches, ReplaceMatch
from app.editor.find_replace_bar import SearchOptions, column, line, small
from app.editor.text_search import SearchPattern
from app.i18n import Translator
from app.state.workspace import Workspace
from app.style.appearance import Appearance, flag, named
from app.widgets.ime_fields import ImeLineEdit
from app.widgets.list_delegates import AnyIndex, text_font

_SPOT = Qt.ItemDataRole.UserRole + 1
_DELAY_MS = 200  # from the last key to the search through all notes
_CONTEXT = 48  # pixels of the text before and after a match, at least
_CHECK_BOX = 32  # pixels of the check box at the left of a row


class ReplacePage(QWidget):
    """Fields above a list of matches, each with its line before and after the replacement."""

    place_chosen = Signal(str, int)  # path, line
    closed = Signal()

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Search the notes of `workspace`."""
        super().__init__()
        self._workspace, self._words = workspace, words
        self._turn = 0  # number of the last search
        self._found: tuple[NoteMatches, ...] = ()
        self._searching = False
        self.setObjectName("replacer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.pattern, self.replacement = ImeLineEdit(), ImeLineEdit()
        self.manner = SearchOptions(words, self)
        self.button = QPushButton()
        self.button.setProperty("accent", True)
        self.close_button = small("✕")
        self.told = named(QLabel(wordWrap=True), "replacerTold")
        self.list = self._make_list(look)
        self._delay = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._count_later = QTimer(self, singleShot=True, interval=0)  # once for all boxes of a note
        self._place_parts()
        self._connect()
        self.retranslate()

    def _make_list(self, look: Appearance) -> QTreeWidget:
        tree = named(QTreeWidget(), "replacerList")
        tree.setHeaderHidden(True)
        tree.setItemDelegateForColumn(0, _MatchDelegate(look, tree))
        tree.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setIndentation(22)
        return tree

    def _place_parts(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(column(self.pattern, self.replacement), 1)
        head.addWidget(column(line(*self.manner, self.close_button), self.button))
        rows = QVBoxLayout(self)
        rows.setContentsMargins(24, 18, 24, 12)
        rows.setSpacing(10)
        rows.addLayout(head)
        rows.addWidget(self.told)
        rows.addWidget(self.list, 1)

    def _connect(self) -> None:
        for field in (self.pattern, self.replacement):
            field.textChanged.connect(lambda _: self._on_asked())
            field.returnPressed.connect(self.search)
        self.manner.changed.connect(self._on_asked)
        self._delay.timeout.connect(self.search)
        self._workspace.vault_opened.connect(lambda _: self._show(()))
        self._workspace.vault_edits.arranged.connect(lambda _: self._delay.start() if self.isVisible() else None)
        self.list.itemActivated.connect(self._on_activated)
        self.list.itemChanged.connect(lambda *_: self._count_later.start())
        self._count_later.timeout.connect(self._show_count)
        self.button.clicked.connect(self.replace)
        self.close_button.clicked.connect(self.closed)
        self._words.changed.connect(self.retranslate)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        words = self._words
        for field, name in (
            (self.pattern, words("在整个笔记库中查找", "Find in the whole vault")),
            (self.replacement, words("替换为（正则可用 $1）", "Replace with ($1 for a group)")),
        ):
            field.setPlaceholderText(name)
            field.setAccessibleName(name)
        close = words("关闭  (Esc)", "Close  (Esc)")
        self.close_button.setToolTip(close)
        self.close_button.setAccessibleName(close)
        self.list.setAccessibleName(words("将要替换的地方", "Places to be replaced"))
        self._show_count()

    def enter(self, selected: str = "") -> None:
        """Focus the page and search, for `selected` unless it is empty."""
        if selected:
            self.pattern.setText(selected)
        self.pattern.setFocus()
        self.pattern.selectAll()
        self.search()

    def needle(self) -> SearchPattern:
        """Return the pattern to search for."""
        return self.manner.needle(self.pattern.text())

    def _on_asked(self) -> None:
        """Search after a short delay; until then nothing can be replaced, as the list is out of date."""
        self._delay.start()
        self.button.setEnabled(False)

    def search(self) -> None:
        """Search all notes in the background; only the answer to the newest search is shown."""
        self._delay.stop()
        self._turn += 1
        vault, needle, replacement, turn = self._workspace.vault, self.needle(), self.replacement.text(), self._turn
        if vault is None or not needle.pattern or self.pattern.composing or vault_replace.wrong(needle):
            self._show(())
            return
        self._searching = True
        self._show_count()
        self._workspace.executor.run(
            lambda: tuple(vault_replace.find(vault, needle, replacement, lambda: turn != self._turn)),
            lambda found: self._show(found) if turn == self._turn else None,
            lambda _: self._show(()) if turn == self._turn else None,
        )

    def replace(self) -> None:
        """Replace the chosen matches as one step that can be undone."""
        chosen = frozenset(self._chosen())
        if chosen:
            found, count = self._found, len(chosen)
            self._workspace.vault_edits.rewrite(
                lambda _: vault_replace.step(found, chosen), f"替换了 {count} 处", f"Replaced {_places(count)}"
            )
            self.pattern.setFocus()  # the button gets disabled, and Qt would move the focus to an arbitrary widget

    # --- the list

    def _show(self, found: tuple[NoteMatches, ...]) -> None:
        self._found, self._searching = found, False
        self.list.blockSignals(True)
        self.list.clear()
        for one in found:
            note = QTreeWidgetItem(self.list, [one.note.path])
            note.setFlags(note.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
            for spot in one.spots:
                item = QTreeWidgetItem(note, [f"{spot.line}: {spot.before}{spot.found}{spot.after}"])
                item.setData(0, _SPOT, spot)
                item.setCheckState(0, Qt.CheckState.Checked)
        self.list.expandAll()
        self.list.blockSignals(False)
        self._show_count()

    def _chosen(self) -> Iterator[tuple[str, int]]:
        for row in range(self.list.topLevelItemCount()):
            if (note := self.list.topLevelItem(row)) is not None:
                boxes = (note.child(at) for at in range(note.childCount()))
                checked = (box is not None and box.checkState(0) == Qt.CheckState.Checked for box in boxes)
                yield from ((note.text(0), at) for at, chosen in enumerate(checked) if chosen)

    def _show_count(self) -> None:
        words, chosen = self._words, list(self._chosen())
        count, notes = len(chosen), len(list(groupby(chosen, key=lambda one: one[0])))
        verb = words("替换", "Replace") if self.replacement.text() or not count else words("删去", "Remove")
        self.button.setText(words(f"{verb} {count} 处", f"{verb} {count}") if count else verb)
        self.button.setEnabled(bool(count) and not self._searching and not self._delay.isActive())
        self.told.setText(self._sentence(count, notes))
        flag(self.told, "wrong", on=bool(self.pattern.text() and vault_replace.wrong(self.needle())))

    def _sentence(self, count: int, notes: int) -> str:
        words = self._words
        if complaint := vault_replace.wrong(self.needle()) if self.pattern.text() else "":
            return words(f"这个表达式不对：{complaint}", f"This expression is not valid: {complaint}")
        if not self.pattern.text():
            return words(
                "替换之前，每一处都列在这里，可以逐一取舍。",
                "Each place is listed here, to be chosen, before anything changes.",
            )
        listed = sum(len(one.spots) for one in self._found)
        if not listed:
            return words("正在查找…", "Searching…") if self._searching else words("没有找到。", "Nothing found.")
        zh = f"{notes} 篇笔记中选了 {count} 处。"
        en = f"{_places(count)} chosen in {notes} note{'s' * (notes != 1)}."
        if listed >= vault_replace.MOST:
            zh, en = f"{zh}只列出前 {listed} 处。", f"{en} Only the first {listed} are listed."
        if slow := [one.note.path for one in self._found if one.slow]:
            zh = f"{zh}在 {slow[0]} 中找得太久，已放弃。"
            en = f"{en} Given up in {slow[0]}: it took too long."
        return words(zh, en)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        spot = item.data(0, _SPOT)
        self.place_chosen.emit(spot.path if spot is not None else item.text(0), spot.line if spot is not None else 0)


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places"


class _MatchDelegate(QStyledItemDelegate):
    """Draws a line with the match struck through and its replacement after it."""

    def __init__(self, look: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._font, self._bold = text_font(14), text_font(14, bold=True)
        self._struck = text_font(14)
        self._struck.setStrikeOut(True)

    def sizeHint(self, _: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, 27 if index.parent().isValid() else 32)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        spot = index.data(_SPOT)
        plain = QStyleOptionViewItem(option)
        self.initStyleOption(plain, index)
        plain.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, plain, painter, option.widget)
        box = option.rect.adjusted(_CHECK_BOX, 0, -8, 0)
        painter.save()
        if spot is None:
            _draw(painter, box, index.data(), self._bold, self._look.theme.ink)
        else:
            self._paint_spot(painter, box, spot)
        painter.restore()

    def _paint_spot(self, painter: QPainter, box: QRect, spot: ReplaceMatch) -> None:
        theme = self._look.theme
        before, found, instead, after = (
            text.replace("\n", "⏎").replace("\t", " ") for text in (spot.before, spot.found, spot.instead, spot.after)
        )
        number = (f"{spot.line}  ", self._font, theme.dim)
        change = (found, self._struck, theme.bad), (instead, self._bold, theme.good)
        taken = sum(QFontMetrics(font).horizontalAdvance(text) for text, font, _ in (number, *change))
        plain = QFontMetrics(self._font)
        wanted = min(_CONTEXT, plain.horizontalAdvance(after))
        before = plain.elidedText(before, Qt.TextElideMode.ElideLeft, max(_CONTEXT, box.width() - taken - wanted))
        left = box.left()
        for text, font, colour in (number, (before, self._font, theme.ink), *change, (after, self._font, theme.ink)):
            room = QRect(left, box.top(), box.right() - left, box.height())
            if text and room.width() > 0:
                left += _draw(painter, room, text, font, colour)


def _draw(painter: QPainter, box: QRect, text: str, font: QFont, colour: str) -> int:
    """Draw an elided text; return its width in pixels."""
    painter.setFont(font)
    measure = QFontMetrics(font)
    shown = measure.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    width: int = measure.horizontalAdvance(shown)
    painter.setPen(QColor(colour))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
    return width
