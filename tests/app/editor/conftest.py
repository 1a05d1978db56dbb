"""The editor under test: in a window, its source field, or its autosave alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.editor.source_editor import SourceEditor
from app.style.theme import LIGHT
from tests.app.editor.desktop import Desktop
from tests.app.editor.screen_host import Screen


@pytest.fixture
def editor(store: Any, qtbot: QtBot) -> Iterator[Desktop]:
    """Give an editor in a window."""
    made = Desktop(store, qtbot)
    yield made
    made.pane.shut_down()


@pytest.fixture
def screen(store: Any, qtbot: QtBot) -> Iterator[Screen]:
    """Give a text with its autosave."""
    made = Screen(store)
    yield made
    made.saver.stop()


@pytest.fixture
def source(qtbot: QtBot) -> Iterator[SourceEditor]:
    """Give a source field on a screen, ready for keys."""
    made = SourceEditor(LIGHT)
    qtbot.addWidget(made)
    made.resize(900, 700)
    with qtbot.waitExposed(made):
        made.show()
    made.setFocus()
    yield made
    made.stop()
