"""The bar to find and replace in the source, and its parts that the page to replace in the vault uses as well."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.editor.source_editor import SourceEditor
from app.editor.text_search import SearchPattern, TextMatch, TextMatches, find_all, preview
from app.i18n import Translator
from app.style.appearance import flag
from app.widgets.ime_fields import ImeLineEdit

NAME = "columnOfFields"  # object name of a column, by which the focus order is tested
_ROW_HEIGHT = 34  # pixels at least, so that the rows of two columns are aligned
_GAP = 7  # pixels between two rows
_FIELD_WIDTH = 150  # pixels at least
_NARROW = 430  # pixels; in a narrower bar the buttons are below the fields
_MOST_SHOWN = 60  # characters of a match or its replacement
_RECOUNT = 120  # ms after a change of the text
_ALL_SECONDS = 3.0  # time limit for replacing everything
_SHIFT_OR_KEYPAD = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier


def column(*rows: QWidget) -> QWidget:
    """Return a column of widgets, which Tab passes through before the next column."""
    made = QWidget()
    made.setObjectName(NAME)
    grid = QGridLayout(made)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setSpacing(_GAP)
    for number, row in enumerate(rows):
        row.setMinimumHeight(_ROW_HEIGHT)
        grid.addWidget(row, number, 0)
    return made


def line(*widgets: QWidget, spacing: int = 6, grows: QWidget | None = None) -> QWidget:
    """Return a row of widgets; `grows` takes the remaining width."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(spacing)
    for widget in widgets:
        row.addWidget(widget, int(widget is grows))
    return made


class SearchOptions(QObject):
    """Toggle buttons for the search options: match case, whole words, regular expression."""

    changed = Signal()

    def __init__(self, words: Translator, parent: QObject | None = None) -> None:
        """Start with all options off."""
        super().__init__(parent)
        self._words = words
        self.case, self.whole_word, self.regular = (_toggle(text) for text in ("Aa", "ab", ".*"))
        font = self.whole_word.font()
        font.setUnderline(True)
        self.whole_word.setFont(font)
        for button in self:
            button.toggled.connect(lambda _: self.changed.emit())
        words.changed.connect(self.retranslate)
        self.retranslate()

    def __iter__(self) -> Iterator[QPushButton]:
        """Yield the buttons in their order on screen."""
        return iter((self.case, self.whole_word, self.regular))

    def needle(self, pattern: str) -> SearchPattern:
        """Return the search pattern with these options."""
        case, whole_word, regular = (button.isChecked() for button in self)
        return SearchPattern(pattern, case=case, whole_word=whole_word, regular=regular)

    def retranslate(self) -> None:
        """Update the names of the buttons."""
        words = self._words
        named = (
            (self.case, words("区分大小写", "Match case")),
            (self.whole_word, words("全字匹配", "Whole words")),
            (self.regular, words("正则表达式", "Regular expression")),
        )
        for button, name in named:
            button.setAccessibleName(name)
            button.setToolTip(name)


def small(text: str) -> QPushButton:
    """Return a narrow button without a frame."""
    button = QPushButton(text)
    button.setProperty("quiet", True)
    button.setStyleSheet("padding: 5px 0; min-width: 34px; max-width: 34px;")
    return button


def _toggle(text: str) -> QPushButton:
    button = small(text)
    button.setCheckable(True)
    return button


