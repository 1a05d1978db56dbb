"""The state of a GPU after a run on it: whether it is still there, and which processes hold its memory."""

from __future__ import annotations

from snippets.errors import Sentence
from snippets.results.outcome import Status
from snippets.targets.devices import devices, gpu_numbers, kind_of, why_not

_OUT_OF_MEMORY = "CUDA out of memory"
_MOST_HOLDERS = 3
_GIB = 1 << 30


def check_gpu(status: Status, reason: Sentence | None, *, device: str, stderr: str) -> tuple[Status, Sentence | None]:
    """Return the status and reason of a run, corrected by the state of its GPU; unchanged on other devices."""
    if kind_of(device) != "cuda":
        return status, reason
    if status == "passed":
        gone = why_not(device, kinds=("any",), needs_gpus=0, present=devices())
        return ("failed", _vanished(device, gone)) if gone else (status, reason)
    if reason and _OUT_OF_MEMORY in stderr:
        return status, _with_holders(reason, gpu_numbers(device))
    return status, reason


def _vanished(device: str, why: Sentence) -> Sentence:
    """Return the reason that a GPU vanished: code that checks for one would silently continue on the CPU."""
    return Sentence(
        f"{device} went away during the run, so what was printed may come from the CPU. {why.en}",
        f"运行期间 {device} 消失了，输出可能来自 CPU。{why.zh}",
    )


def _with_holders(reason: Sentence, numbers: tuple[int, ...]) -> Sentence:
    from snippets.targets.nvidia import holders  # noqa: PLC0415 - only needed if a GPU is out of memory

    found = holders(numbers)[:_MOST_HOLDERS]
    if not found:
        return reason
    en = ", ".join(f"{one.name} (process {one.pid}) {one.bytes / _GIB:.1f} GiB" for one in found)
    zh = "、".join(f"{one.name}（进程 {one.pid}）{one.bytes / _GIB:.1f} GiB" for one in found)
    return Sentence(f"{reason.en} Others hold of that GPU now: {en}.", f"{reason.zh}该 GPU 现被占用：{zh}。")
