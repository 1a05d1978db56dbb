"""Trusted vaults: code of the user's own vault may run, any other vault needs consent once.

Consent is stored in the user's data folder by the vault's resolved path, never in the vault, so that its files cannot
grant trust. A vault that was moved needs consent again.
"""

from __future__ import annotations

import json
from pathlib import Path

from kb.files.atomic import replace_file
from kb.files.locks import update_held
from kb.files.paths import UserPaths
from kb.files.tree import read_own


class Trust:
    """The vaults whose code may run."""

    def __init__(self, places: UserPaths) -> None:
        """Store consent in the data folder of `places`."""
        self._file = places.data / "trusted.json"
        self._own = places.user_vault

    def trusts(self, root: Path) -> bool:
        """Return whether code of this vault may run without asking."""
        key = _key(root)
        return key == _key(self._own) or key in self._allowed()

    def allow(self, root: Path) -> None:
        """Store consent for this vault. Raises SaveFailed."""
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with update_held(self._file):  # another window may give consent, too
            allowed = sorted({*self._allowed(), _key(root)})
            replace_file(self._file, json.dumps(allowed, ensure_ascii=False, indent=1).encode())

    def _allowed(self) -> frozenset[str]:
        try:
            listed = json.loads(read_own(self._file))
        except (OSError, ValueError, RecursionError):
            return frozenset()  # unreadable: ask again
        return frozenset(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else frozenset()


def _key(root: Path) -> str:
    return str(root.resolve())
