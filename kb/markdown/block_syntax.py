"""The blocks of a note, as a tree, and how each kind of block begins.

Fences and headings are not looked for here: `kb.markdown.fences` and `kb.markdown.sections` know where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PREFIX = re.compile(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*")
QUOTE = re.compile(r" {0,3}> ?")
ITEM = re.compile(r"( *)([-+*]|(\d{1,9})([.)]))(?:( +)(.*)|$)")
TASK = re.compile(r"\[([ xX])\] +(?=\S)")
ADMONITION = re.compile(r'!!! *([A-Za-z]+)(?: +"([^"]*)")? *$')
RULE = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
ATX = re.compile(r"(#{1,6})(?: +(.*?))?(?: +#+)? *$")
UNDERLINE = re.compile(r"(?:=+|-+) *$")
DELIMITER_ROW = re.compile(r"\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$")
FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")
DEFINITION = re.compile(r"\[[^\]^][^\]]*\]: *\S+")
MEANING = re.compile(r" {0,3}:[ \t]+(?=\S)")  # of the term in the line before
CONTENTS = re.compile(r"\[\[?_?toc_?\]?\]$", re.IGNORECASE)
HTML = re.compile(
    r"<(?P<verbatim>pre|script|style|textarea)\b|(?P<comment><!--)|"
    r"</?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|meta|"
    r"nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[\s/>]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LeafBlock:
    """A block that holds no others.

    kind: text, table, definition (of a footnote or a link), term (that a meaning follows), code, raw (HTML), display
    (a formula), rule, contents (a list of the headings), heading (within a quote or list), section (a heading of the
    note), fence, snippet. Lines count from 1.
    """

    kind: str
    text: str
    line: int
    level: int = 0


@dataclass
class ContainerBlock:
    """A block that holds others: root, quote, list, item, admonition, terms or one meaning of a term."""

    kind: str
    indent: int = 0  # columns to what it holds
    offset: int = 0  # columns to its marker
    start: int | None = None  # an ordered list's first number
    marker: str = ""
    loose: bool = False
    task: str = ""  # "open" or "done"
    line: int = 0  # of a task
    label: str = ""  # of an admonition: its kind
    title: str | None = None
    children: list[ContainerBlock | LeafBlock] = field(default_factory=list)


def indent_of(text: str) -> int:
    """Count the spaces that a line begins with."""
    return len(text) - len(text.lstrip(" "))


def without_tabs(line: str) -> str:
    """Turn the tabs of a line's beginning into spaces, four columns a stop, and drop what is invisible there."""
    line = line.lstrip("\u200b\u2060\ufeff")
    if "\t" not in line:
        return line
    prefix = PREFIX.match(line)
    assert prefix
    return prefix[0].expandtabs(4) + line[prefix.end() :]


def columns_of(row: str) -> int:
    """Count the cells of a table's row."""
    return len(re.findall(r"(?<!\\)\|", row.strip().strip("|"))) + 1
