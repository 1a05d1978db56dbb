"""Answers what is clicked in the page and is no link: a task, a picture of another machine, a language to begin."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.editor.task_toggle import ticked
from app.reader.notebook_view import NotebookView
from app.state.workspace import Workspace
from app.widgets.notification import Notification, of_error
from kb.errors import NoteChanged
from kb.notes.note import Note

if TYPE_CHECKING:
    from app.central.image_fetcher import ImageFetcher


class PageActions(QObject):
    """Does it in the vault of `workspace`, or passes it on."""

    translation_requested = Signal(object)  # the NoteEntry that gets its other language

    def __init__(self, view: NotebookView, workspace: Workspace) -> None:
        """Listen to the links of `view`."""
        super().__init__(view)
        self._workspace = workspace
        links = view.links
        links.ticked.connect(self.tick)
        links.picture_requested.connect(lambda address: self._fetcher.fetch(address, view.show_remote))
        links.translation_requested.connect(lambda _: self._begin())

    @functools.cached_property
    def _fetcher(self) -> ImageFetcher:
        from app.central.image_fetcher import ImageFetcher  # noqa: PLC0415 - the network is loaded when something is asked of it

        return ImageFetcher(self)

    def tick(self, side: str, line: int, done: bool) -> None:  # noqa: FBT001 - as the signal has it
        """Tick a task of the open note in its file, or take the tick off again."""
        notes = self._workspace.notes
        source = (
            next((one for known, one in notes.current.notes.items() if known == side), None) if notes.current else None
        )
        if source is None or notes.desk is None:
            return
        text = ticked(source.text, line, done=done)
        if text is None or source.path in notes.desk.left:  # what is typed and not saved yet goes first
            self._tell_changed(source)
            return
        notes.desk.save(
            source.path,
            text,
            form=source.form,
            expected_hash=source.hash,
            done=lambda _: None,
            failed=lambda error: self._on_failed(source, error),
        )

    def _on_failed(self, source: Note, error: Exception) -> None:
        if isinstance(error, NoteChanged):
            self._tell_changed(source)
        else:
            self._workspace.noticed.emit(of_error(error, topic="task"))

    def _tell_changed(self, source: Note) -> None:
        self._workspace.notes.reload()
        self._workspace.noticed.emit(Notification(
            f"{source.path} 在此期间有了改动，没有勾选；现在显示的是新的内容，请再点一次。",
            f"{source.path} has changed meanwhile, so nothing was ticked; this is its new text, click once more.",
            "failed", topic="task",
        ))  # fmt: skip

    def _begin(self) -> None:
        if (note := self._workspace.notes.current) is not None:
            self.translation_requested.emit(note.entry)
