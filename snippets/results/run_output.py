"""The output of a run, as text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from snippets.supervisor.frame_protocol import STREAMS
from snippets.supervisor.transcript import records

Stream = Literal["stdout", "stderr"]

_GAP = -1
_VIEWS = ((0, 1, _GAP), (0, _GAP), (1, _GAP))


@dataclass(frozen=True)
class OutputChunk:
    """A piece of streamed output; `skipped` bytes that came too fast to show are missing before it."""

    stream: Stream
    text: str
    skipped: int = 0


class Decoder:
    """Decodes the bytes of both streams, including characters that are split between chunks."""

    def __init__(self) -> None:
        self._decoders = [codecs.getincrementaldecoder("utf-8")("replace") for _ in STREAMS]

    def decode(self, stream: int, data: bytes) -> str:
        """Return the complete characters; the rest is kept for the next call."""
        return self._decoders[stream].decode(data)

    def jump(self, stream: int) -> str:
        """End the text before a gap; an incomplete character becomes U+FFFD."""
        return self._decoders[stream].decode(b"", final=True)


@dataclass(frozen=True)
class KeptOutput:
    """The kept output of a run: both streams as they arrived, and each alone, with a mark at the cut."""

    both: str
    stdout: str
    stderr: str


def gap(count: int) -> str:
    """Return the mark for missing bytes, which needs no translation."""
    return f"\n⋯ {count:,} B ⋯\n"


def kept_output(head: int, data: bytes, cut: int) -> KeptOutput:
    """Return the text of the records of a transcript; the first `head` bytes are the beginning of the output."""
    pieces: list[tuple[int, str]] = []
    for part in (data[:head], data[head:]):
        decoder = Decoder()
        pieces += [(stream, decoder.decode(stream, printed)) for stream, printed in records(part)]
        pieces += [(stream, decoder.jump(stream)) for stream in (0, 1)]
        pieces.append((_GAP, gap(cut) if cut else ""))
    pieces.pop()  # nothing is missing after the end
    return KeptOutput(*("".join(text for stream, text in pieces if stream in chosen) for chosen in _VIEWS))
