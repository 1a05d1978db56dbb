"""How a vault is entered: one's own is made the first time and kept up to date, and one note is the front door."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.parts.notice import Notice, of_error
from app.rooms.notes import Notes
from app.rooms.notices import notes_renewed
from app.running.bench import Bench
from kb.entries import Entry
from kb.language import split_name
from kb.places import Places
from kb.renewing import Renewed, renew
from kb.templates import is_template
from kb.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault

_FRONT_DOORS = {"index", "readme"}


def asks_first(root: Path | None, places: Places) -> bool:
    """Tell whether the user has to be asked before a vault is opened: it is their own, and would be made by that."""
    return root is None and is_unmade(places.user_vault)


def count_shipped() -> int:
    """Return how many notes come with the program, each counted once for its languages."""
    return len({split_name(path)[0] for path in Vault.open(SHIPPED_NOTES).files()})


def enter(root: Path | None, places: Places) -> tuple[Vault, Bench]:
    """Open a folder of notes, or the user's own vault, which is made the first time; it reads and writes files.

    Raises KbError, SnippetError.
    """
    if root is None:
        make_user_vault(places.user_vault, SHIPPED_NOTES)
    vault = Vault.open(root or places.user_vault, places=places)
    return vault, Bench.of(places.for_vault(vault.root))


def front_door(entries: Iterable[Entry]) -> Entry:
    """Return the note that one begins with: the vault's own index, or else the first at the top; no template."""
    return min(entries, key=lambda one: (is_template(one), one.key.count("/"), one.name.casefold() not in _FRONT_DOORS))


def bring_up_to_date(vault: Vault, places: Places, notes: Notes, told: Callable[[Notice], object]) -> None:
    """Renew the notes of the user's own vault that came with the program, in line with what is being saved."""
    if vault.root != places.user_vault:
        return

    def done(did: Renewed) -> None:
        if did:
            told(notes_renewed(did))

    notes.in_turn(
        lambda: renew(vault, SHIPPED_NOTES, places.for_vault(vault.root).shipped),
        done,
        lambda error: told(of_error(error, topic="renewed")),
    )
