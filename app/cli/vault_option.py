"""The vault that a command works on."""

from __future__ import annotations

from pathlib import Path

from app.cli.console import remark
from kb.files.paths import UserPaths, VaultPaths
from kb.vault.moved_vault import follow_moved
from kb.vault.vault import SHIPPED_NOTES, Vault, is_unmade, make_user_vault


def open_vault(vault: Path | None) -> tuple[Vault, VaultPaths]:
    """Open a vault, or the user's own if it is None, and return it with its data paths.

    The user's own is created the first time, with a remark on standard error.
    """
    places = UserPaths.of_user()
    if vault is None:
        vault = places.user_vault
        if is_unmade(vault):
            remark(f"Making your vault at {vault} from the shipped notes.")
            make_user_vault(vault, SHIPPED_NOTES)
    opened = Vault.open(vault, places=places)
    follow_moved(opened.root, places)
    return opened, places.for_vault(vault)
