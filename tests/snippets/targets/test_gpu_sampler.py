"""The peak of a run's memory on GPUs, with a driver made up, and through a real run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pynvml
import pytest

from snippets.targets import gpu_sampler, target
from snippets.targets.gpu_sampler import GpuWatch
from snippets.targets.interpreters import Interpreter, probe, running
from tests.snippets.fake_gpus import Card, Driver, install

GIB = 1 << 30


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """Two GPUs, sampled often; another program holds a gigabyte on one of them."""
    monkeypatch.setattr(gpu_sampler, "SAMPLE_SECONDS", 0.005)
    return install(Driver([Card(held={4194305: GIB}), Card()]), monkeypatch)


def until(said: Callable[[], bool]) -> None:
    """Wait until something is so."""
    patience = time.monotonic() + 20
    while not said():
        assert time.monotonic() < patience
        time.sleep(0.002)


def test_what_the_processes_of_the_run_held_at_most(driver: Driver) -> None:
    """Summed over GPUs and children; what others hold does not count."""
    with GpuWatch("cuda:0,1", os.getpid) as watch:
        driver.cards[0].held[os.getpid()] = 2 * GIB
        driver.cards[1].held[os.getpid()] = 3 * GIB
        until(lambda: watch.peak_mb == 5 * 1024)
        del driver.cards[1].held[os.getpid()]
        questions = driver.questions
        until(lambda: driver.questions > questions + 2)
    assert watch.peak_mb == 5 * 1024


@pytest.mark.parametrize("main", [None, 4194304])
def test_where_the_driver_knows_no_process(main: int | None, driver: Driver) -> None:
    """Counted is what is used beyond what was used before."""
    with GpuWatch("cuda:0", lambda: main) as watch:
        until(lambda: watch.peak_mb == 0.0)
        driver.cards[0].held[77] = 2 * GIB
        until(lambda: watch.peak_mb == 2 * 1024)


def test_elsewhere_nothing_is_watched(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the CPU the driver is not asked; if it fails, only the number is missing."""
    with GpuWatch("cpu", os.getpid) as watch:
        pass
    assert (watch.peak_mb, driver.questions) == (None, 0)

    def fail() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN)

    monkeypatch.setattr(pynvml, "nvmlInit", fail)
    with GpuWatch("cuda:0", os.getpid) as watch:
        pass
    assert watch.peak_mb is None


def test_a_run_on_a_gpu(
    driver: Driver, start: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees its GPU alone, its peak is in the outcome, and when the GPU goes away meanwhile it has failed."""

    def for_cuda(path: Path) -> Interpreter:
        known = probe(path)
        return Interpreter(known.path, "", known.version, "2.13.0", ("cuda",), places=known.places)

    monkeypatch.setattr(target, "probe", for_cuda)
    code = (
        "import os, pathlib, time\n"
        "print(os.environ['CUDA_VISIBLE_DEVICES'], flush=True)\n"
        f"while not pathlib.Path({str(tmp_path / 'go')!r}).exists(): time.sleep(0.005)\n"
    )
    watched = start(code, device="cuda:1", python=running())
    watched.wait_for("1\n")
    driver.cards[1].held[watched.run.pid] = GIB
    questions = driver.questions
    until(lambda: driver.questions > questions + 3)
    driver.cards[1].lost = True
    (tmp_path / "go").touch()
    outcome = watched.outcome()
    assert outcome.status == "failed"
    assert "cuda:1 went away" in str(outcome.reason_en)
    assert outcome.peak_gpu_mb == 1024
    assert outcome.document()["peak_gpu_mb"] == 1024.0
