"""Pictures in files: checked before they are opened, measured before they are decoded, SVG checked for safety."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QImage, QImageReader

from kb.lazy_regex import expression

MOST_BYTES = 20 * 1024 * 1024
MOST_PIXELS = 40_000_000
MOST_SVG_BYTES = 1024 * 1024
MOST_ELEMENTS = 20_000
MOST_SIDE = 10_000.0  # pixels of an SVG
_BOX = 4  # numbers of a viewBox: left, top, width, height
_XLINK = "{http://www.w3.org/1999/xlink}href"
_SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan")
_PAINT = ("linearGradient", "radialGradient", "stop", "clipPath", "style")
_ALLOWED = frozenset(("svg", "g", "defs", "use", "symbol", "title", "desc", "metadata", *_SHAPES, *_PAINT))
_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16.0}
_LENGTH = expression(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*")
_OUTSIDE = re.compile(rb"<!DOCTYPE[^>]*\[|<!ENTITY|@import|url\(\s*['\"]?[^#'\")\s]", re.IGNORECASE)
_FORMATS = {b"png", b"jpeg", b"gif", b"webp", b"bmp", b"pbm", b"pgm", b"ppm", b"ico"}


class ImageRefused(Exception):
    """A picture is not shown; the two messages say why."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.zh = zh


@dataclass(frozen=True)
class ImageSource:
    """A picture that may be decoded: its bytes, its own size in pixels, and whether it is an SVG."""

    data: bytes
    width: float
    height: float
    vector: bool


def read_picture(path: Path) -> ImageSource:
    """Read an untrusted file and check its header. Raises ImageRefused."""
    return measured(_read(path), drawn=path.suffix.lower() == ".svg")


def measured(data: bytes, *, drawn: bool) -> ImageSource:
    """Check the header of untrusted data; `drawn`: it claims to be an SVG. Raises ImageRefused."""
    if drawn:
        return _vector(data)
    reader, _buffer = _reader(data)
    if not reader.canRead() or bytes(reader.format().data()) not in _FORMATS:
        raise ImageRefused("not a picture that can be shown", "不是可以显示的图片")
    size = reader.size()
    if size.isEmpty():
        raise ImageRefused("its size is missing", "图片没有写明大小")
    if size.width() * size.height() > MOST_PIXELS:
        raise ImageRefused(
            f"too large: {size.width()}\u00d7{size.height()} pixels", f"太大：{size.width()}\u00d7{size.height()} 像素"
        )
    return ImageSource(data, size.width(), size.height(), vector=False)


def decode(source: ImageSource, width: int) -> QImage:
    """Decode a picture at most `width` pixels wide, on any thread; the image is null if the data is damaged."""
    reader, _buffer = _reader(source.data)
    if width < source.width:
        reader.setScaledSize(QSize(width, max(1, round(source.height * width / source.width))))
    return reader.read()


def _reader(data: bytes) -> tuple[QImageReader, QBuffer]:
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    return QImageReader(buffer), buffer  # the reader does not keep its buffer alive


def _read(path: Path) -> bytes:
    """Read a regular file: checked before it is opened, and again once it is open."""
    try:
        _check(path.stat())
        # O_NONBLOCK: if it is replaced by a FIFO in between, opening must not wait for its writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            _check(os.fstat(handle))
            return file.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        raise ImageRefused("the file cannot be read", "无法读取文件") from error


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ImageRefused("not a plain file", "不是普通文件")
    if found.st_size > MOST_BYTES:
        raise ImageRefused("larger than 20 MB", "超过 20 MB")


def _vector(data: bytes) -> ImageSource:
    try:
        width, height = check_vector(data)
    except VectorRefused as error:
        raise ImageRefused("an SVG with more in it than can be drawn safely", "SVG 内容无法安全绘制") from error
    return ImageSource(data, width, height, vector=True)


class VectorRefused(Exception):
    """The drawing is not safe to render."""


def check_vector(data: bytes) -> tuple[float, float]:
    """Return the drawing's width and height in pixels. Raises VectorRefused."""
    if len(data) > MOST_SVG_BYTES or _OUTSIDE.search(data):
        raise VectorRefused
    try:
        root = ET.fromstring(data)  # noqa: S314 - no entity is declared, so none can expand
    except (ET.ParseError, ValueError) as error:
        raise VectorRefused from error
    if _name(root) != "svg":
        raise VectorRefused
    _check_uses(root)
    return _size(root)


def _check_uses(root: ET.Element) -> None:
    """Count the drawn elements: a <use> may repeat a drawing, but not one that contains a <use>."""
    elements = list(root.iter())
    drawn = len(elements)
    named = {element.get("id"): element for element in elements if element.get("id")}
    for element in elements:
        name = _name(element)
        if not name:  # elements of a drawing program's own namespace, which Qt skips
            continue
        if name not in _ALLOWED:
            raise VectorRefused
        target = element.get("href") or element.get(_XLINK)
        if not target:
            continue
        if not target.startswith("#"):
            raise VectorRefused
        if name == "use" and (repeated := named.get(target[1:])) is not None:
            inner = list(repeated.iter())
            if any(_name(part) == "use" for part in inner):
                raise VectorRefused
            drawn += len(inner)
    if drawn > MOST_ELEMENTS:
        raise VectorRefused


def _name(element: ET.Element) -> str:
    tag = element.tag if isinstance(element.tag, str) else ""
    space, _, name = tag.rpartition("}")
    return name if space in {"", "{http://www.w3.org/2000/svg"} else ""


def _size(root: ET.Element) -> tuple[float, float]:
    width, height = _length(root.get("width")), _length(root.get("height"))
    box = [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox", ""))]
    if (not width or not height) and len(box) == _BOX:
        width, height = width or box[2], height or box[3]
    if not (0 < width <= MOST_SIDE and 0 < height <= MOST_SIDE):
        raise VectorRefused
    return width, height


def _length(text: str | None) -> float:
    found = _LENGTH.fullmatch(text or "")
    return float(found[1]) * _UNIT.get(found[2], 0.0) if found else 0.0
