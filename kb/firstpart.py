"""The beginning of a long note, that is shown while the rest of it is being rendered."""

from __future__ import annotations

import re

from kb.frontmatter import split
from kb.lines import Kind, scan
from kb.patterns import expression

LONG = 16_000  # characters; a shorter note is rendered before anybody has seen its beginning
LENGTH = 5_000  # characters of a beginning: more than a screen of it
_LOOKED_AT = 2 * LENGTH
_CONTENTS = expression(r"^[ \t>]*\[\[?_?toc_?\]?\][ \t]*$", re.IGNORECASE | re.MULTILINE)


def first_part(text: str) -> str:
    """Return the beginning of a note up to a blank line of its own, or nothing where it would not look as it will.

    A list of the headings would grow, and push down what is being read.
    """
    if len(text) < LONG:
        return ""
    head = text[:_LOOKED_AT]
    first = split(head).lines + 1
    scanned = scan(head, first)
    length = end = 0
    for line, kind in list(zip(scanned.lines, scanned.kinds, strict=True))[:-1]:  # the last one is cut
        if length > LENGTH and end:
            break
        length += len(line) + 1
        if kind is Kind.BLANK and length > LENGTH // 4:
            end = length
    beginning = head[:end] if "\r" not in head else ""
    return "" if _CONTENTS.search(beginning) else beginning
