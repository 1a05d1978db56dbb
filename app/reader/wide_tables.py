"""Tables that have no room in half a page: where two languages stand side by side, these stand one under the other."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from kb.lazy_regex import expression

_HALF = 384.0  # pixels at zoom 1 of half a page in a window of the usual width
_MANY, _LINES = 4, 2.2  # columns from which a table is to have the room of so many lines of half a page
_PADDING, _AIR = 22.0, 12.0  # pixels of a cell, left and right together, and what of it may be taken
_LATIN, _CHINESE, _IMAGE = 8.0, 15.0, 48.0  # pixels of a letter, and of a formula
_TOGETHER = 4  # letters of Chinese that are kept together, as when columns are measured
_MOST_ROWS = 40  # that are looked at
_NESTING = expression(r"<(/?)(table|blockquote|div|ul|ol|dl)\b[^>]*>")
_CELL = expression(r"<t[dh]\b[^>]*>")
_TAG = expression(r"<[^>]*>")
_HAN = expression(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+")
_BETWEEN = expression(r"[\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+")  # words


class SpanStep(NamedTuple):
    """A part of what two languages say: side by side or, where it `spans`, one under the other."""

    spans: bool
    sides: tuple[str, str]


def steps(left: str, right: str) -> Sequence[SpanStep]:
    """Return the HTML of two languages in parts, so that tables too wide for half a page stand by themselves.

    Where the languages have not as many tables, nobody can tell which belong together, and they stay as they are.
    """
    if "<table" not in left or "<table" not in right:
        return (SpanStep(spans=False, sides=(left, right)),)
    ours, theirs = _apart(left), _apart(right)
    if len(ours) != len(theirs):
        return (SpanStep(spans=False, sides=(left, right)),)
    found: list[SpanStep] = []
    for number, sides in enumerate(zip(ours, theirs, strict=True)):
        spans = number % 2 == 1 and any(map(_is_wide, sides))
        if found and not spans and not found[-1].spans:
            before = found.pop().sides
            found.append(SpanStep(spans=False, sides=(before[0] + sides[0], before[1] + sides[1])))
        elif spans or any(side.strip() for side in sides):
            found.append(SpanStep(spans, sides))
    return found


def _apart(markup: str) -> list[str]:
    """Return text and tables in turn; a callout, and a table within a list or a quotation, is part of the text."""
    parts, depth, begun, begins = list[str](), 0, 0, -1
    for tag in _NESTING.finditer(markup):
        depth += -1 if tag[1] else 1
        if depth == 1 and not tag[1] and tag[2] == "table" and "admonition" not in tag[0]:
            begins = tag.start()
        elif depth == 0 and begins >= 0:
            parts += [markup[begun:begins], markup[begins : tag.end()]]
            begun, begins = tag.end(), -1
    return [*parts, markup[begun:]]


def _is_wide(table: str) -> bool:
    """Tell whether words of a table would have to be broken in half a page, or its lines into very many."""
    rows = (_CELL.split(row)[1:] for row in table.split("<tr", _MOST_ROWS + 1)[1 : _MOST_ROWS + 1])
    widths = [(column, *_measured(cell.partition("</t")[0])) for row in rows for column, cell in enumerate(row)]
    count = max((column for column, _, _ in widths), default=-1) + 1
    least, most = [0.0] * count, [0.0] * count
    for column, word, line in widths:
        least[column], most[column] = max(least[column], word + _PADDING), max(most[column], line + _PADDING)
    return sum(least) - (count - 1) * _AIR > _HALF or (count >= _MANY and sum(most) > _LINES * _HALF)


def _measured(cell: str) -> tuple[float, float]:
    """Return about how wide a cell's longest word is, and all of it in one line, in pixels at zoom 1."""
    text, pictures = cell, cell.count("<img")
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    chinese = [len(run) for run in _HAN.findall(text)]
    letters = max(map(len, _BETWEEN.split(text)))
    word = max(letters * _LATIN, min(_TOGETHER, max(chinese, default=0)) * _CHINESE, _IMAGE if pictures else 0.0)
    return word, len(text) * _LATIN + sum(chinese) * (_CHINESE - _LATIN) + pictures * _IMAGE
