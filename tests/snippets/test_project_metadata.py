"""What the program knows about itself: from pyproject.toml in its checkout, else from what pip has noted."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from snippets.project_metadata import project

ROOT = Path(__file__).parents[2]
NOTED = """Metadata-Version: 2.4
Name: torchleaf
Version: 0.3.0
Requires-Python: <3.15,>=3.11
Requires-Dist: rich>=14
Requires-Dist: torch==2.13.0; extra == "torch"
"""


def test_a_checkout_says_what_pyproject_says() -> None:
    """The Pythons and the version of torch are written in one place."""
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = project()
    first, last = known.pythons
    assert [f"Python :: 3.{minor}" in " ".join(facts["classifiers"]) for minor in range(first - 1, last + 2)] == [
        False,
        *[True] * (last - first + 1),
        False,
    ]
    assert known.requirement("torch") == facts["optional-dependencies"]["torch"][0]
    assert re.fullmatch(r"PySide6-Essentials==[\d.]+", known.requirement("pyside6-essentials"))
    assert known.requirement("no-such-package") == "no-such-package"


def test_an_installed_program_says_what_pip_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of all packages has no pyproject.toml; where nothing was noted either, nothing is known."""
    (folder := tmp_path / "torchleaf-0.3.0.dist-info").mkdir()
    (folder / "METADATA").write_text(NOTED, "utf-8")
    monkeypatch.setattr(metadata, "distribution", lambda _: metadata.Distribution.at(folder))
    known = project(tmp_path)
    assert (known.pythons, known.requirement("torch")) == ((11, 14), "torch==2.13.0")

    def unknown(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", unknown)
    (nowhere := tmp_path / "nowhere").mkdir()
    assert project(nowhere).requirement("torch") == "torch"
