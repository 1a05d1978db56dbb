"""What the check of the machine says."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from typing import Any

import pytest

from tests.cli.asking import asked


def finding(capsys: pytest.CaptureFixture[str], name: str) -> Any:
    """Return one finding."""
    _, out, _ = asked(capsys, "doctor", "--json")
    return next(one for one in json.loads(out) if one["name"] == name)


@pytest.mark.parametrize("kind", [None, "nfs4"])
def test_a_home_on_a_network_disk_is_said(
    kind: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All works there, so nothing needed is missing; but the user hears where the data lies and how to move it."""
    monkeypatch.setattr("app.checkup.network_kind", lambda _: kind)
    found = finding(capsys, "disk")
    assert (found["ok"], found["needed"]) == (kind is None, kind is None)
    assert ("is on nfs4" in found["detail"]) == (kind is not None)
    assert ("TORCHLEAF_HOME" in str(found["mend"])) == (kind is not None)


@pytest.mark.parametrize(
    ("installed", "pip", "mend"),
    [
        (False, True, "make setup"),
        (True, True, f"{sys.executable} -m pip install pyside6-essentials==6.11.3 spylls==0.1.7"),
        (True, False, f"uv pip install --python {sys.executable} pyside6-essentials==6.11.3 spylls==0.1.7"),
    ],
)
def test_how_to_get_the_window_is_said(
    *, installed: bool, pip: bool, mend: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the project's own pins and into the Python that the program runs under; no registry is asked for torchleaf."""
    needs = ["rich>=14", "pyside6-essentials==6.11.3; extra == 'gui'", "spylls==0.1.7; extra == 'gui'",
             "torch==2.13.0; extra == 'torch'"]  # fmt: skip
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name == "PySide6-Essentials":
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needs)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if pip and name == "pip" else None)
    monkeypatch.setattr("app.checkup.INSTALLED", installed)
    assert finding(capsys, "window")["mend"] == mend
