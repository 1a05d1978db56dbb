"""What the program remembers from one start to the next: JSON files in the user's data folder.

A broken file is set aside under another name and the defaults are taken; unknown keys and values of the wrong kind
are passed over one by one, so that a file of an older or newer version still gives what it can.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.state.note_model import NoteModel
from app.state.related_notes import RelatedNotes
from kb.errors import KbError
from kb.files.atomic import replace_file
from kb.files.paths import UserPaths, VaultPaths

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


_VAULTS = 12  # that are remembered


class SettingsStore:
    """Holds preferences and state; a file that cannot be written is told of, and nothing else stops."""

    def __init__(self, places: UserPaths, failed: Callable[[Exception], object]) -> None:
        """Read the preferences; `failed` is called with what keeps a file from being written."""
        self._places = places
        self._failed = failed
        self.listeners: list[Callable[[], object]] = []  # called when a preference has changed
        self._file = places.data / "settings.json"
        self._root: Path | None = None
        self._set_aside: list[Path] = []
        loaded = load(self._file, Preferences)
        self.preferences = loaded.value
        self.state = VaultState()
        self._note_set_aside(loaded.set_aside)

    def switch_vault(self, root: Path) -> None:
        """Take up the state of another vault, and remember that it was open last."""
        self._root = root
        loaded = load(self._places.for_vault(root).state, VaultState)
        self.state = loaded.value
        self._note_set_aside(loaded.set_aside)
        own = root.resolve() == self._places.user_vault.resolve()
        others = [known for known in self.preferences.vaults if known != str(root)]
        self.set_preference(
            vault="" if own else str(root), vaults=tuple((others if own else [str(root), *others])[:_VAULTS])
        )

    def set_state(self, **changes: Any) -> None:
        """Change the state of the open vault; it is written by `save`."""
        self.state = replace(self.state, **changes)

    def set_preference(self, **changes: Any) -> None:
        """Change the preferences, and write them."""
        before, self.preferences = self.preferences, replace(self.preferences, **changes)
        if self.preferences != before or not self._file.exists():  # it may have been broken, and be set aside
            self._store(self._file, self.preferences)
            for tell in self.listeners:
                tell()

    def save(self) -> None:
        """Write the state of the open vault."""
        if self._root is not None:
            self._store(self._places.for_vault(self._root).state, self.state)

    def take_set_aside(self) -> tuple[Path, ...]:
        """Return the broken files that were set aside since this was asked last."""
        found, self._set_aside = tuple(self._set_aside), []
        return found

    def _note_set_aside(self, path: Path | None) -> None:
        if path is not None:
            self._set_aside.append(path)

    def _store(self, path: Path, value: Preferences | VaultState) -> None:
        try:
            store(path, value)
        except (KbError, OSError) as error:
            self._failed(error)


def save_session(places: VaultPaths, notes: NoteModel, kinship: RelatedNotes) -> None:
    """Keep the page of the open note, and what belongs to it; what cannot be kept is made anew the next time."""
    with contextlib.suppress(KbError, OSError):
        notes.keep_page(places.pages)
        kinship.store(places.kin)
