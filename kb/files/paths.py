"""The folders of the user's data, cache and documents, and the paths in them for each vault."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_APP = "torchleaf"
_VAULT = "Torchleaf"


@dataclass(frozen=True)
class VaultPaths:
    """What the program stores about one vault, all of it outside the vault."""

    index: Path
    ledger: Path
    drafts: Path
    journal: Path
    versions: Path
    runs: Path
    state: Path
    trash: Path
    pages: Path
    kin: Path
    shipped: Path


@dataclass(frozen=True)
class UserPaths:
    """The three folders of a user. They are created with mode 0700 when something is first written."""

    data: Path
    cache: Path
    documents: Path

    @classmethod
    def of_user(cls) -> Self:
        """Return the platform's folders, or those under $TORCHLEAF_HOME if it is set."""
        if home := os.environ.get("TORCHLEAF_HOME"):
            return cls.under(Path(home))
        import platformdirs  # noqa: PLC0415 - not needed if $TORCHLEAF_HOME is set

        return cls(
            data=platformdirs.user_data_path(_APP, appauthor=False),
            cache=platformdirs.user_cache_path(_APP, appauthor=False),
            documents=platformdirs.user_documents_path(),
        )

    @classmethod
    def under(cls, folder: Path) -> Self:
        """Return paths that are all in one folder, for tests and throw-away sessions."""
        root = folder.absolute()
        return cls(data=root / "data", cache=root / "cache", documents=root / "documents")

    @property
    def user_vault(self) -> Path:
        """The vault that is created from the shipped notes at the first start."""
        return self.documents / _VAULT

    def for_vault(self, root: Path) -> VaultPaths:
        """Return the paths of a vault. The key is its resolved path: a moved vault is a new one."""
        key = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        data, cache = self.data / "vaults" / key, self.cache / "vaults" / key
        return VaultPaths(
            index=cache / "index",
            ledger=data / "runs.sqlite",
            drafts=data / "drafts",
            journal=data / "change.json",
            versions=data / "versions.sqlite",
            runs=cache / "runs",
            state=data / "state.json",
            trash=data / "trash",
            pages=cache / "pages.json",
            kin=cache / "kin.json",
            shipped=data / "shipped.json",
        )


def make_private(folder: Path) -> Path:
    """Create the folder and its missing parents with mode 0700; return it. Raises OSError."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder
