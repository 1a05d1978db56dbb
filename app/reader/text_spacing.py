"""Spacing of text: hanging indents of long code lines, space around inline code and below lists, narrow quotes."""

from __future__ import annotations

import re

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextTable

from kb.lazy_regex import expression

_LONG = 48  # letters; a longer line of code may be broken
_HANGING, _MOST_HANGING = 4, 24  # letters that the rest of a broken line is indented by, and at most
GAP = "~gap"  # marks the space left and right of inline code, which is not copied
ROOM = f'<span class="gap" title="{GAP}">&nbsp;</span>'
# Punctuation after a formula stays on its line: U+2060 joins them.
_JOINED = expression(r"<img [^>]*>(?=[，。；：、！？）”」,.;:!?)])")
# The space is U+00A0, which never ends a line, and Chinese punctuation has no blank after it: U+200B allows a break.
_ROOM_TO_BREAK = ROOM.replace("&nbsp;", "\u200b&nbsp;")
_BEHIND_PUNCTUATION = expression(rf"(?<=[，。；：、！？）”]){re.escape(ROOM)}")
# At the edges of a paragraph there is no space, so that letters align; the background hangs out.
_ROOM_AT_EDGE = expression(
    rf"(<li\b[^>]*>(?:\s*<p\b[^>]*>)?{re.escape(ROOM)})|(<(?:td|p)\b[^>]*>){re.escape(ROOM)}"
    rf"|{re.escape(ROOM)}(?=</(?:td|li|p)>)"
)
_EMPTY_LINES = expression(r"(</(?:div|p|table|ul|ol)>)(?:\s*<br>)+")
_HAN = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_LETTER = "A-Za-z0-9"
_TAGS = r"<(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>"
_MARKS = expression(
    rf"<(pre|code)\b.*?</\1>|{_TAGS}"
    rf"|(?<=[{_LETTER}])’(?=[{_LETTER}])"  # it’s
    rf"|(?<![{_HAN}])(?<![{_HAN}] )[‘“](?=[{_LETTER}(\[])"
    rf"|(?<=[{_LETTER}.,!?)\]…])[’”](?! ?[{_HAN}])",
    re.DOTALL,
)


def set_hanging_indent(table: QTextTable, letter: float) -> None:
    """Indent the continuation of long lines in a box of code, whose last row is the code; `letter`: width in pixels."""
    cell = table.cellAt(table.rows() - 1, 0)
    cursor = cell.firstCursorPosition()
    first = cursor.blockNumber()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    for number, line in enumerate(cursor.selectedText().split("\u2029"), first):
        if len(line) > _LONG and not line.startswith("\t"):
            inset = letter * min(_MOST_HANGING, len(line) - len(line.lstrip(" ")) + _HANGING)
            shape = QTextBlockFormat()
            shape.setLeftMargin(inset)
            shape.setTextIndent(-inset)
            QTextCursor(cursor.document().findBlockByNumber(number)).mergeBlockFormat(shape)


class ListSpacing:
    """Takes the blocks of lists in order, and moves the space below a list after its last nested list.

    Qt puts it after the list's own last item, above the list nested in it.
    """

    def __init__(self) -> None:
        self._last: QTextBlock | None = None
        self._depth = 0
        self._removed: list[tuple[int, float]] = []  # depth of a list and the space removed there

    def take(self, block: QTextBlock, depth: int) -> None:
        """Take an item, nested `depth` lists deep."""
        last = self._last
        if last is not None and depth > self._depth:
            room, here = last.blockFormat().bottomMargin(), block.blockFormat().bottomMargin()
            if room > here:
                _set_below(last, here)
                self._removed.append((self._depth, room))
        elif last is not None:
            self._restore(last, depth)
        self._last, self._depth = block, depth

    def end(self) -> None:
        """End all lists."""
        if self._last is not None:
            self._restore(self._last, 0)
            self._last, self._depth = None, 0

    def _restore(self, last: QTextBlock, depth: int) -> None:
        """Give the last item the space that was removed from its parents, down to a depth."""
        due = [room for deep, room in self._removed if deep >= depth]
        if due:
            _set_below(last, max(due))
            self._removed = [(deep, room) for deep, room in self._removed if deep < depth]


def _set_below(block: QTextBlock, room: float) -> None:
    shape = QTextBlockFormat()
    shape.setBottomMargin(room)
    QTextCursor(block).mergeBlockFormat(shape)


def without_empty_lines(markup: str) -> str:
    """Remove line breaks after blocks, which have their own margins."""
    return _EMPTY_LINES.sub(r"\1", markup) if "<br>" in markup else markup


def spaced(written: str) -> str:
    """Add or remove possible line breaks in prose, and the space around inline code."""
    written = _BEHIND_PUNCTUATION.sub(_ROOM_TO_BREAK, _ROOM_AT_EDGE.sub(lambda edge: edge[1] or edge[2] or "", written))
    return _JOINED.sub("\\g<0>\u2060", written)


def with_narrow_quotes(markup: str) -> str:
    """Put quotation marks between English words into an element, for which the style sheet sets another font."""
    if not any(mark in markup for mark in "‘’“”"):
        return markup
    return _MARKS.sub(lambda found: f"<tquote>{found[0]}</tquote>" if found[0] in "‘’“”" else found[0], markup)
