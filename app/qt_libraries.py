"""Checks whether Qt can be loaded on this machine, and which system libraries it lacks. Does not import Qt."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from snippets.errors import Sentence
from snippets.process.connection import run_to_end
from snippets.process.system_packages import apt_line
from snippets.project_metadata import project
from torchleaf import INSTALLED

_TABLE = Path(__file__).with_name("system_libraries.txt")  # also read by scripts/setup
_SECONDS = 60.0  # on a cold network disk
_MODULES = ("QtNetwork", "QtPrintSupport", "QtSvg", "QtWidgets")  # imported by the window, with QtCore and QtGui
# Like Qt: import the modules, then load the first platform plugin that can be loaded.
_LOADING = f"""
import ctypes, sys
import {", ".join(f"PySide6.{module}" for module in _MODULES)}
errors = []
for file in sys.argv[1:]:
    try:
        ctypes.CDLL(file)
    except OSError as error:
        errors.append(error)
    else:
        break
else:
    if errors:
        raise errors[0]
"""
_NOT_FOUND = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
_NOT_OPENED = re.compile(r"(\S+\.so[.\d]*): cannot open shared object file")


@dataclass(frozen=True)
class Trouble:
    """Why Qt cannot be loaded, and how to fix that."""

    said: Sentence
    mend: Sentence


def trouble() -> Trouble | None:
    """Load Qt in another process as the window does; return None if that works. Raises RunnerFailed."""
    folder = _folder()
    if folder is None:
        return Trouble(Sentence("PySide6 is not installed", "没有安装 PySide6"), _by_installing())
    plugins = platform_plugins(os.environ)
    tried = run_to_end([sys.executable, "-c", _LOADING, *map(str, plugins)], environment=os.environ, timeout=_SECONDS)
    if tried.exit_code == 0:
        return None
    said = tried.error or (tried.stderr.strip().splitlines() or [f"exit code {tried.exit_code}"])[-1]
    missing = _missing(folder, plugins) or tuple(dict.fromkeys(_NOT_OPENED.findall(said)))
    if not missing:
        return Trouble(Sentence(f"PySide6 cannot be loaded: {said}", f"无法加载 PySide6：{said}"), _by_installing())
    en, zh = ", ".join(missing), "、".join(missing)
    return Trouble(Sentence(f"Qt needs {en}, not found here", f"Qt 需要 {zh}，本机没有"), _by_packages(missing))


def platform_plugins(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the platform plugins that Qt would load in a session, in the order it tries them."""
    if not sys.platform.startswith("linux") or (folder := _folder()) is None:
        return ()
    if asked := environment.get("QT_QPA_PLATFORM"):
        names = [one.partition(":")[0] for one in asked.split(";")]
    else:
        on_wayland = bool(environment.get("WAYLAND_DISPLAY")) or environment.get("XDG_SESSION_TYPE") == "wayland"
        names = ["wayland"] * on_wayland + ["xcb"] * (bool(environment.get("DISPLAY")) or not on_wayland)
    files = (folder / "Qt" / "plugins" / "platforms" / f"libq{_stem(name)}.so" for name in names)
    return tuple(file for file in files if file.is_file())


def _stem(name: str) -> str:
    return "wayland" if name.startswith("wayland") else name


def _folder() -> Path | None:
    """Return the folder of PySide6 without importing it, which may fail."""
    found = importlib.util.find_spec("PySide6")
    return Path(found.origin).parent if found is not None and found.origin is not None else None


def _missing(folder: Path, plugins: Iterable[Path]) -> tuple[str, ...]:
    """Return the sonames of all missing libraries, by `ldd`; the dynamic loader reports only the first."""
    if not sys.platform.startswith("linux"):
        return ()
    files = [*(file for module in _MODULES for file in sorted(folder.glob(f"{module}.*.so"))), *plugins]
    told = run_to_end(["ldd", *map(str, files)], environment=os.environ, timeout=_SECONDS)
    return tuple(dict.fromkeys(_NOT_FOUND.findall(told.stdout)))


def packages() -> dict[str, str]:
    """Return the Debian package of each library by soname."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if line.strip() and not line.startswith("#"))


def _by_packages(missing: Iterable[str]) -> Sentence:
    known = packages()
    line = apt_line(*dict.fromkeys(known[name] for name in missing if name in known))
    if line is not None and set(missing) <= known.keys():
        return Sentence(line, line)
    return Sentence(
        "Install the packages of your system that hold these libraries", "请用系统的包管理器安装含有这些库的软件包"
    )


def _by_installing() -> Sentence:
    line = "make setup"
    if INSTALLED:
        pip = f"{sys.executable} -m pip install" if _has_pip() else f"uv pip install --python {sys.executable}"
        line = " ".join((pip, *(project().requirement(name) for name in ("PySide6-Essentials", "spylls"))))
    return Sentence(line, line)


def _has_pip() -> bool:
    """Return whether this Python has pip; environments made by uv do not."""
    return importlib.util.find_spec("pip") is not None
