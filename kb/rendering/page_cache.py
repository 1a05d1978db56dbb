"""Caches rendered pages on disk, so that a start shows the last note without rendering it.

A file holds pages, whose HTML was sanitized, and a fingerprint of the renderer's code; pages of another renderer are
ignored. The file is in the user's cache folder, is read as data only, and is ignored if it is damaged.
"""

from __future__ import annotations

import binascii
import hashlib
import importlib.util
import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from kb.files.tree import read_own
from kb.rendering.rendered_page import Cell, Formula, Page, PageSection, Prose

MOST = 4_000_000  # bytes of a file; larger pages are not cached
_HEAD = b"torchleaf kept 1"
_MARK = "\0"  # before the name of a class, to tell it from keys of a note
_BYTES = f"{_MARK}bytes"
_KINDS: Mapping[str, type] = {kind.__name__: kind for kind in (Page, PageSection, Prose, Cell, Formula)}


def read_pages(file: Path) -> dict[bytes, Page]:
    """Return the pages in a file by key; none if it is missing, damaged or from another renderer."""
    try:
        if file.stat().st_size > MOST:
            return {}
        body = unseal(read_own(file))
        if body is None:
            return {}
        document = json.loads(body, object_hook=_object)
        if document["made by"] != maker():
            return {}
        return {bytes.fromhex(key): page for key, page in document["pages"].items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, binascii.Error):
        return {}


def write_pages(file: Path, pages: Mapping[bytes, Page]) -> None:
    """Write pages atomically; without pages, or if they are too large, delete the file. Raises SaveFailed."""
    from kb.files.atomic import replace_file  # noqa: PLC0415 - not needed for reading at start
    from kb.files.paths import make_private  # noqa: PLC0415

    document = {"made by": maker(), "pages": {key.hex(): page for key, page in pages.items()}}
    body = json.dumps(document, ensure_ascii=False, default=_document).encode()
    if pages and len(body) < MOST:
        make_private(file.parent)
        replace_file(file, seal(body))
    else:
        file.unlink(missing_ok=True)


def maker() -> str:
    """Return a fingerprint of what a page depends on besides the note: the code of kb, Python, installed packages."""
    code = sorted(_code(Path(__file__).parents[1]))
    spec = importlib.util.find_spec("markdown")
    beside = Path(spec.origin).parents[1] if spec is not None and spec.origin else Path(__file__).parents[1]
    with os.scandir(beside) as there:
        installed = sorted(one.name for one in there if one.name.endswith((".dist-info", ".egg-info")))
    return hashlib.blake2b(repr((sys.version, code, installed)).encode(), digest_size=16).hexdigest()


def _code(folder: Path | os.DirEntry[str]) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for one in entries:
            if one.name.endswith((".py", ".txt")):
                yield (one.name, *_stamp(one))
            elif one.is_dir() and one.name not in {"library", "__pycache__"}:
                yield from _code(one)


def _stamp(entry: os.DirEntry[str]) -> tuple[int, int]:
    known = entry.stat()
    return known.st_mtime_ns, known.st_size


def seal(body: bytes) -> bytes:
    """Return data with a line before it that contains its checksum."""
    return b"%s %s\n%s" % (_HEAD, hashlib.blake2b(body, digest_size=16).hexdigest().encode(), body)


def unseal(data: bytes) -> bytes | None:
    """Return the data that was passed to `seal`, None if the checksum does not fit."""
    body = data.partition(b"\n")[2]
    return body if data == seal(body) else None


def _document(item: object) -> object:
    """Return a JSON form of bytes and dataclasses: a mapping from the marked class name to the fields in order."""
    if isinstance(item, bytes):
        return {_BYTES: [b64encode(item).decode()]}
    if is_dataclass(item):
        return {f"{_MARK}{type(item).__name__}": [getattr(item, field.name) for field in fields(item)]}
    return dict(item) if isinstance(item, Mapping) else list(item)  # type: ignore[call-overload]


def _object(found: dict[str, Any]) -> object:
    kind, values = next(iter(found.items()), ("", None))
    if len(found) != 1 or not kind.startswith(_MARK) or not isinstance(values, list):
        return found
    if kind == _BYTES:
        return b64decode(values[0], validate=True)
    return _KINDS[kind[1:]](*(tuple(one) if isinstance(one, list) else one for one in values))
