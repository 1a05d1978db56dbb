"""Frames: the messages between a supervisor and the program that started it."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

STREAMS = ("stdout", "stderr")

_LENGTHS = struct.Struct(">II")


def pack(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """Return one frame."""
    text = json.dumps(header).encode("ascii")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def read_frame(handle: int, *, most: int | None = None) -> tuple[dict[str, Any], bytes] | None:
    """Wait for one whole frame; None at the end of the stream, even in the middle of a frame.

    Raises ValueError for what is no frame, or one of more than `most` bytes; OSError.
    """
    lengths = _read_exactly(handle, _LENGTHS.size)
    if lengths is None:
        return None
    head, body = _LENGTHS.unpack(lengths)
    if most is not None and head + body > most:
        raise ValueError("a frame of too many bytes")
    frame = _read_exactly(handle, head + body)
    return None if frame is None else (json.loads(frame[:head]), frame[head:])


def write_all(handle: int, data: bytes | bytearray) -> None:
    """Write all of the data, even if each call of the system takes only a part. Raises OSError."""
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
