"""The system's light and dark are followed at once, on whatever is in view, and nothing keeps a colour of before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QStyleHints
from PySide6.QtWidgets import QApplication

from app.style.theme import DARK, LIGHT, Theme
from tests.e2e.surfaces import SURFACES
from tests.e2e.test_surfaces import close_popups

GROUNDS = ("page", "panel", "field", "accent_soft", "hover", "selection", "code", "output", "mark", "bad_soft", "pill")
STROKES = ("dim", "accent", "line")
RUN = 6  # pixels beside each other that are no accident of smoothed letters
FEW = 4  # pixels of a stroke's colour that may be, in every third row


def test_every_surface_turns_at_once(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways, while it is open: no ground and no stroke of the other theme is left anywhere."""
    run.window.deferred.view_commands.choose_theme("system")
    left = []
    for where in SURFACES:
        SURFACES[where](run)
        assert "panel" in stale(run.window.grab().toImage(), DARK, LIGHT)  # what is light now would be noticed
        for scheme, new, old in ((Qt.ColorScheme.Dark, DARK, LIGHT), (Qt.ColorScheme.Light, LIGHT, DARK)):
            monkeypatch.setattr(QStyleHints, "colorScheme", lambda _, scheme=scheme: scheme)
            QApplication.styleHints().colorSchemeChanged.emit(scheme)
            QApplication.processEvents()
            assert run.look.theme.dark is new.dark
            shown = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
            found = {type(one).__name__: stale(one.grab().toImage(), new, old) for one in shown}
            left += [f"{where}, dark {new.dark}: {name} {kept}" for name, kept in found.items() if kept]
        close_popups()
        for window in QApplication.topLevelWidgets():
            if window is not run.window and window.isVisible():
                window.close()
        if run.window.central.editing:
            run.window.central.toggle_editor()
    assert left == []


def stale(picture: QImage, new: Theme, old: Theme) -> dict[str, int]:
    """Return the old theme's colours that are still in a picture, by their roles, each with a number of pixels."""
    now = {value for value in vars(new).values() if isinstance(value, str)} | set(new.ansi)
    made = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(bytes(made.constBits()), np.uint32).reshape(made.height(), -1)[::3, : made.width()]
    found = {}
    for name in (*GROUNDS, *STROKES):
        if (colour := getattr(old, name)) not in now:
            same = pixels == 0xFF000000 | int(colour[1:], 16)
            if name in GROUNDS:
                same = np.logical_and.reduce([same[:, at : same.shape[1] - RUN + at] for at in range(RUN)])
            found[name] = int(same.sum())
    return {name: count for name, count in found.items() if count > (0 if name in GROUNDS else FEW)}
