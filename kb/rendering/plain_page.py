"""Shows a note as written if it cannot be rendered: escaped, limited in size, with its headings and cells."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kb.markdown.fences import Fence, fences
from kb.markdown.lines import split_lines
from kb.markdown.sections import Section, sections
from kb.notes.frontmatter import split
from kb.rendering.rendered_page import Cell, Page, PageSection, Prose

LONGEST = 150_000  # characters shown
MOST_LINES = 4_000
MOST_TOGETHER = 300  # lines of one piece; a view inserts piece by piece
WIDEST = 1_000  # characters of a line; longer ones are broken, because an endless line blocks the window
MOST_SECTIONS = 400
MOST_CELLS = 200


def plain_page(text: str) -> Page:
    """Return the page of a note without rendering it. The time is bounded by LONGEST."""
    shown = _beginning(text)
    first = split(shown).lines + 1
    lines = split_lines(shown)
    cells = {fence.line: fence for fence in fences(shown, first) if fence.runnable}
    cells = dict(list(cells.items())[:MOST_CELLS])
    heads = _joined(sections(shown, first), len(lines))
    pages = [_section(head, lines, cells) for head in heads]
    if left := len(text) - len(shown):
        note = Prose(
            f'<p class="cut">… {left:,} more characters are not shown; 其余 {left:,} 个字符未显示。</p>', len(lines)
        )
        pages.append(PageSection("", "", 0, "", len(lines), (note,)))
    return Page(tuple(pages), plain=True)


def plain_sections(
    heads: Sequence[Section], lines: list[str], cells: Mapping[int, Fence], last: int
) -> tuple[PageSection, ...]:
    """Return sections as written, up to a line; the first one may begin without a heading."""
    ends = [head.line - 1 for head in heads[1:]] + [last]
    return tuple(_section(replace(head, end_line=end), lines, cells) for head, end in zip(heads, ends, strict=True))


def _beginning(text: str) -> str:
    shown = text[:LONGEST]
    lines = shown.splitlines(keepends=True)
    return "".join(lines[:MOST_LINES]) if len(lines) > MOST_LINES else shown


def _joined(heads: tuple[Section, ...], last: int) -> list[Section]:
    """Return the first sections; the last of them contains all later ones as text."""
    if len(heads) <= MOST_SECTIONS:
        return list(heads)
    end = heads[MOST_SECTIONS - 1]
    rest = Section(end.heading, end.raw_heading, end.level, end.line, last, end.anchor, end.trail)
    return [*heads[: MOST_SECTIONS - 1], rest]


def _section(head: Section, lines: list[str], cells: Mapping[int, Fence]) -> PageSection:
    heading = ""
    if head.level:
        anchor, title = html.escape(head.anchor), html.escape(head.heading[:WIDEST])
        heading = f'<h{head.level}><a name="{anchor}"></a>{title}</h{head.level}>'
    start = head.line + bool(head.level)
    parts = tuple(_parts(start, head.end_line, lines, cells))
    return PageSection(heading, head.heading[:WIDEST], head.level, head.anchor, head.line, parts)


def _parts(start: int, end: int, lines: list[str], cells: Mapping[int, Fence]) -> Iterator[Prose | Cell]:
    at = start
    for line in range(start, end + 1):
        if line < at or line not in cells:
            continue
        yield from _prose(at, line - 1, lines)
        cell = _cell(cells[line])
        yield cell
        at = cell.end_line + 1
    yield from _prose(at, end, lines)


def plain_prose(text: str, line: int) -> Prose:
    """Return a text as written, which is at a line of the note."""
    text = "\n".join(map(_broken, text.split("\n")))
    return Prose(f'<pre class="plain">{html.escape(text, quote=False)}</pre>', line)


def _prose(first: int, last: int, lines: list[str]) -> Iterator[Prose]:
    for at in range(first, last + 1, MOST_TOGETHER):
        text = "\n".join(lines[at - 1 : min(last, at + MOST_TOGETHER - 1)]).strip("\n")
        if text.strip():
            yield plain_prose(text, at)


def _broken(line: str) -> str:
    return "\n".join(line[at : at + WIDEST] for at in range(0, len(line), WIDEST))


def _cell(fence: Fence) -> Cell:
    last = fence.output_lines[1] if fence.output_lines else fence.end_line
    shown = html.escape("\n".join(_broken(line) for line in split_lines(fence.code)), quote=False)
    options = dict(fence.options)
    return Cell(
        "fence",
        fence.id,
        fence.options.get("title", ""),
        fence.code,
        shown,
        "python",
        options,
        fence.output,
        fence.line,
        last,
    )
