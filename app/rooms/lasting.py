"""What the next start shows first is kept at the end of this one."""

from __future__ import annotations

import contextlib

from app.rooms.kinship import Kinship
from app.rooms.notes import Notes
from kb.errors import KbError
from kb.places import VaultPlaces


def keep(places: VaultPlaces, notes: Notes, kinship: Kinship) -> None:
    """Keep the page of the open note, and what belongs to it; what cannot be kept is made anew the next time."""
    with contextlib.suppress(KbError, OSError):
        notes.keep_page(places.pages)
        kinship.store(places.kin)
