"""Colours of the window, light and dark, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Every colour of the interface by its role; text on its ground keeps a contrast of at least 4.5 to 1."""

    dark: bool
    page: str  # the reader's and editor's ground
    panel: str  # side panels, bars
    field: str  # inputs, menus, popups
    ink: str  # text
    dim: str  # secondary text
    line: str  # hairlines and borders
    accent: str
    on_accent: str  # text on accent
    accent_soft: str  # selection, current row
    code: str  # ground of code
    output: str  # ground of a snippet's output
    mark: str  # ground of a found word
    good: str
    warn: str
    bad: str


LIGHT = Theme(
    dark=False,
    page="#fbfbfc",
    panel="#f2f3f5",
    field="#ffffff",
    ink="#1c2024",
    dim="#626973",
    line="#dfe2e6",
    accent="#3b5bdb",
    on_accent="#ffffff",
    accent_soft="#e7ebfd",
    code="#f4f5f7",
    output="#ffffff",
    mark="#fff0b8",
    good="#26803a",
    warn="#97620b",
    bad="#c92a2a",
)
DARK = Theme(
    dark=True,
    page="#16181b",
    panel="#1d2024",
    field="#24282d",
    ink="#e4e7eb",
    dim="#9aa3ad",
    line="#30353b",
    accent="#8aa0ff",
    on_accent="#11151c",
    accent_soft="#262d4a",
    code="#1e2126",
    output="#191c1f",
    mark="#5a4a12",
    good="#69d083",
    warn="#ecc04a",
    bad="#ff8787",
)
