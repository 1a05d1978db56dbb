"""Finds words in a document, for the field "find in page" and for the marks of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from PySide6.QtGui import QColor, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from app.style.theme import Theme
from kb.lazy_regex import expression

MOST = 2000  # places that are marked; nobody looks at more
_BEYOND_PLANE = expression("[\U00010000-\U0010ffff]")


def places(document: QTextDocument, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return where any of the words stands, as positions in the document, in its order; upper and lower case alike."""
    wanted = sorted({word for word in words if word.strip()}, key=len, reverse=True)
    if not wanted:
        return []
    text = document.toRawText()
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    found = [match.span() for match in islice(pattern.finditer(text), MOST)]
    # Qt counts a character beyond the first plane twice.
    wide = [match.start() for match in _BEYOND_PLANE.finditer(text)]
    if not wide:
        return found
    return [(_shifted(wide, start), _shifted(wide, end)) for start, end in found]


def _shifted(wide: list[int], position: int) -> int:
    return position + sum(1 for place in wide if place < position)


def selection(
    document: QTextDocument, place: tuple[int, int], *, ground: str, text: str = ""
) -> QTextEdit.ExtraSelection:
    """Return a marked place."""
    made = QTextEdit.ExtraSelection()
    cursor = QTextCursor(document)
    cursor.setPosition(place[0])
    cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
    made.cursor = cursor
    made.format.setBackground(QColor(ground))
    made.format.setFontUnderline(True)  # for who does not see the ground
    if text:
        made.format.setForeground(QColor(text))
    return made


class DocumentSearch:
    """What is marked in one document: the words of a search, and what is looked for in the page."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        """Mark in the colours of `theme`."""
        self._document = document
        self._theme = theme
        self._marks: list[tuple[int, int]] = []
        self._found: list[tuple[int, int]] = []
        self.current = -1
        self.sought = ""

    @property
    def count(self) -> int:
        """How many places were found."""
        return len(self._found)

    def mark(self, words: Iterable[str]) -> list[tuple[int, int]]:
        """Mark the words of a search and return their places."""
        self._marks = places(self._document, words)
        return self._marks

    def find(self, text: str, start: int, *, backward: bool) -> tuple[int, int] | None:
        """Go to the next place of `text` from `start` on, around the end; the same text again goes one further."""
        again = text == self.sought and self.current >= 0
        self.sought = text
        self._found = places(self._document, [text])
        if not self._found:
            self.current = -1
            return None
        if again:
            self.current = (self.current + (-1 if backward else 1)) % len(self._found)
        else:
            after = [index for index, place in enumerate(self._found) if place[0] >= start]
            self.current = (after[0] if after else 0) - (1 if backward else 0)
            self.current %= len(self._found)
        return self._found[self.current]

    def selections(self) -> list[QTextEdit.ExtraSelection]:
        """Return everything that is marked, the current place in the accent colour."""
        theme = self._theme
        marked = [selection(self._document, place, ground=theme.mark) for place in self._marks]
        for index, place in enumerate(self._found):
            here = index == self.current
            ground, text = (theme.accent, theme.on_accent) if here else (theme.mark, "")
            marked.append(selection(self._document, place, ground=ground, text=text))
        return marked
