"""What a click in the page does: where a link leads, remote images on request, tasks, the note's other language."""

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

PATIENCE_MS = 20_000  # for a remote image
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


class ImageFetcher(QObject):
    """Loads remote images without cookies and credentials; images are kept in memory only."""

    def __init__(self, parent: QObject) -> None:
        """Open no connection yet."""
        super().__init__(parent)
        self._manager: QNetworkAccessManager | None = None
        self._loading: set[str] = set()  # addresses

    def fetch(self, address: str, done: Callable[[str, ImageSource | ImageRefusal], object]) -> None:
        """Load an image, unless it is being loaded; call `done` with it or with the reason why it was refused."""
        url = QUrl(address)
        if address in self._loading:
            return
        if not url.isValid() or url.scheme() not in _SCHEMES:
            done(address, ImageRefusal(address, "not an address of a picture", "不是图片的地址"))
            return
        if self._manager is None:
            self._manager = QNetworkAccessManager(self)
        self._loading.add(address)
        reply = self._manager.get(_request(url))
        reply.downloadProgress.connect(lambda received, total: _stop_if_large(reply, received, total))
        reply.finished.connect(lambda: self._on_finished(address, reply, done))

    def _on_finished(
        self, address: str, reply: QNetworkReply, done: Callable[[str, ImageSource | ImageRefusal], object]
    ) -> None:
        self._loading.discard(address)
        reply.deleteLater()
        done(address, _image_of(reply))


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


def _image_of(reply: QNetworkReply) -> ImageSource | ImageRefusal:
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
        return ImageFetcher(self)

    def tick(self, side: str, line: int, done: bool) -> None:  # noqa: FBT001 - the signal's signature
        """Check or uncheck a task of the open note in its file; `line` is 1-based."""
        notes = self._workspace.notes
        files = notes.current.notes.items() if notes.current else ()
        source = next((one for known, one in files if known == side), None)
        if source is None or notes.desk is None:
            return
        text = ticked(source.text, line, done=done)
        if text is None or source.path in notes.desk.left:  # a draft that is not saved yet takes precedence
            self._report_change(source)
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