class FindReplaceBar(QWidget):
    """Finds in a source field, highlights the matches, and replaces them."""

    closed = Signal()

    def __init__(self, words: Translator, source: SourceEditor, parent: QWidget | None = None) -> None:
        """Start hidden."""
        super().__init__(parent)
        self._words, self.source = words, source
        self._found = TextMatches()
        self._current: TextMatch | None = None
        self._replaced: int | None = None
        self._stale = False  # the text changed since the last search
        self.pattern, self.replacement = ImeLineEdit(), ImeLineEdit()
        self.count, self.result = QLabel(), QLabel()
        self.options = SearchOptions(words, self)
        self.previous_button, self.next_button, self.close_button = (small(text) for text in ("↑", "↓", "✕"))
        self.one_button, self.all_button = QPushButton(), QPushButton()
        self._recount = QTimer(self, singleShot=True, interval=_RECOUNT)
        self._recount.timeout.connect(self._on_recount)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.setVisible(False)

    def _lay_out(self) -> None:
        self.setObjectName("find")
        self.setProperty("panel", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.result.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.count, self.result):
            label.setProperty("dim", True)
            label.setMinimumWidth(1)  # a long sentence must not widen the window
        self.result.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.pattern.setMinimumWidth(_FIELD_WIDTH)
        steps = line(*self.options, self.previous_button, self.next_button, self.close_button)
        self._changes = line(self.one_button, self.all_button)
        self._labels = line(self.count, self.result, spacing=16, grows=self.result)
        self._fields, self._buttons = column(self.pattern, self.replacement), column(steps, self._changes)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 8, 10, 8)
        self._grid.setSpacing(7)
        self._grid.setColumnStretch(0, 1)
        self._narrow = False
        self._place()

    def _place(self) -> None:
        """Put the buttons next to the fields, or below them if the bar is narrow."""
        narrow, grid = self._narrow, self._grid
        grid.addWidget(self._fields, 0, 0, 1, 2 if narrow else 1)
        grid.addWidget(self._buttons, int(narrow), 0 if narrow else 1, alignment=Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self._labels, 2, 0, 1, 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the bar for its new width."""
        super().resizeEvent(event)
        if (narrow := self.width() < _NARROW) != self._narrow:
            self._narrow = narrow
            for part in (self._fields, self._buttons, self._labels):
                self._grid.removeWidget(part)
            self._place()
        if event.size().height() > event.oldSize().height():  # the caret may now be below the shrunken field
            QTimer.singleShot(0, self.source, self.source.ensureCursorVisible)

    def _connect(self) -> None:
        for field in (self.pattern, self.replacement):
            field.installEventFilter(self)
        self.pattern.textChanged.connect(self._on_asked)
        self.replacement.textChanged.connect(self._preview)
        self.options.changed.connect(self._on_asked)
        self.next_button.clicked.connect(lambda: self.go(1))
        self.previous_button.clicked.connect(lambda: self.go(-1))
        self.close_button.clicked.connect(self.shut)
        self.one_button.clicked.connect(self.replace_one)
        self.all_button.clicked.connect(self.replace_all)
        self.source.edited.connect(self._on_edited)
        self.source.loaded.connect(self._on_edited)
        self._words.changed.connect(self._retranslate)

    @property
    def busy(self) -> bool:
        """Whether the matches are outdated: the text changed and was not searched again yet."""
        return self._stale

    # commands

    def open(self, *, replace: bool) -> None:
        """Show the bar, with the selected text as the pattern."""
        selected = self.source.textCursor().selectedText()
        if selected and "\u2029" not in selected:
            self.pattern.setText(selected)
        for widget in (self.replacement, self.one_button, self.all_button, self._changes):
            widget.setVisible(replace)
        self.setVisible(True)
        self.pattern.setFocus()
        self.pattern.selectAll()
        self._on_asked()

    def shut(self) -> None:
        """Hide the bar and select the current match."""
        self._recount.stop()
        self._search_again_if_stale()
        if self._current is not None:
            self.source.setTextCursor(self._current.cursor(self.source.document()))
        self.setVisible(False)
        self.source.marks.show((), None)
        self.closed.emit()

    def go(self, step: int) -> None:
        """Go to the next (1) or previous (-1) match."""
        self._search_again_if_stale()
        matches = self._found.matches
        if not matches:
            return
        if self._current in matches:
            number = (matches.index(self._current) + step) % len(matches)
        else:
            number = self._nearest() - (step < 0)
        self._show(matches[number % len(matches)])

    def replace_one(self) -> None:
        """Replace the current match and go to the next one."""
        self._search(with_replacement=True)
        match = self._current
        if match is None or match not in self._found.matches or self.source.isReadOnly():
            self.go(1)
            return
        cursor = match.cursor(self.source.document())
        cursor.insertText(match.replacement)
        self.source.setTextCursor(cursor)
        self._search()
        self._show_nearest()

    def replace_all(self) -> None:
        """Replace all matches as one undo step."""
        if self.source.isReadOnly():
            return
        found = find_all(
            self.source.raw(),
            self._needle(),
            replacement=self.replacement.text(),
            most=1_000_000,
            seconds=_ALL_SECONDS,
        )
        if not found.slow:  # replacing half of the matches would be worse than none
            self._replace(found.matches)
        self._found = found
        self._replaced = None if found.slow or found.wrong else len(found.matches)
        self._update_count()

    def _replace(self, matches: tuple[TextMatch, ...]) -> None:
        cursor = QTextCursor(self.source.document())
        cursor.beginEditBlock()
        for match in reversed(matches):
            cursor.setPosition(match.start)
            cursor.setPosition(match.end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(match.replacement)
        cursor.endEditBlock()

    # searching

    def _needle(self) -> SearchPattern:
        return self.options.needle(self.pattern.text())

    def _search(self, *, with_replacement: bool = False) -> None:
        replacement = self.replacement.text() if with_replacement else None
        self._stale = False
        before = self._current
        self._found = find_all(self.source.raw(), self._needle(), replacement=replacement)
        same = (
            match for match in self._found.matches if before and (match.start, match.end) == (before.start, before.end)
        )
        self._current = next(same, None)

    def _search_again_if_stale(self) -> None:
        """Search again if the matches are outdated."""
        if self._stale:
            self._search()

    def _on_asked(self) -> None:
        self._replaced = None
        self._current = None
        self._search()
        self._show_nearest()

    def _on_edited(self) -> None:
        self._stale = True
        if self.isVisible():
            self.source.marks.show((), None)  # the matches are outdated
            self._recount.start()

    def _on_recount(self) -> None:
        self._search()
        self.source.marks.show(self._found.matches, self._current)
        self._update_count()

    def _show_nearest(self) -> None:
        matches = self._found.matches
        if matches:
            self._show(matches[self._nearest() % len(matches)])
        else:
            self._current = None
            self.source.marks.show((), None)
            self._update_count()

    def _nearest(self) -> int:
        """Return the index of the first match at or after the start of the selection."""
        return bisect_left(
            self._found.matches, self.source.textCursor().selectionStart(), key=lambda match: match.start
        )

    def _show(self, match: TextMatch) -> None:
        self._current = match
        cursor = match.cursor(self.source.document())
        cursor.setPosition(match.start)  # a selection would cover the highlight
        self.source.setTextCursor(cursor)
        self.source.marks.show(self._found.matches, match)
        self._replaced = None
        self._update_count()

    # keys and labels

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go on with Enter, back with Shift+Enter, and close with Escape, except while text is composed."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and isinstance(watched, ImeLineEdit):
            return not watched.composing and self._on_key(watched, event)
        return super().eventFilter(watched, event)

    def _on_key(self, field: ImeLineEdit, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            self.shut()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~_SHIFT_OR_KEYPAD:
            if field is self.replacement:
                self.replace_one()
            else:
                self.go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            return False
        return True

    def _allow(self) -> None:
        """Enable the replace buttons if there are matches in an editable text."""
        able = bool(self._found.matches) and not self.source.isReadOnly()
        for button in (self.one_button, self.all_button):
            if not able and button.hasFocus():
                self.pattern.setFocus()  # else disabling the button would move the focus anywhere
            button.setEnabled(able)

    def _update_count(self) -> None:
        self.count.setText(self._words(*self._count_words()))
        self.count.setToolTip(self.count.text())
        wrong = bool(self._found.wrong or self._found.slow)
        flag(self.count, "wrong", on=wrong)
        self.count.setWordWrap(wrong)  # an error may take two lines, and has the row for itself
        self.result.setHidden(wrong)
        self._allow()
        self._preview()

    def _preview(self) -> None:
        """Show what the current match would be replaced by, and the groups of the pattern."""
        parts = []
        if self._current is not None and self._replaced is None and not self._stale:
            replacing = not self.replacement.isHidden() and not self.source.isReadOnly()
            made = preview(self.source.raw(), self._needle(), self._current, self.replacement.text())
            if made is not None and replacing:
                parts.append(f"{_short(made.before)} → {_short(made.after) or self._words('（删去）', '(deleted)')}")
            for number, group in enumerate(made.groups if made is not None else (), 1):
                parts.append(f"${number} = {_short(group)}")
        self.result.setText("    ".join(parts))
        self.result.setToolTip("\n".join(parts))
        self.result.setAccessibleName("; ".join(parts))

    def _count_words(self) -> tuple[str, str]:
        found, here = self._found, self._current
        if self._replaced is not None:
            return f"已替换 {self._replaced} 处", f"{self._replaced} replaced"
        if found.wrong:
            return f"表达式有误：{found.wrong}", f"Not a valid pattern: {found.wrong}"
        if found.slow:
            return "表达式过于复杂，已中止", "The pattern takes too long; search stopped"
        if not self.pattern.text():
            return "", ""
        if not found.matches:
            return "没有找到", "Nothing found"
        number = found.matches.index(here) + 1 if here in found.matches else 0
        total = f"{len(found.matches)}{'+' if found.more else ''}"
        return f"第 {number} 处，共 {total} 处", f"{number} of {total}"

    def _retranslate(self) -> None:
        words = self._words
        self.pattern.setPlaceholderText(words("查找", "Find"))
        self.replacement.setPlaceholderText(words("替换为", "Replace with"))
        self.one_button.setText(words("替换", "Replace"))
        self.all_button.setText(words("全部替换", "Replace all"))
        named = (
            (self.pattern, words("查找", "Find")),
            (self.replacement, words("替换为", "Replace with")),
            (self.previous_button, words("上一处 (Shift+Enter)", "Previous (Shift+Enter)")),
            (self.next_button, words("下一处 (Enter)", "Next (Enter)")),
            (self.close_button, words("关闭 (Esc)", "Close (Esc)")),
            (self.one_button, words("替换当前一处", "Replace this one")),
            (self.all_button, words("全部替换，可一步撤销", "Replace all, undone in one step")),
        )
        for widget, name in named:
            widget.setAccessibleName(name)
            widget.setToolTip(name)
        self.count.setAccessibleName(words("查找结果", "Results"))
        if self._found.wrong:  # Qt translates the error when searching
            self._search()
        self._update_count()


def _short(text: str) -> str:
    """Return a text as one line of bounded length."""
    flat = text.replace("\n", "↵").replace("\t", "⇥")
    return flat if len(flat) <= _MOST_SHOWN else f"{flat[: _MOST_SHOWN - 1]}…"
