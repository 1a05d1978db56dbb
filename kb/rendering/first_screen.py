"""The beginning of a long note, which is shown while the rest is rendered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from kb.lazy_regex import expression
from kb.markdown.line_syntax import CONTENTS_MARK
from kb.markdown.lines import LineKind, scan
from kb.markdown.sections import Section, heading_tests, sections
from kb.notes.note import Note

LONG = 16_000  # characters; a shorter note is rendered at once
LENGTH = 5_000  # characters of a beginning, more than a screen shows
_LEAST = LENGTH // 4
_READ = 50_000  # characters that are searched for a place first
_MOST = 0.85  # of the note; a longer beginning saves no time
_CONTENTS = expression(rf"^[ \t>]*{CONTENTS_MARK}[ \t]*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class _Head:
    """The beginning of a text: its length, and the places (indices) and levels of its headings."""

    length: int
    places: Sequence[int]
    levels: Sequence[int]


def beginnings(notes: Sequence[Note], lines: Sequence[int] = ()) -> tuple[str, ...]:
    """Return the beginning of a note in each of its languages, up to a blank line between blocks or a heading.

    They reach a screen beyond `lines` (1-based, one for each language) and all end below the same heading. The result
    is empty if the beginnings contain a table of contents, which would grow and push down the text that is being
    read, and if the note is short or nearly ends there.
    """
    if all(len(note.text) < LONG for note in notes):
        return ()
    starts = [_start(note.text, line) for note, line in zip(notes, lines or [1] * len(notes), strict=True)]
    heads = [_head(note, start) for note, start in zip(notes, starts, strict=True)]
    ends = [head.length for head in heads] if len(heads) == 1 else _in_step(heads)
    enough = (end >= min(start + _LEAST, len(note.text)) for note, start, end in zip(notes, starts, ends, strict=True))
    if not all(enough) or sum(ends) > _MOST * sum(len(note.text) for note in notes):
        return ()
    found = tuple(note.text[:end] for note, end in zip(notes, ends, strict=True))
    return () if any("\r" in text or _CONTENTS.search(text) for text in found) else found


def reached(notes: Sequence[Note], at: int, *, anchor: str = "", line: int = 0, whole: bool = False) -> tuple[int, ...]:
    """Return the line, in each language, of the heading with an anchor or of the section with a line of language `at`.

    With `whole` it is the last line of the section. The result is empty if there is no such heading.
    """
    size = _READ if len(notes) == 1 else max(len(note.text) for note in notes)
    while size < len(notes[0].text):  # a part of the note is enough for a place near its beginning
        *known, last = sections(notes[0].text[:size], notes[0].meta.lines + 1)  # the last one may continue
        if line < last.line and (found := _lines([known], at, anchor, line, whole=whole)):
            return found
        size *= 4
    if any(len(note.sections) != len(notes[0].sections) for note in notes):
        return ()
    return _lines([note.sections for note in notes], at, anchor, line, whole=whole)


def _lines(known: Sequence[Sequence[Section]], at: int, anchor: str, line: int, *, whole: bool) -> tuple[int, ...]:
    number = _numbered(known, anchor) if anchor else max(0, sum(one.line <= line for one in known[at]) - 1)
    if number is None or not known[at]:
        return ()
    places = [sides[number].end_line if whole else sides[number].line for sides in known]
    places[at] = max(places[at], 0 if anchor else line)
    return tuple(places)


def _numbered(known: Sequence[Sequence[Section]], anchor: str) -> int | None:
    """Return the index of the section that an anchor means, None if there is none."""
    headed = [(number, one) for each in known for number, one in enumerate(each) if one.level]
    tests = heading_tests(anchor)
    return next((number for test in tests for number, one in headed if test(one.anchor, one.heading)), None)


def _start(text: str, line: int) -> int:
    """Return the index at which a line begins, the length of the text if there is no such line."""
    place = 0
    for _ in range(line - 1):
        place = text.find("\n", place) + 1
        if not place:
            return len(text)
    return place


def _head(note: Note, start: int) -> _Head:
    """Return the beginning of a note that reaches a screen beyond an index."""
    first = note.meta.lines + 1
    text = note.text[: start + 2 * LENGTH]
    scanned = scan(text, first)
    levels = {one.line: one.level for one in sections(text, first, scanned=scanned) if one.level}
    heads: list[tuple[int, int]] = []
    length = end = 0
    last = len(scanned.lines) - (len(text) < len(note.text))  # the last line may be incomplete
    for number, (line, kind) in enumerate(zip(scanned.lines[:last], scanned.kinds, strict=False), 1):
        if level := levels.get(number):
            heads.append((length, level))
            end = length if length > start + _LEAST else end
        if length > start + LENGTH and end:
            break
        length += len(line) + 1
        if kind is LineKind.BLANK and length > start + _LEAST:
            end = length
    else:
        end = len(text) if text == note.text else end
    found = [(place, level) for place, level in heads if place < end]
    return _Head(end, [place for place, _ in found], [level for _, level in found])


def _in_step(heads: Sequence[_Head]) -> list[int]:
    """Return the ends of beginnings with the same headings, so that the languages show the same sections."""
    levels = zip(*(head.levels for head in heads), strict=False)
    same = sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, levels))
    return [head.places[same] if same < len(head.places) else head.length for head in heads]
