r"""One line of terminal output as styled text: colours, \r, backspace and erasing; other controls become visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from kb.lazy_regex import expression

Colour = int | str | None  # 0 to 15 of the theme's palette, "#rrggbb", or None for the default


@dataclass(frozen=True)
class Style:
    """The style of a piece of output."""

    foreground: Colour = None
    background: Colour = None
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False


@dataclass(frozen=True)
class StyledRun:
    """A piece of a line in one style."""

    text: str
    style: Style


PLAIN = Style()
_ESCAPE = expression(
    r"\x1b\[(?P<csi>[0-?]*)[ -/]*(?P<verb>[@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # titles, hyperlinks and the like: ended by BEL or ST
    r"|\x1b(?:[ -/]*[0-~])?"
)
_MOVES = expression(r"[\r\x08]|\x1b\[[0-?]*[KCDG]")
_SWITCHES: dict[int, dict[str, bool | None]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    22: {"bold": False, "faint": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
    39: {"foreground": None},
    49: {"background": None},
}
_TAB_CODE = 9
_DIRECTION = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
# Qt uses U+FDD0, U+FDD1 and U+FFFC for frames and pictures of a document.
_RESERVED = [*range(0x80, 0xA0), 0xFDD0, 0xFDD1, 0xFFFC]
_VISIBLE: dict[int, str] = (
    {code: chr(0x2400 + code) for code in range(0x20) if code != _TAB_CODE}
    | {0x7F: "\u2421", 0x2028: "\u2424", 0x2029: "\u2424"}
    | dict.fromkeys(_RESERVED, "\ufffd")
    | {code: f"\u2039U+{code:04X}\u203a" for code in _DIRECTION}
)
_ODD = expression(
    "[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0\ufdd1\ufffc\ud800-\udfff]"
)
_TAB = 8  # columns
_DIGITS = 9  # longer numbers count as 0
# Codes of "select graphic rendition" (ECMA-48, 8.3.117): the first of eight colours, and of eight brighter ones.
_COLOURS = {30: ("foreground", 0), 90: ("foreground", 8), 40: ("background", 0), 100: ("background", 8)}
_EXTENDED = {38: "foreground", 48: "background"}
_BY_INDEX, _BY_PARTS, _PARTS = 5, 2, 3
_BASIC_COLOURS, _FIRST_GREY = 16, 232


def visible(text: str) -> str:
    """Return the text with control and direction characters replaced by visible signs."""
    if not _ODD.search(text):
        return text
    return re.sub("[\ud800-\udfff]", "\ufffd", text).translate(_VISIBLE)


def read_line(raw: str, style: Style = PLAIN) -> tuple[StyledRun, ...]:
    """Return the line as a terminal shows it; `style` applies at its start."""
    if "\t" in raw:
        raw = raw.expandtabs(_TAB)
    if _MOVES.search(raw):
        return _joined(_overwritten(raw, style))
    runs = [StyledRun(visible(text), style) for text, style in _pieces(raw, style) if text]
    return tuple(runs)


def style_after(raw: str, style: Style) -> Style:
    """Return the style that applies after the line."""
    if "\x1b" not in raw:
        return style
    for match in _ESCAPE.finditer(raw):
        if match["verb"] == "m":
            style = _styled(style, match["csi"])
    return style


def _pieces(raw: str, style: Style) -> Iterator[tuple[str, Style]]:
    start = 0
    for match in _ESCAPE.finditer(raw):
        yield raw[start : match.start()], style
        start = match.end()
        if match["verb"] == "m":
            style = _styled(style, match["csi"])
    yield raw[start:], style


def _overwritten(raw: str, style: Style) -> list[tuple[str, Style]]:
    """Replay a line that moves the cursor on a row of character cells."""
    cells: list[tuple[str, Style]] = []
    column = start = 0
    for match in re.finditer(f"{_ESCAPE.pattern}|[\\r\\x08]", raw):
        column = _write(cells, column, raw[start : match.start()], style)
        start = match.end()
        if match["verb"] == "m":
            style = _styled(style, match["csi"])
        else:
            column = _moved(cells, column, match)
    _write(cells, column, raw[start:], style)
    return cells


def _write(cells: list[tuple[str, Style]], column: int, text: str, style: Style) -> int:
    if column > len(cells):
        cells.extend([(" ", PLAIN)] * (column - len(cells)))
    cells[column : column + len(text)] = [(letter, style) for letter in text]
    return column + len(text)


def _moved(cells: list[tuple[str, Style]], column: int, match: re.Match[str]) -> int:
    verb, count = match["verb"], _numbers(match["csi"] or "")[0]
    if match[0] == "\r":
        return 0
    if match[0] == "\b" or verb == "D":
        return max(0, column - max(1, count))
    if verb == "C":
        return min(column + max(1, count), len(cells) + 200)  # a cursor sent to column 10^9 must cost nothing
    if verb == "G":
        return min(max(0, count - 1), len(cells))
    if verb == "K":
        _erase(cells, column, count)
    return column


def _erase(cells: list[tuple[str, Style]], column: int, what: int) -> None:
    if what == 0:
        del cells[column:]
    else:
        end = column + 1 if what == 1 else len(cells)
        cells[:end] = [(" ", PLAIN)] * min(end, len(cells))


def _joined(cells: list[tuple[str, Style]]) -> tuple[StyledRun, ...]:
    while cells and cells[-1] == (" ", PLAIN):
        cells.pop()
    return tuple(
        StyledRun(visible("".join(letter for letter, _ in group)), style)
        for style, group in groupby(cells, key=lambda cell: cell[1])
    )


def _numbers(parameters: str) -> list[int]:
    return [int(part) if part.isdecimal() and len(part) <= _DIGITS else 0 for part in re.split("[;:]", parameters)]


@lru_cache(256)
def _styled(style: Style, parameters: str) -> Style:
    codes = _numbers(parameters)
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = PLAIN
        elif code in _SWITCHES:
            style = replace(style, **_SWITCHES[code])  # type: ignore[arg-type]  # each switch names its own fields
        elif code in _EXTENDED:
            style = replace(style, **{_EXTENDED[code]: _extended(codes)})  # type: ignore[arg-type]  # as above
        else:
            style = _basic(style, code)
    return style


def _basic(style: Style, code: int) -> Style:
    for first, (side, offset) in _COLOURS.items():
        if first <= code < first + 8:
            return replace(style, **{side: code - first + offset})  # type: ignore[arg-type]  # as above
    return style


def _extended(codes: list[int]) -> Colour:
    """Remove a colour, one of 256 or red, green and blue, from the front of the codes and return it."""
    kind = codes.pop(0) if codes else 0
    if kind == _BY_INDEX and codes:
        return _of_256(codes.pop(0))
    if kind == _BY_PARTS and len(codes) >= _PARTS:
        red, green, blue = (min(255, codes.pop(0)) for _ in range(_PARTS))
        return f"#{red:02x}{green:02x}{blue:02x}"
    codes.clear()
    return None


def _of_256(index: int) -> Colour:
    if index < _BASIC_COLOURS:
        return index
    if index >= _FIRST_GREY:
        grey = min(255, 8 + 10 * (index - _FIRST_GREY))
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    steps = (0, 95, 135, 175, 215, 255)
    red, rest = divmod(index - _BASIC_COLOURS, 36)
    green, blue = divmod(rest, 6)
    return f"#{steps[red]:02x}{steps[green]:02x}{steps[blue]:02x}"
