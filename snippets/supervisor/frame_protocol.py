"""Frames: how a supervisor and the program that started it talk."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

STREAMS = ("stdout", "stderr")

_LENGTHS = struct.Struct(">II")


def pack(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """Make one frame."""
    text = json.dumps(header).encode("ascii")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def read_frame(handle: int) -> tuple[dict[str, Any], bytes] | None:
    """Wait for one whole frame; None when the stream ends, be it in the middle of one. Raises ValueError, OSError."""
    lengths = _read_exactly(handle, _LENGTHS.size)
    if lengths is None:
        return None
    head, body = _LENGTHS.unpack(lengths)
    frame = _read_exactly(handle, head + body)
    return None if frame is None else (json.loads(frame[:head]), frame[head:])


def write_all(handle: int, data: bytes | bytearray) -> None:
    """Write all of it, however often the system takes only a part. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _read_exactly(handle: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = os.read(handle, size - len(data))
        if not piece:
            return None
        data += piece
    return bytes(data)
