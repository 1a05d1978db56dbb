"""What a line begins with, made another: the level of a heading, the box of a task."""

from __future__ import annotations

from app.editor.task_toggle import sign_of
from kb.lazy_regex import expression

_HEADING = expression(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_ITEM = expression(r"(?P<lead>[ \t>]*)(?P<item>(?:[-+*]|\d{1,9}[.)])[ \t]+)?")


def headed(line: str, level: int) -> str:
    """Return a line as a heading of a level from 1; one that is such a heading is plain text again."""
    found = _HEADING.match(line)
    bare = line[found.end() :] if found else line.lstrip()
    if found and found[0].count("#") == level:
        return bare
    return f"{'#' * level} {bare}"


def tasked(line: str) -> str:
    """Return a task ticked, or open again; an item with a box; any other line as an item with a box."""
    if (sign := sign_of(line)) is not None:
        return f"{line[:sign]}{'x' if line[sign] == ' ' else ' '}{line[sign + 1 :]}"
    found = _ITEM.match(line)
    lead, item = (found["lead"], found["item"] or "- ") if found else ("", "- ")
    return f"{lead}{item}[ ] {line[found.end() if found else 0 :]}"
