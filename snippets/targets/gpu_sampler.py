"""The peak memory of a run on NVIDIA GPUs, sampled while it is active."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import psutil
import pynvml

from snippets.targets import nvidia
from snippets.targets.devices import gpu_numbers

SAMPLE_SECONDS = 0.25

_MIB = 1 << 20


class GpuWatch:
    """Samples the GPUs of a run from its start to its end; on other devices it does nothing.

    It counts the memory of the processes of the run. If the driver does not know them, as in a container, it counts the
    increase since the start, which can include other programs.
    """

    def __init__(self, device: str, main: Callable[[], int | None]) -> None:
        self._numbers = gpu_numbers(device)
        self._main = main
        self._before = 0
        self._beyond: int | None = None
        self._own: int | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"gpu {device}", daemon=True)

    def __enter__(self) -> Self:
        if self._numbers:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._numbers:
            self._thread.join()

    @property
    def peak_mb(self) -> float | None:
        """The peak in MiB; None if it is not known."""
        peak = self._beyond if self._own is None else self._own
        return None if peak is None else peak / _MIB

    def _watch(self) -> None:
        try:
            self._before, _ = nvidia.used(self._numbers, tuple)
            while not self._over.wait(SAMPLE_SECONDS):
                self._sample()
        except (nvidia.SilentDriverError, pynvml.NVMLError):  # the peak stays unknown, and the run goes on
            return

    def _sample(self) -> None:
        everything, own = nvidia.used(self._numbers, self._processes)
        self._beyond = max(self._beyond or 0, everything - self._before)
        if own is not None:
            self._own = max(self._own or 0, own)

    def _processes(self) -> set[int]:
        """Return the process ids of the run."""
        main = self._main()
        if main is None:
            return set()
        try:
            return {main, *(child.pid for child in psutil.Process(main).children(recursive=True))}
        except psutil.Error:
            return {main}
