"""What a click in the page does: where a link leads, a remote image to load, tasks, the note's other language."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QObject, Signal

from app.editor.line_commands import ticked
from app.reader.notebook_view import NotebookView
from app.state.workspace import Workspace
from app.widgets.notification import Notification, of_error
from kb.errors import KbError, NoteChanged
from kb.notes.note import Note
from kb.vault.vault import Vault
from snippets.model.catalog import LIBRARY

if TYPE_CHECKING:
    from app.central.image_fetcher import ImageFetcher

_SCHEMES = {"http", "https"}
_NOTES = (".md", ".markdown", ".txt")


@dataclass(frozen=True)
class LinkDestination:
    """Where a link leads; `where` is the path of a note or a file, or the address as written in the link."""

    kind: Literal["note", "file", "web", "other", "missing"]
    where: str
    anchor: str = ""


def target_of(vault: Vault, from_path: str, link: str) -> LinkDestination:
    """Return where a link in a note leads. Only http and https are "web"; the user confirms other schemes."""
    if link.startswith("#"):
        return LinkDestination("note", from_path, unquote(link[1:]))
    scheme = urlsplit(link).scheme.lower() if ":" in link.split("/", maxsplit=1)[0] else ""
    if scheme in {"http", "https"}:
        return LinkDestination("web", link)
    if scheme == "snippet":
        return _snippet(link.partition(":")[2])
    place = link.partition(":")[2] if scheme in {"note", "wiki"} else link
    if scheme and scheme not in {"note", "wiki"}:
        return LinkDestination("other", link)
    return _in_vault(vault, from_path, place)


def _in_vault(vault: Vault, from_path: str, place: str) -> LinkDestination:
    path, _, anchor = place.partition("#")
    found = vault.resolve_link(from_path, unquote(path)) or vault.resolve_link(from_path, path)
    if found is None:
        return LinkDestination("missing", unquote(path))
    if found.lower().endswith(_NOTES):
        return LinkDestination("note", found, unquote(anchor))
    try:
        return LinkDestination("file", str(vault.attachment(from_path, unquote(path))))
    except KbError:
        return LinkDestination("missing", unquote(path))


def _snippet(name: str) -> LinkDestination:
    file = LIBRARY / f"{name}.py"
    found = "/" not in name and file.is_file()
    return LinkDestination("file", str(file)) if found else LinkDestination("missing", name)


class PageActions(QObject):
    """Handles clicks on tasks, on placeholders of remote images and on "create the other language"."""

    translation_requested = Signal(object)  # the NoteEntry to translate

    def __init__(self, view: NotebookView, workspace: Workspace) -> None:
        """Handle the clicks in `view`, in the vault of `workspace`."""
        super().__init__(view)
        self._workspace = workspace
        links = view.links
        links.ticked.connect(self.tick)
        links.picture_requested.connect(lambda address: self._fetcher.fetch(address, view.show_remote))
        links.translation_requested.connect(lambda _: self._request_translation())

    @functools.cached_property
    def _fetcher(self) -> ImageFetcher:
        from app.central.image_fetcher import ImageFetcher  # noqa: PLC0415 - loads Qt's network module

        return ImageFetcher(self)

    def tick(self, side: str, line: int, done: bool) -> None:  # noqa: FBT001 - the signal's signature
        """Check or uncheck a task of the open note in its file; `line` is 1-based."""
        notes = self._workspace.notes
        files = notes.current.notes.items() if notes.current else ()
        source = next((one for known, one in files if known == side), None)
        if source is None or notes.store is None:
            return
        text = ticked(source.text, line, done=done)
        if text is None or source.path in notes.store.left:  # a draft that is not saved yet takes precedence
            self._report_change(source)
            return
        notes.store.save(
            source.path,
            text,
            form=source.form,
            expected_hash=source.hash,
            done=lambda _: None,
            failed=lambda error: self._on_failed(source, error),
        )

    def _on_failed(self, source: Note, error: Exception) -> None:
        if isinstance(error, NoteChanged):
            self._report_change(source)
        else:
            self._workspace.noticed.emit(of_error(error, topic="task"))

    def _report_change(self, source: Note) -> None:
        self._workspace.notes.reload()
        zh = f"{source.path} 在此期间有了改动，没有勾选；现在显示的是新的内容，请再点一次。"
        en = f"{source.path} has changed meanwhile, so nothing was ticked; its new text is shown, click once more."
        self._workspace.noticed.emit(Notification(zh, en, "failed", topic="task"))

    def _request_translation(self) -> None:
        if (note := self._workspace.notes.current) is not None:
            self.translation_requested.emit(note.entry)
