"""How a vault is entered: one's own is made the first time and kept up to date, and one note is the front door."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.runs.run_services import RunServices
from app.state.note_model import NoteModel
from app.state.notification_texts import notes_renewed
from app.widgets.notification import Notification, of_error
from kb.files.paths import UserPaths
from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry
from kb.notes.templates import is_template
from kb.vault.shipped_notes import UpdatedNotes, update_shipped
from kb.vault.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault

_FRONT_DOORS = {"index", "readme"}


def asks_first(root: Path | None, places: UserPaths) -> bool:
    """Tell whether the user has to be asked before a vault is opened: it is their own, and would be made by that."""
    return root is None and is_unmade(places.user_vault)


def count_shipped() -> int:
    """Return how many notes come with the program, each counted once for its languages."""
    return len({split_name(path)[0] for path in Vault.open(SHIPPED_NOTES).files()})


def open_vault_folder(root: Path | None, places: UserPaths) -> tuple[Vault, RunServices]:
    """Open a folder of notes, or the user's own vault, which is made the first time; it reads and writes files.

    Raises KbError, SnippetError.
    """
    if root is None:
        make_user_vault(places.user_vault, SHIPPED_NOTES)
    vault = Vault.open(root or places.user_vault, places=places)
    return vault, RunServices.of(places.for_vault(vault.root))


def start_note(entries: Iterable[NoteEntry]) -> NoteEntry:
    """Return the note that one begins with: the vault's own index, or else the first at the top; no template."""
    return min(entries, key=lambda one: (is_template(one), one.key.count("/"), one.name.casefold() not in _FRONT_DOORS))


def update_shipped_notes(
    vault: Vault, places: UserPaths, notes: NoteModel, told: Callable[[Notification], object]
) -> None:
    """Renew the notes of the user's own vault that came with the program, in line with what is being saved."""
    if vault.root != places.user_vault:
        return

    def done(did: UpdatedNotes) -> None:
        if did:
            told(notes_renewed(did))

    notes.in_turn(
        lambda: update_shipped(vault, SHIPPED_NOTES, places.for_vault(vault.root).shipped),
        done,
        lambda error: told(of_error(error, topic="renewed")),
    )
