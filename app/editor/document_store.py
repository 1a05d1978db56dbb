"""Files, drafts and rendered pages of one vault, for the editor.

A store stays with its vault, also for work that ends after another vault was opened.
"""

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
    """Saves, reads, renders and keeps drafts off the GUI thread; paths are relative to the vault.

    Each call returns at once; later `done` or `failed` is called on the GUI thread, once.
    """

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
        """Write through `pen`, one job at a time, and read through `door`; call `saved` with each note written.

        `rendering` is called on the GUI thread and returns a function that renders part of a text on any thread.
        """
        self._vault, self._drafts = vault, drafts
        self._pen, self._door = pen, door
        self._rendering = rendering
        self._saved = saved
        self.left: dict[str, Draft] = {}  # by path: text that is not in its file yet

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
        """Write a note if its file still has the hash `expected_hash`, or for None if there is no file.

        Otherwise it fails with NoteChanged or NoteMissing. `form` is for new files; an existing file keeps its form.
        """

        def written(note: Note) -> None:
            done(note)
            self._saved(note)

        self._pen.run(lambda: self._vault.save(path, text, form=form, expected_hash=expected_hash), written, failed)

    def read(self, path: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        """Read a note from disk; fail with NoteMissing if there is no such file."""
        self._door.run(lambda: self._vault.read(path), done, failed)

    def check(self, path: str, *, done: Callable[[Exception | None], object]) -> None:
        """Call `done` with the reason why this user cannot write the note, or None."""
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
        """Render the requested part of a text, saved or not. Callers request one page at a time."""
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
        """Keep a text that is not in its file yet; `base_hash` is the hash of the file that was edited."""
        self.left[path] = Draft(path, text, base_hash, time.time())
        self._pen.run(lambda: self._drafts.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Delete the draft of a note, if there is one."""
        self.left.pop(path, None)
        self._pen.run(lambda: self._drafts.drop(path), lambda _: done(), failed)

    def find_drafts(self, found: Callable[[tuple[Draft, ...]], object]) -> None:
        """Call `found` with the drafts that an earlier session left, unless there are none."""

        def report(drafts: tuple[Draft, ...]) -> None:
            self.left = {draft.note_path: draft for draft in drafts} | self.left
            if drafts:
                found(drafts)

        self._pen.run(self._drafts.pending, report, _ignore)


def _refusal(vault: Vault, path: str) -> Exception | None:
    """Return why a file cannot be replaced: it is missing, or it or its folder is not writable for this user."""
    place = vault.inside(path).resolve()
    if not place.exists():
        return NoteMissing(path)
    if os.access(place, os.W_OK) and os.access(place.parent, os.W_OK):
        return None
    return KbError(
        f"you have no permission to write {path}; change that, and open the note again",
        f"没有写入 {path} 的权限；请更改权限后重新打开这篇笔记",
    )


def _ignore(_: object) -> None:
    """Ignore that drafts cannot be listed: they stay in their folder and are offered another time."""
