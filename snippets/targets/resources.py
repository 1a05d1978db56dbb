"""How many processes can run on this machine at the same time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import psutil

from snippets.model.snippet import Snippet
from snippets.targets.devices import Device, gpu_numbers

PROCESS_BYTES = 768 << 20  # of a process with torch and small tensors, with some reserve
GPU_BYTES = 4 << 30  # that such a process holds of a GPU, including its context

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def shares(device: str, present: Sequence[Device]) -> int:
    """Return how many processes may use a device at once, by cores and memory; at least one."""
    if device in {"mps", "xpu"}:  # their memory is not known
        return 1
    free = {gpu.id: gpu.memory_free or 0 for gpu in present}
    on_gpus = (free.get(f"cuda:{number}", 0) // GPU_BYTES for number in gpu_numbers(device))
    return max(1, min(cores(), memory() // PROCESS_BYTES, *on_gpus))


def share_of(snippet: Snippet) -> int:
    """Return how many processes of a snippet work at once: as it declares, at least one for each GPU."""
    return max(1, snippet.processes, snippet.needs_gpus)


def cores() -> int:
    """Return the number of processor cores that this program may use."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = _text(_QUOTA).partition(" ")
    return min(own, max(1, round(int(quota) / int(period)))) if quota.isdigit() and period.isdigit() else own


def memory() -> int:
    """Return the bytes of free memory that this program may use."""
    limits = [int(text) for path in _LIMITS if (text := _text(path)).isdigit()]
    return min([psutil.virtual_memory().available, *limits])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
