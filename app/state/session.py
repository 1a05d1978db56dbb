"""What the next start shows first is kept at the end of this one."""

from __future__ import annotations

import contextlib

from app.state.note_model import NoteModel
from app.state.related_notes import RelatedNotes
from kb.errors import KbError
from kb.files.paths import VaultPaths


def save_session(places: VaultPaths, notes: NoteModel, kinship: RelatedNotes) -> None:
    """Keep the page of the open note, and what belongs to it; what cannot be kept is made anew the next time."""
    with contextlib.suppress(KbError, OSError):
        notes.keep_page(places.pages)
        kinship.store(places.kin)
