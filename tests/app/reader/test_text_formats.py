"""Tests of formats and of the HTML of boxes."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.reader.ansi import PLAIN, Style
from app.reader.text_formats import LABEL, Formats, code_box, mixed, pair_row, readable, span_rows
from app.style.theme import DARK, LIGHT, Theme, contrast


@pytest.mark.parametrize(("share", "colour"), [(0, "#102030"), (1, "#304050"), (0.5, "#203040")])
def test_mixed_colours(share: float, colour: str) -> None:
    """The share is that of the second colour."""
    assert mixed("#102030", "#304050", share) == colour


@pytest.mark.parametrize("background", ["#000000", "#ffffff", "#808080", "#ff0000"])
@pytest.mark.parametrize("text", ["#000000", "#ffffff", "#7f7f7f", "#00ff00"])
def test_readable_colours(text: str, background: str) -> None:
    """Contrast is sufficient, and a colour that has it already is not changed."""
    assert contrast(readable(text, background), background) >= 4.5
    if contrast(text, background) >= 4.5:
        assert readable(text, background) == text


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_inverse_output(qtbot: QtBot, theme: Theme) -> None:
    """Inverse text has the text's colour as its background."""
    formats = Formats(theme, 1.0)
    plain, inverse = formats.styled(PLAIN, "stdout"), formats.styled(Style(inverse=True), "stdout")
    assert inverse.background().color() == plain.foreground().color()
    assert inverse.foreground().color() != plain.foreground().color()


def test_formats_are_cached_and_scaled(qtbot: QtBot) -> None:
    """The same style is the same format; sizes follow the zoom, down to one pixel."""
    formats = Formats(LIGHT, 2.0)
    assert formats.styled(PLAIN, "stdout") is formats.styled(Style(), "stdout")
    assert formats.styled(PLAIN, "stdout").font().pixelSize() == 26
    assert (formats.px(3), Formats(LIGHT, 0.1).px(1)) == (6, 1)


@pytest.mark.parametrize(("label", "marked", "cells"), [("", False, 2), ("", True, 3), ("bash", False, 3)])
def test_a_box_of_code(label: str, marked: bool, cells: int) -> None:  # noqa: FBT001
    """The copy button is right of the code, or above it if there is a label or a line is marked across the box."""
    begin, end = code_box(label, "copy", "x:1", marked=marked)
    html = f"{begin}code{end}"
    assert html.count("<td") == html.count("</td>") == cells
    assert (html.index("x:1") < html.index("code<")) == (cells == 3)
    assert html.count(f'title="{LABEL}"') == cells - 1


def test_rows_of_two_languages() -> None:
    """Side by side they share a row, one below the other each spans both columns."""
    assert pair_row(["a", "b"], "top").count("<tr>") == 1
    assert span_rows(["a", "b"], "top").count('<tr><td colspan="2"') == 2
