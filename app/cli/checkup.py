"""What this machine has and lacks for the program, and the command that mends it. Needs no Qt, imports no torch."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kb.places import Places, make_private
from snippets.devices import devices
from snippets.interpreters import probe, running
from snippets.isolation import isolation
from snippets.mounts import network_kind

_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_CHINESE_FONTS = ("cjk", "sourcehan", "wqy", "droidsansfallback", "uming", "ukai", "lxgw", "simsun", "msyh", "pingfang")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `needed` says whether the program lacks something essential without it."""

    name: str
    ok: bool
    detail: str
    mend: str | None = None
    needed: bool = True


def check_up(places: Places) -> tuple[Finding, ...]:
    """Look at everything; nothing is changed but empty user folders made."""
    checks: tuple[Callable[[], Finding], ...] = (
        _python, _window, _display, _font, lambda: _folders(places), lambda: _disk(places),
        _torch, _devices, _isolation,
    )  # fmt: skip
    return tuple(check() for check in checks)


def _python() -> Finding:
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    mend = None if fits else "Install Python 3.11, 3.12 or 3.13 and run: make setup PYTHON=python3.12"
    return Finding("Python", fits, f"{platform.python_version()} at {sys.executable}", mend)


def _window() -> Finding:
    try:
        version = importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        return Finding("window", ok=False, detail="PySide6 is not installed", mend="pip install 'torchleaf[gui]'")
    return Finding("window", ok=True, detail=f"PySide6 {version}")


def _display() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("display", ok=True, detail=platform.system())
    names = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
    found = next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), None)
    mend = None if found else "Start from a desktop session, or set DISPLAY; every command but gui works without"
    return Finding("display", found is not None, found or "there is none", mend, needed=False)


def _font() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("Chinese font", ok=True, detail="part of the system")
    for folder in _FONT_FOLDERS:
        for file in Path(folder).expanduser().rglob("*.[to]t[cf]"):
            if any(name in file.name.lower().replace("-", "") for name in _CHINESE_FONTS):
                return Finding("Chinese font", ok=True, detail=file.name)
    mend = "sudo apt-get install fonts-noto-cjk"
    return Finding("Chinese font", ok=False, detail="none was found", mend=mend, needed=False)


def _folders(places: Places) -> Finding:
    for folder in (places.data, places.cache):
        try:
            make_private(folder)
        except OSError as error:
            mend = f"Make {folder} writable, or set TORCHLEAF_HOME to a folder that is"
            return Finding("folders", ok=False, detail=f"{folder}: {error.strerror}", mend=mend)
        if not os.access(folder, os.W_OK):
            return Finding("folders", ok=False, detail=f"{folder} is read-only", mend=f"chmod u+w {folder}")
    return Finding("folders", ok=True, detail=f"{places.data}, {places.cache}")


def _disk(places: Places) -> Finding:
    """Say where data lies on a disk that other machines share: all works there, but slower and with less certainty."""
    kinds = {folder: network_kind(folder) for folder in (places.data, places.cache)}
    shared = ", ".join(f"{folder} is on {kind}" for folder, kind in kinds.items() if kind)
    if not shared:
        return Finding("disk", ok=True, detail="of this machine")
    mend = "Set TORCHLEAF_HOME to a folder on a disk of this machine; notes may stay where they are"
    return Finding("disk", ok=False, detail=f"{shared}, shared with other machines", mend=mend, needed=False)


def _torch() -> Finding:
    found = probe(running())
    if found.torch is None:
        mend = f"{found.path} -m pip install torch==2.13.0"
        return Finding("torch", ok=False, detail="not installed; snippets that need it cannot run", mend=mend)
    builds = ", ".join(found.builds) or "the CPU only"
    return Finding("torch", ok=True, detail=f"{found.torch}, built for {builds}")


def _devices() -> Finding:
    known = devices()
    usable = ", ".join(f"{device.id} ({device.name})" for device in known if device.available)
    reasons = "; ".join(f"{device.id}: {device.reason}" for device in known if not device.available)
    return Finding("devices", ok=True, detail=usable + (f"; {reasons}" if reasons else ""))


def _isolation() -> Finding:
    found = isolation()
    mend = None if found.available else found.reason_en
    detail = "bubblewrap works" if found.available else "runs cannot be isolated"
    return Finding("isolation", found.available, detail, mend, needed=False)
