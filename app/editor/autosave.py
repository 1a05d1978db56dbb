"""Autosave of one note: soon, off the GUI thread, never over another's work, and never without a trace of what failed.

No widget stands here. The text is asked for when it is needed; files and drafts are reached through the desk.
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
from kb.vault.drafts import Draft

_SUFFIX = expression(r"((?:\.(?:zh|en))?\.[^.]+)$")


def conflict_path(path: str, now: datetime, *, number: int = 1) -> str:
    """Return where our version goes beside theirs; the language and the kind of file stay at the end of the name."""
    place = PurePosixPath(path)
    found = _SUFFIX.search(place.name)
    suffix = found[1] if found else ""
    again = f" {number}" if number > 1 else ""
    stem = place.name.removesuffix(suffix)
    return str(place.with_name(f"{stem} (conflict {now:%Y-%m-%d %H%M}{again}){suffix}"))


REST = 1_000  # ms from the last change to the save
DRAFT = 250  # ms from a change to its draft, at most
LARGE_DRAFT = 1_500  # ms for a large note, of which each draft costs a few frames
_LARGE = 2_000_000  # characters
RETRIES = (2_000, 5_000, 15_000, 30_000)  # ms to the next try; the last one goes on for ever
_OWN = 32  # hashes of our own saves that are remembered


class Autosave(QObject):
    """Keeps one note's file in step with a text that is being typed."""

    state_changed = Signal(object)  # SaveState
    saved = Signal(object)  # Note as it is on disk now; the text may have gone on
    reloaded = Signal(object)  # Note by another hand that the text has to become
    kept_beside = Signal(str)  # path of the copy that now holds our version
    rested = Signal()  # nothing is under way, and what is not saved is kept as a draft

    def __init__(
        self,
        desk: DocumentStore,
        drafting: DraftWriter,
        note: Note,
        *,
        text: Callable[[], str],
        locked: Exception | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Begin with a note as it was read; `text` gives what is on the screen; `locked` forbids writing."""
        super().__init__(parent)
        self._store = desk
        self._drafting = drafting
        self._base = note
        self._text = text
        self._own = deque([note.hash], _OWN)
        self._theirs: Note | None = None
        self._heard = self._look = 0  # the number of what was told last of the file, and of the newest look at it
        self._news = False  # something happened to the file while a save was under way
        self._edits = self._saved_edits = 0
        self._settled_for = -1  # the edit for which a last save was begun
        self._busy = False
        self._kept = False  # whether there is a draft of ours to be dropped
        self._again = False  # a save was asked for while one was under way
        self._failures = 0
        self._unedited = SaveState("locked" if locked else "saved", locked)
        self.state = self._unedited
        self._rest = self._timer(REST, self.save_now)
        self._draft = self._timer(DRAFT if len(note.text) < _LARGE else LARGE_DRAFT, self._keep_draft)
        self._retry = self._timer(RETRIES[0], self.save_now)
        drafting.rested.connect(self._tell_rest)

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
        """The note as it was on disk when the text was last the same."""
        return self._base

    @property
    def theirs(self) -> Note | None:
        """In a conflict, the note as another program wrote it."""
        return self._theirs

    @property
    def dirty(self) -> bool:
        """Whether something was typed since the last save."""
        return self._edits != self._saved_edits

    @property
    def resting(self) -> bool:
        """Whether nothing is under way, and the text is either in the file or in a draft."""
        waits = self.dirty and self.state.kind in ("unsaved", "saving")
        return not (self._busy or waits or self._draft.isActive() or self._drafting.busy)

    @property
    def has_draft(self) -> bool:
        """Whether there is a draft of ours."""
        return self._kept

    def lock(self, error: Exception) -> None:
        """Write nothing from now on, because of this; a file that is gone is looked for again instead."""
        if isinstance(error, NoteMissing):
            self.deleted_outside()
            return
        self._unedited = SaveState("locked", error)
        self._enter_unedited()

    def edited(self) -> None:
        """Take in that the text was changed."""
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
        """Save at once what is not saved; a text that is the file's is not written."""
        self._rest.stop()
        self._retry.stop()
        if self.state.kind in ("conflict", "gone", "locked") or not self.dirty:
            self._tell_rest()
        elif self._busy:
            self._again = True
        elif (text := self._text()) == self._base.text:
            self._clean()
        else:
            self._save(text, expected_hash=self._base.hash)

    def leave(self) -> None:
        """Save for the last time with the text as it is now; the screen turns to something else."""
        text = self._text()
        self._text = lambda: text
        self.flush()

    def flush(self) -> None:
        """Save and draft without waiting, before the program ends; a save that failed for this text is not repeated."""
        if self._settled_for != self._edits:
            self._settled_for = self._edits
            self.save_now()
        if self._draft.isActive():
            self._keep_draft()

    def drop_draft(self) -> None:
        """Forget the draft, if it is ours; one that is still offered to the user is not."""
        if self._kept:
            self._kept = False
            self._drafting.drop(self.path, owner=self)

    def adopt(self) -> None:
        """Take a draft that was left behind for ours: it is dropped with the next save."""
        self._kept = True

    def restored(self, draft: Draft) -> None:
        """Take in that the text is now that of a draft; where the file is another one since, both versions stand."""
        self.adopt()
        self._edits += 1
        if draft.base_hash not in (None, self._base.hash):
            self._theirs = self._base
            self._stop_saving("conflict")

    def stop(self) -> None:
        """Do nothing by itself any more."""
        for timer in (self._rest, self._draft, self._retry):
            timer.stop()

    # others' work

    def changed_outside(self, note: Note) -> None:
        """Take in what another program, or our own save, left on disk."""
        if note.path != self.path:
            return
        self._heard += 1
        if self._busy:
            self._news = True
        elif note.hash == self._base.hash:
            self._resume()
        elif note.hash in self._own:  # an echo of an older save that came late, or someone restored that version
            self._look_again()
        else:
            self._face(note)

    def confirmed(self, note: Note) -> None:
        """Take in that the file is there as it was, which is news where it seemed gone for a moment."""
        if (note.path, note.hash) == (self.path, self._base.hash) and not self._busy and self.state.kind == "gone":
            self.changed_outside(note)

    def deleted_outside(self) -> None:
        """Take in that the file seems to be gone; other editors remove it for a moment when they save."""
        if self._busy:
            self._news = True
        else:
            self._look_again()

    def _look_again(self) -> None:
        """Read the file to learn what is true now."""
        self._heard = self._look = look = self._heard + 1
        self._store.read(self.path, done=partial(self._on_read, look), failed=partial(self._on_unreadable, look))

    def _on_read(self, look: int, note: Note) -> None:
        if not isValid(self) or self._was_told_since(look):
            return
        if self._busy:
            self._news = True
        elif note.hash == self._base.hash:
            self._resume()
        else:
            self._face(note)

    def _on_unreadable(self, look: int, error: Exception) -> None:
        if not isValid(self) or self._busy or self._was_told_since(look):
            return
        if isinstance(error, NoteMissing):
            self._stop_saving("gone")
        else:
            self._fail(error)

    def _was_told_since(self, look: int) -> bool:
        """Tell whether more was heard of the file since a look at it began; then it is looked at once more."""
        if look == self._look != self._heard:
            self._look_again()
        return look != self._heard

    def _resume(self) -> None:
        """Go on after the file came back as it was; also when a save was refused for what it was just then."""
        if self.state.kind in ("gone", "conflict", "saving"):
            self._theirs = None
            if self.dirty:
                self._enter("unsaved")
                self._rest.start()
            else:
                self._enter_unedited()

    def _face(self, note: Note) -> None:
        """Decide what to do about another's version: take it if nothing is lost, else let the user choose."""
        if not self.dirty or self._text() == self._base.text:
            self._take(note)
        elif self._text() == note.text:
            self._base = note
            self._clean()
        else:
            self._theirs = note
            self._stop_saving("conflict")

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
        self._tell_rest()

    # what the user decides

    def keep_mine(self) -> None:
        """Write our version over theirs, which the user has seen."""
        if self._theirs is not None and not self._busy:
            self._base, self._theirs = self._theirs, None
            self._enter("unsaved")
            self._save(self._text(), expected_hash=self._base.hash)

    def take_theirs(self) -> None:
        """Let the text become theirs; ours can be had back by undo."""
        if self._theirs is not None and not self._busy:
            self._take(self._theirs)

    def keep_both(self, *, number: int = 1) -> None:
        """Write our version beside theirs, and go on with theirs."""
        theirs = self._theirs
        if theirs is None or self._busy:
            return
        self._busy = True
        beside = conflict_path(self.path, datetime.now().astimezone(), number=number)
        self._store.save(
            beside,
            self._text(),
            form=self._base.form,
            expected_hash=None,
            done=lambda note: self._on_kept_beside(note, theirs),
            failed=lambda error: self._on_not_beside(error, number),
        )

    def save_again(self) -> None:
        """Make the deleted file again, because the user said so."""
        if self.state.kind == "gone" and not self._busy:
            self._edits += 1
            self._enter("unsaved")
            self._save(self._text(), expected_hash=None)

    def _on_kept_beside(self, copy: Note, theirs: Note) -> None:
        self._busy = False
        self.kept_beside.emit(copy.path)
        self._take(self._theirs or theirs)

    def _on_not_beside(self, error: Exception, number: int) -> None:
        self._busy = False
        if isinstance(error, NoteChanged) and number < _OWN:
            self.keep_both(number=number + 1)
        else:
            self._enter("conflict", error)
            self._tell_rest()

    # saving

    def _save(self, text: str, *, expected_hash: str | None) -> None:
        self._busy, self._again = True, False
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
        except Exception as error:  # a fault of the program, which is told; it is tried again like any other
            self._on_failed(error)
            raise

    def _on_saved(self, note: Note, edits: int) -> None:
        self._busy = False
        self._base, self._saved_edits, self._failures = note, edits, 0
        self._own.append(note.hash)
        self.saved.emit(note)
        if self.dirty:
            self._enter("unsaved")
            self._keep_draft()  # what is kept so far began from the file before
            self._rest.start()
        else:
            self._clean()
        if self._news:
            self._news = False
            self._look_again()
        if self._again:
            self._again = False
            self.save_now()

    def _on_failed(self, error: Exception) -> None:
        self._busy, self._again, self._news = False, False, False
        if isinstance(error, NoteChanged | NoteMissing):
            self._look_again()
        else:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        self._enter("failed", error)
        self._keep_draft()
        self._retry.start(RETRIES[min(self._failures, len(RETRIES)) - 1])
        self._tell_rest()

    def _clean(self) -> None:
        self._saved_edits, self._failures = self._edits, 0
        self._rest.stop()
        self._draft.stop()
        self.drop_draft()
        self._enter_unedited()
        self._tell_rest()

    def _keep_draft(self) -> None:
        self._draft.stop()
        if self.dirty:
            self._kept = True
            self._drafting.keep(self.path, self._text(), base_hash=self._base.hash, owner=self)

    def _enter_unedited(self) -> None:
        self._enter_state(self._unedited)

    def _enter(self, kind: Kind, error: Exception | None = None) -> None:
        self._enter_state(SaveState(kind, error, self._failures))

    def _enter_state(self, state: SaveState) -> None:
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _tell_rest(self) -> None:
        if self.resting:
            self.rested.emit()


class PendingSaves(QObject):
    """Lets a saver end its work by itself."""

    saved = Signal(object)  # Note
    unsaved = Signal(str, object)  # path, error: the file has not this text; its draft is kept
    rested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Begin with none."""
        super().__init__(parent)
        self._savers: list[Autosave] = []

    @property
    def resting(self) -> bool:
        """Whether all have ended."""
        return not self._savers

    def take_over(self, saver: Autosave) -> None:
        """Have the text saved as it is now, and be done with it."""
        saver.saved.connect(self.saved)
        self._savers.append(saver)
        saver.rested.connect(lambda: self._on_rested(saver))
        saver.leave()
        if saver.resting:
            self._on_rested(saver)

    def stop(self) -> None:
        """Stop every timer."""
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
