"""The editor's desk in one vault. It stays with that vault for what is under way, also after another one was opened."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from app.executor import GuiExecutor
from kb.errors import KbError, NoteMissing
from kb.files.encoding import TextForm
from kb.notes.note import Note
from kb.rendering.viewport import ViewportPage, ViewportRequest
from kb.vault.drafts import Draft, Drafts
from kb.vault.vault import Vault


class DocumentStore:
    """Saves, reads, renders and keeps drafts, each off the GUI thread."""

    def __init__(
        self,
        vault: Vault,
        drafts: Drafts,
        *,
        pen: GuiExecutor,
        door: GuiExecutor,
        rendering: Callable[[], Callable[[str, str, ViewportRequest], ViewportPage]],
        saved: Callable[[Note], object],
    ) -> None:
        """Write through `pen`, one thing after another, and read through `door`; tell `saved` of each note written.

        `rendering` gives, on the GUI thread, what makes a page of a part of a text on any thread.
        """
        self._vault, self._drafts = vault, drafts
        self._pen, self._door = pen, door
        self._rendering = rendering
        self._saved = saved
        self.left: dict[str, Draft] = {}  # by path: what is not in its file yet

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
        """Write a note if the file is still the one of `expected_hash` (None: if there is none)."""

        def written(note: Note) -> None:
            done(note)
            self._saved(note)

        self._pen.run(lambda: self._vault.save(path, text, form=form, expected_hash=expected_hash), written, failed)

    def read(self, path: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        """Read a note from the disk."""
        self._door.run(lambda: self._vault.read(path), done, failed)

    def check(self, path: str, *, done: Callable[[Exception | None], object]) -> None:
        """Say why the note cannot be written by this user, None if it can."""
        self._door.run(lambda: _refusal(self._vault, path), done, done)

    def render(
        self,
        text: str,
        *,
        path: str,
        asked: ViewportRequest,
        done: Callable[[ViewportPage], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Render the part that is asked for of a text that is perhaps not saved."""
        rendered = self._rendering()
        self._door.run(lambda: rendered(text, path, asked), done, failed)

    def keep_draft(
        self,
        path: str,
        text: str,
        *,
        base_hash: str | None,
        done: Callable[[], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Keep a text that is not in its file yet."""
        self.left[path] = Draft(path, text, base_hash, time.time())
        self._pen.run(lambda: self._drafts.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Forget the draft of a note."""
        self.left.pop(path, None)
        self._pen.run(lambda: self._drafts.drop(path), lambda _: done(), failed)

    def find_drafts(self, found: Callable[[tuple[Draft, ...]], object]) -> None:
        """Look for what an earlier session could not save; nothing is told where there is none."""

        def told(drafts: tuple[Draft, ...]) -> None:
            self.left = {draft.note_path: draft for draft in drafts} | self.left
            if drafts:
                found(drafts)

        self._pen.run(self._drafts.pending, told, _never)


def _refusal(vault: Vault, path: str) -> Exception | None:
    """Return why a file cannot be replaced: it, or the folder it lies in, is closed to this user, or it is gone."""
    place = vault.inside(path).resolve()
    if not place.exists():
        return NoteMissing(path)
    if os.access(place, os.W_OK) and os.access(place.parent, os.W_OK):
        return None
    return KbError(
        f"you have no permission to write {path}; change that, and open the note again",
        f"没有写入 {path} 的权限；请更改权限后重新打开这篇笔记",
    )


def _never(_: object) -> None:
    """Drafts that cannot be listed are offered another time; they stay where they are."""
