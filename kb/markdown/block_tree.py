"""The blocks of a note as a tree. Lines count from 1."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class LeafBlock:
    """A block that contains no other blocks.

    kind: text, table, definition (of a footnote or a link), term (whose meaning follows), code, raw (HTML), display
    (a formula), rule, contents (a list of the headings), heading (in a quote or list), section (a heading of the
    note), fence, snippet.
    """

    kind: str
    text: str
    line: int
    level: int = 0


@dataclass
class ContainerBlock:
    """A block that contains others: root, quote, list, item, admonition, terms or one meaning of a term."""

    kind: str
    indent: int = 0  # columns before its content
    offset: int = 0  # columns before its marker
    start: int | None = None  # the first number of an ordered list
    marker: str = ""
    loose: bool = False
    task: str = ""  # "open" or "done"
    line: int = 0  # of a task
    label: str = ""  # kind of an admonition
    title: str | None = None
    children: list[ContainerBlock | LeafBlock] = field(default_factory=list)
