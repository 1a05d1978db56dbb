"""The rendering end of the pipe: renders a note piece by piece, each within a time limit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from kb.rendering.piece_cache import MOST, KnownPiece, PieceCache, Sent
from kb.rendering.render import FootnoteState, Rendering
from kb.rendering.rendered_page import PagePiece
from kb.rendering.time_limit import TimeLimitExceeded, at_most
from kb.rendering.viewport import Viewport, ViewportRequest, chosen

PIECE_SECONDS = 0.5  # for one piece; usual ones take a hundredth of it
MOST_OVER = 2  # pieces of a note that may exceed the limit; further unknown pieces are shown as written
_NOTES = 3  # parsed notes that are kept: one in two languages, and the one before


class RenderWorker:
    """Renders notes. Remembers the pieces that the other end has, and the last version of a few notes.

    `between` is called now and then while a note is parsed, and may raise an exception to stop that.
    """

    def __init__(self, between: Callable[[], object] = lambda: None) -> None:
        self._between = between
        self._kept: PieceCache[tuple[bytes, FootnoteState | None]] = (
            PieceCache()
        )  # signature of a piece, and the footnotes that it leaves to the next
        self._numbers: dict[bytes, int] = {}
        self._latest = 0
        self._notes: OrderedDict[str, Rendering] = OrderedDict()

    def pieces(
        self,
        text: str,
        path: str,
        *,
        plain: Collection[int] = (),
        seconds: float = PIECE_SECONDS,
        asked: ViewportRequest | None = None,
    ) -> Iterator[tuple[int, Sent | Viewport]]:
        """Yield the pieces of a note, each with the number that follow; pieces numbered in `plain` are as written.

        If a part is requested, the first item describes it; earlier pieces come before it if its footnotes depend on
        them. Raises RenderFailed.
        """
        seconds = min(seconds, PIECE_SECONDS)
        rendering, over = self._current(text, path, seconds), 0
        wanted = range(rendering.count)
        if asked is not None:
            part = chosen(rendering, asked)
            wanted = range(part.first, part.first + part.count)
            yield part.count, part
        for number in _with_references(rendering, wanted):
            left = wanted.stop - number - 1
            signature = rendering.signature(number)
            known = self._numbers.get(signature, 0)
            if known in self._kept:
                rendering.restore_footnotes(self._kept[known][1])
                self._kept.use(known, self._kept[known])
                sent: Sent = KnownPiece(known, rendering.line(number))
            elif number in plain or over >= MOST_OVER:
                sent = rendering.plain_piece(number)
            else:
                piece, late = _rendered_in_time(rendering, number, seconds)
                over += late
                sent = piece if piece.plain else self._numbered(piece, signature, rendering.footnotes_left(number))
            yield left, sent

    def _current(self, text: str, path: str, seconds: float) -> Rendering:
        """Return the note with its new text; only what changed since the last request is parsed."""
        known = self._notes.pop(path, None)
        if known is None:
            known = Rendering(text, path, drawing=seconds / 2, between=self._between)
        else:
            known.update(text)
        self._notes[path] = known
        while len(self._notes) > _NOTES:
            self._notes.popitem(last=False)
        return known

    def _numbered(self, piece: PagePiece, signature: bytes, left: FootnoteState | None) -> PagePiece:
        self._latest += 1
        self._kept.use(self._latest, (signature, left))
        self._numbers[signature] = self._latest
        if len(self._numbers) > 2 * MOST:
            self._numbers = {known: number for number, (known, _) in self._kept.items()}
        return replace(piece, number=self._latest)


def _with_references(rendering: Rendering, wanted: range) -> Iterator[int]:
    """Yield numbers of pieces, preceded by those of earlier pieces that affect their footnotes."""
    yield from rendering.referring(wanted.start)
    yield from wanted


def _rendered_in_time(rendering: Rendering, number: int, seconds: float) -> tuple[PagePiece, bool]:
    try:
        with at_most(seconds):
            return rendering.shown(number), False
    except TimeLimitExceeded:
        return rendering.plain_piece(number), True
