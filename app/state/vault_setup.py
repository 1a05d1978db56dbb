"""Opening a vault: creating and updating the user's own vault, and choosing the note to show first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.runs.run_services import RunServices
from app.state.note_model import NoteModel
from app.state.notification_texts import notes_renewed
from app.widgets.notification import Notification, of_error
from kb.errors import KbError
from kb.files.paths import UserPaths
from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry
from kb.notes.templates import is_template
from kb.vault.moved_vault import follow_moved
from kb.vault.shipped_notes import UpdatedNotes, update_shipped
from kb.vault.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault

_START_NAMES = {"index", "readme"}


def asks_first(root: Path | None, places: UserPaths) -> bool:
    """Return whether to ask before opening: it is the user's own vault, and opening would create it."""
    return root is None and is_unmade(places.user_vault)


def count_shipped() -> int:
    """Return the number of shipped notes; a note in two languages counts once."""
    return len({split_name(path)[0] for path in Vault.open(SHIPPED_NOTES).files()})


def open_vault_folder(root: Path | None, places: UserPaths) -> tuple[Vault, RunServices]:
    """Open a folder of notes, or the user's own vault for None, which is created if missing. Not on the GUI thread.

    Raises KbError, SnippetError.
    """
    try:
        if root is None:
            make_user_vault(places.user_vault, SHIPPED_NOTES)
        vault = Vault.open(root or places.user_vault, places=places)
        follow_moved(vault.root, places)
        return vault, RunServices.of(places.for_vault(vault.root))
    except OSError as error:
        folder, reason = error.filename or root or places.user_vault, error.strerror or str(error)
        raise KbError(
            f"The vault cannot be opened: {folder}: {reason}.", f"无法打开笔记库：{folder}：{reason}。"
        ) from error


def start_note(entries: Iterable[NoteEntry]) -> NoteEntry:
    """Return the note to show first: the vault's index or readme, else the first at the top level, never a template."""
    return min(entries, key=lambda one: (is_template(one), one.key.count("/"), one.name.casefold() not in _START_NAMES))


def update_shipped_notes(
    vault: Vault, places: UserPaths, notes: NoteModel, notify: Callable[[Notification], object]
) -> None:
    """Update the shipped notes in the user's own vault, queued behind saves; other vaults are left alone."""
    if vault.root != places.user_vault:
        return

    def done(did: UpdatedNotes) -> None:
        if did:
            notify(notes_renewed(did))

    notes.in_turn(
        lambda: update_shipped(vault, SHIPPED_NOTES, places.for_vault(vault.root).shipped),
        done,
        lambda error: notify(of_error(error, topic="renewed")),
    )
