"""Remote images, loaded on a click and kept in memory only; neither cookies nor a referrer are sent."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest

from app.reader.image_loader import MOST_BYTES, ImageRefused, ImageSource, measured
from app.reader.image_object import ImageRefusal

PATIENCE_MS = 20_000
_SCHEMES = {"http", "https"}


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
