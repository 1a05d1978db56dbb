"""Navigation history: visited locations, with back and forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

_LIMIT = 200


@dataclass(frozen=True)
class Location:
    """A position in a note: its path, a section's anchor or a line (from 1, 0 for none), and words to mark there."""

    path: str
    anchor: str = ""
    line: int = 0
    marks: tuple[str, ...] = ()


class History:
    """The last 200 locations; visiting a new one drops those ahead."""

    def __init__(self) -> None:
        """Start empty."""
        self._places: list[Location] = []
        self._at = -1

    def visit(self, place: Location) -> None:
        """Add a location after the current one, unless it is the same."""
        here = self._places[self._at] if self._at >= 0 else None
        if here is not None and replace(here, marks=()) == replace(place, marks=()):
            return
        self._places = [*self._places[max(0, self._at + 2 - _LIMIT) : self._at + 1], place]
        self._at = len(self._places) - 1

    def update_current(self, place: Location) -> None:
        """Replace the current location by another in the same note, to which the reader has scrolled."""
        if self._at >= 0 and self._places[self._at].path == place.path:
            self._places[self._at] = place

    def follow(self, moves: Mapping[str, str]) -> None:
        """Replace the paths of moved files; `moves` maps old paths to new ones."""
        self._places = [replace(place, path=moves.get(place.path, place.path)) for place in self._places]

    def clear(self) -> None:
        """Drop all locations."""
        self._places, self._at = [], -1

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier location."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a location ahead."""
        return self._at + 1 < len(self._places)

    def back(self) -> Location | None:
        """Go back and return the location; None at the beginning."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self._places[self._at]

    def forward(self) -> Location | None:
        """Go forward and return the location; None at the end."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self._places[self._at]
