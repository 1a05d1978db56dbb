"""Icons: drawn in the colour asked for, sharp on every screen."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.style.icons import _STROKES, icon


@pytest.mark.parametrize("name", _STROKES)
def test_an_icon_has_its_colour(qtbot: QtBot, name: str) -> None:
    """Every pixel that is more than half covered has the colour of the stroke, but for rounding; and there are some."""
    image, wanted = icon(name, "#c92a2a").pixmap(16).toImage(), QColor("#c92a2a")
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    drawn = [one for one in pixels if one.alpha() > 128]
    assert drawn
    assert all(abs(one.red() - wanted.red()) < 4 and abs(one.green() - wanted.green()) < 4 for one in drawn)


def test_an_icon_has_a_picture_for_each_scale(qtbot: QtBot) -> None:
    """On a screen with two or three pixels a point no picture is enlarged."""
    assert sorted(size.width() for size in icon("menu", "#000000").availableSizes()) == [16, 32, 48]
