"""What a section contains besides words: pictures, tables, formulas, tasks, links, code, and runnable code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.notes.note import Note

ASIDE = "aside"  # the note only lists what other notes explain
RUN = "runs:"  # prefix of what can be run: a linked snippet's name, or PATH#ID of a block
MEANT = "device:"  # prefix of the kind of device that a block is meant for
_INLINE = re.compile(r"`([^`\n]+)`")
# Possessive quantifiers, because a line may have a hundred thousand spaces.
_TABLE = re.compile(r"(?m)^[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++\|?[ \t]*+$")
_TASK = re.compile(r"(?m)^[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++\[[ xX]\] ")
_MATH = re.compile(r"\$\$|(?<![\w\\$])\$(?=[^\s$])[^$\n]{0,400}[^\s$\\]\$(?![\w$])|\\[(\[]")
_LINKED = {"wiki": "link", "note": "link", "web": "link", "image": "image", "snippet": "snippet"}


def facets(note: Note) -> Iterator[list[str]]:
    """Yield, for each section, the facets of its links and code blocks."""
    found = sorted((*_of_links(note), *_of_fences(note)))
    at = 0
    for section in note.sections:
        held: dict[str, None] = {ASIDE: None} if note.meta.aside else {}
        while at < len(found) and found[at][0] <= section.end_line:
            held[found[at][1]] = None
            at += 1
        yield list(held)


def looks(prose: str) -> Iterator[str]:
    """Yield the facets found in the Markdown prose of a section."""
    if "|" in prose and "-" in prose and _TABLE.search(prose):
        yield "table"
    if ("[ ] " in prose or "[x] " in prose or "[X] " in prose) and _TASK.search(prose):
        yield "task"
    if ("$" in prose or "\\" in prose) and _MATH.search(_INLINE.sub(" ", prose) if "`" in prose else prose):
        yield "math"
    if "<img" in prose:
        yield "image"


def _of_links(note: Note) -> Iterator[tuple[int, str]]:
    for link in note.links:
        if link.kind in _LINKED:
            yield link.line, _LINKED[link.kind]
        if link.kind == "snippet":
            yield link.line, f"{RUN}{link.target}"


def _of_fences(note: Note) -> Iterator[tuple[int, str]]:
    for fence in note.fences:
        yield fence.line, "math" if fence.lang == "math" else "code"
        if fence.runnable:
            yield fence.line, "snippet"
            yield fence.line, f"{RUN}{note.path}#{fence.id}"
            for device in fence.options.get("device", "").split(","):
                if device.strip():
                    yield fence.line, f"{MEANT}{device.strip().lower()}"
