"""Storage for the editor: saving, reading, rendering and drafts of one vault.

Work in progress finishes in that vault even after another one was opened.
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
    """Saves, reads and renders notes and keeps drafts, all off the GUI thread."""

    def __init__(
        self,
        vault: Vault,
        drafts: Drafts,
        *,
        writer: GuiExecutor,
        executor: GuiExecutor,
        rendering: Callable[[], Callable[[str, str, ViewportRequest], ViewportPage]],
        saved: Callable[[Note], object],
    ) -> None:
        """Write through `writer`, in order, and read through `executor`; call `saved` with each note written.

        `rendering` is called on the GUI thread and returns a function that renders a part of a text on any thread.
        """
        self._vault, self._drafts = vault, drafts
        self._writer, self._executor = writer, executor
        self._rendering = rendering
        self._saved = saved
        self.left: dict[str, Draft] = {}  # unsaved texts, by path

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
        """Write a note if its file still has `expected_hash`, or does not exist if that is None."""

        def written(note: Note) -> None:
            done(note)
            self._saved(note)

        self._writer.run(lambda: self._vault.save(path, text, form=form, expected_hash=expected_hash), written, failed)

    def read(self, path: str, *, done: Callable[[Note], object], failed: Callable[[Exception], object]) -> None:
        """Read a note from the disk."""
        self._executor.run(lambda: self._vault.read(path), done, failed)

    def check(self, path: str, *, done: Callable[[Exception | None], object]) -> None:
        """Call `done` with the reason why this user cannot write the note, or None."""
        self._executor.run(lambda: _refusal(self._vault, path), done, done)

    def render(
        self,
        text: str,
        *,
        path: str,
        asked: ViewportRequest,
        done: Callable[[ViewportPage], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Render the `asked` part of a text, saved or not."""
        rendered = self._rendering()
        self._executor.run(lambda: rendered(text, path, asked), done, failed)

    def keep_draft(
        self,
        path: str,
        text: str,
        *,
        base_hash: str | None,
        done: Callable[[], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Store an unsaved text as a draft."""
        self.left[path] = Draft(path, text, base_hash, time.time())
        self._writer.run(lambda: self._drafts.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Delete the draft of a note."""
        self.left.pop(path, None)
        self._writer.run(lambda: self._drafts.drop(path), lambda _: done(), failed)

    def find_drafts(self, found: Callable[[tuple[Draft, ...]], object]) -> None:
        """Call `found` with the drafts of earlier sessions, if there are any."""

        def told(drafts: tuple[Draft, ...]) -> None:
            self.left = {draft.note_path: draft for draft in drafts} | self.left
            if drafts:
                found(drafts)

        self._writer.run(self._drafts.pending, told, _never)


def _refusal(vault: Vault, path: str) -> Exception | None:
    """Return why a file cannot be replaced: no permission for it or its folder, or it does not exist; else None."""
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
    """Ignore an error: drafts that cannot be listed stay on disk and are offered at the next start."""
