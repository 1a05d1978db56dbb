"""A section as plain text, for the index and for excerpts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter

from kb.markdown.constructs import CONSTRUCTS
from kb.markdown.line_syntax import heading_of
from kb.markdown.lines import Scan
from kb.markdown.sections import Section

# Patterns that begin with a fixed character are found many times faster than others.
_LINE_MARK = re.compile(
    r"\n[ \t]*(?:(?:>[ \t]?)+|(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|[-*_=|: \t]{3,}(?=\n|\Z))"
)
_TARGET = re.compile(r"(?<=\])\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+[\"'(][^\"')\n]*[\"')])?\)")
_BRACKETS = re.compile(r"!?\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]|!?\[([^\[\]\n]{0,400})\](?=\s|\W|$)")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>\n]{0,300})?/?>|<!--.{0,2000}?-->", re.DOTALL)
_EMPHASIS = re.compile(
    r"\*\*+|__(?<!\w__)(?=\w)|__(?<=\w__)(?!\w)|``*|\*(?<![A-Za-z0-9*]\*)(?=[^\s*])|\*(?<=[^\s*]\*)(?![A-Za-z0-9*])"
)
_INLINE = re.compile(r"`([^`\n]+)`")
_CELL = re.compile(r"[ \t]*\|[ \t]*")
_SPACES = re.compile("  +")
_OTHER_SPACES = "\t\f\v\u00a0"
_LINES = re.compile(r"[\n\r]\s*")


@dataclass(frozen=True)
class SectionText:
    """A section's plain text; its prose as written and plain; its blocks of code; the code within its lines."""

    text: str
    written: str
    prose: str
    blocks: str
    inline: str


def section_text(scanned: Scan, section: Section) -> SectionText:
    """Return the text of a section without its heading, link targets and marks; code stays as it is."""
    first, last = section.line - 1, section.end_line
    if section.level:
        first += 1 if heading_of(scanned.lines[first]) else 2
    pieces = ["\n".join(lines) for lines in _runs(scanned, first, last)]
    written = "\n".join(pieces[::2])
    plain = [piece if at % 2 else _prose(piece) for at, piece in enumerate(pieces)]
    inline = "\n".join(_INLINE.findall(written)) if "`" in written else ""
    text = _spaced("\n".join(plain)).strip()
    return SectionText(text, written, "\n".join(plain[::2]), "\n".join(plain[1::2]), inline)


def _runs(scanned: Scan, first: int, last: int) -> Iterator[list[str]]:
    """Yield the lines between two indices: prose and the code of a fence in turn, prose first and last."""
    for fence in islice(scanned.fences, bisect_left(scanned.fences, first, key=attrgetter("first")), None):
        if fence.first >= last:
            break
        yield scanned.lines[first : fence.first]
        yield scanned.lines[fence.first + 1 : fence.last + (not fence.closed)]
        first = fence.last + 1
    yield scanned.lines[first:last]


def _spaced(text: str) -> str:
    """Return a text with single spaces between words and single line ends."""
    for space in _OTHER_SPACES:
        text = text.replace(space, " ")
    text = _SPACES.sub(" ", text).replace(" \n", "\n").replace(" \r", "\r")
    return _LINES.sub("\n", text)


def _prose(text: str) -> str:
    text = _LINE_MARK.sub("\n", "\n" + text)[1:]
    if "](" in text:
        text = _TARGET.sub("", text)
    if "[" in text:
        text = _BRACKETS.sub(lambda match: match[2] or match[1] or match[3] or "", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "|" in text:
        text = _CELL.sub(" ", text)
    for construct in CONSTRUCTS:
        text = construct.plain(text)
    return _EMPHASIS.sub("", text)
