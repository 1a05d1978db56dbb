"""Cuts the blocks of a note into batches that are rendered one by one, so that a limit affects one batch only.

A batch ends between two top-level blocks. Longer blocks are cut as well: a list between its items, a table between its
rows (each part repeats the header), an endless paragraph at a space.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.markdown.block_tree import ContainerBlock, LeafBlock

SIZE = 6_000  # characters of a batch; it takes a few milliseconds
LONGEST_TEXT = 4_000  # characters of a paragraph; longer ones are split
DENSE_TEXT = 1_000  # the same for a paragraph with more than ...
MOST_SIGNS = 300  # ... so many links, formulas and the like
LONGEST_CODE = 400  # lines of code without a cell; longer code is split into parts ...
PART_OF_CODE = 200  # ... of so many lines
LARGEST_TABLE = 400  # cells; larger tables are split, because Qt lays out a table as a whole, into parts ...
PART_OF_TABLE = 200  # ... of so many cells
MOST_COLUMNS = 20  # of a table that is split; a large table with more columns is shown as written
_LEAF_COST = 40  # characters that each block costs besides its own
_LEAST = 6  # a batch of a sixth of the size or more ends ...
_ONE_IN = 4  # ... before one block in four, ...
_TELLING = 80  # ... chosen by the first characters of the block
MOST_OPEN = 20  # times the size that a batch may reach to keep an HTML element whole
_SIGNS = re.compile(r"[\[$`<]|\*\*")
_HTML_TAG = re.compile(r"<(/?)(div|details|table|center|blockquote|ul|ol|dl|section|article|figure)\b", re.IGNORECASE)

Node = ContainerBlock | LeafBlock


@dataclass(frozen=True)
class Batch:
    """Blocks that are rendered together, and their first line (1-based). `begins`: a heading of the note is first."""

    nodes: tuple[Node, ...]
    line: int
    begins: bool


def batches(root: ContainerBlock, first_line: int, *, size: int = SIZE) -> list[Batch]:
    """Return the batches of a note's blocks in order; there is at least one."""
    made: list[Batch] = []
    nodes: list[Node] = []
    length, deep, line = 0, 0, first_line
    for node in (part for child in root.children for part in _parts(child, size)):
        much = cost(node)
        full = length + much > size or (length > size // _LEAST and _parts_here(node))
        if nodes and full and (deep <= 0 or length > MOST_OPEN * size):
            made.append(Batch(tuple(nodes), line, _begins(nodes)))
            nodes, length, deep, line = [], 0, 0, max(line, line_of(node))
        nodes.append(node)
        length += much
        deep += _opened(node)
    return [*made, Batch(tuple(nodes), line, _begins(nodes))]


def _parts_here(node: Node) -> bool:
    """Return whether a batch ends before a block. Its own text decides, so that batches after an edit stay the same."""
    text = next((leaf.text for leaf in leaves(node)), "")
    return not zlib.crc32(text[:_TELLING].encode("utf-8", "replace")) % _ONE_IN


def line_of(node: Node) -> int:
    """Return the line of a block's first leaf, 0 if it has none."""
    if isinstance(node, LeafBlock):
        return node.line
    return node.line or next((line for child in node.children if (line := line_of(child))), 0)


def leaves(node: Node) -> Iterator[LeafBlock]:
    """Yield the leaves of a block in order."""
    if isinstance(node, LeafBlock):
        yield node
    else:
        for child in node.children:
            yield from leaves(child)


def opens(batch: Batch) -> bool:
    """Return whether a batch ends within an HTML element that the next batch continues."""
    return sum(map(_opened, batch.nodes)) > 0


def _begins(nodes: Sequence[Node]) -> bool:
    first = nodes[0] if nodes else None
    return isinstance(first, LeafBlock) and first.kind == "section"


def cost(node: Node) -> int:
    """Return the cost of showing a block, in characters: its own and `_LEAF_COST` for each block."""
    if isinstance(node, LeafBlock):
        return len(node.text) + _LEAF_COST
    return _LEAF_COST + sum(map(cost, node.children))


def _opened(node: Node) -> int:
    """Return how many HTML elements a block opens, less those that it closes."""
    if not isinstance(node, LeafBlock) or node.kind != "raw":
        return 0
    return sum(-1 if tag[1] else 1 for tag in _HTML_TAG.finditer(node.text))


def _parts(node: Node, size: int) -> Iterator[Node]:
    if isinstance(node, LeafBlock) and node.kind == "text" and len(node.text) > DENSE_TEXT:
        dense = len(_SIGNS.findall(node.text)) > MOST_SIGNS
        yield from (replace(node, text=text) for text in _texts(node.text, DENSE_TEXT if dense else LONGEST_TEXT))
    elif isinstance(node, LeafBlock) and node.kind == "code":
        yield from _parts_of_code(node)
    elif isinstance(node, LeafBlock) and node.kind == "table" and node.text.count("|") > LARGEST_TABLE:
        yield from (part for table in _tables(node) for part in _parts_of_code(table))
    elif isinstance(node, ContainerBlock) and node.kind == "list" and cost(node) > size:
        yield from _lists(node, size)
    else:
        yield node


def _parts_of_code(leaf: LeafBlock) -> Iterator[LeafBlock]:
    lines = leaf.text.split("\n") if leaf.kind == "code" else []
    if len(lines) <= LONGEST_CODE:
        yield leaf
        return
    for at in range(0, len(lines), PART_OF_CODE):
        yield replace(leaf, text="\n".join(lines[at : at + PART_OF_CODE]))


def _texts(text: str, longest: int) -> Iterator[str]:
    """Cut a text at the end of a line, otherwise at a space, otherwise anywhere."""
    while len(text) > longest:
        at = max(text.rfind("\n", longest // 2, longest), 0)
        at = at or max(text.rfind(" ", longest // 2, longest), 0) or longest
        yield text[:at]
        text = text[at:].lstrip()
    yield text


def _tables(leaf: LeafBlock) -> Iterator[LeafBlock]:
    header, delimiter, *rows = leaf.text.split("\n")
    columns = max(1, delimiter.count("-|-") + 1, delimiter.strip().strip("|").count("|") + 1)
    if columns > MOST_COLUMNS:
        yield replace(leaf, kind="code")
        return
    count = max(1, PART_OF_TABLE // columns)
    for at in range(0, max(1, len(rows)), count):
        yield replace(leaf, text="\n".join((header, delimiter, *rows[at : at + count])), line=leaf.line + at)


def _lists(node: ContainerBlock, size: int) -> Iterator[ContainerBlock]:
    items: list[Node] = []
    length = number = 0
    for item in node.children:
        much = cost(item)
        if items and length + much > size:
            yield _part_of_list(node, items, number)
            number += len(items)
            items, length = [], 0
        items.append(item)
        length += much
    yield _part_of_list(node, items, number)


def _part_of_list(node: ContainerBlock, items: Sequence[Node], number: int) -> ContainerBlock:
    start = None if node.start is None else node.start + number
    return replace(node, start=start, children=list(items))
