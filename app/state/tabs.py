"""Open tabs: their notes, their order and the reading position of each."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.history import Location
from app.state.settings import SettingsStore

_CLOSED = 20  # tabs that can be reopened


class Tabs(QObject):
    """The tabs of a vault, stored in its state; a single open note has no tab."""

    changed = Signal()

    def __init__(self, memory: SettingsStore, parent: QObject | None = None) -> None:
        """Store the tabs in `memory`."""
        super().__init__(parent)
        self._memory = memory
        self._places: dict[str, Location] = {}
        self._closed: list[Location] = []

    @property
    def paths(self) -> tuple[str, ...]:
        """The notes with a tab, in order; empty if only one note is open."""
        return self._memory.state.tabs

    @property
    def current(self) -> str:
        """The note in view."""
        return self._memory.state.note

    def clear(self) -> None:
        """Forget positions and closed tabs, because another vault is opened."""
        self._places, self._closed = {}, []

    def add(self, path: str) -> None:
        """Add a tab for a note after the current one, unless it has a tab."""
        tabs = list(self.paths or ((self.current,) if self.current else ()))
        if path not in tabs:
            tabs.insert(tabs.index(self.current) + 1 if self.current in tabs else len(tabs), path)
        self._keep(tabs if len(tabs) > 1 else [])

    def close(self, path: str) -> Location | None:
        """Close a tab; return the location to show instead if it was the current one."""
        tabs = list(self.paths)
        if path not in tabs:
            return None
        at = tabs.index(path)
        tabs.remove(path)
        self._closed = [*self._closed[1 - _CLOSED :], self.place(path)]
        self._keep(tabs if len(tabs) > 1 else [])
        return self.place(tabs[min(at, len(tabs) - 1)]) if path == self.current and tabs else None

    def close_others(self, path: str) -> Location | None:
        """Close all other tabs; return the location to show if this tab was not the current one."""
        self._closed = [*self._closed, *(self.place(tab) for tab in self.paths if tab != path)][-_CLOSED:]
        self._keep([])
        return None if path == self.current else self.place(path)

    def reopen(self) -> Location | None:
        """Reopen the tab closed last and return its location; None if there is none."""
        if not self._closed:
            return None
        place = self._closed.pop()
        self.add(place.path)
        return place

    def move(self, start: int, end: int) -> None:
        """Move a tab from one position to another, both from 0."""
        tabs = list(self.paths)
        tabs.insert(end, tabs.pop(start))
        self._memory.set_state(tabs=tuple(tabs))

    def neighbour(self, step: int) -> Location | None:
        """Return the location of the tab `step` to the right, wrapping around; None if there are no tabs."""
        if self.current not in self.paths:
            return None
        return self.place(self.paths[(self.paths.index(self.current) + step) % len(self.paths)])

    def place(self, path: str) -> Location:
        """Return the reading position in a note, by default its beginning."""
        return self._places.get(path, Location(path))

    def read(self, place: Location) -> None:
        """Store a reading position."""
        self._places[place.path] = replace(place, marks=())

    def opened(self, path: str, before: str) -> None:
        """Give an opened note the tab of the note shown `before`, unless it has its own."""
        if path not in self.paths:
            self._memory.set_state(tabs=tuple(path if tab == before else tab for tab in self.paths))
        self.changed.emit()

    def _keep(self, tabs: list[str]) -> None:
        self._memory.set_state(tabs=tuple(tabs))
        self.changed.emit()
