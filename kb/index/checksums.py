"""Checksums of the files of an index, which reveal damage before anything is opened."""

from __future__ import annotations

import errno
import json
import stat
import zlib
from pathlib import Path
from typing import Any

from kb.files.tree import read_own

SUMS = "sums.json"
_BLOCK = 1 << 20  # bytes read at once


def sum_of(data: bytes) -> list[int]:
    """Return the length and the CRC-32 of some bytes."""
    return [len(data), zlib.crc32(data)]


def sum_of_file(path: Path) -> list[int]:
    """Return the `sum_of` a plain file, which may be large. Raises OSError."""
    size = total = 0
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "not a plain file", str(path))  # a pipe would block
    with path.open("rb", buffering=0) as file:
        while data := file.read(_BLOCK):
            size, total = size + len(data), zlib.crc32(data, total)
    return [size, total]


def sheet_of(folder: Path) -> dict[str, Any]:
    """Return the metadata of an index, {} if it cannot be read."""
    try:
        sheet = json.loads(read_own(folder / SUMS))
    except (OSError, ValueError):
        return {}
    return sheet if isinstance(sheet, dict) else {}


def sums_of(folder: Path) -> dict[str, dict[str, list[int]]]:
    """Return the sums of the files by name, for each valid generation of the table of contents."""
    sums = sheet_of(folder).get("sums")
    return sums if isinstance(sums, dict) else {}
