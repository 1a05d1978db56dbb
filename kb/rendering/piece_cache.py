"""Rendering piece by piece over a pipe: what has not changed since it was sent is only named, and not made again.

Both ends keep the same pieces, by the same rule: the latest ones, in the order in which they were sent or named.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from kb.rendering.rendered_page import PagePiece, moved

MOST = 6_000  # pieces that are kept: those of a note of two megabytes, and what it became lately

Item = TypeVar("Item")


@dataclass(frozen=True)
class KnownPiece:
    """A piece that was sent before, now at another line perhaps."""

    number: int
    line: int


Sent: TypeAlias = PagePiece | KnownPiece


class PieceCache(OrderedDict[int, Item], Generic[Item]):
    """The latest items by number."""

    def use(self, number: int, item: Item) -> None:
        """Have an item be the latest, and let go of the oldest while there are too many."""
        self[number] = item
        self.move_to_end(number)
        while len(self) > MOST:
            self.popitem(last=False)


class PieceReceiver:
    """The end that shows."""

    def __init__(self) -> None:
        self._kept: PieceCache[PagePiece] = PieceCache()

    def receive(self, sent: Sent) -> PagePiece:
        """Return the piece that was sent or named; one that stands where it stood is the same one."""
        piece = sent if isinstance(sent, PagePiece) else self._kept[sent.number]
        if isinstance(sent, KnownPiece) and sent.line != piece.line:
            piece = moved(piece, sent.line - piece.line)
        if piece.number:
            self._kept.use(piece.number, piece)
        return piece
