"""The devices of this machine: the CPU and GPUs of NVIDIA, Apple and Intel, found without torch."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from snippets.errors import Sentence, UnknownDevice

_FORM = re.compile(r"cpu|mps|xpu|cuda:\d+(?:,\d+)*")
_INTEL = "0x8086"  # the vendor's number on the PCI bus
_CARDS = Path("/sys/class/drm")
_HIDDEN = Sentence("CUDA_VISIBLE_DEVICES hides it from this program.", "CUDA_VISIBLE_DEVICES 对本程序隐藏了它。")
_LEVEL_ZERO = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")


@dataclass(frozen=True)
class Device:
    """One device. Memory in bytes, None if it is not known."""

    id: str  # "cpu", "cuda:0", "mps", "xpu"
    kind: str  # "cpu", "cuda", "mps", "xpu"
    name: str
    memory_total: int | None
    memory_free: int | None
    available: bool
    reason: str | None = None  # why it cannot be used, in English
    reason_zh: str | None = None
    load: float | None = None  # from 0 to 1, None if it is not known

    def document(self) -> dict[str, object]:
        """Return the JSON document of the command `devices`."""
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "memory_total": self.memory_total,
            "memory_free": self.memory_free,
            "available": self.available,
            "reason": self.reason,
            "load": self.load,
        }


def devices() -> tuple[Device, ...]:
    """Return the devices of this machine, the CPU first. Takes some 10 ms with an NVIDIA driver."""
    return (_cpu(), *_nvidia(), *_apple(), *_intel())


def kind_of(device_id: str) -> str:
    """Return the kind of a device by its id. Raises UnknownDevice if the id has no known form."""
    if not _FORM.fullmatch(device_id):
        raise _unknown(device_id)
    return device_id.partition(":")[0]


def environment_for(device_id: str) -> dict[str, str]:
    """Return the variables that show a process only this device, or several as in "cuda:0,1". Raises UnknownDevice."""
    visible = ",".join(_numbers(device_id)) if kind_of(device_id) == "cuda" else ""
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": visible}


def why_not(device_id: str, *, kinds: Sequence[str], needs_gpus: int, present: Sequence[Device]) -> Sentence | None:
    """Return why a snippet for these kinds of device and this many GPUs cannot run there; None if it can."""
    kind = kind_of(device_id)
    wanted = [f"cuda:{number}" for number in _numbers(device_id)] if kind == "cuda" else [device_id]
    by_id = {device.id: device for device in present}
    for one in wanted:
        problem = _missing(one, by_id)
        if problem:
            return problem
    if "any" not in kinds and kind not in kinds:
        return _wrong_kind(kind, kinds, present)
    gpus = 0 if kind == "cpu" else len(wanted)
    return _too_few(needs_gpus, gpus, present) if gpus < needs_gpus else None


def fitting(kinds: Sequence[str], needs_gpus: int, *, present: Sequence[Device]) -> tuple[str, ...]:
    """Return the ids on which a snippet for these kinds of device and this many GPUs can run."""
    usable = [device for device in present if device.available and ("any" in kinds or device.kind in kinds)]
    gpus = [device.id.partition(":")[2] for device in usable if device.kind == "cuda"]
    if needs_gpus > 1:
        return (f"cuda:{','.join(gpus[:needs_gpus])}",) if len(gpus) >= needs_gpus else ()
    return tuple(device.id for device in usable if device.kind != "cpu" or not needs_gpus)


def every(kinds: Sequence[str], needs_gpus: int, *, present: Sequence[Device]) -> tuple[str, ...]:
    """Return the ids to try for a run on every device, including those that will report why they cannot run it."""
    fits = fitting(kinds, needs_gpus, present=present)
    if needs_gpus > 1 and fits:
        return fits
    return tuple(device.id for device in present)


def gpu_numbers(device_id: str) -> tuple[int, ...]:
    """Return the numbers of the NVIDIA GPUs in a device id; empty for other kinds. Raises UnknownDevice."""
    return tuple(int(number) for number in _numbers(device_id)) if kind_of(device_id) == "cuda" else ()


def _numbers(device_id: str) -> list[str]:
    return list(dict.fromkeys(str(int(number)) for number in device_id.partition(":")[2].split(",")))


def _unknown(device_id: str) -> UnknownDevice:
    known = ", ".join(device.id for device in devices())
    return UnknownDevice(
        f"There is no device {device_id!r}; this machine has: {known}.",
        f"没有设备 {device_id!r}；本机有：{known}。",
    )


def _missing(device_id: str, present: Mapping[str, Device]) -> Sentence | None:
    device = present.get(device_id)
    if device is None:
        known = ", ".join(present)
        return Sentence(
            f"This machine has no {device_id}; it has: {known}.", f"本机没有 {device_id}；可用的有：{known}。"
        )
    if not device.available:
        return Sentence(
            f"{device_id} cannot be used now: {device.reason or 'no reason given'}",
            f"{device_id} 现在不能使用：{device.reason_zh or device.reason or '原因不明'}",
        )
    return None


def _wrong_kind(kind: str, kinds: Sequence[str], present: Sequence[Device]) -> Sentence:
    needs = ", ".join(kinds)
    fits = [device.id for device in present if device.kind in kinds and device.available]
    if fits:
        return Sentence(
            f"This snippet is for {needs}, not for {kind}; choose {fits[0]}.",
            f"这段代码用于 {needs}，不适用于 {kind}；请选择 {fits[0]}。",
        )
    return Sentence(
        f"This snippet is for {needs}, and this machine has none of that.", f"这段代码需要 {needs}，而本机没有。"
    )


def _too_few(needs: int, chosen: int, present: Sequence[Device]) -> Sentence:
    gpus = [device.id for device in present if device.kind == "cuda" and device.available]
    if len(gpus) >= needs:
        choice = "cuda:" + ",".join(gpu.partition(":")[2] for gpu in gpus[:needs])
        return Sentence(
            f"This snippet needs {needs} GPUs and {chosen} are chosen; choose {choice}.",
            f"这段代码需要 {needs} 块 GPU，现在选了 {chosen} 块；请选择 {choice}。",
        )
    return Sentence(
        f"This snippet needs {needs} GPUs; this machine has {len(gpus)}.",
        f"这段代码需要 {needs} 块 GPU，本机有 {len(gpus)} 块。",
    )


def _cpu() -> Device:
    memory = psutil.virtual_memory()
    return Device(
        "cpu", "cpu", _processor_name(), memory.total, memory.available, available=True, load=_processor_load()
    )


def _processor_load() -> float | None:
    """Return the load of the last minute; measuring the current one would take time."""
    try:
        return min(1.0, round(os.getloadavg()[0] / (os.cpu_count() or 1), 2))
    except (OSError, AttributeError):  # not on Windows
        return None


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in {"model name", "Model", "cpu model"} and value.strip():
            return value.strip()
    return platform.processor() or platform.machine() or "CPU"


def _nvidia() -> Iterator[Device]:
    """Yield the GPUs in the order of the PCI bus, in which torch counts them because of CUDA_DEVICE_ORDER."""
    from snippets.targets import nvidia  # noqa: PLC0415 - pynvml takes 10 ms to load, and the first note names no GPU

    for gpu in nvidia.gpus():
        trouble = gpu.trouble
        if trouble is None and not _visible(gpu.number, gpu.uuid):
            trouble = _HIDDEN
        yield Device(
            f"cuda:{gpu.number}",
            "cuda",
            gpu.name,
            gpu.total,
            gpu.free,
            available=trouble is None,
            reason=trouble.en if trouble else None,
            reason_zh=trouble.zh if trouble else None,
            load=gpu.load,
        )


def _visible(number: int, uuid: str) -> bool:
    """Return whether CUDA_VISIBLE_DEVICES, which a batch system may set, leaves a GPU to this program."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is None:
        return True
    entries = [entry.strip() for entry in given.split(",")]
    return any(entry == str(number) or (entry.startswith("GPU-") and uuid.startswith(entry)) for entry in entries)


def _apple() -> tuple[Device, ...]:
    if sys.platform != "darwin" or platform.machine() != "arm64":
        return ()
    memory = psutil.virtual_memory()  # the GPU shares the processor's memory
    return (Device("mps", "mps", "Apple GPU", memory.total, memory.available, available=True),)


def _intel() -> tuple[Device, ...]:
    """Return the Intel GPU, if it has a render node and the Level Zero driver that torch needs."""
    if not any(_vendor(card) == _INTEL for card in _CARDS.glob("renderD*/device/vendor")):
        return ()
    if not any(True for folder in _LEVEL_ZERO for _ in Path(folder).glob("libze_intel_gpu.so*")):
        return ()
    return (Device("xpu", "xpu", "Intel GPU", None, None, available=True),)


def _vendor(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
