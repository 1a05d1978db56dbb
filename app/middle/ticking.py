"""Tasks that are ticked in the reader: one character of the file, and only if the file is still what was shown."""

from __future__ import annotations

import re

from kb.lines import split_lines

_TASK = re.compile(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+\[(?P<sign>[ xX])\](?=[ \t])")


def ticked(text: str, line: int, *, done: bool) -> str | None:
    """Return the text with the box of the task at a line (from 1) ticked or empty; None where there is no such task.

    Nothing but that one character differs; line ends stay what they are.
    """
    lines = split_lines(text)
    task = _TASK.match(lines[line - 1]) if 0 < line <= len(lines) else None
    if task is None:
        return None
    at = _offset(text, line) + task.start("sign")
    return f"{text[:at]}{'x' if done else ' '}{text[at + 1 :]}"


def _offset(text: str, line: int) -> int:
    """Return where a line begins."""
    ends = re.finditer(r"\r\n|\n|\r", text)
    at = 0
    for _ in range(line - 1):
        at = next(ends).end()
    return at
