"""What is remembered from one start to the next: preferences for all vaults, and the state of the open one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.state.settings import Preferences, VaultState, load, store
from kb.errors import KbError
from kb.files.paths import UserPaths

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
