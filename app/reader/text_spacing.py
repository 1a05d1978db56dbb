"""Lines of code that are too long for their box: where they go on stands further in than where they begin."""

from __future__ import annotations

import re

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextTable

from kb.lazy_regex import expression

_LONG = 48  # letters from which a line may have to be broken
_FURTHER, _FURTHEST = 4, 24  # letters
GAP = "~gap"  # the kind of the room beside the ground of code; no part of a copied text
ROOM = f'<span class="gap" title="{GAP}">&nbsp;</span>'
# A full stop does not leave the formula before it for the next line: U+2060 joins them.
_JOINED = expression(r"<img [^>]*>(?=[，。；：、！？）”」,.;:!?)])")
# No line ends at the U+00A0 of the room, and Chinese punctuation has no blank behind it: U+200B lets a line end there.
_ROOM_TO_BREAK = ROOM.replace("&nbsp;", "\u200b&nbsp;")
_BEHIND_PUNCTUATION = expression(rf"(?<=[，。；：、！？）”]){re.escape(ROOM)}")
# At the edge of a paragraph letters stand below letters, and the ground hangs out; in an item the number stands there.
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
    """Set the long lines of a box of code so; `letter` is the width of one, in pixels. Shown last in it is the code."""
    cell = table.cellAt(table.rows() - 1, 0)
    cursor = cell.firstCursorPosition()
    first = cursor.blockNumber()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    for number, line in enumerate(cursor.selectedText().split("\u2029"), first):
        if len(line) > _LONG and not line.startswith("\t"):
            inset = letter * min(_FURTHEST, len(line) - len(line.lstrip(" ")) + _FURTHER)
            shape = QTextBlockFormat()
            shape.setLeftMargin(inset)
            shape.setTextIndent(-inset)
            QTextCursor(cursor.document().findBlockByNumber(number)).mergeBlockFormat(shape)


class ListSpacing:
    """Takes the blocks of lists in order, and has the room below a list behind all of it.

    Qt leaves it with the list's own last item, above the list within that.
    """

    def __init__(self) -> None:
        """Begin outside of any list."""
        self._last: QTextBlock | None = None
        self._depth = 0
        self._owed: list[tuple[int, float]] = []  # from which depth of a list how much room was taken

    def take(self, block: QTextBlock, depth: int) -> None:
        """Take in an item, `depth` lists deep."""
        last = self._last
        if last is not None and depth > self._depth:
            room, here = last.blockFormat().bottomMargin(), block.blockFormat().bottomMargin()
            if room > here:
                _set_below(last, here)
                self._owed.append((self._depth, room))
        elif last is not None:
            self._pay(last, depth)
        self._last, self._depth = block, depth

    def end(self) -> None:
        """Take in that the lists are at their end."""
        if self._last is not None:
            self._pay(self._last, 0)
            self._last, self._depth = None, 0

    def _pay(self, last: QTextBlock, depth: int) -> None:
        """Give the last item the room that was taken from those it stands in, down to a depth."""
        due = [room for deep, room in self._owed if deep >= depth]
        if due:
            _set_below(last, max(due))
            self._owed = [(deep, room) for deep, room in self._owed if deep < depth]


def _set_below(block: QTextBlock, room: float) -> None:
    shape = QTextBlockFormat()
    shape.setBottomMargin(room)
    QTextCursor(block).mergeBlockFormat(shape)


def without_empty_lines(markup: str) -> str:
    """Take out the breaks behind blocks, which stand apart by themselves."""
    return _EMPTY_LINES.sub(r"\1", markup) if "<br>" in markup else markup


def spaced(written: str) -> str:
    """Give the lines of a stretch of prose the places at which they end, and code its room where it needs some."""
    written = _BEHIND_PUNCTUATION.sub(_ROOM_TO_BREAK, _ROOM_AT_EDGE.sub(lambda edge: edge[1] or edge[2] or "", written))
    return _JOINED.sub("\\g<0>\u2060", written)


def with_narrow_quotes(markup: str) -> str:
    """Set the marks that stand among English words in an element of their own, which the sheet gives another font."""
    if not any(mark in markup for mark in "‘’“”"):
        return markup
    return _MARKS.sub(lambda found: f"<tquote>{found[0]}</tquote>" if found[0] in "‘’“”" else found[0], markup)
