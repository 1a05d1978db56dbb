"""The rows of a page in stretches: what is put into the document at one go, and taken out of it when it changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_

from app.reader.language_alignment import CellRow, HeadingRow, ProseRow, Row
from kb.lazy_regex import expression
from kb.rendering.rendered_page import Prose

FIRST = 11_000  # characters of HTML that are laid out before a page is shown: more than a screen of it
MOST = 4_000  # of each stretch after that: a few milliseconds' work
_TASK = expression(r"(?<=href=\")task:(\d+)")
_CELL, _HEADING = 1_200, 300  # characters that a box and a heading cost like, beside their own


def grouped(laid: Sequence[Row]) -> list[list[Row]]:
    """Return the rows in stretches; of prose that follows prose, each has one of its own, so that it is found again."""
    groups: list[list[Row]] = []
    length = 0
    for row in laid:
        much = cost(row)
        follows = bool(groups) and isinstance(row, ProseRow) and isinstance(groups[-1][-1], ProseRow)
        if not groups or follows or length + much > MOST:
            groups.append([])
            length = 0
        groups[-1].append(row)
        length += much
    return groups


def cost(row: Row) -> int:
    """Return how much a row is to set, in characters of HTML."""
    if isinstance(row, CellRow):
        return _CELL + len(row.placed.cell.code_html)
    if isinstance(row, HeadingRow):
        return _HEADING
    return sum(len(prose.html) for proses in row.sides.values() for prose in proses)


def key(row: Row) -> object:
    """Return all that a row looks like: where it stands in the source is no part of it."""
    if isinstance(row, CellRow):
        cell = row.placed.cell
        told = cell.code, cell.code_html, cell.label, cell.output, cell.marked, tuple(cell.options.items())
        return row.placed.key, row.placed.side, told, tuple(row.lines)
    if isinstance(row, HeadingRow):
        return "heading", tuple((side, section.heading_html) for side, section in row.sides.items())
    return "prose", tuple((side, *map(_looks, proses)) for side, proses in row.sides.items())


def _looks(prose: Prose) -> object:
    if "task:" not in prose.html:
        return prose.html
    return _TASK.sub(lambda task: f"task:{int(task[1]) - prose.line}", prose.html)


def lines(row: Row) -> Iterator[tuple[str, int]]:
    """Yield where a row begins in each language's source."""
    if isinstance(row, CellRow):
        yield from row.lines.items()
    elif isinstance(row, HeadingRow):
        yield from ((side, section.line) for side, section in row.sides.items())
    else:
        yield from ((side, proses[0].line) for side, proses in row.sides.items())


def changed(old: Sequence[Row], new: Sequence[Row]) -> tuple[int, int]:
    """Return how many rows at the beginning look the same in both, and how many of the others at the end."""
    most = min(len(old), len(new))
    same = next((at for at in range(most) if not _alike(old[at], new[at])), most)
    rest = next((at for at in range(most - same) if not _alike(old[-1 - at], new[-1 - at])), most - same)
    return same, rest


def _alike(one: Row, other: Row) -> bool:
    """Tell whether two rows look the same; most of a page are of the very same things."""
    return unmoved(one, other) or key(one) == key(other)


def unmoved(one: Row, other: Row) -> bool:
    """Tell whether two rows are of the same things, which stand where they stood."""
    if isinstance(one, ProseRow) and isinstance(other, ProseRow):
        return one.sides.keys() == other.sides.keys() and all(
            len(proses) == len(others := other.sides[side]) and all(map(is_, proses, others))
            for side, proses in one.sides.items()
        )
    if isinstance(one, HeadingRow) and isinstance(other, HeadingRow):
        return [(side, head.heading_html, head.line) for side, head in one.sides.items()] == [
            (side, head.heading_html, head.line) for side, head in other.sides.items()
        ]
    return isinstance(one, CellRow) and one == other
