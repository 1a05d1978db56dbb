"""The live page beside the editor: a second reader, which shows the text as it is being typed."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.look import Look
from app.reader.pages import PageSet
from app.reader.view import ReaderView
from app.words import Words
from app.workspace import Workspace
from kb.page import Page


class PagePreview:
    """Answers the editor's wish for a page; nothing can be run from it."""

    def __init__(self, workspace: Workspace, words: Words, look: Look, parent: QWidget) -> None:
        """Make the reader, which the editor puts in its place."""
        self._workspace = workspace
        self._view = ReaderView(words, look.theme, parent)
        self._view.hide()
        self._view.setAccessibleName(words("预览", "Preview"))
        look.changed.connect(self._view.set_theme)

    def widget(self) -> QWidget:
        """Return the reader."""
        return self._view

    def show_page(self, page: Page, path: str) -> None:
        """Show a page in place of the one before, at the same place."""
        vault, note = self._workspace.vault, self._workspace.notes.current
        at = self._view.verticalScrollBar().value()
        self._view.show_pages(PageSet(
            key=f"preview:{path}", pages={"": page}, mode="both", note_paths={"": path},
            titles={"": note.lead.title if note else path}, root=vault.root if vault else None,
        ))  # fmt: skip
        self._view.verticalScrollBar().setValue(at)

    def follow(self, line: int) -> None:
        """Bring what stands at this line of the source into view."""
        self._view.go_to_line(line)
