"""A snippet's bar in one line, however narrow its box: what matters least goes first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt

from app.reader.cell_text import NAME, TonedText
from app.reader.text_formats import ACTION, BUTTON, STOP, Formats

GAP = "\u2003"  # between two pieces
_PADDING = 14 + 6  # of either end, outside and inside, as in the document's sheet
_SLACK = 4  # pixels, for what rounding takes
_LEAST_NAME = 40  # pixels below which a name cut short says nothing


@dataclass(frozen=True)
class Bar:
    """What the two ends of a bar say, and the width of the left one's cell in pixels."""

    left: tuple[TonedText, ...]
    right: tuple[TonedText, ...]
    split: int


def kind_of(piece: TonedText) -> str:
    """Return the kind of link that a piece with an action is drawn as."""
    return {"button": BUTTON, "stop": STOP}.get(piece.tone, ACTION)


def unbroken(piece: TonedText) -> str:
    """Return a piece's text as it is written where no line may break; a button has room within its ground."""
    room = "\u2002" if piece.action and kind_of(piece) != ACTION else ""
    return f"{room}{piece.text}{room}".replace(" ", "\u00a0")


def fitted(left: tuple[TonedText, ...], right: tuple[TonedText, ...], box: float, formats: Formats) -> Bar:
    """Return the bar for a box `box` pixels wide; pieces yield by their rank until all is in one line."""
    room = box - 2 * formats.px(_PADDING) - _SLACK
    bar = _bar(left, right, formats)
    for rank in range(1, NAME):
        if _width(bar.left, formats) + _width(bar.right, formats) <= room:
            return bar
        bar = _bar(_yielded(left, rank), _yielded(right, rank), formats)
    left_room = room - _width(bar.left, formats)
    return replace(bar, right=tuple(_shortened(bar.right, left_room, formats)))


def _bar(left: tuple[TonedText, ...], right: tuple[TonedText, ...], formats: Formats) -> Bar:
    return Bar(left, right, round(_width(left, formats)) + formats.px(_PADDING) + _SLACK // 2)


def _yielded(pieces: tuple[TonedText, ...], rank: int) -> tuple[TonedText, ...]:
    kept = (replace(piece, text=piece.brief) if 0 < piece.yields <= rank else piece for piece in pieces)
    return tuple(piece for piece in kept if piece.text)


def _shortened(pieces: tuple[TonedText, ...], room: float, formats: Formats) -> Iterable[TonedText]:
    """Cut the name so that it fits with all beside it, or leave it out."""
    others = _width(tuple(piece for piece in pieces if piece.yields != NAME), formats)
    gap = formats.advance(GAP, "dim") if others else 0.0
    for piece in pieces:
        if piece.yields != NAME or _width((piece,), formats) <= room - others - gap:
            yield piece
        elif room - others - gap >= formats.px(_LEAST_NAME):
            metrics = formats.metrics(piece.tone)
            yield replace(piece, text=metrics.elidedText(piece.text, Qt.TextElideMode.ElideRight, room - others - gap))


def _width(pieces: tuple[TonedText, ...], formats: Formats) -> float:
    gaps = max(0, len(pieces) - 1) * formats.advance(GAP, "dim")
    return gaps + sum(formats.advance(unbroken(piece), piece.tone) for piece in pieces)
