"""What the tests of the command line are asked about: a small vault, and snippets made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def vault(tmp_path: Path) -> str:
    """Give a small vault."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("# Hello\n\ngather\n\n```python id=hi\nprint('hi')\n```\n", "utf-8")
    return str(folder)


@pytest.fixture
def snippet(tmp_path: Path) -> Callable[[str], str]:
    """Give a way to make a snippet's file."""

    def make(code: str) -> str:
        file = tmp_path / "wild.py"
        file.write_text(code, "utf-8")
        return str(file)

    return make
