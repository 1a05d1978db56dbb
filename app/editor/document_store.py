"""Storage for the editor: saving, reading, rendering and drafts of one vault.

Work in progress finishes in that vault even after another one was opened.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from app.executor import GuiExecutor
from kb.errors import KbError, NoteMissing
from kb.files.encoding import TextForm
from kb.notes.note import Note
from kb.rendering.viewport import ViewportPage, ViewportRequest
from kb.vault.drafts import Draft, Drafts, draft_file, rehome
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
        self._older: list[Draft] = []  # further unsaved texts of these notes, the newest last
        self._found: Callable[[tuple[Draft, ...]], object] = _never

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

    def keep_version(self, path: str, text: str, *, form: TextForm) -> None:
        """Keep a text that is not saved as a version of its note."""
        self._writer.run(lambda: self._vault.keep_version(path, text, form), _never, _never)

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
        if (offered := self.left.get(path)) is not None and offered.file:
            self._older.append(offered)  # it is still to be decided on
        self.left[path] = Draft(path, text, base_hash, time.time())
        self._writer.run(lambda: self._drafts.keep(path, text, base_hash), lambda _: done(), failed)

    def drop_draft(self, path: str, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Delete the draft of a note; an older one of another session is offered next."""
        self.left.pop(path, None)
        self._writer.run(lambda: self._drafts.drop(path), lambda _: done(), failed)
        if older := [draft for draft in self._older if draft.note_path == path]:
            self._older.remove(older[-1])
            self._offer((older[-1],))

    def adopt_draft(self, draft: Draft) -> None:
        """Let the next draft or save of its note replace a draft of another session."""
        if self.left.get(draft.note_path) is draft:
            del self.left[draft.note_path]
        self._drafts.adopt(draft)

    def find_drafts(self, found: Callable[[tuple[Draft, ...]], object]) -> None:
        """Call `found` with the drafts of earlier sessions, if there are any."""
        self._found = found
        self._writer.run(lambda: rehome(self._vault, self._drafts, self._drafts.pending()), self._offer, _never)

    def follow(self, moves: Mapping[str, str]) -> None:
        """Give drafts the new paths of renamed notes; `moves` maps old paths to new ones."""
        self.left = {moves.get(path, path): _moved(draft, moves) for path, draft in self.left.items()}
        self._older = [_moved(draft, moves) for draft in self._older]
        self._writer.run(lambda: self._drafts.follow(moves), _never, _never)

    def keep_as_note(self, draft: Draft, *, done: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Write a draft whose note is missing into a new file, and delete the draft."""

        def written(_: Note) -> None:
            self.adopt_draft(draft)
            self.drop_draft(draft.note_path, done=done, failed=failed)

        self.save(draft.note_path, draft.text, form=None, expected_hash=None, done=written, failed=failed)

    def _offer(self, drafts: tuple[Draft, ...]) -> None:
        fresh = []
        for draft in reversed(drafts):
            if draft.note_path in self.left:
                self._older.insert(0, draft)
            else:
                self.left[draft.note_path] = draft
                fresh.append(draft)
        if fresh:
            self._found(tuple(reversed(fresh)))


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


def _moved(draft: Draft, moves: Mapping[str, str]) -> Draft:
    """Return the draft as one of the note's new path."""
    path = moves.get(draft.note_path)
    return draft if path is None else replace(draft, note_path=path, file=draft_file(path, draft.file))


def _never(_: object) -> None:
    """Ignore an error: drafts that cannot be listed stay on disk and are offered at the next start."""
