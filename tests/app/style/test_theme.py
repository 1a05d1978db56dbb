"""Colours and style sheets: all text has enough contrast."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from app.reader.backdrop import EDGES, TINT
from app.reader.text_formats import mixed
from app.style.stylesheets import document_sheet, families, widget_sheet
from app.style.theme import DARK, LIGHT, Theme, contrast

ENOUGH = 4.5  # WCAG 2.2 AA
GROUNDS = {
    "ink": ("page", "panel", "field", "code", "output", "pill", "mark", "accent_soft", "bad_soft"),
    "head": ("page", "code", "mark"),
    "dim": ("page", "panel", "field", "code", "output", "accent_soft"),
    "accent": ("page", "panel", "field", "code", "output", "accent_soft"),
    "on_accent": ("accent",),
    "on_bad": ("bad",),
    "good": ("page", "panel", "code", "output"),
    "warn": ("page", "panel", "code", "output"),
    "bad": ("page", "panel", "code", "output"),
    "error_stream": ("output",),
    "keyword": ("code", "bad_soft"),
    "string": ("code", "bad_soft"),
    "number": ("code", "bad_soft"),
    "function": ("code", "bad_soft"),
    "decorator": ("code", "bad_soft"),
}
PAIRS = [(text, ground) for text, grounds in GROUNDS.items() for ground in grounds]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_contrast(theme: Theme, text: str, ground: str) -> None:
    """Every text colour has at least 4.5 to 1 on each of its backgrounds."""
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= ENOUGH


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_terminal_colours(theme: Theme) -> None:
    """A terminal's sixteen colours are readable on the background of output."""
    assert len(theme.ansi) == 16
    assert [colour for colour in theme.ansi if contrast(colour, theme.output) < ENOUGH] == []


def test_contrast_of_black_and_white() -> None:
    """The contrast is that of WCAG: black on white is 21, a colour on itself 1."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("zoom", [0.1, 1.0, 3.0])
def test_document_sheet_is_sound(qtbot: QtBot, theme: Theme, zoom: float) -> None:
    """The sheet has no empty size and only colours of the theme, and Qt accepts it without a warning."""
    sheet = document_sheet(theme, zoom)
    assert re.findall(r"font-size: (?:0|-)", sheet) == []
    known = {value for value in vars(theme).values() if isinstance(value, str)}
    assert set(re.findall(r"#[0-9a-f]{6}\b", sheet)) <= known
    document = QTextDocument()
    document.setDefaultStyleSheet(sheet)
    document.setHtml('<h1>x</h1><p>y <code>z</code></p><pre><span class="k">import</span></pre>')
    assert "import" in document.toPlainText()


def test_widget_sheets_differ_in_colours_alone() -> None:
    """Light and dark are one sheet in two sets of colours."""
    light, dark = (
        re.sub(r"#[0-9a-f]{6}\b|(?<=-)(?:light|dark)(?=\.svg)", "#", widget_sheet(theme)) for theme in (LIGHT, DARK)
    )
    assert light == dark


def test_families() -> None:
    """The font list of a sheet becomes the names that QFont takes."""
    assert families("'Noto Sans', monospace") == ["Noto Sans", "monospace"]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_under_links(theme: Theme) -> None:
    """They are visible by themselves (WCAG 2.2, 1.4.11), and lighter than the words above."""
    for ground in ("page", "code", "output"):
        assert 3.0 <= contrast(theme.underline, getattr(theme, ground)) < contrast(theme.accent, getattr(theme, ground))


def test_light_letters_are_not_the_brightest() -> None:
    """They look heavier than dark ones of the same font, so they are further from white than those from black."""
    assert ENOUGH * 2 < contrast(DARK.ink, DARK.page) < contrast(LIGHT.ink, LIGHT.page) - 4
    assert contrast(DARK.head, DARK.page) > contrast(DARK.ink, DARK.page)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_callouts(theme: Theme) -> None:
    """Each kind has a background of its own, on which title, text, links and underlines have enough contrast."""
    grounds = {kind: mixed(theme.page, getattr(theme, edge), TINT) for kind, edge in EDGES.items()}
    assert len(set(grounds.values())) == len(grounds)
    for kind, ground in grounds.items():
        for text in (EDGES[kind], "ink", "dim", "accent", "head"):
            assert contrast(getattr(theme, text), ground) >= ENOUGH, (kind, text)
        assert contrast(theme.underline, ground) >= 2.9
