"""Aligns the two languages of a note: sections, prose and cells that are the same in both share a row."""

from __future__ import annotations

import html
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, zip_longest
from typing import TypeVar

from app.reader.page_set import PageSet, PlacedCell, Side
from kb.lazy_regex import expression
from kb.rendering.rendered_page import Cell, PageSection, Prose

Item = TypeVar("Item")
_MOST_PAIRS = 40_000  # two notes of 200 sections each; larger ones are not aligned, but set one after the other
_MOST_JOINED = 20_000  # characters of HTML in one row
_TAG = expression(r"<(/?)([A-Za-z][A-Za-z0-9]*)(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>")
_EMPTY = frozenset(("br", "col", "hr", "img", "input", "wbr"))
_WORD = expression(r"[A-Za-z_][\w.]{2,}")
# What a translation of code changes: comments, the contents of strings, and white space.
_WORDS_OF_CODE = expression(r"#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\s+")


@dataclass(frozen=True)
class HeadingRow:
    """A heading, in each language that has it."""

    sides: Mapping[Side, PageSection]


@dataclass(frozen=True)
class ProseRow:
    """Prose up to the next cell, in each language that has it."""

    sides: Mapping[Side, tuple[Prose, ...]]


@dataclass(frozen=True)
class CellRow:
    """A cell, shown once for all languages."""

    placed: PlacedCell
    lines: Mapping[Side, int]  # its source line in each language


Row = HeadingRow | ProseRow | CellRow


def rows(pages: PageSet) -> list[Row]:
    """Return the note's rows from top to bottom; the languages in a row correspond."""
    sides = pages.sides()
    if not sides:
        return []
    sections = [pages.pages[side].sections for side in sides]
    if len(sides) == 1:
        laid = list(_rows_of_one(sides[0], sections[0]))
    else:
        pairs = _align_sections(sections[0], sections[1])
        laid = [row for pair in pairs for row in _rows_of_two(dict(_present(sides, pair)))]
    return list(_with_unique_keys(_with_title(laid, pages)))


def aligned(
    left: Sequence[Item], right: Sequence[Item], likeness: Callable[[Item, Item], int]
) -> list[tuple[Item | None, Item | None]]:
    """Align two sequences with the greatest sum of `likeness`; only items of a likeness above 0 are paired."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            alike = likeness(left[i], right[j])
            together = alike + best[i + 1][j + 1] if alike > 0 else 0
            best[i][j] = max(together, best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[Item | None, Item | None]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        alike = likeness(left[i], right[j])
        if alike > 0 and best[i][j] == alike + best[i + 1][j + 1]:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((left[i], None))
            i += 1
        else:
            pairs.append((None, right[j]))
            j += 1
    return pairs + [(item, None) for item in left[i:]] + [(None, item) for item in right[j:]]


def same_cell(one: Cell, other: Cell) -> bool:
    """Return whether two languages show the same cell: by its name, or by its code without comments and strings."""
    if one.kind != other.kind:
        return False
    named = one.kind == "snippet" or "id" in one.options
    return (named and one.id == other.id) or _skeleton(one.code) == _skeleton(other.code)


def _skeleton(code: str) -> str:
    return _WORDS_OF_CODE.sub("", code)


def _align_sections(
    left: Sequence[PageSection], right: Sequence[PageSection]
) -> Sequence[tuple[PageSection | None, PageSection | None]]:
    if [section.level for section in left] == [section.level for section in right]:
        return list(zip(left, right, strict=True))
    if len(left) * len(right) > _MOST_PAIRS:
        return [*((section, None) for section in left), *((None, section) for section in right)]
    return aligned(left, right, _section_likeness)


def _section_likeness(one: PageSection, other: PageSection) -> int:
    if one.level != other.level:
        return 0
    words = set(_WORD.findall(one.heading)) & set(_WORD.findall(other.heading))
    shared = {cell.id for cell in _cells(one)} & {cell.id for cell in _cells(other)}
    return 2 + 3 * len(words) + 4 * len(shared)


def _cells(section: PageSection) -> list[Cell]:
    return [part for part in section.parts if isinstance(part, Cell)]


def _present(sides: Sequence[Side], pair: tuple[Item | None, Item | None]) -> Iterator[tuple[Side, Item]]:
    for side, item in zip(sides, pair, strict=True):
        if item is not None:
            yield side, item


def _rows_of_one(side: Side, sections: Sequence[PageSection]) -> Iterator[Row]:
    """Yield the rows of a single language; there may be tens of thousands."""
    for section in sections:
        if section.level:
            yield HeadingRow({side: section})
        for part in section.parts:
            yield (
                CellRow(PlacedCell(part.key, part, side), {side: part.line})
                if isinstance(part, Cell)
                else ProseRow({side: (part,)})
            )


def _rows_of_two(sides: Mapping[Side, PageSection]) -> Iterator[Row]:
    """Yield a section's heading, then its prose and cells."""
    headed = {side: section for side, section in sides.items() if section.level}
    if headed:
        yield HeadingRow(headed)
    waiting: dict[Side, list[Prose]] = {}
    for step in _align_cells(sides):
        for side, (before, _) in step.items():
            waiting.setdefault(side, []).extend(before)
        found = {side: cell for side, (_, cell) in step.items() if cell is not None}
        yield from _prose(sides, waiting)
        waiting = {}
        if found:
            first = next(iter(found))
            lines = {side: cell.line for side, cell in found.items()}
            yield CellRow(PlacedCell(found[first].key, found[first], first), lines)


