"""Answers what is clicked in the page and is no link: a task, a picture of another machine, a language to begin."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest

from app.editor.line_commands import ticked
from app.reader.image_loader import MOST_BYTES, ImageRefused, ImageSource, measured
from app.reader.image_object import ImageRefusal
from app.reader.notebook_view import NotebookView
from app.state.workspace import Workspace
from app.widgets.notification import Notification, of_error
from kb.errors import KbError, NoteChanged
from kb.notes.note import Note
from kb.vault.vault import Vault
from snippets.model.catalog import LIBRARY

_NOTES = (".md", ".markdown", ".txt")


@dataclass(frozen=True)
class LinkDestination:
    """Where a link leads: a note's path, a file, or an address as it stands in the link."""

    kind: Literal["note", "file", "web", "other", "missing"]
    where: str
    anchor: str = ""


def target_of(vault: Vault, from_path: str, link: str) -> LinkDestination:
    """Find what a link in a note means. Only http and https are web pages; other schemes are asked about."""
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
    return (
        LinkDestination("file", str(file)) if "/" not in name and file.is_file() else LinkDestination("missing", name)
    )


PATIENCE_MS = 20_000
_SCHEMES = {"http", "https"}


class ImageFetcher(QObject):
    """Asks for one picture after another, each once at a time."""

    def __init__(self, parent: QObject) -> None:
        """Open nothing before the first picture is asked for."""
        super().__init__(parent)
        self._manager: QNetworkAccessManager | None = None
        self._asked: set[str] = set()

    def fetch(self, address: str, done: Callable[[str, ImageSource | ImageRefusal], object]) -> None:
        """Ask for a picture and tell `done` of it, or of why there is none."""
        url = QUrl(address)
        if address in self._asked:
            return
        if not url.isValid() or url.scheme() not in _SCHEMES:
            done(address, ImageRefusal(address, "not an address of a picture", "不是图片的地址"))
            return
        if self._manager is None:
            self._manager = QNetworkAccessManager(self)
        self._asked.add(address)
        reply = self._manager.get(_request(url))
        reply.downloadProgress.connect(lambda received, total: _stop_if_large(reply, received, total))
        reply.finished.connect(lambda: self._on_finished(address, reply, done))

    def _on_finished(
        self, address: str, reply: QNetworkReply, done: Callable[[str, ImageSource | ImageRefusal], object]
    ) -> None:
        self._asked.discard(address)
        reply.deleteLater()
        done(address, _picture_of(reply))


def _request(url: QUrl) -> QNetworkRequest:
    request = QNetworkRequest(url)
    attribute, manual = QNetworkRequest.Attribute, QNetworkRequest.LoadControl.Manual
    request.setAttribute(attribute.CookieLoadControlAttribute, manual)
    request.setAttribute(attribute.CookieSaveControlAttribute, manual)
    request.setAttribute(attribute.AuthenticationReuseAttribute, manual)
    request.setAttribute(
        attribute.RedirectPolicyAttribute, QNetworkRequest.RedirectPolicy.NoLessSafeRedirectPolicy.value
    )
    request.setTransferTimeout(PATIENCE_MS)
    return request


def _stop_if_large(reply: QNetworkReply, received: int, total: int) -> None:
    if max(received, total) > MOST_BYTES and reply.isRunning():
        reply.abort()


def _picture_of(reply: QNetworkReply) -> ImageSource | ImageRefusal:
    host = reply.url().host()
    if reply.error() is not QNetworkReply.NetworkError.NoError:
        why = reply.errorString()
        return ImageRefusal(host, f"not loaded: {why}; click to try again", f"没有加载：{why}；点击重试")
    kind = str(reply.header(QNetworkRequest.KnownHeaders.ContentTypeHeader) or "")
    try:
        return measured(bytes(reply.readAll().data())[:MOST_BYTES], drawn=kind.startswith("image/svg"))
    except ImageRefused as error:
        return ImageRefusal(host, str(error), error.zh)


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
