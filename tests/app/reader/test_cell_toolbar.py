"""Tests of a cell's bar in one line: which pieces yield in a narrow cell, and in which order."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.reader.cell_text import NAME, TonedText
from app.reader.cell_view import Bar, fitted
from app.reader.text_formats import Formats
from app.style.theme import LIGHT

LEFT = (
    TonedText("▶ Run", "button", "run"),
    TonedText("cpu ▾", "ink", "device"),
    TonedText("edit", "ink", "edit", yields=3),
)
RIGHT = (
    TonedText("scatter_add_by_row", yields=NAME),
    TonedText("✓ as recorded", "good", yields=2, brief="✓"),
    TonedText("38 ms", yields=1),
)


@pytest.fixture
def formats(qtbot: QtBot) -> Formats:
    """Give the formats of the light theme."""
    return Formats(LIGHT, 1.0)


def said(bar: Bar) -> list[str]:
    return [piece.text for piece in (*bar.left, *bar.right)]


def test_the_least_important_piece_yields_first(formats: Formats) -> None:
    """With decreasing width the times yield, then the words of the status, the side actions, and the name."""
    seen: list[list[str]] = []
    for width in range(900, 60, -1):
        now = said(fitted(LEFT, RIGHT, width, formats))
        if not any("…" in text for text in now) and now not in seen:
            seen.append(now)
    button, name = ["▶ Run", "cpu ▾"], "scatter_add_by_row"
    assert seen == [
        [*button, "edit", name, "✓ as recorded", "38 ms"],
        [*button, "edit", name, "✓ as recorded"],
        [*button, "edit", name, "✓"],
        [*button, name, "✓"],
        [*button, "✓"],
    ]


def test_a_name_is_elided_before_it_is_left_out(formats: Formats) -> None:
    """With less space than the name takes, its beginning is shown."""
    cut = [text for width in range(60, 900) for text in said(fitted(LEFT, RIGHT, width, formats)) if "…" in text]
    assert cut
    assert all(text.startswith("sca") for text in cut)


@pytest.mark.parametrize("zoom", [0.5, 1.0, 2.0])
def test_both_ends_fit_in_the_box(qtbot: QtBot, zoom: float) -> None:
    """The right end fits next to the table cell of the left end."""
    formats = Formats(LIGHT, zoom)
    for width in range(round(220 * zoom), round(900 * zoom)):
        bar = fitted(LEFT, RIGHT, width, formats)
        right = sum(formats.advance(piece.text.replace(" ", "\u00a0"), piece.tone) for piece in bar.right)
        assert bar.split + right <= width
