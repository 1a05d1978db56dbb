"""The editor of one note: source, preview, find bar, and the sentences about what is saved."""

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
from kb.notes.fences import fences
from kb.notes.links import links
from kb.notes.note import Note
from kb.vault.drafts import Draft


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


class EditorPane(QWidget):
    """Edits one note at a time; what is typed is kept as a draft at once and saved a second later."""

    run_requested = Signal(object, int, str)  # Note as it is on disk now, line (from 1) of a block, device or ""
    closed = Signal(int)  # line of the caret: where the reader goes on
    state_changed = Signal(object)  # SaveState
    note_saved = Signal(object)  # Note as it is on disk now
    kept_beside = Signal(str)  # path of the copy that a conflict was solved with
    left_unsaved = Signal(str, object)  # path, error: a note that was left could not be saved; its draft is kept
    rested = Signal()  # nothing is under way any more; see `settle`

    def __init__(
        self, words: Translator, theme: Theme, *, preview: PreviewTarget | None = None, parent: QWidget | None = None
    ) -> None:
        """Show the live page in `preview` where there is one."""
        super().__init__(parent)
        self._words = words
        self._store: DocumentStore | None = None
        self._drafting: DraftWriter | None = None
        self._saver: Autosave | None = None
        self._leaving = PendingSaves(self)
        self._to_run = RunAfterSave(self.run_requested.emit)
        self._draft: Draft | None = None
        self._told: Notification | None = None  # of a draft that could not be kept
        self.source = SourceEditor(theme)
        self.header = EditorHeader(words, theme, self.source.keys)
        self.ask_bar = MessageBar(words, theme)
        self.find_bar = FindReplaceBar(words, self.source)
        self._beside = SidePane(words, theme, preview.widget() if preview else None)
        self._previewing: PreviewScheduler | None = None
        self._lay_out()
        self._connect()
        if preview is not None:
            self._previewing = PreviewScheduler(preview, text=self.source.live, line=self.source.line, parent=self)
            self.source.caret_moved.connect(lambda _, moved=self._previewing.moved: moved())
            preview.listen(run=self.run_at, turn_to=self.source.go_to_line, tick=self.source.linework.tick)
        self.show_preview(on=preview is not None)
        self._retranslate()

    def _lay_out(self) -> None:
        halves = self._beside.next_to(self.source, self.find_bar)
        stack(self, self.header, self.ask_bar, halves, grows=halves)
        self.setFocusProxy(self.source)

    def _connect(self) -> None:
        self.source.edited.connect(self._on_edited)
        self.source.loaded.connect(self._on_loaded)
        for moved in (self.source.cursorPositionChanged, self.source.carets.changed):
            moved.connect(self._show_place)
        self.source.commanded.connect(self._on_commanded)
        self.source.installEventFilter(self)
        self._leaving.saved.connect(self.note_saved)
        self._leaving.unsaved.connect(self.left_unsaved)
        self._leaving.rested.connect(self._tell_rest)
        self.find_bar.closed.connect(self.source.setFocus)
        self.header.find_button.clicked.connect(lambda: self.find_bar.open(replace=True))
        self.header.preview_button.toggled.connect(lambda on: self.show_preview(on=on))
        self.header.done_button.clicked.connect(self.close_editor)
        self._words.changed.connect(self._retranslate)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._on_application_state)

    # what the workspace does with it

    @property
    def path(self) -> str:
        """The path of the note that is being edited; empty without one."""
        return self._saver.path if self._saver else ""

    @property
    def state(self) -> SaveState:
        """How the text stands with its file."""
        return self._saver.state if self._saver else SaveState("saved")

    def open(
        self,
        note: Note,
        line: int = 1,
        *,
        desk: DocumentStore,
        draft: Draft | None = None,
        locked: Exception | None = None,
    ) -> None:
        """Show a note of the desk at a line, and save, draft and render it there.

        A draft that was left behind is offered; `locked` says why the note cannot be edited.
        """
        if self._store is desk and self._saver is not None and self._goes_on(self._saver, note, draft, locked):
            self._saver.changed_outside(note)
            self.source.go_to_line(line)
            return
        self._let_go()
        reason = locked or reason_to_lock(note, longest=LONGEST)
        drafting = self._drafting_at(desk)
        self._saver = saver = Autosave(desk, drafting, note, text=self.source.text, locked=reason, parent=self)
        saver.state_changed.connect(self._on_state)
        saver.saved.connect(self._on_saved)
        saver.reloaded.connect(self._on_reloaded)
        saver.kept_beside.connect(self.kept_beside)
        saver.rested.connect(self._tell_rest)
        self._draft = draft if draft is not None and draft.text != note.text and reason is None else None
        if draft is not None and draft.text == note.text:
            saver.adopt()
            saver.drop_draft()
        self._beside.hide_difference()
        self.header.show_path(note.path)
        self.source.load(note.text, line=line, locked=reason is not None or self._draft is not None)
        self._on_state(saver.state)
        desk.check(note.path, done=lambda refused: self._on_checked(saver, refused))

    def _on_checked(self, saver: Autosave, refused: Exception | None) -> None:
        """Lock a note that may not be written; what was typed by then is kept, and its save says why it fails."""
        if refused is not None and saver is self._saver and self._draft is None and not saver.dirty:
            saver.lock(refused)
            self.source.lock(locked=saver.state.kind == "locked")

    def _drafting_at(self, desk: DocumentStore) -> DraftWriter:
        """Return what keeps drafts at a desk; that of another desk ends its work by itself."""
        if self._drafting is None or self._store is not desk:
            self._drafting = DraftWriter(desk, self)
            self._drafting.failed.connect(self._on_draft_failed)
            self._drafting.rested.connect(self._tell_rest)
            self._store = desk
        return self._drafting

    def _goes_on(self, saver: Autosave, note: Note, draft: Draft | None, locked: Exception | None) -> bool:
        """Return whether this note is being edited already, so that its undo steps and its place can stay."""
        known = draft is None or saver.has_draft or self._draft is not None
        same_lock = locked is None or saver.state.kind == "locked"
        return saver.path == note.path and known and same_lock and not self.source.loading

    def text(self) -> str:
        """Return the text as it would be saved."""
        if self._saver is not None and self._saver.state.kind == "locked":
            return self._saver.base.text
        return self.source.text()

    def note_changed_outside(self, note: Note, *, same: bool = False) -> None:
        """Take in what is now on disk, or is still the `same`; what we saved ourselves is known by its hash."""
        if self._saver is not None:
            (self._saver.confirmed if same else self._saver.changed_outside)(note)

    def note_deleted_outside(self) -> None:
        """Take in that the file seems gone; it is looked for again, and not made again unless the user says so."""
        if self._saver is not None:
            self._saver.deleted_outside()

    def save_now(self) -> None:
        """Save at once what is not saved yet."""
        if self._saver is not None:
            self._saver.save_now()

    def flush(self) -> bool:
        """Begin the last save; True if there is nothing to wait for, else `rested` follows."""
        if self._saver is not None:
            self._saver.flush()
        return self._resting()

    def keep_both(self) -> None:
        """In a conflict, write our version beside theirs; `rested` follows."""
        if self._saver is not None:
            self._saver.keep_both()

    @property
    def only_here(self) -> bool:
        """Whether what is typed is nowhere but on the screen: not in its file, and no draft of it could be kept."""
        return not self.state.safe and self._told is not None

    def leave(self) -> None:
        """Save the note for the last time and show none, as before another vault is opened."""
        self._let_go()
        self._draft = None
        self.header.show_path("")
        self.source.load("", locked=True)
        self._show_notice()

    def shut_down(self) -> None:
        """Stop every timer; nothing is saved by itself any more."""
        self.source.stop()
        if self._previewing is not None:
            self._previewing.stop()
        self._leaving.stop()
        if self._saver is not None:
            self._saver.stop()

    def set_theme(self, theme: Theme) -> None:
        """Take on these colours."""
        for part in (self.source, self.header, self.ask_bar, self._beside):
            part.set_theme(theme)

    def show_preview(self, *, on: bool) -> None:
        """Show or hide the live preview."""
        self.header.preview_button.setVisible(self._previewing is not None)
        self.header.preview_button.setChecked(on)
        if self._previewing is not None:
            self._previewing.switch(on=on)
        self._beside.want_preview(on=on)

    def close_editor(self) -> None:
        """Save, and go back to reading at the same place."""
        self.save_now()
        self.closed.emit(self.source.line())

    # from the source

    def _on_edited(self) -> None:
        if self._saver is not None:
            self._saver.edited()
        if self._previewing is not None:
            self._previewing.edited()

    def _on_loaded(self) -> None:
        self._show_place()
        if self._previewing is not None and self._saver is not None and self._store is not None:
            self._previewing.begin(self._store, self._saver.path)

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
        elif self._beside.comparing:
            self._beside.hide_difference()
        else:
            self.close_editor()

    def run_at(self, line: int, device: str = "") -> None:
        """Save, and then ask for a run of the block at a line; what cannot be saved is not run."""
        self._to_run.want(self.text(), line, device)
        self.save_now()
        if self._saver is not None and self.state.safe:
            self._to_run.clean(self._saver.base)

    def event(self, event: QEvent) -> bool:
        """Keep the editor's keys from becoming shortcuts of the window, wherever in the pane the focus is."""
        key = event if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) else None
        if key is not None and self.source.keys.command_of(key):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Obey the editor's keys from the find bar, the preview and the buttons as well."""
        if command := self.source.keys.command_of(event):
            event.accept()
            self._on_commanded(command)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Save when the source loses the focus, though not to a menu of its own."""
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.save_now()
        return super().eventFilter(watched, event)

    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.save_now()

    # from the saver

    def _on_saved(self, note: Note) -> None:
        self.source.rebase(note.text)
        self._told = None
        self.note_saved.emit(note)
        self._to_run.saved(note)

    def _on_reloaded(self, note: Note) -> None:
        self.source.become(note.text)
        self._show_notice()

    def _on_state(self, state: SaveState) -> None:
        self.header.show_state(state)
        if state.kind != "conflict" and self._draft is None:  # there is nothing to be decided any more
            self._beside.hide_difference()
        self._show_notice()
        self.state_changed.emit(state)
        if state.safe and self._saver is not None:
            self._to_run.clean(self._saver.base)
        elif state.kind not in ("unsaved", "saving"):
            self._to_run.forget()

    def _on_draft_failed(self, path: str, error: Exception) -> None:
        if path == self.path:
            self._told = save_notifications.of_lost_draft(error)
            self._show_notice()

    def _show_notice(self) -> None:
        """Show the one sentence that matters most."""
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
        lasting = save_notifications.of_failure(state, retry=saver.save_now) if state.lasting else self._told
        return save_notifications.of_lock(state) if state.kind == "locked" else lasting

    # drafts and differences

    def _restore(self) -> None:
        draft, self._draft = self._draft, None
        if draft is not None and self._saver is not None:
            self.source.become_edited(draft.text)
            self._saver.restored(draft)
            self._unlock()

    def _discard(self) -> None:
        self._draft = None
        if self._saver is not None:
            self._saver.adopt()
            self._saver.drop_draft()
        self._unlock()

    def _unlock(self) -> None:
        self._beside.hide_difference()
        self.source.lock(locked=False)
        self.source.setFocus()
        self._show_notice()

    def _compare(self) -> None:
        saver = self._saver
        if saver is not None and self._draft is not None:
            self._beside.compare(saver.base.text, self._draft.text)
        elif saver is not None and saver.theirs is not None:
            self._beside.compare(saver.theirs.text, self.source.text())

    # leaving

    def _let_go(self) -> None:
        """Leave the note before; its last save goes on by itself."""
        self._to_run.forget()
        if (saver := self._saver) is not None:
            self._saver = None
            for signal in (saver.state_changed, saver.saved, saver.reloaded, saver.kept_beside, saver.rested):
                signal.disconnect()
            self._leaving.take_over(saver)

    def _resting(self) -> bool:
        return self._leaving.resting and (self._saver is None or self._saver.resting)

    def _tell_rest(self) -> None:
        if self._resting():
            self.rested.emit()

    def _retranslate(self) -> None:
        self.setAccessibleName(self._words("编辑器", "Editor"))
        self.source.setAccessibleName(self._words("Markdown 源文", "Markdown source"))
