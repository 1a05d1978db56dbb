"""The popup over the window: bordered in the colours of the theme, and the page below it is not repainted for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app.style.appearance import Appearance
from app.widgets.popup_frame import PopupFrame


class Page(QWidget):
    """A page that counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt names it
        self.painted += 1
        super().paintEvent(event)


@pytest.fixture
def sheet(look: Appearance, qtbot: QtBot) -> Iterator[PopupFrame]:
    """Return a popup over a page, in the theme of `look`."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(Page())
    window.resize(800, 600)
    window.show()
    made = PopupFrame(window)
    made.setGeometry(100, 100, 400, 300)
    made.show()
    qtbot.waitUntil(lambda: page_under(made).painted > 0)
    QApplication.processEvents()
    yield made
    window.close()


def page_under(sheet: PopupFrame) -> Page:
    """Return the page."""
    return cast("Page", cast("QMainWindow", sheet.window()).centralWidget())


def test_what_changes_on_the_sheet_does_not_paint_the_page_again(sheet: PopupFrame) -> None:
    """Repainting the page is expensive; a popup that is not opaque would cause it."""
    page, before = page_under(sheet), page_under(sheet).painted
    sheet.update()
    QApplication.processEvents()
    assert page.painted == before
    page.update(QRect(200, 200, 10, 10))
    QApplication.processEvents()
    assert page.painted == before, "what the popup covers is not painted"
    page.update(QRect(0, 0, 10, 10))
    QApplication.processEvents()
    assert page.painted == before + 1


def test_hidden_it_leaves_nothing(sheet: PopupFrame) -> None:
    """Where it was, the page is visible again."""
    bare = sheet.window().grab().toImage().pixelColor(20, 580)
    sheet.hide()
    QApplication.processEvents()
    assert sheet.window().grab().toImage().pixelColor(300, 200) == bare


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_its_edge_is_one_line_at_any_scale(sheet: PopupFrame, look: Appearance, scale: float) -> None:
    """The border is at the very edge, and within it is nothing but the ground."""
    theme = look.theme
    image = QImage(round(sheet.width() * scale), round(sheet.height() * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    sheet.render(image)
    middle, right, bottom = (image.width() // 2, image.height() // 2), image.width() - 1, image.height() - 1
    for x, y in ((0, middle[1]), (right, middle[1]), (middle[0], 0), (middle[0], bottom)):
        assert image.pixelColor(x, y).name() == theme.popup_line
    inside = round(2 * scale)
    for x, y in ((inside, middle[1]), (right - inside, middle[1]), (middle[0], inside), (middle[0], bottom - inside)):
        assert image.pixelColor(x, y).name() == theme.field
