"""The lines of a fence that its author wants to be seen: `{2,4-6}` or `hl_lines="2 4-6"` behind the language."""

from __future__ import annotations

import re

MOST = 2_000  # lines
_BRACED = re.compile(r"\{\s*([\d\s,-]+)\}")
_NAMED = re.compile(r"""\bhl_lines=(?:"([\d\s,-]+)"|'([\d\s,-]+)'|([\d,-]+))""")
_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def marked_lines(info: str) -> tuple[int, ...]:
    """Give the lines, from 1, that the info string of a fence names."""
    found = _NAMED.search(info) or _BRACED.search(info)
    said = next((group for group in found.groups() if group), "") if found else ""
    lines: set[int] = set()
    for span in _SPAN.finditer(said):
        first, last = int(span[1]), int(span[2] or span[1])
        lines.update(range(max(1, first), min(last, first + MOST) + 1))
    return tuple(sorted(lines)[:MOST])