def _prose(sides: Mapping[Side, PageSection], waiting: Mapping[Side, Sequence[Prose]]) -> Iterator[ProseRow]:
    parts = [waiting.get(side, ()) for side in sides]
    for each in zip_longest(*parts) if len(parts) == 1 or not all(parts) else _align_prose(*parts):
        yield ProseRow({side: (prose,) for side, prose in zip(sides, each, strict=True) if prose is not None})


def _align_prose(left: Sequence[Prose], right: Sequence[Prose]) -> Iterator[tuple[Prose | None, Prose | None]]:
    """Yield prose side by side. Long prose is in parts, which may end at different places in the two languages.

    A row ends wherever both languages have ended the same number of blocks. The parts between are joined, unless they
    are too long for one row of a table.
    """
    if len(left) == len(right) == 1:
        yield left[0], right[0]
        return
    cuts = [[0, len(left)], [0, len(right)]]
    if len(left) > 1 < len(right):
        ends = [list(accumulate(_blocks(prose.html) for prose in parts)) for parts in (left, right)]
        both = sorted(set(ends[0][:-1]) & set(ends[1][:-1]))
        cuts = [[0, *(bisect_right(each, count) for count in both), len(each)] for each in ends]
    for (start, end), (begin, stop) in zip(pairwise(cuts[0]), pairwise(cuts[1]), strict=True):
        one, other = left[start:end], right[begin:stop]
        if max(sum(len(prose.html) for prose in parts) for parts in (one, other)) > _MOST_JOINED:
            yield from zip_longest(one, other)
        else:
            yield _joined(one), _joined(other)


def _joined(parts: Sequence[Prose]) -> Prose | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Prose("".join(prose.html for prose in parts), parts[0].line)


def _blocks(markup: str) -> int:
    """Return the number of top-level elements."""
    count = depth = 0
    for tag in _TAG.finditer(markup):
        if tag[1]:
            depth -= 1
            continue
        count += not depth
        depth += tag[2].lower() not in _EMPTY
    return count


def _align_cells(sides: Mapping[Side, PageSection]) -> Iterator[Mapping[Side, tuple[list[Prose], Cell | None]]]:
    """Yield, for each cell, the prose before it and the cell in each language; the last item is the prose after all."""
    groups = {side: _groups(section) for side, section in sides.items()}
    if len(groups) == 1:  # the other language lacks this section
        for side, parts in groups.items():
            yield from ({side: part} for part in parts)
        return
    (first, left), (second, right) = groups.items()
    if len(left) == len(right) and all(
        _same(one[1], other[1]) for one, other in zip(left[:-1], right[:-1], strict=True)
    ):
        yield from ({first: one, second: other} for one, other in zip(left[:-1], right[:-1], strict=True))
    else:
        pairs = aligned(left[:-1], right[:-1], lambda one, other: int(_same(one[1], other[1])))
        yield from (dict(_present((first, second), pair)) for pair in pairs)
    yield {first: left[-1], second: right[-1]}


def _same(one: Cell | None, other: Cell | None) -> bool:
    return one is not None and other is not None and same_cell(one, other)


def _groups(section: PageSection) -> list[tuple[list[Prose], Cell | None]]:
    groups: list[tuple[list[Prose], Cell | None]] = [([], None)]
    for part in section.parts:
        if isinstance(part, Cell):
            groups[-1] = (groups[-1][0], part)
            groups.append(([], None))
        else:
            groups[-1][0].append(part)
    return groups


def _with_title(laid: list[Row], pages: PageSet) -> list[Row]:
    """Add the note's title, unless the note begins with a heading of level 1 or with the same words."""
    first = laid[0] if laid else None
    titles = {side: pages.titles[side] for side in pages.sides() if pages.titles.get(side)}
    if isinstance(first, HeadingRow) and (
        all(section.level == 1 for section in first.sides.values())
        or {side: section.heading for side, section in first.sides.items()} == titles
    ):
        return laid
    headings = {
        side: PageSection(f"<h1>{html.escape(title)}</h1>", title, 1, "", 1, ()) for side, title in titles.items()
    }
    return [HeadingRow(headings), *laid] if headings else laid


def _with_unique_keys(laid: Sequence[Row]) -> Iterator[Row]:
    """Make the keys of cells with different code unique, so that output and runs belong to the right cell."""
    known: dict[str, str] = {}
    for row in laid:
        if not isinstance(row, CellRow):
            yield row
            continue
        placed, number = row.placed, 1
        key = placed.key
        while known.setdefault(key, placed.cell.code) != placed.cell.code:
            number += 1
            key = f"{placed.key}#{number}"
        yield row if key == placed.key else replace(row, placed=replace(placed, key=key))
