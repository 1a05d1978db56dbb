"""The pane next to the source shows the preview or a difference, and hides without both."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.editor.side_pane import SidePane
from app.i18n import Translator
from app.style.theme import DARK, LIGHT


def test_a_difference_goes_before_the_preview(qtbot: QtBot) -> None:
    """While it is shown the preview waits, and closing it emits a signal once."""
    preview = QLabel("page")
    pane = SidePane(Translator("en"), LIGHT, preview)
    qtbot.addWidget(pane)
    pane.want_preview(on=True)
    assert pane.isVisible()
    pane.compare("old\n", "new\n")
    assert pane.comparing
    assert "-old\n+new" in pane.difference.lines.toPlainText()
    pane.set_theme(DARK)
    assert "-old\n+new" in pane.difference.lines.toPlainText()
    with qtbot.waitSignal(pane.closed):
        pane.difference.close_button.click()
    assert not pane.comparing
    assert pane.currentWidget() is preview
    with qtbot.assertNotEmitted(pane.closed):
        pane.hide_difference()


def test_without_a_preview_only_a_difference_is_shown(qtbot: QtBot) -> None:
    """Asking for the preview shows nothing; equal versions say that there is no difference."""
    words = Translator("en")
    pane = SidePane(words, LIGHT, None)
    qtbot.addWidget(pane)
    pane.want_preview(on=True)
    assert not pane.isVisible()
    pane.compare("same", "same")
    assert pane.isVisible()
    assert pane.difference.lines.toPlainText() == ""
    assert "No difference" in pane.difference.lines.placeholderText()
    words.switch("zh")
    assert "没有差异" in pane.difference.lines.placeholderText()
    pane.hide_difference()
    assert not pane.isVisible()
