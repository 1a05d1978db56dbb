"""The colours of the window, light and dark, and its fonts."""

from __future__ import annotations

from dataclasses import dataclass

SANS = (
    "'Noto Sans', 'Inter', 'Segoe UI', 'SF Pro Text', "  # Latin fonts before Chinese ones
    "'Noto Sans CJK SC', 'Microsoft YaHei UI', 'PingFang SC', sans-serif"
)
MONO = "'JetBrains Mono', 'DejaVu Sans Mono', Consolas, Menlo, 'Noto Sans Mono CJK SC', monospace"
_LINEAR = 0.04045  # below it sRGB is proportional to light


@dataclass(frozen=True)
class Theme:
    """Every colour by its role, and the fonts of notes; text has a contrast of at least 4.5 to 1 to its background."""

    dark: bool
    page: str  # background of reader and editor
    panel: str  # side panels, bars
    field: str  # inputs, menus, popups
    ink: str  # text
    head: str  # headings
    dim: str  # secondary text
    line: str  # hairlines and borders
    popup_line: str  # border of popups, which have no shadow
    hover: str  # background of what is under the pointer
    selection: str  # background of selected text
    accent: str
    underline: str  # of links: visible, but lighter than their words
    on_accent: str  # text on accent
    accent_soft: str  # selection, current row
    code: str  # background of code
    output: str  # background of a snippet's output
    mark: str  # background of a found word
    good: str
    warn: str
    bad: str
    on_bad: str  # text on bad
    bad_soft: str  # background of a failing line
    pill: str  # background of code within a sentence
    error_stream: str  # standard error of a run
    keyword: str
    string: str
    number: str
    function: str
    decorator: str
    ansi: tuple[str, ...]  # a terminal's sixteen colours, readable on `output`
    prose_font: str = SANS  # families as in a style sheet
    code_font: str = MONO


LIGHT = Theme(
    dark=False,
    page="#fbfbfc",
    panel="#f2f3f5",
    field="#ffffff",
    ink="#1c2024",
    head="#1c2024",
    dim="#5e656f",
    line="#dfe2e6",
    popup_line="#b4bac2",
    hover="#e9ebee",
    selection="#c8d3fa",
    accent="#3b5bdb",
    underline="#6f86e4",
    on_accent="#ffffff",
    accent_soft="#e7ebfd",
    code="#f4f5f7",
    output="#ffffff",
    mark="#fff0b8",
    good="#217534",
    warn="#8f5c08",
    bad="#c92a2a",
    on_bad="#ffffff",
    bad_soft="#fdeaea",
    pill="#edeff2",
    error_stream="#8a4b1f",
    keyword="#6741d9",
    string="#2a6e3f",
    number="#0b6f82",
    function="#1f55c2",
    decorator="#8a5a0a",
    ansi=(
        *("#1c2024", "#c92a2a", "#237a36", "#8a5a00", "#3b5bdb", "#9c36b5", "#0b7285", "#626973"),
        *("#626973", "#b01e28", "#1f7433", "#7a5200", "#2f4bc7", "#862e9c", "#0a6577", "#1c2024"),
    ),
)
DARK = Theme(
    dark=True,
    page="#16181b",
    panel="#1d2024",
    field="#24282d",
    ink="#bdc3cb",  # not white: light letters look heavier than dark ones of the same font
    head="#e0e4ea",
    dim="#9aa3ad",
    line="#30353b",
    popup_line="#4b525b",
    hover="#2a2f36",
    selection="#3a4678",
    accent="#8aa0ff",
    underline="#5c6aa4",
    on_accent="#11151c",
    accent_soft="#262d4a",
    code="#1e2126",
    output="#191c1f",
    mark="#42370f",
    good="#69d083",
    warn="#ecc04a",
    bad="#ff8787",
    on_bad="#11151c",
    bad_soft="#3b2226",
    pill="#24282d",
    error_stream="#e3b18c",
    keyword="#b39dfc",
    string="#8fdca3",
    number="#66d9e8",
    function="#91b0ff",
    decorator="#ecc04a",
    ansi=(
        *("#9aa3ad", "#ff8787", "#69d083", "#ecc04a", "#8aa0ff", "#da8cf0", "#5fd3e0", "#ced4da"),
        *("#9aa3ad", "#ffa8a8", "#8ce99a", "#ffe066", "#a9b9ff", "#e6a9f7", "#8be4ee", "#f8f9fa"),
    ),
)


def contrast(text: str, ground: str) -> float:
    """Return the contrast of two "#rrggbb" colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    low, high = sorted((_luminance(text), _luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= _LINEAR else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
