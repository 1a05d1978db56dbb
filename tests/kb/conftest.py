"""Vaults to test with: real folders with real files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kb.vault.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder for a vault."""
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def make_vault(root: Path) -> MakeVault:
    """Return a function that writes files by relative path and opens the folder as a vault."""

    def make(files: Mapping[str, str | bytes]) -> Vault:
        for path, content in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Vault.open(root)

    return make
