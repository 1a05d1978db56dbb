"""Which input method Qt is to load: where it has no plugin for the one that is set, another that reaches the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

_FCITX = re.compile(r"fcitx5?|fcitx4", re.IGNORECASE)
_FOLDER = "platforminputcontexts"


def plugin_names(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the files that Qt looks for input methods in, given its folders of plugins."""
    return tuple(file.name for folder in folders for file in sorted(Path(folder, _FOLDER).glob("*")))


def mended(environment: Mapping[str, str], plugins: Iterable[str]) -> dict[str, str]:
    """Return the variables to be set before Qt starts, so that Chinese can be typed under fcitx on Linux.

    Qt as it is installed from wheels has a plugin for ibus and none for fcitx, which answers to that of ibus as well.
    A session that talks to its compositor instead, and one whose plugin is there, is left alone.
    """
    if any("fcitx" in name.lower() for name in plugins):
        return {}
    if several := environment.get("QT_IM_MODULES", ""):  # tried one after the other, before QT_IM_MODULE
        names = several.split(";")
        lacks = any(map(_FCITX.fullmatch, names)) and "ibus" not in names
        return {"QT_IM_MODULES": ";".join([*names, "ibus"])} if lacks else {}
    chosen = environment.get("QT_IM_MODULE", "")
    if _FCITX.fullmatch(chosen):
        return {"QT_IM_MODULE": "ibus"}
    if chosen not in ("", "xim") or (not chosen and environment.get("WAYLAND_DISPLAY")):
        return {}
    said = environment.get("XMODIFIERS", "").partition("@im=")[2]
    return {"QT_IM_MODULE": "ibus"} if _FCITX.fullmatch(said) or said == "ibus" else {}
