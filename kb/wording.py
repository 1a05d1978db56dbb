"""A section's Markdown as plain text: what is searched, and what an excerpt shows."""

from __future__ import annotations

import re

_HEADING = re.compile(r"\A[ ]{0,3}#{1,6}(?:[ \t][^\n]*|(?=\n|\Z))\n?|\A[^\n]*\n[ ]{0,3}(?:={2,}|-{2,})[ \t]*(?:\n|\Z)")
_FENCE_MARK = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^`\n]*$")
_LINE_MARK = re.compile(
    r"(?m)^[ \t]*(?:>[ \t]?)+|^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|^[ \t]*[-*_=|: \t]{3,}$"
)
_TARGET = re.compile(r"(?<=\])\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+[\"'(][^\"')\n]*[\"')])?\)")
_BRACKETS = re.compile(r"!?\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]|!?\[([^\[\]\n]{0,400})\](?=\s|\W|$)")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>\n]{0,300})?/?>|<!--.{0,2000}?-->", re.DOTALL)
_EMPHASIS = re.compile(
    r"\*\*+|~~|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)|`+|(?<![A-Za-z0-9*])\*(?=[^\s*])|(?<=[^\s*])\*(?![A-Za-z0-9*])"
)
_CELL = re.compile(r"[ \t]*\|[ \t]*")
_SPACE = re.compile(r"[ \t\f\v\u00a0]+")
_LINES = re.compile(r"[ ]?[\n\r]\s*")


def plain_text(markdown: str, *, headed: bool) -> str:
    """Return the text without its heading (if `headed`), link targets and marks; code stays as it is, unmarked."""
    text = _HEADING.sub("", markdown.lstrip("\n"), count=1) if headed else markdown
    pieces = _FENCE_MARK.split(text)
    # Between the marks of fences stands code, every second time.
    plain = [piece if at % 2 else _prose(piece) for at, piece in enumerate(pieces)]
    return _LINES.sub("\n", _SPACE.sub(" ", "".join(plain))).strip()


def _prose(text: str) -> str:
    text = _LINE_MARK.sub("", text)
    if "](" in text:
        text = _TARGET.sub("", text)
    if "[" in text:
        text = _BRACKETS.sub(lambda match: match[2] or match[1] or match[3] or "", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "|" in text:
        text = _CELL.sub(" ", text)
    return _EMPHASIS.sub("", text)
