"""Autosave: one note is saved soon after an edit, off the GUI thread, and never over another program's change.

Text that cannot be saved is kept as a draft. This module has no widgets: the text comes from a callable, and files and
drafts are reached through the document store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.editor.document_store import DocumentStore
from app.editor.draft_writer import DraftWriter
from app.editor.save_notifications import Kind, SaveState
from kb.errors import NoteChanged, NoteMissing
from kb.lazy_regex import expression
from kb.notes.note import Note
from kb.notes.three_way_merge import merge
from kb.vault.drafts import Draft

REST = 1_000  # ms from the last change to the save
DRAFT = 250  # ms from a change to its draft, at most
LARGE_DRAFT = 1_500  # ms for a large note, where each draft costs a few frames
RETRIES = (2_000, 5_000, 15_000, 30_000)  # ms to each retry; the last one repeats
_LARGE = 2_000_000  # characters
_OWN = 32  # hashes of our own saves to remember, and names to try for a copy
_SUFFIX = expression(r"((?:\.(?:zh|en))?\.[^.]+)$")


def conflict_path(path: str, now: datetime, *, number: int = 1) -> str:
    """Return the path for our copy in a conflict; the language and the file type stay at the end of the name."""
    place = PurePosixPath(path)
    found = _SUFFIX.search(place.name)
    suffix = found[1] if found else ""
    again = f" {number}" if number > 1 else ""
    stem = place.name.removesuffix(suffix)
    return str(place.with_name(f"{stem} (conflict {now:%Y-%m-%d %H%M}{again}){suffix}"))


class Autosave(QObject):
    """Saves one note as its text is edited."""

    state_changed = Signal(object)  # SaveState
    saved = Signal(object)  # Note as it is on disk now; the text may be newer
    reloaded = Signal(object)  # Note from another program, which the text must now become
    merged = Signal(object, str)  # Note from another program, and the text with both changes, which is not saved yet
    kept_beside = Signal(str)  # path of the copy that holds our version
    rested = Signal()  # no work is in progress, and unsaved text is kept as a draft

    def __init__(
        self,
        store: DocumentStore,
        drafts: DraftWriter,
        note: Note,
        *,
        text: Callable[[], str],
        locked: Exception | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Start with a note as it was read; `text` returns the text on screen; `locked` says why it is read-only."""
        super().__init__(parent)
        self._store = store
        self._drafts = drafts
        self._base = note
        self._text = text
        self._own_hashes = deque([note.hash], _OWN)
        self._theirs: Note | None = None
        self._reports = self._read_at = 0  # reports about the file so far, and the one that the newest read began with
        self._changed_meanwhile = False  # the file changed during a save
        self._edits = self._saved_edits = 0
        self._flushed_edit = -1  # the edit that `flush` last saved
        self._saving = False
        self._has_draft = False  # a draft of ours exists
        self._again = False  # save again after the save in progress
        self._failures = 0
        self._unedited = SaveState("locked" if locked else "saved", locked)
        self.state = self._unedited
        self._rest = self._timer(REST, self.save_now)
        self._draft = self._timer(DRAFT if len(note.text) < _LARGE else LARGE_DRAFT, self._keep_draft)
        self._retry = self._timer(RETRIES[0], self.save_now)
        drafts.rested.connect(self._emit_if_resting)

    def _timer(self, wait: int, call: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=wait)
        timer.timeout.connect(call)
        return timer

    @property
    def path(self) -> str:
        """The note's path."""
        return self._base.path

    @property
    def base(self) -> Note:
        """The note as it was on disk when the text last matched it."""
        return self._base

    @property
    def theirs(self) -> Note | None:
        """In a conflict, the note as the other program wrote it."""
        return self._theirs

    @property
    def dirty(self) -> bool:
        """Whether the text was edited since the last save."""
        return self._edits != self._saved_edits

    @property
    def due(self) -> bool:
        """Whether a save is scheduled."""
        return self._rest.isActive()

    @property
    def resting(self) -> bool:
        """Whether no work is in progress and the text is in the file or in a draft."""
        waits = self.dirty and self.state.kind in ("unsaved", "saving")
        return not (self._saving or waits or self._draft.isActive() or self._drafts.busy)

    @property
    def has_draft(self) -> bool:
        """Whether a draft of ours exists."""
        return self._has_draft

    def lock(self, error: Exception) -> None:
        """Stop writing because of this error; if the file is missing, look for it again instead."""
        if isinstance(error, NoteMissing):
            self.deleted_outside()
            return
        self._unedited = SaveState("locked", error)
        self._enter_unedited()

    def edited(self) -> None:
        """React to a change of the text: start the timers for the draft and the save."""
        if self._unedited.kind == "locked":
            return
        self._edits += 1
        if not self._draft.isActive():
            self._draft.start()
        if self.state.kind in ("conflict", "gone"):
            return
        self._rest.start()
        if self.state.kind == "saved":
            self._enter("unsaved")

    def save_now(self) -> None:
        """Save unsaved text at once; text equal to the file's is not written."""
        self._rest.stop()
        self._retry.stop()
        if self.state.kind in ("conflict", "gone", "locked") or not self.dirty:
            self._emit_if_resting()
        elif self._saving:
            self._again = True
        elif (text := self._text()) == self._base.text:
            self._clean()
        else:
            self._save(text, expected_hash=self._base.hash)

    def leave(self) -> None:
        """Save for the last time, with the text as it is now, because the editor shows another note."""
        text = self._text()
        self._text = lambda: text
        self.flush()

    def flush(self) -> None:
        """Save and keep a draft at once, before the program ends; a save that failed for this text is not repeated."""
        if self._flushed_edit != self._edits:
            self._flushed_edit = self._edits
            self.save_now()
        if self._draft.isActive():
            self._keep_draft()

    def drop_draft(self) -> None:
        """Delete our draft; one that is still offered to the user is not ours."""
        if self._has_draft:
            self._has_draft = False
            self._drafts.drop(self.path, owner=self)

    def adopt(self, draft: Draft) -> None:
        """Treat a draft of an earlier session as ours: the next save deletes it."""
        self._store.adopt_draft(draft)
        self._has_draft = True

    def restored(self, draft: Draft) -> None:
        """React to a restored draft; if the file changed since the draft began, there is a conflict."""
        self.adopt(draft)
        self._edits += 1
        if draft.base_hash not in (None, self._base.hash):
            self._theirs = self._base
            self._stop_saving("conflict")

    def stop(self) -> None:
        """Stop all timers."""
        for timer in (self._rest, self._draft, self._retry):
            timer.stop()

    # changes by other programs

    def changed_outside(self, note: Note) -> None:
        """React to the file on disk, written by another program or by our own save."""
        if note.path != self.path:
            return
        self._reports += 1
        if self._saving:
            self._changed_meanwhile = True
        elif note.hash == self._base.hash:
            self._resume()
        elif note.hash in self._own_hashes:  # a late report of an older save, or that version was restored
            self._read_again()
        else:
            self._take_or_ask(note)

    def confirmed(self, note: Note) -> None:
        """React to the unchanged file, which matters only if it seemed to be gone."""
        if (note.path, note.hash) == (self.path, self._base.hash) and not self._saving and self.state.kind == "gone":
            self.changed_outside(note)

    def deleted_outside(self) -> None:
        """React to a missing file by reading it again; other editors remove it for a moment when they save."""
        if self._saving:
            self._changed_meanwhile = True
        else:
            self._read_again()

    def _read_again(self) -> None:
        """Read the file again."""
        self._reports = self._read_at = number = self._reports + 1
        self._store.read(self.path, done=partial(self._on_read, number), failed=partial(self._on_unreadable, number))

    def _on_read(self, number: int, note: Note) -> None:
        if not isValid(self) or self._is_outdated(number):
            return
        if self._saving:
            self._changed_meanwhile = True
        elif note.hash == self._base.hash:
            self._resume()
        else:
            self._take_or_ask(note)

    def _on_unreadable(self, number: int, error: Exception) -> None:
        if not isValid(self) or self._saving or self._is_outdated(number):
            return
        if isinstance(error, NoteMissing):
            self._stop_saving("gone")
        else:
            self._fail(error)

    def _is_outdated(self, number: int) -> bool:
        """Return whether more reports came since a read began; if so, and it was the newest read, read again."""
        if number == self._read_at != self._reports:
            self._read_again()
        return number != self._reports

    def _resume(self) -> None:
        """Continue because the file is unchanged again, also if a save was refused in between."""
        if self.state.kind in ("gone", "conflict", "saving"):
            self._theirs = None
            if self.dirty:
                self._enter("unsaved")
                self._rest.start()
            else:
                self._enter_unedited()

    def _take_or_ask(self, note: Note) -> None:
        """Take the other program's version if nothing is lost by it, or merge it, or let the user choose."""
        if not self.dirty or self._text() == self._base.text:
            self._take(note)
        elif self._text() == note.text:
            self._base = note
            self._clean()
        elif (text := merge(self._base.text, self._text(), note.text)) is not None:
            self._merge(note, text)
        else:
            self._theirs = note
            self._stop_saving("conflict")

    def _merge(self, note: Note, text: str) -> None:
        """Take the other program's change beside ours; both versions are kept once the text is saved."""
        self._base, self._theirs = note, None
        self._own_hashes.append(note.hash)
        self._enter("unsaved")
        self.merged.emit(note, text)
        self.edited()

    def _take(self, note: Note) -> None:
        self._base, self._theirs = note, None
        self.reloaded.emit(note)
        self._clean()

    def _stop_saving(self, kind: Kind) -> None:
        self._rest.stop()
        self._retry.stop()
        if self.dirty:
            self._keep_draft()
        self._enter(kind)
        self._emit_if_resting()

    # choices of the user

    def keep_mine(self) -> None:
        """Overwrite their version with ours, because the user chose so."""
        if self._theirs is not None and not self._saving:
            self._base, self._theirs = self._theirs, None
            self._enter("unsaved")
            self._save(self._text(), expected_hash=self._base.hash)

    def take_theirs(self) -> None:
        """Replace the text by theirs; ours is kept as a version, and undo brings it back."""
        if self._theirs is not None and not self._saving:
            self._store.keep_version(self.path, self._text(), form=self._base.form)
            self._take(self._theirs)

    def keep_both(self, *, number: int = 1) -> None:
        """Save our version as a copy, and continue with theirs."""
        theirs = self._theirs
        if theirs is None or self._saving:
            return
        self._saving = True
        beside = conflict_path(self.path, datetime.now().astimezone(), number=number)
        self._store.save(
            beside,
            self._text(),
            form=self._base.form,
            expected_hash=None,
            done=lambda note: self._on_copy_saved(note, theirs),
            failed=lambda error: self._on_copy_failed(error, number),
        )

    def save_again(self) -> None:
        """Recreate the deleted file, because the user chose so."""
        if self.state.kind == "gone" and not self._saving:
            self._edits += 1
            self._enter("unsaved")
            self._save(self._text(), expected_hash=None)

    def _on_copy_saved(self, copy: Note, theirs: Note) -> None:
        self._saving = False
        self.kept_beside.emit(copy.path)
        self._take(self._theirs or theirs)

    def _on_copy_failed(self, error: Exception, number: int) -> None:
        self._saving = False
        if isinstance(error, NoteChanged) and number < _OWN:
            self.keep_both(number=number + 1)
        else:
            self._enter("conflict", error)
            self._emit_if_resting()

    # saving

    def _save(self, text: str, *, expected_hash: str | None) -> None:
        self._saving, self._again = True, False
        edits = self._edits
        self._enter("saving")
        try:
            self._store.save(
                self.path,
                text,
                form=self._base.form if expected_hash is None else None,
                expected_hash=expected_hash,
                done=lambda note: self._on_saved(note, edits),
                failed=self._on_failed,
            )
        except Exception as error:  # a bug, which is reported; the save is retried like any other
            self._on_failed(error)
            raise

    def _on_saved(self, note: Note, edits: int) -> None:
        self._saving = False
        self._base, self._saved_edits, self._failures = note, edits, 0
        self._own_hashes.append(note.hash)
        self.saved.emit(note)
        if self.dirty:
            self._enter("unsaved")
            self._keep_draft()  # the draft so far is based on the previous file
            self._rest.start()
        else:
            self._clean()
        if self._changed_meanwhile:
            self._changed_meanwhile = False
            self._read_again()
        if self._again:
            self._again = False
            self.save_now()

    def _on_failed(self, error: Exception) -> None:
        self._saving, self._again, self._changed_meanwhile = False, False, False
        if isinstance(error, NoteChanged | NoteMissing):
            self._read_again()
        else:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        self._enter("failed", error)
        self._keep_draft()
        self._retry.start(RETRIES[min(self._failures, len(RETRIES)) - 1])
        self._emit_if_resting()

    def _clean(self) -> None:
        self._saved_edits, self._failures = self._edits, 0
        self._rest.stop()
        self._draft.stop()
        self.drop_draft()
        self._enter_unedited()
        self._emit_if_resting()

    def _keep_draft(self) -> None:
        self._draft.stop()
        if self.dirty:
            self._has_draft = True
            self._drafts.keep(self.path, self._text(), base_hash=self._base.hash, owner=self)

    def _enter_unedited(self) -> None:
        self._enter_state(self._unedited)

    def _enter(self, kind: Kind, error: Exception | None = None) -> None:
        self._enter_state(SaveState(kind, error, self._failures))

    def _enter_state(self, state: SaveState) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _emit_if_resting(self) -> None:
        if self.resting:
            self.rested.emit()


class PendingSaves(QObject):
    """Autosaves of notes that were left, until their last save ends."""

    saved = Signal(object)  # Note
    unsaved = Signal(str, object)  # path, error: the text is not in the file; its draft is kept
    rested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Start with none."""
        super().__init__(parent)
        self._savers: list[Autosave] = []

    @property
    def resting(self) -> bool:
        """Whether all last saves have ended."""
        return not self._savers

    def saves(self, path: str) -> bool:
        """Whether the last save of a note has not ended yet."""
        return any(saver.path == path for saver in self._savers)

    def take_over(self, saver: Autosave) -> None:
        """Save the text as it is now, and drop the autosave when that is done."""
        saver.saved.connect(self.saved)
        self._savers.append(saver)
        saver.rested.connect(lambda: self._on_rested(saver))
        saver.leave()
        if saver.resting:
            self._on_rested(saver)

    def stop(self) -> None:
        """Stop all timers."""
        for saver in self._savers:
            saver.stop()

    def _on_rested(self, saver: Autosave) -> None:
        if saver not in self._savers:
            return
        self._savers.remove(saver)
        saver.stop()
        if not saver.state.safe:
            self.unsaved.emit(saver.path, saver.state.error)
        saver.deleteLater()
        self.rested.emit()
