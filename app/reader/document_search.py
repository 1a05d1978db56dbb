"""Finds text in a document, for "find in page" and for the marked words of a search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from PySide6.QtGui import QColor, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from app.style.theme import Theme
from kb.lazy_regex import expression

MOST = 2000  # marked places
_BEYOND_PLANE = expression("[\U00010000-\U0010ffff]")


def places(document: QTextDocument, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return start and end of each occurrence of any word, in order of the document, ignoring case."""
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
    """Return the highlight of a place, with background and text colours."""
    made = QTextEdit.ExtraSelection()
    cursor = QTextCursor(document)
    cursor.setPosition(place[0])
    cursor.setPosition(place[1], QTextCursor.MoveMode.KeepAnchor)
    made.cursor = cursor
    made.format.setBackground(QColor(ground))
    made.format.setFontUnderline(True)  # visible without colours
    if text:
        made.format.setForeground(QColor(text))
    return made


class DocumentSearch:
    """The highlights of one document: the marked words of a search, and the matches of "find in page"."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        self._document = document
        self._theme = theme
        self._marks: list[tuple[int, int]] = []
        self._found: list[tuple[int, int]] = []
        self.current = -1
        self.sought = ""

    @property
    def count(self) -> int:
        """The number of matches."""
        return len(self._found)

    def mark(self, words: Iterable[str]) -> list[tuple[int, int]]:
        """Mark the words of a search, and return start and end of each occurrence."""
        self._marks = places(self._document, words)
        return self._marks

    def find(self, text: str, start: int, *, backward: bool) -> tuple[int, int] | None:
        """Return the next match of `text` from `start` on, or, for the same text again, the next one; wraps around.

        None if there is no match.
        """
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
        """Return all highlights; the current match has the accent colour."""
        theme = self._theme
        marked = [selection(self._document, place, ground=theme.mark) for place in self._marks]
        for index, place in enumerate(self._found):
            here = index == self.current
            ground, text = (theme.accent, theme.on_accent) if here else (theme.mark, "")
            marked.append(selection(self._document, place, ground=ground, text=text))
        return marked
