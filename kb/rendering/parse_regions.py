"""Cuts a note into regions that are parsed separately, so that after an edit only a few are parsed again.

A region begins where the text before it does not matter: at a heading, or at a paragraph after a blank line, while no
block is open. Its own first line decides whether it begins there, so that regions after an edit stay the same. Lines
of a region are counted from 1 within it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.markdown.block_parser import LOOKS_AHEAD, Scanner
from kb.markdown.block_tree import LeafBlock
from kb.markdown.fences import Fence, fences
from kb.markdown.line_syntax import heading_of
from kb.markdown.lines import LineKind, LineReader, Scan
from kb.markdown.links import Link, definitions, links
from kb.markdown.sections import Section, sections, slug
from kb.rendering.batches import MOST_OPEN, Batch, batches, cost, leaves, opens

_MOST = 4  # times the least length, from which on a region ends as soon as it can
_ONE_IN = 4  # before that it ends at one of four places where it can
_HEADING = re.compile(r"#{1,6} [^\s#]")


@dataclass(eq=False)
class ParseRegion:
    """A part of a note. Headings, fences and snippet links are keyed by line; `rename_parts` gives their final names.

    `before`: number of lines of the note above it. `reach`: number of lines after it that were looked at.
    """

    lines: Sequence[str]
    kinds: Sequence[LineKind]
    head: Section | None  # the text before the first heading
    heads: dict[int, Section]
    fences: dict[int, Fence]
    snippets: Mapping[int, Link]
    defined: Mapping[str, str]  # its references with their destinations
    cells: int  # Python fences
    allowed: int  # how many of them can be run
    batches: Sequence[Batch] = ()
    defining: tuple[str, ...] = ()  # its blocks with definitions
    costs: Sequence[int] = ()  # the cost of each batch
    refers: bool = False  # whether it may refer to a footnote
    reach: int = 0
    before: int = 0
    digests: dict[int, tuple[object, bytes, bool]] = field(default_factory=dict)  # digests of batches
    slugs: tuple[tuple[int, str, str], ...] = ()  # of each heading: level, text, and the anchor that it asks for
    wanted: tuple[tuple[str, bool], ...] = ()  # of each fence: the id that it asks for, and whether it is Python


@dataclass(frozen=True)
class ParseOptions:
    """How to parse a note: characters of a batch, whether it is one region, and its references to snippets."""

    size: int
    whole: bool
    targets: Mapping[str, str]


def read_region(lines: Sequence[str], start: int, options: ParseOptions, *, cells: int) -> ParseRegion:
    """Return the region that begins at a line (0-based); at most `cells` of its fences can be run."""
    reader, length = LineReader(list(lines[start:]), []), 0
    least = options.size // 2
    while True:
        length = _go_on(reader, length, least, whole=options.whole)
        count = len(reader.kinds)
        scanned = Scan(reader.lines[:count], reader.kinds[:count], list(reader.fences))
        ahead = reader.lines[count : count + LOOKS_AHEAD]
        region, unfinished = _read(scanned, ahead, options, cells)
        left_open = unfinished or (length <= MOST_OPEN * options.size and opens(region.batches[-1]))
        if not left_open or count == len(reader.lines):
            return region
        least = 2 * length


def read_again(region: ParseRegion, lines: Sequence[str], options: ParseOptions, *, cells: int) -> ParseRegion:
    """Parse a region again with another number of cells; it ends where it did."""
    count = len(region.lines)
    reader = LineReader(list(region.lines), [])
    while len(reader.kinds) < count:
        reader.step()
    ahead = lines[region.before + count : region.before + count + LOOKS_AHEAD]
    return _read(Scan(reader.lines, reader.kinds, reader.fences), ahead, options, cells)[0]


def _go_on(reader: LineReader, length: int, least: int, *, whole: bool) -> int:
    """Read up to the next line where a region may end; return its length in characters."""
    lines, kinds = reader.lines, reader.kinds
    while (at := len(kinds)) < len(lines):
        if not whole and length >= least and at and _may_begin(lines[at], kinds[-1], anywhere=length >= _MOST * least):
            break
        reader.step()
        length += sum(len(line) + 1 for line in lines[at : len(kinds)])
    return length


def _may_begin(line: str, above: LineKind, *, anywhere: bool) -> bool:
    """Return whether a region may begin with a line that begins a block."""
    if not (_HEADING.match(line) or (above is LineKind.BLANK and line[:1].isalpha())):
        return False
    return anywhere or not zlib.crc32(line.encode("utf-8", "replace")) % _ONE_IN


def _read(scanned: Scan, ahead: Sequence[str], options: ParseOptions, cells: int) -> tuple[ParseRegion, bool]:
    """Return a region with its blocks, and whether the last block would continue."""
    found = sections("", scanned=scanned)
    made = {fence.line: fence for fence in fences("", scanned=scanned)}
    linked = links("", scanned=scanned, targets=options.targets)
    runnable = sum(fence.runnable for fence in made.values())
    region = ParseRegion(
        lines=scanned.lines,
        kinds=scanned.kinds,
        head=found[0] if not found[0].level else None,
        heads={section.line: section for section in found if section.level},
        fences=made,
        snippets={link.line: link for link in linked if link.kind == "snippet" and link.alone},
        defined=definitions(scanned),
        cells=runnable,
        allowed=min(max(0, cells), runnable),
    )
    region.slugs = tuple((head.level, head.heading, slug(head.heading)) for head in region.heads.values())
    region.wanted = tuple((fence.options.get("id") or "", fence.runnable) for fence in made.values())
    count = len(scanned.lines)
    scanner = Scanner([*scanned.lines, *ahead], _known(region))
    root = scanner.scan(1, count)
    region.batches = batches(root, 1, size=options.size)
    region.costs = [sum(map(cost, batch.nodes)) for batch in region.batches]
    region.refers = any("[^" in line for line in region.lines)
    told = (leaf for leaf in leaves(root) if leaf.kind == "definition" or (leaf.kind == "text" and "]:" in leaf.text))
    region.defining = tuple(leaf.text for leaf in told)
    region.reach = max(0, scanner.seen - count)
    return region, scanner.unfinished


def _known(region: ParseRegion) -> dict[int, tuple[LeafBlock | None, int]]:
    """Return the blocks that are known before scanning, by their first line."""
    known: dict[int, tuple[LeafBlock | None, int]] = {}
    told: dict[int, tuple[LeafBlock | None, int]] = {}  # outputs, which are shown in their cells
    cells = 0
    for line, fence in region.fences.items():
        cells += fence.runnable
        cell = fence.runnable and cells <= region.allowed
        kind = "fence" if cell else "display" if fence.lang == "math" else "code"
        known[line] = (LeafBlock(kind, fence.code, line), fence.end_line)
        if cell and fence.output_lines:
            told[fence.output_lines[0]] = None, fence.output_lines[1]
    known |= told
    for line in region.snippets:
        known[line] = (LeafBlock("snippet", "", line), line)
    for line, section in region.heads.items():
        last = line + (heading_of(region.lines[line - 1]) is None)
        known[line] = (LeafBlock("section", section.raw_heading, line, section.level), last)
    return known


def rename_parts(region: ParseRegion, anchors: Sequence[str], names: Sequence[str]) -> None:
    """Give a region's headings and fences their names in the whole note."""
    for (line, head), anchor in zip(tuple(region.heads.items()), anchors, strict=True):
        if head.anchor != anchor:
            region.heads[line] = replace(head, anchor=anchor)
            region.digests.clear()
    for (line, fence), name in zip(tuple(region.fences.items()), names, strict=True):
        if fence.id != name:
            region.fences[line] = replace(fence, id=name)
            region.digests.clear()
