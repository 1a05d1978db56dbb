"""What tests of vaults share: how one is made, looked at, and put under stress in another process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from kb.vault.vault import Vault


class MakeVault(Protocol):
    """Writes files by relative path and opens the folder as a vault."""

    def __call__(self, files: Mapping[str, str | bytes]) -> Vault: ...


def state(folder: Path) -> dict[str, bytes]:
    """Everything that lies in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(script: str, *args: str, patience: float = 60) -> str:
    """Run a script that is killed or starved, so without measuring its coverage; return what it prints."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-c", script, *args]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=patience, env=plain).stdout
