"""A run that was asked for while its text is not in the file yet: it begins when the save has ended."""

from __future__ import annotations

from collections.abc import Callable

from kb.markdown.fences import fences
from kb.markdown.links import links
from kb.notes.note import Note


class RunAfterSave:
    """Holds the newest wish. It is granted with the note as it is on disk, and dropped where that cannot be had."""

    def __init__(self, grant: Callable[[Note, int, str], object]) -> None:
        """Call `grant` with note, line and device."""
        self._grant = grant
        self._wanted: tuple[str, int, str] | None = None

    def want(self, text: str, line: int, device: str) -> None:
        """Wish for a run of what stands at a line of this text, if that is a block; from prose nothing is run."""
        if runs_at(text, line):
            self._wanted = text, line, device

    def saved(self, note: Note) -> None:
        """Take in a save: perhaps of this text, perhaps of what was typed before it."""
        if self._wanted is not None and self._wanted[0] == note.text:
            self.clean(note)

    def clean(self, note: Note) -> None:
        """Take in that the file holds all that was typed."""
        if self._wanted is not None:
            (_, line, device), self._wanted = self._wanted, None
            self._grant(note, line, device)

    def forget(self) -> None:
        """Drop the wish."""
        self._wanted = None


def runs_at(text: str, line: int) -> bool:
    """Tell whether a python fence, or a link to a snippet in a paragraph of its own, stands at a line from 1."""
    if any(fence.runnable and fence.line <= line <= fence.end_line for fence in fences(text)):
        return True
    return any(link.kind == "snippet" and link.line == line for link in links(text))
