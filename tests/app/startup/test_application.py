"""The application: its entry on the desktop, its icon, and input methods for Chinese."""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo
from PySide6.QtGui import QIcon, QImage
from PySide6.QtWidgets import QApplication

import torchleaf
from app.startup.application import mended, plugin_names

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


WHEEL = ("libcomposeplatforminputcontextplugin.so", "libibusplatforminputcontextplugin.so")


@pytest.mark.parametrize(
    ("environment", "set_to"),
    [
        ({}, {}),
        ({"QT_IM_MODULE": "fcitx"}, {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "fcitx5", "WAYLAND_DISPLAY": "wayland-0"}, {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "ibus", "XMODIFIERS": "@im=fcitx"}, {}),
        ({"QT_IM_MODULE": "compose", "XMODIFIERS": "@im=fcitx"}, {}),
        ({"XMODIFIERS": "@im=fcitx"}, {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "xim", "XMODIFIERS": "@im=ibus"}, {"QT_IM_MODULE": "ibus"}),
        ({"XMODIFIERS": "@im=none"}, {}),
        ({"XMODIFIERS": "@im=fcitx", "WAYLAND_DISPLAY": "wayland-0"}, {}),
        ({"QT_IM_MODULES": "wayland;fcitx"}, {"QT_IM_MODULES": "wayland;fcitx;ibus"}),
        ({"QT_IM_MODULES": "wayland;fcitx;ibus", "QT_IM_MODULE": "fcitx"}, {}),
    ],
)
def test_fcitx_is_reached_through_ibus(environment: dict[str, str], set_to: dict[str, str]) -> None:
    """Only where it is set and its own plugin is missing."""
    assert mended(environment, WHEEL) == set_to
    assert mended(environment, (*WHEEL, "libfcitx5platforminputcontextplugin.so")) == {}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="input methods of other systems need no plugin")
def test_the_plugins_are_those_of_the_folders(tmp_path: Path) -> None:
    """A folder without any has none; the Qt that is installed here has that of ibus on Linux."""
    (tmp_path / "platforminputcontexts").mkdir()
    (tmp_path / "platforminputcontexts" / "libfcitx.so").touch()
    assert plugin_names([str(tmp_path), str(tmp_path / "missing")]) == ("libfcitx.so",)
    installed = plugin_names([QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)])
    assert any("ibus" in name for name in installed)
