"""The end of the pipe that renders: gives a note piece by piece, and no piece more time than it deserves."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from kb.allotted import TimeOver, at_most
from kb.page import Piece
from kb.piecework import MOST, Kept, Named, Sent
from kb.render import FootnoteState, Rendering

PIECE_SECONDS = 0.5  # for one piece, of which honest ones take a hundredth
MOST_OVER = 2  # pieces of a note that take longer; after them what is not known yet is not tried


class Sender:
    """Renders notes, and remembers what the other end still has."""

    def __init__(self) -> None:
        self._kept: Kept[tuple[bytes, FootnoteState | None]] = (
            Kept()
        )  # how a piece is known, and what it leaves to the next
        self._numbers: dict[bytes, int] = {}
        self._latest = 0

    def pieces(
        self, text: str, path: str, *, plain: Collection[int] = (), seconds: float = PIECE_SECONDS
    ) -> Iterator[tuple[int, Sent]]:
        """Yield the pieces of a note, each with how many follow; those with a number in `plain` are as written.

        Raises RenderFailed.
        """
        rendering, over = Rendering(text, path, drawing=seconds / 2), 0
        for number in range(rendering.count):
            left = rendering.count - number - 1
            signature = rendering.signature(number)
            known = self._numbers.get(signature, 0)
            if known in self._kept:
                rendering.passed(self._kept[known][1])
                self._kept.use(known, self._kept[known])
                yield left, Named(known, rendering.line(number))
            elif number in plain or over >= MOST_OVER:
                yield left, rendering.plain_piece(number)
            else:
                piece, late = _tried(rendering, number, seconds)
                over += late
                yield left, piece if piece.plain else self._remembered(piece, signature, rendering.left(number))

    def _remembered(self, piece: Piece, signature: bytes, left: FootnoteState | None) -> Piece:
        self._latest += 1
        self._kept.use(self._latest, (signature, left))
        self._numbers[signature] = self._latest
        if len(self._numbers) > 2 * MOST:
            self._numbers = {known: number for number, (known, _) in self._kept.items()}
        return replace(piece, number=self._latest)


def _tried(rendering: Rendering, number: int, seconds: float) -> tuple[Piece, bool]:
    try:
        with at_most(seconds):
            return rendering.shown(number), False
    except TimeOver:
        return rendering.plain_piece(number), True
