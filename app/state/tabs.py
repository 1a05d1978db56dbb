"""The notes that stand open beside each other: which, in what order, and how far each was read."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.history import Location
from app.state.settings import SettingsStore

_CLOSED = 20  # that can be opened again


class Tabs(QObject):
    """The row of tabs; there is none where only one note is open. What it holds is remembered with the vault."""

    changed = Signal()

    def __init__(self, memory: SettingsStore, parent: QObject | None = None) -> None:
        """Keep the row in `memory`."""
        super().__init__(parent)
        self._memory = memory
        self._places: dict[str, Location] = {}
        self._closed: list[Location] = []

    @property
    def paths(self) -> tuple[str, ...]:
        """The notes with a tab, in order; empty where one note is open alone."""
        return self._memory.state.tabs

    @property
    def current(self) -> str:
        """The note in view."""
        return self._memory.state.note

    def clear(self) -> None:
        """Forget places and closed tabs, as when another vault is opened."""
        self._places, self._closed = {}, []

    def add(self, path: str) -> None:
        """Give a note a tab of its own, after the one in view."""
        tabs = list(self.paths or ((self.current,) if self.current else ()))
        if path not in tabs:
            tabs.insert(tabs.index(self.current) + 1 if self.current in tabs else len(tabs), path)
        self._keep(tabs if len(tabs) > 1 else [])

    def close(self, path: str) -> Location | None:
        """Close a tab; if it was the one in view, return the place to show instead."""
        tabs = list(self.paths)
        if path not in tabs:
            return None
        at = tabs.index(path)
        tabs.remove(path)
        self._closed = [*self._closed[1 - _CLOSED :], self.place(path)]
        self._keep(tabs if len(tabs) > 1 else [])
        return self.place(tabs[min(at, len(tabs) - 1)]) if path == self.current and tabs else None

    def close_others(self, path: str) -> Location | None:
        """Close every tab but this one; return the place to show if it was not the one in view."""
        self._closed = [*self._closed, *(self.place(tab) for tab in self.paths if tab != path)][-_CLOSED:]
        self._keep([])
        return None if path == self.current else self.place(path)

    def reopen(self) -> Location | None:
        """Return the place of the tab that was closed last, with a tab of its own again."""
        if not self._closed:
            return None
        place = self._closed.pop()
        self.add(place.path)
        return place

    def move(self, start: int, end: int) -> None:
        """Put a tab elsewhere in the row."""
        tabs = list(self.paths)
        tabs.insert(end, tabs.pop(start))
        self._memory.set_state(tabs=tuple(tabs))

    def neighbour(self, step: int) -> Location | None:
        """Return the place of the tab so many to the right, round the row."""
        if self.current not in self.paths:
            return None
        return self.place(self.paths[(self.paths.index(self.current) + step) % len(self.paths)])

    def place(self, path: str) -> Location:
        """Return how far a note was read, its beginning if it was not."""
        return self._places.get(path, Location(path))

    def read(self, place: Location) -> None:
        """Take in how far a note was read."""
        self._places[place.path] = replace(place, marks=())

    def opened(self, path: str, before: str) -> None:
        """Take in that a note is in view: it takes the tab of the one `before` it, unless it has one."""
        if path not in self.paths:
            self._memory.set_state(tabs=tuple(path if tab == before else tab for tab in self.paths))
        self.changed.emit()

    def _keep(self, tabs: list[str]) -> None:
        self._memory.set_state(tabs=tuple(tabs))
        self.changed.emit()
