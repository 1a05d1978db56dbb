"""The driver of NVIDIA: GPUs with memory and load, one that is lost, a driver that fails, and one that hangs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pynvml
import pytest

from snippets.targets import nvidia
from snippets.targets.devices import devices
from snippets.targets.nvidia import Holder, SilentDriverError, driver_version, gpus, holders, used
from tests.pace import within
from tests.snippets.fake_gpus import Card, Driver, install

GIB = 1 << 30


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """Two GPUs; one reports its name in bytes and no load."""
    cards = [Card(held={1: 10 * GIB}), Card(b"NVIDIA Two", "GPU-bbbb-2", load=None)]
    return install(Driver(cards), monkeypatch)


@pytest.fixture
def hanging(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the driver hang until the event is set."""
    monkeypatch.setattr(nvidia, "PATIENCE", 0.1)
    monkeypatch.setattr(nvidia, "_driver", nvidia._Driver())
    driver.hangs = threading.Event()
    yield driver.hangs
    driver.hangs.set()


def test_memory_and_load(driver: Driver) -> None:
    """In bytes, and from 0 to 1; None where the card does not tell."""
    one, two = gpus()
    assert (one.name, one.uuid, one.total, one.free, one.load) == ("NVIDIA One", "GPU-aaaa-1", 80 * GIB, 70 * GIB, 0.35)
    assert (two.name, two.free, two.load, two.trouble) == ("NVIDIA Two", 80 * GIB, None, None)
    assert driver_version() == "580.65.06"


def test_a_card_that_is_lost(driver: Driver) -> None:
    """It stays in the list, with the reason; the other works. When it comes back it is as before."""
    driver.cards[0].lost = True
    lost, well = gpus()
    assert lost.trouble is not None
    assert "does not answer" in lost.trouble.en
    assert well.trouble is None
    driver.cards[0].lost = False
    assert gpus()[0].trouble is None


def test_a_driver_that_hangs_holds_nobody_up(driver: Driver, hanging: threading.Event) -> None:
    """The first question waits a moment, the next ones not at all; once it answers it is asked again."""
    (gpu,) = gpus()
    assert gpu.trouble is not None
    assert "within 3 s" in gpu.trouble.en
    with within(1.0):
        for _ in range(50):
            assert gpus()[0].trouble is not None
            assert driver_version() is None
            assert holders([0]) == ()
    assert driver.questions == 1  # nobody piles up behind it
    found = {device.id: device for device in devices()}
    assert found["cpu"].available
    assert not found["cuda:0"].available
    with pytest.raises(SilentDriverError):
        used([0], tuple)
    hanging.set()
    until = time.monotonic() + 10
    while nvidia._driver._hangs:
        assert time.monotonic() < until
    assert [gpu.trouble for gpu in gpus()] == [None, None]


def test_two_who_ask_at_once_both_hear(driver: Driver) -> None:
    """Questions wait for each other."""
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(len(gpus()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [2] * 8


@pytest.mark.parametrize("card", [True, False])
def test_a_driver_that_fails(card: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """With a card in the machine the reason is reported; without one there are no GPUs."""

    def fail() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_DRIVER_NOT_LOADED)

    monkeypatch.setattr(pynvml, "nvmlInit", fail)
    monkeypatch.setattr(nvidia, "_CARD", (Path("/dev/null") if card else Path("/none"),))
    assert [gpu.trouble is not None for gpu in gpus()] == [True] * card
    assert driver_version() is None
    assert holders([0]) == ()


def test_who_holds_the_memory(driver: Driver) -> None:
    """Each process with what it holds of the GPUs asked about together, the largest first."""
    driver.cards[0].held = {os.getpid(): 2 * GIB, 4194305: 5 * GIB}
    driver.cards[1].held = {os.getpid(): 4 * GIB, 4194305: 0}
    own = next(one for one in holders([0, 1]) if one.pid == os.getpid())
    assert own.name.startswith(("py", "pytest", "[py"))
    assert holders([0, 1]) == (Holder(os.getpid(), own.name, 6 * GIB), Holder(4194305, "?", 5 * GIB))
    assert used([0, 1], lambda: [os.getpid()]) == (11 * GIB, 6 * GIB)
    assert used([0], lambda: [77]) == (7 * GIB, None)
    driver.tells_of_processes = False
    assert holders([0, 1]) == ()
    assert used([1], lambda: [os.getpid()]) == (4 * GIB, None)
