"""What the editor needs from the rest of the window; the workspace provides it, in tests a small stand-in does.

Each call returns at once. The work is done off the GUI thread, and `done` or `failed` is called on it, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QWidget

from kb.files.encoding import TextForm
from kb.notes.note import Note
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest


class EditorBackend(Protocol):
    """Files, drafts and rendering, as the editor sees them. Paths are relative to the vault."""

    def save(
        self,
        path: str,
        text: str,
        *,
        form: TextForm | None,
        expected_hash: str | None,
        done: Callable[[Note], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Write the note as kb's vault does: NoteChanged where the file has not this hash (None: where there is one).

        `form` is given for a new file only; else the file keeps the form it has.
        """

    def read(self, path: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        """Read the note from the disk; fail with NoteMissing where there is none."""

    def check(self, path: str, *, done: Callable[[Exception | None], object]) -> None:
        """Say why the note cannot be written by this user, None if it can."""

    def render(
        self,
        text: str,
        *,
        path: str,
        asked: ViewportRequest,
        done: Callable[[ViewportPage], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Render the part that is asked for of a text that is perhaps not saved. One at a time is asked for."""

    def keep_draft(
        self,
        path: str,
        text: str,
        *,
        base_hash: str | None,
        done: Callable[[], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Keep a text that is not in the file yet; `base_hash` is the file that it began from."""

    def drop_draft(self, path: str, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Forget the draft of this note, if there is one."""


class PreviewTarget(Protocol):
    """A rendered page beside the source."""

    def widget(self) -> QWidget:
        """Return the widget to put beside the source."""

    def show_page(self, page: Page, path: str, *, part: Viewport) -> None:
        """Show a page, which is of a part of the note, in place of the one before, at the same place."""

    def listen(
        self,
        *,
        run: Callable[[int, str], object],
        turn_to: Callable[[int], object],
        tick: Callable[[int, bool], object],
    ) -> None:
        """Call `run` with a line and a device when its block is to be run, `turn_to` with a line to be edited.

        `tick` is called with the line of a task, and whether it is done from now on.
        """

    def listen_for_more(self, look: Callable[[int], object]) -> None:
        """Call `look` with the line that the page was scrolled to, near the end of what there is of a longer note."""

    def follow(self, line: int) -> None:
        """Bring what stands at this line of the source (from 1) into view."""

    def wait(self) -> None:
        """Put off for a moment all that is not looked at: a key was pressed."""
