"""Whether Qt can be loaded, and what is said where it cannot."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import PySide6
import pytest

from app import qt_libraries
from app.qt_libraries import packages, platform_plugins, trouble
from snippets.process.connection import run_to_end

FOLDER = Path(PySide6.__file__).parent
PLATFORMS = FOLDER / "Qt" / "plugins" / "platforms"
# The loader, the C and C++ libraries, what apt itself needs, and what belongs to PySide6.
EVERYWHERE = (
    "ld-linux",
    "libc.",
    "libm.",
    "libdl.",
    "libpthread.",
    "librt.",
    "libresolv.",
    "libgcc_s.",
    "libstdc++.",
    "libz.",
    "libzstd.",
    "libshiboken6.",
    "libpyside6.",
)
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the libraries of Linux")


def test_here_it_can_be_loaded() -> None:
    """As the window of these tests is."""
    assert trouble() is None


@LINUX
@pytest.mark.parametrize(
    ("environment", "names"),
    [
        ({}, ["xcb"]),
        ({"DISPLAY": ":0"}, ["xcb"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["wayland"]),
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, ["wayland", "xcb"]),
        ({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, ["offscreen"]),
        ({"QT_QPA_PLATFORM": "wayland-egl;xcb:name=value"}, ["wayland", "xcb"]),
        ({"QT_QPA_PLATFORM": "no-such"}, []),
    ],
)
def test_the_plugins_that_a_session_uses(environment: dict[str, str], names: list[str]) -> None:
    """In the order in which Qt tries them, each of them there."""
    assert platform_plugins(environment) == tuple(PLATFORMS / f"libq{name}.so" for name in names)


@LINUX
def test_the_table_names_what_qt_takes_from_the_system() -> None:
    """No library more and none less, of the modules and of both platforms, but what any Debian has."""
    if shutil.which("objdump") is None:
        pytest.skip("there is no objdump")
    plugins = PLATFORMS.parent
    waiting = [
        *(FOLDER / f"{name}.abi3.so" for name in ("QtNetwork", "QtPrintSupport", "QtSvg", "QtWidgets")),
        *(PLATFORMS / f"libq{name}.so" for name in ("xcb", "wayland")),
        *plugins.glob("xcbglintegrations/*.so"),
        *plugins.glob("wayland-graphics-integration-client/*.so"),
    ]
    own = {file.name: file for file in (FOLDER / "Qt" / "lib").iterdir()}
    seen: set[Path] = set()
    found: set[str] = set()
    while waiting:
        seen |= set(waiting)
        told = run_to_end(["objdump", "-p", *map(str, waiting)], environment=os.environ, timeout=60)
        assert told.exit_code == 0, told.stderr
        needed = set(re.findall(r"NEEDED\s+(\S+)", told.stdout))
        found |= needed - own.keys()
        waiting = [own[name] for name in needed & own.keys() if own[name] not in seen]
    assert {name for name in found if not name.startswith(EVERYWHERE)} == packages().keys()


@LINUX
@pytest.mark.parametrize("apt", [True, False])
def test_what_is_missing_is_named_with_its_packages(
    *, apt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it in one line, for a platform that cannot be loaded; where there is no apt-get the libraries alone."""
    lacking = tmp_path / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    lacking.parent.mkdir(parents=True)
    data = (PLATFORMS / "libqxcb.so").read_bytes()
    for name in (b"libxcb-cursor.so.0\0", b"libxcb-icccm.so.4\0"):  # these there are, so they are called otherwise
        assert name in data
        data = data.replace(name, name.replace(b"libxcb", b"lib000"))
    lacking.write_bytes(data)
    (tmp_path / "Qt" / "lib").symlink_to(FOLDER / "Qt" / "lib")
    renamed = {
        name.replace("libxcb-c", "lib000-c").replace("libxcb-i", "lib000-i"): held for name, held in packages().items()
    }
    monkeypatch.setattr(qt_libraries, "packages", lambda: renamed)
    monkeypatch.setattr(qt_libraries, "platform_plugins", lambda _: (lacking,))
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/apt-get" if apt else None)
    found = trouble()
    assert found is not None
    for said in found.said:
        assert "lib000-cursor.so.0" in said
        assert "lib000-icccm.so.4" in said
    line = "apt-get install libxcb-cursor0 libxcb-icccm4"
    assert found.mend.en.removeprefix("sudo ") == line if apt else "apt" not in found.mend.en


@pytest.mark.parametrize("installed", [True, False])
def test_what_installs_pyside(*, installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a checkout its own set-up, else the pinned package; never this program's name, which no index has."""
    monkeypatch.setitem(sys.modules, "PySide6", None)
    monkeypatch.setattr(qt_libraries, "INSTALLED", installed)
    found = trouble()
    assert found is not None
    assert found.said.en == "PySide6 is not installed"
    pip = f"{sys.executable} -m pip install PySide6-Essentials==6."
    assert found.mend.en.startswith(pip if installed else "make setup")


def test_any_other_trouble_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is there and does not fit is no missing package."""
    monkeypatch.setattr(qt_libraries, "_LOADING", "raise ImportError('version `GLIBC_2.39` not found')")
    found = trouble()
    assert found is not None
    assert "GLIBC_2.39" in found.said.en
    assert "apt-get" not in found.mend.en
