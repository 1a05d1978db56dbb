"""Drafts: unsaved text, stored outside the vault so that it survives a crash."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from kb.errors import SaveFailed
from kb.files.atomic import replace_file, sweep
from kb.files.paths import make_private
from kb.files.tree import read_own

_MOST_BYTES = 1 << 30  # of a draft


@dataclass(frozen=True)
class Draft:
    """An unsaved text. `base_hash` is the hash of the file that was edited, None for a new note.

    `kept_at` is in seconds since 1970.
    """

    note_path: str
    text: str
    base_hash: str | None
    kept_at: float

    @classmethod
    def _read(cls, data: bytes) -> Self:
        """Read a draft from its file. Raises ValueError if it is damaged."""
        fields = json.loads(data)
        match fields:
            case {"note_path": str(path), "text": str(text), "base_hash": str() | None as base, "kept_at": float(kept)}:
                return cls(path, text, base, kept)
        raise ValueError("not a draft")


class Drafts:
    """The drafts of one vault, one file for each note."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, note_path: str, text: str, base_hash: str | None) -> None:
        """Store the text of a note, replacing its earlier draft. Raises SaveFailed."""
        draft = {"note_path": note_path, "base_hash": base_hash, "kept_at": time.time(), "text": text}
        try:
            make_private(self._folder)
        except OSError as error:
            raise SaveFailed(note_path, error.strerror or str(error)) from error
        replace_file(self._place(note_path), json.dumps(draft).encode(), name=note_path)

    def pending(self) -> tuple[Draft, ...]:
        """Return the stored drafts, the newest last. Damaged files are renamed to .damaged."""
        sweep(self._folder)
        found = []
        for place in sorted(self._folder.glob("*.json")):
            try:
                found.append(Draft._read(read_own(place, most=_MOST_BYTES)))  # noqa: SLF001 - same module
            except (ValueError, RecursionError):
                with contextlib.suppress(OSError):
                    place.replace(place.with_suffix(".damaged"))
            except OSError:
                continue
        return tuple(sorted(found, key=lambda draft: draft.kept_at))

    def drop(self, note_path: str) -> None:
        """Delete the draft of a note, if there is one. Raises SaveFailed if it cannot be removed."""
        try:
            self._place(note_path).unlink(missing_ok=True)
        except OSError as error:
            raise SaveFailed(note_path, error.strerror or str(error)) from error

    def _place(self, note_path: str) -> Path:
        return self._folder / (hashlib.sha256(note_path.encode("utf-8", "surrogatepass")).hexdigest()[:40] + ".json")
