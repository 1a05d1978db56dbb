"""Tests of a bar's one line: what yields to a narrow box, and in which order."""

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


def test_what_matters_least_goes_first(formats: Formats) -> None:
    """From a wide box to a narrow one go the times, the words of the state, the side actions, then the name."""
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


def test_a_name_is_cut_before_it_goes(formats: Formats) -> None:
    """With less room than the name takes, its beginning is there."""
    cut = [text for width in range(60, 900) for text in said(fitted(LEFT, RIGHT, width, formats)) if "…" in text]
    assert cut
    assert all(text.startswith("sca") for text in cut)


@pytest.mark.parametrize("zoom", [0.5, 1.0, 2.0])
def test_both_ends_fit_in_the_box(qtbot: QtBot, zoom: float) -> None:
    """What is said on the right has room beside the cell of what is said on the left."""
    formats = Formats(LIGHT, zoom)
    for width in range(round(220 * zoom), round(900 * zoom)):
        bar = fitted(LEFT, RIGHT, width, formats)
        right = sum(formats.advance(piece.text.replace(" ", "\u00a0"), piece.tone) for piece in bar.right)
        assert bar.split + right <= width
