"""After a run on a GPU: one that is gone makes no proof, and one that is full names who holds it."""

from __future__ import annotations

import pytest

from snippets.errors import Sentence
from snippets.results.gpu_check import check_gpu
from tests.snippets.fake_gpus import Card, Driver, install

OUT = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 80.00 GiB.\n"
FULL = Sentence("Free GPU memory.", "请释放显存。")


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """One GPU that another program uses."""
    return install(Driver([Card(held={4194305: 5 << 30})]), monkeypatch)


def test_a_gpu_that_stays(driver: Driver) -> None:
    """Nothing is changed, and on the CPU the driver is not asked."""
    assert check_gpu("passed", None, device="cuda:0", stderr=OUT) == ("passed", None)
    assert check_gpu("failed", FULL, device="cuda:0", stderr="KeyError") == ("failed", FULL)
    driver.questions = 0
    assert check_gpu("failed", FULL, device="cpu", stderr=OUT) == ("failed", FULL)
    assert driver.questions == 0


def test_a_gpu_that_vanishes(driver: Driver) -> None:
    """A run that ended well without it may have used the CPU in silence: that is no success."""
    driver.cards[0].lost = True
    status, reason = check_gpu("passed", None, device="cuda:0", stderr="")
    assert status == "failed"
    assert reason is not None
    assert "went away" in reason.en
    assert "CPU" in reason.zh


def test_who_holds_a_full_gpu(driver: Driver) -> None:
    """After a run out of memory its sentence names the processes, so that one knows what to end."""
    status, reason = check_gpu("failed", FULL, device="cuda:0", stderr=OUT)
    assert (status, reason) == (
        "failed",
        Sentence(
            "Free GPU memory. Others hold of that GPU now: ? (process 4194305) 5.0 GiB.",
            "请释放显存。该 GPU 现被占用：?（进程 4194305）5.0 GiB。",
        ),
    )
    driver.cards[0].held = {}
    assert check_gpu("failed", FULL, device="cuda:0", stderr=OUT) == ("failed", FULL)
