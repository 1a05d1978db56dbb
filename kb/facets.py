"""What a section holds besides words: pictures, tables, formulas, tasks, links, code, and what of it can be run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.note import Note

RUN = "runs:"  # before the name of what can be run: that of a linked snippet, or PATH#ID of a block
MEANT = "device:"  # before the kind of device that a block says it is for
_FENCE_MARK = re.compile(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^`\n]*$")
_INLINE = re.compile(r"`([^`\n]+)`")
_TABLE = re.compile(r"(?m)^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
_TASK = re.compile(r"(?m)^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]")
_MATH = re.compile(r"\$\$|(?<![\w\\$])\$(?=[^\s$])[^$\n]{0,400}[^\s$\\]\$(?![\w$])|\\[(\[]")
_LINKED = {"wiki": "link", "note": "link", "web": "link", "image": "image", "snippet": "snippet"}


def facets(note: Note) -> Iterator[list[str]]:
    """Yield, section by section, what the links and blocks of a note make it hold."""
    found = sorted((*_of_links(note), *_of_fences(note)))
    at = 0
    for section in note.sections:
        held: dict[str, None] = {}
        while at < len(found) and found[at][0] <= section.end_line:
            held[found[at][1]] = None
            at += 1
        yield list(held)


def looks(section: str) -> Iterator[str]:
    """Yield what the text of a section shows it to hold."""
    if "|" in section and _TABLE.search(section):
        yield "table"
    if "[" in section and _TASK.search(section):
        yield "task"
    if ("$" in section or "\\" in section) and _MATH.search(_prose(section)):
        yield "math"
    if "<img" in section:
        yield "image"


def _prose(section: str) -> str:
    return _INLINE.sub(" ", "\n".join(_FENCE_MARK.split(section)[::2])) if "`" in section else section


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
