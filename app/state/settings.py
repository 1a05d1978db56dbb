"""What the program remembers from one start to the next: JSON files in the user's data folder.

A broken file is set aside under another name and the defaults are taken; unknown keys and values of the wrong kind
are passed over one by one, so that a file of an older or newer version still gives what it can.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from kb.files.atomic import replace_file

NAME = "炬页 Torchleaf"
THEMES = ("system", "light", "dark")
LANGUAGES = ("system", "zh", "en")
MODES = ("zh", "en", "both")
SPELLINGS = ("off", "english", "all")  # which notes have the English words marked that no dictionary knows


@dataclass(frozen=True)
class Preferences:
    """What holds for every vault."""

    language: str = dataclasses.field(default="system", metadata={"one_of": LANGUAGES})
    theme: str = dataclasses.field(default="system", metadata={"one_of": THEMES})
    vault: str = ""  # the folder open at the last close; empty for the user's own
    vaults: tuple[str, ...] = ()  # folders that were opened, the newest first
    text_font: str = ""  # empty for the one that suits the system
    code_font: str = ""
    spelling: str = dataclasses.field(default="english", metadata={"one_of": SPELLINGS})
    shortcuts: tuple[str, ...] = ()  # "command=keys", several keys with spaces between, for those that were changed

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The keys of commands that were given others, by name."""
        pairs = (line.partition("=") for line in self.shortcuts)
        return {name: tuple(keys.split()) for name, _, keys in pairs}


@dataclass(frozen=True)
class VaultState:
    """How one vault was left: notes, place, layout and choices. Geometry and layout are Qt's own, in base64."""

    tabs: tuple[str, ...] = ()
    note: str = ""
    anchor: str = ""
    recent: tuple[str, ...] = ()
    mode: str = dataclasses.field(default="both", metadata={"one_of": MODES})
    device: str = "cpu"
    python: str = ""
    geometry: str = ""
    layout: str = ""
    tree_shown: bool = True
    outline_shown: bool = True
    isolated: bool = True
    zoom: str = "100"


Form = TypeVar("Form", Preferences, VaultState)


@dataclass(frozen=True)
class LoadedSettings(Generic[Form]):
    """What a file held; `set_aside` is where a broken one was kept."""

    value: Form
    set_aside: Path | None = None


def load(path: Path, form: type[Form]) -> LoadedSettings[Form]:
    """Read a settings file; a missing one gives the defaults, a broken one is set aside and gives them too."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return LoadedSettings(form())
    except (OSError, ValueError, RecursionError):
        return LoadedSettings(form(), _set_aside(path))
    if not isinstance(document, dict):
        return LoadedSettings(form(), _set_aside(path))
    return LoadedSettings(form(**_sound(document, form)))


def peek(path: Path, form: type[Form]) -> Form:
    """Read a settings file and leave it as it is, whatever it is; what cannot be read is the default."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return form()
    return form(**_sound(document, form)) if isinstance(document, dict) else form()


def store(path: Path, value: Preferences | VaultState) -> None:
    """Write a settings file whole or not at all. Raises SaveFailed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(path, json.dumps(dataclasses.asdict(value), ensure_ascii=False, indent=1).encode())


def _sound(document: Mapping[str, Any], form: type[Preferences | VaultState]) -> dict[str, Any]:
    sound: dict[str, Any] = {}
    for field in dataclasses.fields(form):
        value = document.get(field.name)
        if isinstance(field.default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                sound[field.name] = tuple(value)
        elif type(value) is type(field.default) and value in field.metadata.get("one_of", (value,)):
            sound[field.name] = value
    return sound


def _set_aside(path: Path) -> Path | None:
    aside = path.with_name(path.name + ".broken")
    try:
        path.replace(aside)
    except OSError:
        return None
    return aside
