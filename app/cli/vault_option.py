"""The vault that a command is about."""

from __future__ import annotations

from pathlib import Path

from app.cli.console import remark
from kb.files.paths import UserPaths, VaultPaths
from kb.vault.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault


def open_vault(vault: Path | None) -> tuple[Vault, VaultPaths]:
    """Open the vault asked for, or the user's own, and return it with the places kept for it.

    The user's own is made the first time, and said to be.
    """
    places = UserPaths.of_user()
    if vault is None:
        vault = places.user_vault
        if is_unmade(vault):
            remark(f"Making your vault at {vault} from the shipped notes.")
            make_user_vault(vault, SHIPPED_NOTES)
    return Vault.open(vault, places=places), places.for_vault(vault)
