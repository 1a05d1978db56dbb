"""Whose code may run: the user's own vault may, any other is asked about once.

The answer stands in the user's data folder under the vault's resolved path, never in the vault: its files cannot
grant trust, and a vault that was moved or is reached through another path is a new one.
"""

from __future__ import annotations

import json
from pathlib import Path

from kb.files.atomic import replace_file
from kb.files.paths import UserPaths


class Trust:
    """The vaults whose code the user allowed to run."""

    def __init__(self, places: UserPaths) -> None:
        """Keep the answers in the data folder of `places`."""
        self._file = places.data / "trusted.json"
        self._own = places.user_vault

    def trusts(self, root: Path) -> bool:
        """Tell whether code of this vault may run without asking."""
        key = _key(root)
        return key == _key(self._own) or key in self._allowed()

    def allow(self, root: Path) -> None:
        """Remember that code of this vault may run. Raises SaveFailed."""
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        allowed = sorted({*self._allowed(), _key(root)})
        replace_file(self._file, json.dumps(allowed, ensure_ascii=False, indent=1).encode())

    def _allowed(self) -> frozenset[str]:
        try:
            listed = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return frozenset()  # in doubt, ask again
        return frozenset(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else frozenset()


def _key(root: Path) -> str:
    return str(root.resolve())
