"""Classifies the lines of a note: prose, code, comment. Only this module decides where a fence ends.

It follows CommonMark and, where notes commonly differ from it, their authors: fences may be indented in lists and
stand in quotes. The time is linear in the length of any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from kb.lazy_regex import expression
from kb.markdown.line_syntax import HTML_BEGIN, MARKER, FenceOpening, columns, fence_opening

_ITEM = expression(rf"[ \t]*+{MARKER}(?:[ \t]|$)|!!!")  # or an admonition, which is indented like an item
_TICKS = expression(r"`++")
_CODE_INDENT = 4  # columns


class LineKind(Enum):
    """The kind of a line."""

    PROSE = "prose"
    BLANK = "blank"
    FENCE = "fence"  # a line that opens or closes one
    CODE = "code"  # inside a fence, or indented
    HTML = "html"  # a comment, or code written in HTML
    META = "meta"  # front matter


@dataclass(frozen=True)
class RawFence:
    """A fence as written: its 0-based lines and how it opens. `closed`: its closing line was found."""

    first: int
    last: int
    opening: FenceOpening
    closed: bool


@dataclass(frozen=True)
class Scan:
    """The lines of a text without their ends, their kinds, and the fences in order."""

    lines: list[str]
    kinds: list[LineKind]
    fences: list[RawFence]


def split_lines(text: str) -> list[str]:
    r"""Return the lines without their ends; only "\n", "\r\n" and "\r" end a line, as in CommonMark and in Qt."""
    # Three passes in C: on a note of 50 MB a regular expression would block every other thread for a second.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def scan(text: str, first_line: int = 1) -> Scan:
    """Return the lines of a note with their kinds. Lines before `first_line` (1-based) are front matter."""
    lines = split_lines(text)
    reader = LineReader(lines, [LineKind.META] * min(first_line - 1, len(lines)))
    while len(reader.kinds) < len(lines):
        reader.step()
    return Scan(lines, reader.kinds, reader.fences)


@dataclass
class LineReader:
    """Reads lines block by block. `kinds` and `fences` hold what was read so far."""

    lines: list[str]
    kinds: list[LineKind]
    fences: list[RawFence] = field(default_factory=list)
    in_list: bool = False

    def step(self) -> None:
        """Read one block: a line, a whole fence or a whole piece of HTML."""
        line = self.lines[len(self.kinds)]
        if not line or line.isspace():
            self.kinds.append(LineKind.BLANK)
        elif ("`" in line or "~" in line) and (opened := self._opening(line)) is not None:
            self._fence(opened)
        elif "<" in line and (html := HTML_BEGIN.match(line)) is not None:
            self._html(html)
        elif self._indented(line):
            self.kinds.append(LineKind.CODE)
        else:
            self._prose(line)

    def _prose(self, line: str) -> None:
        if _ITEM.match(line):
            self.in_list = True
        elif line[0] not in " \t" and (self._after_blank() or line[0] == "#"):
            self.in_list = False
        self.kinds.append(LineKind.PROSE)

    def _after_blank(self) -> bool:
        return not self.kinds or self.kinds[-1] is not LineKind.PROSE

    def _indented(self, line: str) -> bool:
        if line[0] not in " \t" or self.in_list or columns(line) < _CODE_INDENT:
            return False
        return self._after_blank()

    def _opening(self, line: str) -> FenceOpening | None:
        opened = fence_opening(line)
        if opened is None:
            return None
        deep = opened.inset >= _CODE_INDENT and not opened.quote
        return None if deep and not self.in_list and self._after_blank() else opened

    def _fence(self, opened: FenceOpening) -> None:
        first = len(self.kinds)
        last = first + 1
        closing = opened.closing
        closed = False
        while last < len(self.lines) and not closed:
            if opened.quote and not self.lines[last].lstrip().startswith(">"):
                break
            closed = closing.fullmatch(self.lines[last]) is not None
            last += 1
        if not closed and last - first > 1 and last == len(self.lines) and not self.lines[-1]:
            last -= 1  # the text after the last line end is no line
        inside = last - first - 1 - closed
        self.kinds += [LineKind.FENCE] + [LineKind.CODE] * inside + [LineKind.FENCE] * closed
        if opened.item:
            self.in_list = True
        elif not opened.indent:
            self.in_list = False
        self.fences.append(RawFence(first, last - 1, opened, closed))

    def _html(self, opened: re.Match[str]) -> None:
        ending = "-->" if opened["comment"] else f"</{opened['tag'].lower()}>"
        start = opened.end()
        first = last = len(self.kinds)
        while last < len(self.lines) and ending not in self.lines[last][start:].lower():
            start = 0
            last += 1
        self.kinds += [LineKind.HTML] * (min(last + 1, len(self.lines)) - first)


def without_code(prose: str) -> str:
    """Replace inline code by spaces, so that every other character keeps its place."""
    if "`" not in prose:
        return prose
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(prose)]
    following: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[index][1] - runs[index][0], []).append(index)
    parts: list[str] = []
    place = index = 0
    while index < len(runs):
        start, end = runs[index]
        same = following[end - start]
        while same and same[-1] <= index:
            same.pop()
        escaped = start > 0 and prose[start - 1] == "\\"
        if same and not escaped:
            index = same.pop()
            parts += [prose[place:start], re.sub(r"[^\n]", " ", prose[start : runs[index][1]])]
            place = runs[index][1]
        index += 1
    return "".join([*parts, prose[place:]])
