"""Chinese can be typed although Qt has no plugin for the input method that is set."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo

from app.startup.application import mended, plugin_names

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
