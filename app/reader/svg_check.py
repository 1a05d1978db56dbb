"""SVG files of a vault: drawn only where they are small, whole in themselves, and do not multiply."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from kb.lazy_regex import expression

MOST_BYTES = 1024 * 1024
MOST_ELEMENTS = 20_000
MOST_SIDE = 10_000.0  # pixels
_BOX = 4  # numbers of a viewBox: left, top, width, height
_XLINK = "{http://www.w3.org/1999/xlink}href"
_ALLOWED = frozenset(
    (
        *("svg", "g", "defs", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text"),
        *(
            "tspan",
            "title",
            "desc",
            "metadata",
            "linearGradient",
            "radialGradient",
            "stop",
            "clipPath",
            "use",
            "symbol",
            "style",
        ),
    )
)
_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "em": 16.0}
_LENGTH = expression(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*")
_OUTSIDE = re.compile(rb"<!DOCTYPE[^>]*\[|<!ENTITY|@import|url\(\s*['\"]?[^#'\")\s]", re.IGNORECASE)


class VectorRefused(Exception):
    """The drawing is not safe to hand to the renderer."""


def check_vector(data: bytes) -> tuple[float, float]:
    """Return the drawing's width and height in pixels. Raises VectorRefused."""
    if len(data) > MOST_BYTES or _OUTSIDE.search(data):
        raise VectorRefused
    try:
        root = ET.fromstring(data)  # noqa: S314 - no entity is declared, so nothing can be expanded
    except (ET.ParseError, ValueError) as error:
        raise VectorRefused from error
    if _name(root) != "svg":
        raise VectorRefused
    _check_uses(root)
    return _size(root)


def _check_uses(root: ET.Element) -> None:
    """Count what is drawn: a <use> may repeat a drawing, but not one that repeats others."""
    elements = list(root.iter())
    drawn = len(elements)
    named = {element.get("id"): element for element in elements if element.get("id")}
    for element in elements:
        name = _name(element)
        if not name:  # a drawing program's own vocabulary, which Qt skips
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
