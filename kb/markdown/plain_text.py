"""A section's Markdown as plain text: what is searched, and what an excerpt shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.markdown.constructs import CONSTRUCTS

_HEADING = re.compile(r"\A[ ]{0,3}#{1,6}(?:[ \t][^\n]*|(?=\n|\Z))\n?|\A[^\n]*\n[ ]{0,3}(?:={2,}|-{2,})[ \t]*(?:\n|\Z)")
_FENCE_MARK = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^`\n]*$")
# Patterns that begin with a certain character are looked for many times faster than those that may stand anywhere.
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


def plain_text(markdown: str, *, headed: bool) -> str:
    """Return the text without its heading (if `headed`), link targets and marks; code stays as it is, unmarked."""
    return pieces_of(markdown, headed=headed).text


@dataclass(frozen=True)
class SectionText:
    """A section's plain text; its prose as it is written and plain; its blocks of code, and the code within lines."""

    text: str
    written: str
    prose: str
    blocks: str
    inline: str


def pieces_of(markdown: str, *, headed: bool) -> SectionText:
    """Take a section apart, without its heading (if `headed`)."""
    text = _HEADING.sub("", markdown.lstrip("\n"), count=1) if headed else markdown
    pieces = _FENCE_MARK.split(text)  # between the marks of fences stands code, every second time
    written = "\n".join(pieces[::2])
    plain = [piece if at % 2 else _prose(piece) for at, piece in enumerate(pieces)]
    inline = "\n".join(_INLINE.findall(written)) if "`" in written else ""
    return SectionText(_spaced("".join(plain)).strip(), written, "\n".join(plain[::2]), "\n".join(plain[1::2]), inline)


def _spaced(text: str) -> str:
    """Return a text with one space between words, and one line end between lines."""
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
