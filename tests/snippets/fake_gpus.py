"""A driver of NVIDIA made up for tests: GPUs that can be used by others, vanish, or stop answering."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest


@dataclass
class Card:
    """One GPU, with the bytes that each process holds of it."""

    name: str | bytes = "NVIDIA One"
    uuid: str = "GPU-aaaa-1"
    total: int = 80 << 30
    load: int | None = 35  # percent; None: it does not tell
    held: dict[int, int] = field(default_factory=dict)
    lost: bool = False

    @property
    def used(self) -> int:
        """What all hold together."""
        return sum(self.held.values())


@dataclass
class Driver:
    """Answers as the library does."""

    cards: list[Card]
    version: str = "580.65.06"
    tells_of_processes: bool = True
    hangs: threading.Event | None = None  # answers once it is set
    questions: int = 0

    def nvmlInit(self) -> None:  # noqa: N802
        self.questions += 1
        if self.hangs is not None:
            self.hangs.wait(60)

    def nvmlShutdown(self) -> None:  # noqa: N802
        pass

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.cards)

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        return self.version

    def nvmlDeviceGetHandleByIndex(self, number: int) -> Card:  # noqa: N802
        if number >= len(self.cards) or self.cards[number].lost:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
        return self.cards[number]

    def nvmlDeviceGetName(self, card: Card) -> str | bytes:  # noqa: N802
        return card.name

    def nvmlDeviceGetUUID(self, card: Card) -> str:  # noqa: N802
        return card.uuid

    def nvmlDeviceGetMemoryInfo(self, card: Card) -> Any:  # noqa: N802
        return SimpleNamespace(total=card.total, free=card.total - card.used, used=card.used)

    def nvmlDeviceGetUtilizationRates(self, card: Card) -> Any:  # noqa: N802
        if card.load is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return SimpleNamespace(gpu=card.load, memory=0)

    def nvmlDeviceGetComputeRunningProcesses(self, card: Card) -> list[Any]:  # noqa: N802
        if not self.tells_of_processes:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NO_PERMISSION)
        return [SimpleNamespace(pid=pid, usedGpuMemory=size or None) for pid, size in card.held.items()]


def install(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> Driver:
    """Put it in the place of the library."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name in vars(Driver):
        if name.startswith("nvml"):
            monkeypatch.setattr(pynvml, name, getattr(driver, name))
    return driver
