"""Remote images: loaded once at a time from http and https, refused with a reason otherwise."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.central.image_fetcher import ImageFetcher
from app.reader.image_loader import ImageSource
from app.reader.image_object import ImageRefusal

Answer = tuple[str, ImageSource | ImageRefusal]


class Server(HTTPServer):
    """A server with one image that keeps the headers of each request."""

    image = b""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, str]] = []


class Handler(BaseHTTPRequestHandler):
    """Answers with the image and a cookie."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests.append(dict(self.headers.items()))
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(self.server.image)))
        self.send_header("Set-Cookie", "user=1")
        self.end_headers()
        self.wfile.write(self.server.image)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Return a running server with an image of 3 by 2 pixels."""
    picture = QImage(3, 2, QImage.Format.Format_RGB32)
    picture.fill(0)
    assert picture.save(str(tmp_path / "a.png"))
    made = Server()
    made.image = (tmp_path / "a.png").read_bytes()
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def fetcher(qtbot: QtBot) -> Iterator[ImageFetcher]:
    """Return a fetcher that has opened no connection."""
    parent = QObject()
    yield ImageFetcher(parent)
    parent.deleteLater()


def fetched(fetcher: ImageFetcher, qtbot: QtBot, address: str, times: int = 1) -> list[Answer]:
    """Request an image several times at once and return the answers."""
    answers: list[Answer] = []
    for _ in range(times):
        fetcher.fetch(address, lambda *answer: answers.append(answer))
    qtbot.waitUntil(lambda: bool(answers), timeout=30_000)
    return answers


@pytest.mark.parametrize("address", ["ftp://localhost/a.png", "file:///etc/passwd", "not an address"])
def test_other_schemes_are_refused(fetcher: ImageFetcher, qtbot: QtBot, address: str) -> None:
    """Without a connection; a local file is not an address either."""
    ((asked, answer),) = fetched(fetcher, qtbot, address)
    assert asked == address
    assert isinstance(answer, ImageRefusal)


def test_an_image_is_loaded_once_and_without_cookies(server: Server, fetcher: ImageFetcher, qtbot: QtBot) -> None:
    """Two clicks before it has arrived are one request; a cookie is neither kept nor sent."""
    address = f"http://127.0.0.1:{server.server_port}/a.png"
    ((asked, answer),) = fetched(fetcher, qtbot, address, times=2)
    assert asked == address
    assert isinstance(answer, ImageSource)
    assert len(server.requests) == 1
    fetched(fetcher, qtbot, address)
    assert not any(name.lower() in {"cookie", "referer"} for request in server.requests for name in request)


def test_a_server_that_does_not_answer_is_a_refusal(fetcher: ImageFetcher, qtbot: QtBot) -> None:
    """It names the host and offers another try, which is a new request."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for _ in range(2):
        ((_, answer),) = fetched(fetcher, qtbot, f"http://127.0.0.1:{port}/a.png")
        assert isinstance(answer, ImageRefusal)
        assert "click to try again" in str(answer)
