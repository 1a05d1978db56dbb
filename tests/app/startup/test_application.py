"""What the application says of itself to the desktop."""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QIcon, QImage
from PySide6.QtWidgets import QApplication

import torchleaf

SIZES = (16, 22, 32, 48, 256)
PROGRAM = """
import json
from app.startup.application import _application
application = _application()
print(json.dumps([application.desktopFileName(), application.windowIcon().isNull()]))
"""


def test_the_window_and_its_entry_in_the_menu_are_one() -> None:
    """Both bear the same icon, and a taskbar finds the entry by the name that the application gives."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=torchleaf.HOME, capture_output=True, check=True)
    name, without_icon = json.loads(done.stdout)
    assert not without_icon
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(torchleaf.HOME / "torchleaf" / f"{name}.desktop", encoding="utf-8")
    assert {entry["Desktop Entry"][key] for key in ("Exec", "Icon", "StartupWMClass")} == {name}


def test_the_icon_is_drawn_at_every_size(qapp: QApplication) -> None:
    """A page with a leaf on it; the corners are transparent."""
    icon = QIcon(str(Path(torchleaf.HOME, "app", "style", "torchleaf.svg")))
    for size in SIZES:
        image: QImage = icon.pixmap(size, size).toImage()
        assert (image.width(), image.height()) == (size, size)
        assert image.pixelColor(0, 0).alpha() == 0
        assert image.pixelColor(size * 3 // 16, size // 2).name() == "#3b5bdb"
        assert image.pixelColor(size // 2, size * 7 // 16).name() == "#ffb547"
