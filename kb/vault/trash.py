"""Discarded notes: files that were moved out of the vault into the user's data folder, until they are brought back."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DiscardedNote:
    """A discarded note: its path in the vault, where its file is kept, and when it was discarded, in seconds."""

    path: str
    kept: Path
    at: float


def discarded(trash: Path) -> tuple[DiscardedNote, ...]:
    """Return the discarded notes of a vault, the newest first. Never raises OSError."""
    return tuple(sorted(_discarded(trash), key=lambda one: one.kept, reverse=True))


def _discarded(trash: Path) -> Iterator[DiscardedNote]:
    for place, _, names in os.walk(trash):
        for name in names:
            kept = Path(place, name)
            stamp, *inner = kept.relative_to(trash).parts
            with contextlib.suppress(ValueError, OverflowError):  # a file that somebody else put there
                at = time.mktime(time.strptime(stamp[:15], "%Y%m%d-%H%M%S"))
                if inner:
                    yield DiscardedNote("/".join(inner), kept, at)
