"""Where the reader has been: places in a row, with a step back and a step forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

_LIMIT = 200


@dataclass(frozen=True)
class Location:
    """A spot in a note: its file, a section's anchor or a line (1-based, 0 for none), and the words to mark there."""

    path: str
    anchor: str = ""
    line: int = 0
    marks: tuple[str, ...] = ()


class History:
    """The places visited; visiting a new one drops what `back` had left behind."""

    def __init__(self) -> None:
        """Begin nowhere."""
        self._places: list[Location] = []
        self._at = -1

    def visit(self, place: Location) -> None:
        """Add a place after the present one; the same place twice is one step."""
        here = self._places[self._at] if self._at >= 0 else None
        if here is not None and replace(here, marks=()) == replace(place, marks=()):
            return
        self._places = [*self._places[max(0, self._at + 2 - _LIMIT) : self._at + 1], place]
        self._at = len(self._places) - 1

    def update_current(self, place: Location) -> None:
        """Replace the present place by where the reader has scrolled to in the same note."""
        if self._at >= 0 and self._places[self._at].path == place.path:
            self._places[self._at] = place

    def follow(self, moves: Mapping[str, str]) -> None:
        """Name files that were moved by the paths they have now."""
        self._places = [replace(place, path=moves.get(place.path, place.path)) for place in self._places]

    def clear(self) -> None:
        """Forget every place."""
        self._places, self._at = [], -1

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether `back` left a place to return to."""
        return self._at + 1 < len(self._places)

    def back(self) -> Location | None:
        """Step back; None at the beginning."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self._places[self._at]

    def forward(self) -> Location | None:
        """Step forward; None at the end."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self._places[self._at]
