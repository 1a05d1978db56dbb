"""The commands for earlier versions of a note and for deleted notes."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.central.central_widget import CentralWidget
from app.commands.deleted_notes_dialog import DeletedNotesDialog
from app.commands.note_versions_dialog import NoteVersionsDialog
from app.commands.registry import Command
from app.i18n import Translator
from app.state.version_history import VersionHistory
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from app.widgets.notification import Notification


class VersionCommands:
    """Opens the two dialogs, and does what is chosen in them as changes that can be undone."""

    def __init__(
        self, workspace: Workspace, central: CentralWidget, words: Translator, look: Appearance, window: QWidget
    ) -> None:
        """Open dialogs in front of `window`."""
        self._workspace, self._central, self._words, self._look = workspace, central, words, look
        self._window = window

    def commands(self) -> tuple[Command, ...]:
        """Return the commands."""
        return (
            Command(
                "note_versions",
                "arrange",
                "历史版本…",
                "Earlier versions…",
                self.show_versions,
                also="时间线 恢复 history timeline restore note",
            ),
            Command(
                "deleted_notes",
                "arrange",
                "已移出的笔记…",
                "Deleted notes…",
                self.show_deleted,
                also="删除 恢复 回收站 delete trash restore bin",
            ),
        )

    def show_versions(self) -> NoteVersionsDialog | None:
        """Show the versions of the open note, in the language that is in view; None without an open note."""
        note, vault = self._workspace.notes.current, self._workspace.vault
        if note is None or vault is None:
            self._workspace.noticed.emit(
                Notification("没有打开的笔记。", "No note is open.", topic="keeping", passing=True)
            )
            return None
        path = self._central.editor.path if self._central.editing else note.lead.path
        history = VersionHistory(self._workspace.executor, vault)
        shown = NoteVersionsDialog(path, history, words=self._words, look=self._look, parent=self._window)
        shown.restored.connect(self._workspace.vault_edits.restore)
        self._workspace.vault_edits.arranged.connect(shown.refresh)
        self._central.editor.note_saved.connect(shown.on_saved)
        self._workspace.vault_opened.connect(shown.close)
        shown.show()
        return shown

    def show_deleted(self) -> DeletedNotesDialog | None:
        """Show the notes that were moved out of the vault; None without a vault."""
        vault, edits = self._workspace.vault, self._workspace.vault_edits
        if vault is None:
            return None
        history = VersionHistory(self._workspace.executor, vault)
        shown = DeletedNotesDialog(history, self._words, self._look.theme.code_font, self._window)
        shown.brought_back.connect(edits.bring_back)
        shown.deleted.connect(lambda notes: edits.delete_for_good(notes, shown.refresh))
        edits.arranged.connect(shown.refresh)
        self._workspace.vault_opened.connect(shown.close)
        shown.show()
        return shown
