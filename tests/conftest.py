"""What every test stands on: an empty home of its own, and a screen that is not there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test user folders of its own, so that none reads or writes the real ones."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TORCHLEAF_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder
