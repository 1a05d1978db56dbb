"""A table of the source: found around a line, its columns brought into line, and the way from cell to cell.

A Chinese character is two columns wide, as it is on the screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_BAR = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\s*:?-+:?\s*")
_LEAST = 3  # columns, which a row of delimiters needs
_BODY = 2  # the line that the rows under the head begin at
_MOST = 2_000  # lines in which a table is looked for


@dataclass(frozen=True)
class TableCell:
    """Where the text of a cell stands in the table's lines; both from 0, counted in characters."""

    row: int
    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """A table with its columns in line, and its cells in order, that of the delimiters left out."""

    lines: tuple[str, ...]
    cells: tuple[tuple[TableCell, ...], ...]


def extent(line: Callable[[int], str | None], at: int) -> tuple[int, int] | None:
    """Return the first and last line of the table around a line, where there is one; `line` is None past the ends."""
    first = last = at
    if not _is_row(line(at)):
        return None
    while at - first < _MOST and _is_row(line(first - 1)):
        first -= 1
    while last - at < _MOST and _is_row(line(last + 1)):
        last += 1
    second = line(first + 1) if first < last else None
    return (first, last) if second is not None and _delimits(_split(second)) else None


def formatted(lines: Sequence[str]) -> Table:
    """Return a table with its columns in line, whatever its rows lacked filled in."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    rows = [_split(line) for line in lines]
    count = max(map(len, rows))
    rows = [[*row, *[""] * (count - len(row))] for row in rows]
    sides = [_side(cell) for cell in rows[1]]
    widths = [
        max(_LEAST, *(columns(row[number]) for place, row in enumerate(rows) if place != 1)) for number in range(count)
    ]
    made: list[str] = []
    cells: list[tuple[TableCell, ...]] = []
    for place, row in enumerate(rows):
        if place == 1:
            made.append(indent + "|" + "|".join(map(_delimiter, sides, widths)) + "|")
            continue
        text, found = indent + "|", []
        for cell, side, width in zip(row, sides, widths, strict=True):
            before, behind = _padding(cell, side, width)
            start = len(text) + 1 + before
            found.append(TableCell(place, start, start + len(cell)))
            text += f" {' ' * before}{cell}{' ' * behind} |"
        made.append(text)
        cells.append(tuple(found))
    return Table(tuple(made), tuple(cells))


def with_row(lines: Sequence[str], at: int) -> Table:
    """Return the table with an empty row at a line, counted from 0: never above its head."""
    at = max(_BODY, at)
    return formatted((*lines[:at], "|" * (len(_split(lines[0])) + 1), *lines[at:]))


def without_row(lines: Sequence[str], at: int) -> Table | None:
    """Return the table without a row; None where that is its head."""
    return formatted((*lines[:at], *lines[at + 1 :])) if at >= _BODY else None


def with_column(lines: Sequence[str], at: int) -> Table:
    """Return the table with an empty column in the place of another, which moves to the right."""
    return _with_cells(lines, lambda row: [*row[:at], "-" * _LEAST if _delimits(row) else "", *row[at:]])


def without_column(lines: Sequence[str], at: int) -> Table | None:
    """Return the table without a column; None where it is the only one."""
    return _with_cells(lines, lambda row: [*row[:at], *row[at + 1 :]]) if len(_split(lines[1])) > 1 else None


def is_empty(line: str) -> bool:
    """Tell whether a row has nothing in any cell."""
    return not any(_split(line))


def _with_cells(lines: Sequence[str], change: Callable[[list[str]], list[str]]) -> Table:
    table = formatted(lines).lines
    indent = table[0][: len(table[0]) - len(table[0].lstrip())]
    return formatted([f"{indent}|{'|'.join(change(_split(line)))}|" for line in table])


def cell_at(line: str, at: int) -> int:
    """Return in which cell of a row a place is, from 0."""
    bare = len(line) - len(line.lstrip())
    bars = [match.start() for match in _BAR.finditer(line[:at])]
    led = line[bare : bare + 1] == "|"
    return max(0, len(bars) - led)


def columns(text: str) -> int:
    """Return how many columns a text takes on a screen of fixed width."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _is_row(line: str | None) -> bool:
    return line is not None and _BAR.search(line) is not None and not line.lstrip().startswith(">")


def _split(line: str) -> list[str]:
    bare = line.strip()
    bare = bare.removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip() for cell in _BAR.split(bare)]


def _delimits(row: list[str]) -> bool:
    return all(_DELIMITER.fullmatch(cell) for cell in row)


def _side(cell: str) -> str:
    """Return to which side a column is set: "l", "r", "c", or "" where nothing is said."""
    left, right = cell.startswith(":"), cell.endswith(":")
    return "c" if left and right else "l" if left else "r" if right else ""


def _delimiter(side: str, width: int) -> str:
    left, right = ":" if side in ("l", "c") else "-", ":" if side in ("r", "c") else "-"
    return left + "-" * width + right


def _padding(cell: str, side: str, width: int) -> tuple[int, int]:
    room = width - columns(cell)
    before = room if side == "r" else room // 2 if side == "c" else 0
    return before, room - before
