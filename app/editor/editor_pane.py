"""The editor of one note: source, preview, find bar, and notifications about saving."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.editor import save_notifications
from app.editor.autosave import Autosave, PendingSaves
from app.editor.document_store import DocumentStore
from app.editor.draft_writer import DraftWriter
from app.editor.editor_header import EditorHeader
from app.editor.find_replace_bar import FindReplaceBar
from app.editor.message_bar import MessageBar
from app.editor.preview_scheduler import PreviewScheduler, PreviewTarget
from app.editor.save_notifications import SaveState, reason_to_lock
from app.editor.side_pane import SidePane, stack
from app.editor.source_editor import LONGEST, SourceEditor
from app.i18n import Translator
from app.style.theme import Theme
from app.widgets.notification import Notification
from kb.markdown.fences import fences
from kb.markdown.links import links
from kb.notes.note import Note
from kb.vault.drafts import Draft


class RunAfterSave:
    """Postpones a run until the note is saved; only the newest request counts, and it is dropped if saving fails."""

    def __init__(self, run: Callable[[Note, int, str], object]) -> None:
        """Call `run` with note, line and device."""
        self._run = run
        self._request: tuple[str, int, str] | None = None  # text, line, device

    def request(self, text: str, line: int, device: str) -> None:
        """Request a run of the block at a line of this text; a line of prose is ignored."""
        if runs_at(text, line):
            self._request = text, line, device

    def saved(self, note: Note) -> None:
        """React to a save, which may be of this text or of an earlier one."""
        if self._request is not None and self._request[0] == note.text:
            self.clean(note)

    def clean(self, note: Note) -> None:
        """Run, because the file holds all text."""
        if self._request is not None:
            (_, line, device), self._request = self._request, None
            self._run(note, line, device)

    def forget(self) -> None:
        """Drop the request."""
        self._request = None


def runs_at(text: str, line: int) -> bool:
    """Return whether line `line` (from 1) is in a runnable fence or is a paragraph that links to a snippet."""
    if any(fence.runnable and fence.line <= line <= fence.end_line for fence in fences(text)):
        return True
    return any(link.kind == "snippet" and link.line == line for link in links(text))


class EditorPane(QWidget):
    """Edits one note at a time; text is kept as a draft within 0.25 s and saved after a second's pause."""

    run_requested = Signal(object, int, str)  # Note as it is on disk now, line (from 1) of a block, device or ""
    closed = Signal(int)  # line of the caret, where the reader continues
    state_changed = Signal(object)  # SaveState
    note_saved = Signal(object)  # Note as it is on disk now
    merged = Signal(str)  # path of the note whose change by another program was merged
    kept_beside = Signal(str)  # path of the copy that a conflict was resolved with
    left_unsaved = Signal(str, object)  # path, error: the last save of a note failed; its draft is kept
    rested = Signal()  # no save is in progress; see `flush`

    def __init__(
        self, words: Translator, theme: Theme, *, preview: PreviewTarget | None = None, parent: QWidget | None = None
    ) -> None:
        """Show the live preview in `preview`, if given."""
        super().__init__(parent)
        self._words = words
        self._store: DocumentStore | None = None
        self._drafts: DraftWriter | None = None
        self._saver: Autosave | None = None
        self._pending = PendingSaves(self)
        self._run_after_save = RunAfterSave(self.run_requested.emit)
        self._draft: Draft | None = None
        self._lost_draft: Notification | None = None  # about a draft that could not be kept
        self.source = SourceEditor(theme)
        self.header = EditorHeader(words, theme, self.source.keys)
        self.ask_bar = MessageBar(words, theme)
        self.find_bar = FindReplaceBar(words, self.source)
        self.side_pane = SidePane(words, theme, preview.widget() if preview else None)
        self._scheduler: PreviewScheduler | None = None
        self._lay_out()
        self._connect()
        if preview is not None:
            self._scheduler = PreviewScheduler(preview, text=self.source.live, line=self.source.line, parent=self)
            self.source.caret_moved.connect(lambda _, moved=self._scheduler.moved: moved())
            preview.listen(run=self.run_at, turn_to=self.source.go_to_line, tick=self.source.linework.tick)
        self.show_preview(on=preview is not None)
        self._retranslate()

    def _lay_out(self) -> None:
        halves = self.side_pane.next_to(self.source, self.find_bar)
        stack(self, self.header, self.ask_bar, halves, grows=halves)
        self.setFocusProxy(self.source)

    def _connect(self) -> None:
        self.source.edited.connect(self._on_edited)
        self.source.loaded.connect(self._on_loaded)
        for moved in (self.source.cursorPositionChanged, self.source.carets.changed):
            moved.connect(self._show_place)
        self.source.commanded.connect(self._on_commanded)
        self.source.installEventFilter(self)
        self._pending.saved.connect(self.note_saved)
        self._pending.unsaved.connect(self.left_unsaved)
        self._pending.rested.connect(self._emit_if_resting)
        self.find_bar.closed.connect(self.source.setFocus)
        self.header.find_button.clicked.connect(lambda: self.find_bar.open(replace=True))
        self.header.preview_button.toggled.connect(lambda on: self.show_preview(on=on))
        self.header.done_button.clicked.connect(self.close_editor)
        self._words.changed.connect(self._retranslate)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._on_application_state)

    # used by the workspace

    @property
    def path(self) -> str:
        """The path of the note being edited, or ""."""
        return self._saver.path if self._saver else ""

    @property
    def state(self) -> SaveState:
        """The save state of the text."""
        return self._saver.state if self._saver else SaveState("saved")

    def open(
        self,
        note: Note,
        line: int = 1,
        *,
        store: DocumentStore,
        draft: Draft | None = None,
        locked: Exception | None = None,
    ) -> None:
        """Show a note at a line; `store` saves and renders it and keeps its drafts.

        A draft of an earlier session is offered; `locked` says why the note cannot be edited.
        """
        if self._store is store and draft is not None and self._is_own(note.path):
            draft = None
        if self._store is store and self._saver is not None and self._is_open(self._saver, note, draft, locked):
            self._saver.changed_outside(note)
            self.source.go_to_line(line)
            return
        self._close_note()
        reason = locked or reason_to_lock(note, longest=LONGEST)
        drafts = self._drafts_in(store)
        self._saver = saver = Autosave(store, drafts, note, text=self.source.text, locked=reason, parent=self)
        saver.state_changed.connect(self._on_state)
        saver.saved.connect(self._on_saved)
        saver.reloaded.connect(self._on_reloaded)
        saver.merged.connect(self._on_merged)
        saver.kept_beside.connect(self.kept_beside)
        saver.rested.connect(self._emit_if_resting)
        self._draft = draft if draft is not None and draft.text != note.text and reason is None else None
        if draft is not None and draft.text == note.text:
            saver.adopt(draft)
            saver.drop_draft()
        self.side_pane.hide_difference()
        self.header.show_path(note.path)
        self.source.load(note.text, line=line, locked=reason is not None or self._draft is not None)
        self._on_state(saver.state)
        store.check(note.path, done=lambda refused: self._on_checked(saver, refused))

    def _on_checked(self, saver: Autosave, refused: Exception | None) -> None:
        """Lock a note that cannot be written, unless it was edited meanwhile: then its save reports the error."""
        if refused is not None and saver is self._saver and self._draft is None and not saver.dirty:
            saver.lock(refused)
            self.source.lock(locked=saver.state.kind == "locked")

    def _drafts_in(self, store: DocumentStore) -> DraftWriter:
        """Return the draft writer of a store; one of another store finishes its jobs on its own."""
        if self._drafts is None or self._store is not store:
            self._drafts = DraftWriter(store, self)
            self._drafts.failed.connect(self._on_draft_failed)
            self._drafts.rested.connect(self._emit_if_resting)
            self._store = store
        return self._drafts

    def _is_own(self, path: str) -> bool:
        """Whether the draft of a note is no text of an earlier session, but one that is just being saved."""
        return self._pending.saves(path) or (self._drafts is not None and self._drafts.drops(path))

    def _is_open(self, saver: Autosave, note: Note, draft: Draft | None, locked: Exception | None) -> bool:
        """Return whether this note is open already, so that its undo steps and position can be kept."""
        known = draft is None or saver.has_draft or self._draft is not None
        same_lock = locked is None or saver.state.kind == "locked"
        return saver.path == note.path and known and same_lock and not self.source.loading

    def text(self) -> str:
        """Return the text to save."""
        if self._saver is not None and self._saver.state.kind == "locked":
            return self._saver.base.text
        return self.source.text()

    def note_changed_outside(self, note: Note, *, same: bool = False) -> None:
        """React to the note on disk; `same` says that it is unchanged. Our own saves are recognized by their hash."""
        if self._saver is not None:
            (self._saver.confirmed if same else self._saver.changed_outside)(note)

    def note_deleted_outside(self) -> None:
        """React to a missing file: look for it again, and recreate it only if the user chooses so."""
        if self._saver is not None:
            self._saver.deleted_outside()

    def save_now(self) -> None:
        """Save unsaved text at once."""
        if self._saver is not None:
            self._saver.save_now()

    def flush(self) -> bool:
        """Start the last save; return True if there is nothing to wait for, else `rested` follows."""
        if self._saver is not None:
            self._saver.flush()
        return self._resting()

    def keep_both(self) -> None:
        """In a conflict, save our version as a copy; `rested` follows."""
        if self._saver is not None:
            self._saver.keep_both()

    @property
    def only_here(self) -> bool:
        """Whether the text exists only on screen: it is not saved, and its draft could not be kept."""
        return not self.state.safe and self._lost_draft is not None

    def leave(self) -> None:
        """Save the note for the last time and close it, as before another vault is opened."""
        self._close_note()
        self._draft = None
        self.header.show_path("")
        self.source.load("", locked=True)
        self._show_notice()

    def shut_down(self) -> None:
        """Stop all timers; nothing is saved automatically any more."""
        self.source.stop()
        if self._scheduler is not None:
            self._scheduler.stop()
        self._pending.stop()
        if self._saver is not None:
            self._saver.stop()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for part in (self.source, self.header, self.ask_bar, self.side_pane):
            part.set_theme(theme)

    def show_preview(self, *, on: bool) -> None:
        """Show or hide the live preview."""
        self.header.preview_button.setVisible(self._scheduler is not None)
        self.header.preview_button.setChecked(on)
        if self._scheduler is not None:
            self._scheduler.switch(on=on)
        self.side_pane.want_preview(on=on)

    def close_editor(self) -> None:
        """Save, and return to the reader at the same line."""
        self.save_now()
        self.closed.emit(self.source.line())

    # signals of the source

    def _on_edited(self) -> None:
        if self._saver is not None:
            self._saver.edited()
        if self._scheduler is not None:
            self._scheduler.edited()

    def _on_loaded(self) -> None:
        self._show_place()
        if self._scheduler is not None and self._saver is not None and self._store is not None:
            self._scheduler.begin(self._store, self._saver.path)

    def _show_place(self) -> None:
        column = self.source.textCursor().positionInBlock() + 1
        self.header.show_place(self.source.line(), column, carets=len(self.source.carets))

    def _on_commanded(self, command: str) -> None:
        if command == "save":
            self.save_now()
        elif command == "close":
            self.close_editor()
        elif command == "run":
            self.run_at(self.source.line())
        elif command in ("find_next", "find_previous"):
            self.find_bar.go(1 if command == "find_next" else -1)
        elif command in ("find", "replace"):
            self.find_bar.open(replace=command == "replace")
        elif command == "escape":
            self._on_escape()

    def _on_escape(self) -> None:
        if self.find_bar.isVisible():
            self.find_bar.shut()
        elif self.side_pane.comparing:
            self.side_pane.hide_difference()
        else:
            self.close_editor()

    def run_at(self, line: int, device: str = "") -> None:
        """Save, and then request a run of the block at a line; nothing runs if saving fails."""
        self._run_after_save.request(self.text(), line, device)
        self.save_now()
        if self._saver is not None and self.state.safe:
            self._run_after_save.clean(self._saver.base)

    def event(self, event: QEvent) -> bool:
        """Give the editor's keys precedence over the window's shortcuts, wherever in the pane the focus is."""
        key = event if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) else None
        if key is not None and self.source.keys.command_of(key):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the editor's keys also in the find bar, the preview and the buttons."""
        if command := self.source.keys.command_of(event):
            event.accept()
            self._on_commanded(command)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save when the source loses the focus, except to its own menu."""
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.save_now()
        return super().eventFilter(watched, event)

    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.save_now()

    # signals of the autosave

    def _on_saved(self, note: Note) -> None:
        self.source.rebase(note.text)
        self._lost_draft = None
        self.note_saved.emit(note)
        self._run_after_save.saved(note)

    def _on_reloaded(self, note: Note) -> None:
        self.source.become(note.text)
        self._show_notice()

    def _on_merged(self, note: Note, text: str) -> None:
        self.source.rebase(note.text)
        self.source.become_edited(text)
        self.merged.emit(note.path)

    def _on_state(self, state: SaveState) -> None:
        self.header.show_state(state)
        if state.kind != "conflict" and self._draft is None:  # nothing left to decide
            self.side_pane.hide_difference()
        self._show_notice()
        self.state_changed.emit(state)
        if state.safe and self._saver is not None:
            self._run_after_save.clean(self._saver.base)
        elif state.kind not in ("unsaved", "saving"):
            self._run_after_save.forget()

    def _on_draft_failed(self, path: str, error: Exception) -> None:
        if path == self.path:
            self._lost_draft = save_notifications.of_lost_draft(error)
            self._show_notice()

    def _show_notice(self) -> None:
        """Show the most important notification."""
        self.ask_bar.show_notice(self._notice())

    def _notice(self) -> Notification | None:
        saver, state = self._saver, self.state
        if saver is None:
            return None
        if state.kind == "conflict":
            return save_notifications.of_conflict(
                state, mine=saver.keep_mine, theirs=saver.take_theirs, both=saver.keep_both, compare=self._compare
            )
        if state.kind == "gone":
            return save_notifications.of_gone(save_again=saver.save_again, close=self.close_editor)
        if self._draft is not None:
            changed = self._draft.base_hash != saver.base.hash
            return save_notifications.of_draft(
                self._draft, changed=changed, restore=self._restore, discard=self._discard, compare=self._compare
            )
        lasting = save_notifications.of_failure(state, retry=saver.save_now) if state.lasting else self._lost_draft
        return save_notifications.of_lock(state) if state.kind == "locked" else lasting

    # drafts and differences

    def _restore(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None and self._saver is not None:
            self.source.become_edited(draft.text)
            self._saver.restored(draft)
            self._unlock()

    def _discard(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None and self._saver is not None:
            self._saver.adopt(draft)
            self._saver.drop_draft()
        self._unlock()

    def _unlock(self) -> None:
        self.side_pane.hide_difference()
        self.source.lock(locked=False)
        self.source.setFocus()
        self._show_notice()

    def _compare(self) -> None:
        saver = self._saver
        if saver is not None and self._draft is not None:
            self.side_pane.compare(saver.base.text, self._draft.text)
        elif saver is not None and saver.theirs is not None:
            self.side_pane.compare(saver.theirs.text, self.source.text())

    # leaving

    def _close_note(self) -> None:
        """Close the note; its last save finishes on its own."""
        self._run_after_save.forget()
        if (saver := self._saver) is not None:
            self._saver = None
            for signal in (
                saver.state_changed,
                saver.saved,
                saver.reloaded,
                saver.merged,
                saver.kept_beside,
                saver.rested,
            ):
                signal.disconnect()
            self._pending.take_over(saver)

    def _resting(self) -> bool:
        return self._pending.resting and (self._saver is None or self._saver.resting)

    def _emit_if_resting(self) -> None:
        if self._resting():
            self.rested.emit()

    def _retranslate(self) -> None:
        self.setAccessibleName(self._words("编辑器", "Editor"))
        self.source.setAccessibleName(self._words("Markdown 源文", "Markdown source"))
