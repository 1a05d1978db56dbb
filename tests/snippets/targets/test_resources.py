"""How many runs a machine bears at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from snippets.model.snippet import Snippet
from snippets.targets import resources
from snippets.targets.devices import Device
from snippets.targets.resources import GPU_BYTES, PROCESS_BYTES, share_of, shares

GPUS = [Device(f"cuda:{n}", "cuda", "A GPU", 1 << 40, GPU_BYTES * (n + 2), available=True) for n in range(2)]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for a machine with eight cores and memory for six processes."""
    monkeypatch.setattr(resources, "cores", lambda: 8)
    monkeypatch.setattr(resources, "memory", lambda: PROCESS_BYTES * 6)


@pytest.mark.usefixtures("large")
def test_what_there_is_least_of_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores, memory, and the free memory of each GPU that is chosen; one may always run."""
    assert shares("cpu", GPUS) == 6
    assert (shares("cuda:0", GPUS), shares("cuda:1", GPUS), shares("cuda:0,1", GPUS)) == (2, 3, 2)
    assert (shares("cuda:7", GPUS), shares("mps", GPUS), shares("xpu", GPUS)) == (1, 1, 1)
    monkeypatch.setattr(resources, "cores", lambda: 4)
    assert shares("cpu", GPUS) == 4
    monkeypatch.setattr(resources, "memory", lambda: 1)
    assert shares("cpu", GPUS) == 1


def test_what_this_machine_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A container's limits count; what is not written or says "max" does not."""
    monkeypatch.setattr(resources, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(resources, "_LIMITS", (tmp_path / "memory.max",))
    assert resources.cores() >= 1
    assert resources.memory() > 1000
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    (tmp_path / "memory.max").write_text("1000\n")
    assert (resources.cores(), resources.memory()) == (1, 1000)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    (tmp_path / "memory.max").write_bytes(b"\xff")
    assert resources.memory() > 1000
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert resources.cores() >= 1


def test_the_share_of_a_snippet(make_snippet: Callable[..., Snippet]) -> None:
    """As many processes as it says, and one for each GPU that it needs."""
    assert share_of(make_snippet("1")) == 1
    assert share_of(make_snippet("1", processes=3)) == 3
    assert share_of(make_snippet("1", needs_gpus=2)) == 2
