"""Pictures of other machines, asked for by a click and kept in memory alone.

Nothing but the address is told: no cookies, no page that it stands on, and no redirection to a less safe place.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest

from app.reader.image_loader import MOST_BYTES, ImageRefused, ImageSource, measured
from app.reader.image_object import ImageRefusal

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
