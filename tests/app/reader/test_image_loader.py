"""Tests of pictures: shown if they are safe, else refused with a reason; the window never waits for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.image_loader import ImageRefused, VectorRefused, check_vector, decode, read_picture
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.reader.reader_document import ReaderDocument
from app.style.theme import LIGHT
from kb.rendering.rendered_page import Page, PageSection, Prose
from tests.pace import within

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "small.png"
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    assert image.save(str(path))
    return path


@pytest.fixture
def executor() -> Iterator[GuiExecutor]:
    made = GuiExecutor()
    yield made
    made.close()


def refused(path: Path) -> str:
    with within(0.2), pytest.raises(ImageRefused) as error:
        read_picture(path)
    assert error.value.zh
    return str(error.value)


def test_picture_is_read_and_decoded(picture: Path) -> None:
    """The size of a picture is known before it is decoded, and it is decoded no larger than needed."""
    source = read_picture(picture)
    assert (source.width, source.height, source.vector) == (60, 30, False)
    assert decode(source, 30).width() == 30
    assert decode(source, 600).width() == 60


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs and no /dev")
@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_special_files_are_not_opened(tmp_path: Path, kind: str) -> None:
    """A FIFO, a device and a folder are refused at once."""
    path = tmp_path / "p.png"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    assert refused(path) == "not a plain file"


def test_large_files_and_bombs_are_refused(tmp_path: Path) -> None:
    """A file of more than 20 MB and a small file of very many pixels are refused by their size alone."""
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(21 * 1024 * 1024)
    assert refused(large) == "larger than 20 MB"
    bomb = tmp_path / "bomb.ppm"
    bomb.write_bytes(b"P6 30000 30000 255\n" + b"0" * 100)
    assert "pixels" in refused(bomb)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"not a picture", b"<svg/>", b"\x89PNG\r\n\x1a\n"])
def test_other_data_is_refused(tmp_path: Path, data: bytes) -> None:
    """Damaged data and other formats with a picture's name are refused."""
    path = tmp_path / "p.png"
    path.write_bytes(data)
    assert refused(path)
    assert refused(tmp_path / "missing.png") == "the file cannot be read"


@pytest.mark.parametrize(
    ("svg", "size"),
    [
        (SVG.format('<rect width="1" height="1"/>'), (40, 20)),
        ('<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b"><svg width="1in" height="72pt"/>', (96, 96)),
        ('<svg viewBox="0 0 30 10"/>', (30, 10)),
        (SVG.format('<defs><path id="a" d="M0 0"/></defs><use href="#a"/>'), (40, 20)),
    ],
)
def test_drawings(svg: str, size: tuple[float, float]) -> None:
    """Safe SVG drawings are accepted, with their size in pixels."""
    assert check_vector(svg.encode()) == pytest.approx(size)


@pytest.mark.parametrize(
    "svg",
    [
        "not xml",
        "<html/>",
        '<svg width="40"/>',
        '<svg width="1e9" height="3"/>',
        '<svg width="99999" height="3"/>',
        '<!DOCTYPE svg [<!ENTITY a "b">]><svg width="1" height="1"/>',
        SVG.format('<image href="file:///etc/passwd"/>'),
        SVG.format('<use href="other.svg#a"/>'),
        SVG.format("<style>@import 'x.css'</style>"),
        SVG.format('<rect style="fill:url(http://x)"/>'),
        SVG.format("<script/>"),
        SVG.format("<foreignObject/>"),
        SVG.format('<g id="a"><use href="#b"/></g><g id="b"><use href="#c"/></g><use href="#a"/>'),
        SVG.format('<g id="a">' + "<path/>" * 300 + "</g>" + '<use href="#a"/>' * 300),
    ],
)
def test_drawings_that_reach_out_or_multiply(svg: str) -> None:
    """Outside references, entities, scripts and drawings that repeat themselves are refused."""
    with pytest.raises(VectorRefused):
        check_vector(svg.encode())


def show(view: NotebookView, root: Path, html: str) -> None:
    page = Page((PageSection("", "", 0, "", 1, (Prose(html, 1),)),))
    view.show_pages(PageSet("k", {"": page}, "en", {"": "folder/note.md"}, root=root))


def blue(view: NotebookView) -> bool:
    image = view.grab().toImage()
    return any(image.pixelColor(x, y).name() == "#3b5bdb" for x in range(40, 140, 10) for y in range(10, 90, 10))


def test_vault_pictures_are_shown_and_others_are_not(qtbot: QtBot, tmp_path: Path, picture: Path) -> None:
    """A picture of the vault is shown; for one outside, however it is named, a placeholder is, at once."""
    root = tmp_path / "vault"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "in.png").write_bytes(picture.read_bytes())
    (root / "folder" / "leaves.png").symlink_to(picture)
    view = NotebookView(Translator("en"), LIGHT)
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    show(view, root, '<p><img src="in.png" alt="x"></p>')
    assert blue(view)
    outside = ["../../small.png", str(picture), f"file://{picture}", "leaves.png", "http://127.0.0.1:9/x.png", "\x00"]
    for target in outside:
        with within(0.2):
            show(view, root, f'<p><img src="{target}" alt="x"></p>')
            assert not blue(view), target


def test_large_pictures_are_decoded_in_another_thread(qtbot: QtBot, tmp_path: Path, executor: GuiExecutor) -> None:
    """A large picture appears when it is decoded; until then its space is reserved."""
    image = QImage(2000, 1500, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    (tmp_path / "folder").mkdir()
    assert image.save(str(tmp_path / "folder" / "large.png"))
    view = NotebookView(Translator("en"), LIGHT, executor=executor)
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()
    show(view, tmp_path, '<p><img src="large.png" alt="x"></p>')
    assert not blue(view)
    qtbot.waitUntil(lambda: blue(view), timeout=30_000)


def test_the_document_loads_nothing(qtbot: QtBot, picture: Path) -> None:
    """Qt never loads style sheets, backgrounds or pictures that HTML refers to."""
    document = ReaderDocument()
    for name in (QUrl.fromLocalFile(str(picture)), QUrl("data:image/png;base64,AAAA"), QUrl("http://127.0.0.1:9/")):
        assert document.resource(2, name) is None
