"""What the check of the machine says."""

from __future__ import annotations

import json
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
