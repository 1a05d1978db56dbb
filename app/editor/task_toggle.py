"""Tasks that are ticked where they are shown: one character of the text, and only if it is still what was shown."""

from __future__ import annotations

import re

from kb.lazy_regex import expression
from kb.markdown.lines import split_lines

_TASK = expression(r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+\[(?P<sign>[ xX])\](?=[ \t])")


def ticked(text: str, line: int, *, done: bool) -> str | None:
    """Return the text with the box of the task at a line (from 1) ticked or empty; None where there is no such task.

    Nothing but that one character differs; line ends stay what they are.
    """
    lines = split_lines(text)
    sign = sign_of(lines[line - 1]) if 0 < line <= len(lines) else None
    if sign is None:
        return None
    at = _offset(text, line) + sign
    return f"{text[:at]}{'x' if done else ' '}{text[at + 1 :]}"


def sign_of(line: str) -> int | None:
    """Return where in its line the sign in the box of a task stands; None where it is no task."""
    task = _TASK.match(line)
    return task.start("sign") if task else None


def _offset(text: str, line: int) -> int:
    """Return where a line begins."""
    ends = re.finditer(r"\r\n|\n|\r", text)
    at = 0
    for _ in range(line - 1):
        at = next(ends).end()
    return at
