"""Preferences and the state of each vault, kept from one start to the next in JSON files in the user's data folder.

A broken file is renamed and the defaults are used. Unknown keys and values of the wrong type are skipped one by one,
so that a file of an older or newer version is used as far as possible.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.runs.trusted_code import POLICIES
from app.state.note_model import NoteModel
from app.state.related_notes import RelatedNotes
from kb.errors import KbError
from kb.files.atomic import replace_file
from kb.files.locks import update_held
from kb.files.paths import UserPaths, VaultPaths
from kb.files.tree import read_own

NAME = "炬页 Torchleaf"
THEMES = ("system", "light", "dark")
LANGUAGES = ("system", "zh", "en")
MODES = ("zh", "en", "both")
SPELLINGS = ("off", "english", "all")  # notes in which unknown English words are marked
_VAULTS = 12  # remembered


@dataclass(frozen=True)
class Preferences:
    """Settings for all vaults."""

    language: str = dataclasses.field(default="system", metadata={"one_of": LANGUAGES})
    theme: str = dataclasses.field(default="system", metadata={"one_of": THEMES})
    vault: str = ""  # folder of the vault opened last; empty for the user's own
    vaults: tuple[str, ...] = ()  # folders opened before, newest first
    text_font: str = ""  # empty for the system's default
    code_font: str = ""
    spelling: str = dataclasses.field(default="english", metadata={"one_of": SPELLINGS})
    shortcuts: tuple[str, ...] = ()  # changed ones as "command=keys", keys separated by spaces

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The changed shortcuts, by name of the command."""
        pairs = (line.partition("=") for line in self.shortcuts)
        return {name: tuple(keys.split()) for name, _, keys in pairs}


@dataclass(frozen=True)
class VaultState:
    """State of one vault: open notes, position, layout and choices. Geometry and layout are Qt's data in base64."""

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
    changed_code: str = dataclasses.field(default="", metadata={"one_of": ("", *POLICIES)})  # "": see `Workspace`
    zoom: str = "100"


Form = TypeVar("Form", Preferences, VaultState)


@dataclass(frozen=True)
class LoadedSettings(Generic[Form]):
    """The contents of a settings file; `set_aside` is the new path of a broken one."""

    value: Form
    set_aside: Path | None = None


def load(path: Path, form: type[Form]) -> LoadedSettings[Form]:
    """Read a settings file. A missing or broken one gives the defaults; a broken one is renamed."""
    try:
        document = json.loads(read_own(path))
    except (FileNotFoundError, NotADirectoryError):
        return LoadedSettings(form())
    except (OSError, ValueError, RecursionError):
        return LoadedSettings(form(), _set_aside(path))
    if not isinstance(document, dict):
        return LoadedSettings(form(), _set_aside(path))
    return LoadedSettings(form(**_sound(document, form)))


def peek(path: Path, form: type[Form]) -> Form:
    """Read a settings file without renaming a broken one; unreadable values are the defaults."""
    return _peek(path, form())


def _peek(path: Path, otherwise: Form) -> Form:
    """Read a settings file; return `otherwise` if it is missing or broken."""
    try:
        document = json.loads(read_own(path))
    except (OSError, ValueError, RecursionError):
        return otherwise
    form = type(otherwise)
    return form(**_sound(document, form)) if isinstance(document, dict) else otherwise


def store(path: Path, value: Preferences | VaultState) -> None:
    """Write a settings file atomically. Raises SaveFailed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(path, json.dumps(dataclasses.asdict(value), ensure_ascii=False, indent=1).encode())


def merged(known: Form, own: Form, stored: Form) -> Form:
    """Return `stored`, which another window may have written, with the values that `own` changed since `known`."""
    names = [field.name for field in dataclasses.fields(own)]
    changes = {name: getattr(own, name) for name in names if getattr(own, name) != getattr(known, name)}
    return replace(stored, **changes)


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


class SettingsStore:
    """Holds the preferences and the open vault's state; failures to write are reported, not raised."""

    def __init__(self, places: UserPaths, failed: Callable[[Exception], object]) -> None:
        """Read the preferences; `failed` is called with the error if a file cannot be written."""
        self._places = places
        self._failed = failed
        self.listeners: list[Callable[[], object]] = []  # called after a preference changed
        self._file = places.data / "settings.json"
        self._root: Path | None = None
        self._set_aside: list[Path] = []
        loaded = load(self._file, Preferences)
        self.preferences = self._known_preferences = loaded.value
        self.state = self._known_state = VaultState()
        self._note_set_aside(loaded.set_aside)

    def switch_vault(self, root: Path) -> None:
        """Load the state of another vault and remember it as the last one opened."""
        self._root = root
        loaded = load(self._places.for_vault(root).state, VaultState)
        self.state = self._known_state = loaded.value
        self._note_set_aside(loaded.set_aside)
        own = root.resolve() == self._places.user_vault.resolve()
        others = [known for known in self.preferences.vaults if known != str(root)]
        self.set_preference(
            vault="" if own else str(root), vaults=tuple((others if own else [str(root), *others])[:_VAULTS])
        )

    def set_state(self, **changes: Any) -> None:
        """Change the state of the open vault; `save` writes it."""
        self.state = replace(self.state, **changes)

    def set_preference(self, **changes: Any) -> None:
        """Change and write the preferences; what another window changed meanwhile is taken over."""
        before, self.preferences = self.preferences, replace(self.preferences, **changes)
        if self.preferences != before or not self._file.exists():  # a broken file was renamed
            self.preferences, self._known_preferences = self._store(
                self._file, self._known_preferences, self.preferences
            )
            for listener in self.listeners:
                listener()

    def save(self) -> None:
        """Write the state of the open vault, merged with the changes of another window."""
        if self._root is not None:
            file = self._places.for_vault(self._root).state
            self.state, self._known_state = self._store(file, self._known_state, self.state)

    def take_set_aside(self) -> tuple[Path, ...]:
        """Return the broken files renamed since the last call."""
        found, self._set_aside = tuple(self._set_aside), []
        return found

    def _note_set_aside(self, path: Path | None) -> None:
        if path is not None:
            self._set_aside.append(path)

    def _store(self, path: Path, known: Form, own: Form) -> tuple[Form, Form]:
        """Write a file that had `known` when it was read or written last; return the merged value and what it has."""
        with update_held(path):
            value = merged(known, own, _peek(path, known))
            try:
                store(path, value)
            except (KbError, OSError) as error:
                self._failed(error)
                return value, known
        return value, value


def save_session(places: VaultPaths, notes: NoteModel, related: RelatedNotes) -> None:
    """Store the open note's page and related notes for the next start; failures are ignored, both can be rebuilt."""
    with contextlib.suppress(KbError, OSError):
        notes.keep_page(places.pages)
        related.store(places.kin)
