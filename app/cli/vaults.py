"""The vault that a command is about."""

from __future__ import annotations

from pathlib import Path

from kb.places import Places, VaultPlaces
from kb.vault import SHIPPED_NOTES, Vault, make_user_vault


def open_vault(vault: Path | None) -> tuple[Vault, VaultPlaces]:
    """Open the vault asked for, or the user's own, which is made the first time; with the places kept for it."""
    places = Places.of_user()
    if vault is None:
        vault = places.user_vault
        if not vault.exists():
            make_user_vault(vault, SHIPPED_NOTES)
    return Vault.open(vault, places=places), places.for_vault(vault)
