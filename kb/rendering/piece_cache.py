"""Caches pieces at both ends of the pipe to the render process: an unchanged piece is sent as its number.

Both ends keep the same pieces by the same rule: the most recent ones, in the order in which they were sent or named.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from kb.rendering.rendered_page import PagePiece, moved

MOST = 6_000  # pieces: those of a note of two megabytes, and of its latest edits

Item = TypeVar("Item")


@dataclass(frozen=True)
class KnownPiece:
    """A piece that was sent before and may be at another line now."""

    number: int
    line: int


Sent: TypeAlias = PagePiece | KnownPiece


class PieceCache(OrderedDict[int, Item], Generic[Item]):
    """The most recently used items by number."""

    def use(self, number: int, item: Item) -> None:
        """Make an item the most recent one, and drop the oldest ones beyond `MOST`."""
        self[number] = item
        self.move_to_end(number)
        while len(self) > MOST:
            self.popitem(last=False)


class PieceReceiver:
    """The receiving end, which shows the pieces."""

    def __init__(self) -> None:
        self._kept: PieceCache[PagePiece] = PieceCache()

    def receive(self, sent: Sent) -> PagePiece:
        """Return the piece that was sent or named; at the same line it is the same object."""
        piece = sent if isinstance(sent, PagePiece) else self._kept[sent.number]
        if isinstance(sent, KnownPiece) and sent.line != piece.line:
            piece = moved(piece, sent.line - piece.line)
        if piece.number:
            self._kept.use(piece.number, piece)
        return piece
