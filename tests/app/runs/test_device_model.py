"""The chosen device and interpreter."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.executor import GuiExecutor
from app.runs.device_model import DeviceModel
from snippets.targets.interpreters import Interpreter


def python(name: str, torch: str | None, reason: str = "path") -> Interpreter:
    """Return an interpreter with this version of torch."""
    return Interpreter(Path("/usr/bin", name), name, "3.12.0", torch, reason=reason)


@pytest.fixture
def model(qapp: object) -> Iterator[DeviceModel]:
    """Give a model that has found nothing yet."""
    with contextlib.closing(GuiExecutor()) as executor:
        yield DeviceModel(executor)


def test_a_choice_is_announced_once(model: DeviceModel) -> None:
    """The same device again is no change."""
    chosen: list[str] = []
    model.device_chosen.connect(chosen.append)
    for device in ("cpu", "cuda:0", "cuda:0", "cpu"):
        model.choose_device(device)
    assert chosen == ["cuda:0", "cpu"]


@pytest.mark.parametrize(
    ("wanted", "chosen"), [("", "b"), ("/usr/bin/a", "a"), ("/usr/bin/v", "v"), ("/usr/bin/gone", "b")]
)
def test_the_first_interpreter_is_the_last_choice_or_has_torch(
    model: DeviceModel, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, wanted: str, chosen: str
) -> None:
    """One of the vault is not chosen by itself, even with torch."""
    found = (python("a", None), python("v", "2.13.0", "vault"), python("b", "2.13.0"))
    monkeypatch.setattr("app.runs.device_model.known_interpreters", lambda _: found)
    monkeypatch.setattr("app.runs.device_model.devices", tuple)
    with qtbot.waitSignal(model.interpreter_chosen, timeout=30_000):
        model.attach(None, device="", python=wanted)
    assert model.interpreter is not None
    assert model.interpreter.path.name == chosen
    assert model.interpreters == found
