"""NVIDIA GPUs, as reported by the driver, without torch. The driver may be absent, fail or hang; waits are short."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import psutil
import pynvml

from snippets.errors import Sentence

PATIENCE = 3.0  # seconds; a working driver answers in some 10 ms

_ANSWERS = TypeVar("_ANSWERS")
_CARD = (Path("/dev/nvidia0"), Path("/proc/driver/nvidia/version"))


class SilentDriverError(Exception):
    """The driver did not answer in time. It is not asked again until it has."""


@dataclass(frozen=True)
class Gpu:
    """One GPU, by its number on the PCI bus. Memory in bytes, load from 0 to 1; None if it is not reported."""

    number: int
    name: str = "NVIDIA GPU"
    uuid: str = ""
    total: int | None = None
    free: int | None = None
    load: float | None = None
    trouble: Sentence | None = None  # why it cannot be used


@dataclass(frozen=True)
class Holder:
    """A process that holds memory of a GPU, in bytes."""

    pid: int
    name: str
    bytes: int


class _Driver:
    """Calls the driver in a thread, one call at a time, with a time limit."""

    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._hangs = False

    def ask(self, question: Callable[[], _ANSWERS]) -> _ANSWERS:
        """Return the result of a call. Raises SilentDriverError, NVMLError."""
        if self._hangs or not self._asking.acquire(timeout=PATIENCE):
            raise SilentDriverError
        answers: queue.SimpleQueue[Callable[[], _ANSWERS]] = queue.SimpleQueue()
        threading.Thread(target=self._put, args=(question, answers), name="nvml", daemon=True).start()
        try:
            return answers.get(timeout=PATIENCE)()
        except queue.Empty:
            self._hangs = True
            raise SilentDriverError from None

    def _put(self, question: Callable[[], _ANSWERS], answers: queue.SimpleQueue[Callable[[], _ANSWERS]]) -> None:
        try:
            with _library():
                answer = question()
            answers.put(lambda: answer)
        except pynvml.NVMLError as error:
            answers.put(_raiser(error))
        finally:
            self._hangs = False
            self._asking.release()


_driver = _Driver()


def gpus() -> tuple[Gpu, ...]:
    """Return the GPUs. If there is a card whose driver does not answer, return one GPU with the reason."""
    try:
        return _driver.ask(lambda: tuple(_gpu(number) for number in range(pynvml.nvmlDeviceGetCount())))
    except SilentDriverError:
        return (Gpu(0, trouble=_silent("within 3 s", "3 秒内")),)
    except pynvml.NVMLError as error:
        return (Gpu(0, trouble=_silent(str(error), str(error))),) if any(path.exists() for path in _CARD) else ()


def driver_version() -> str | None:
    """Return the version of the driver; None if there is none or it does not answer."""
    try:
        return _driver.ask(lambda: _text(pynvml.nvmlSystemGetDriverVersion()))
    except (SilentDriverError, pynvml.NVMLError):
        return None


def holders(numbers: Collection[int]) -> tuple[Holder, ...]:
    """Return the processes that hold memory of these GPUs, the largest first; empty if that is not known."""
    try:
        held = _driver.ask(lambda: _held(numbers))
    except (SilentDriverError, pynvml.NVMLError):
        return ()
    found = (Holder(pid, _process_name(pid), size) for pid, size in held.items())
    return tuple(sorted(found, key=lambda one: (-one.bytes, one.pid)))


def used(numbers: Collection[int], pids: Callable[[], Collection[int]]) -> tuple[int, int | None]:
    """Return the used bytes of these GPUs, and the part that some processes hold; None if the driver knows none.

    In a container the driver may report other process ids. Raises what `ask` raises.
    """

    def question() -> tuple[int, int | None]:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in numbers]
        everything = sum(int(pynvml.nvmlDeviceGetMemoryInfo(handle).used) for handle in handles)
        held = _held(numbers)
        own = [held[pid] for pid in pids() if pid in held]
        return everything, sum(own) if own else None

    return _driver.ask(question)


@contextlib.contextmanager
def _library() -> Iterator[None]:
    pynvml.nvmlInit()
    try:
        yield
    finally:
        pynvml.nvmlShutdown()


def _gpu(number: int) -> Gpu:
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(number)
        name, uuid = _text(pynvml.nvmlDeviceGetName(handle)), _text(pynvml.nvmlDeviceGetUUID(handle))
        memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    except pynvml.NVMLError as error:
        return Gpu(number, trouble=Sentence(f"it does not answer ({error}).", f"它没有响应（{error}）。"))
    return Gpu(number, name, uuid, int(memory.total), int(memory.free), _load(handle))


def _load(handle: Any) -> float | None:
    try:
        return int(pynvml.nvmlDeviceGetUtilizationRates(handle).gpu) / 100
    except pynvml.NVMLError:  # not reported for a part of a card (MIG)
        return None


def _held(numbers: Collection[int]) -> dict[int, int]:
    """Return the bytes that each process holds on these GPUs, by process id."""
    found: dict[int, int] = {}
    for number in numbers:
        handle = pynvml.nvmlDeviceGetHandleByIndex(number)
        for process in _processes(handle):
            found[int(process.pid)] = found.get(int(process.pid), 0) + int(process.usedGpuMemory or 0)
    return found


def _processes(handle: Any) -> Sequence[Any]:
    try:
        return cast("Sequence[Any]", pynvml.nvmlDeviceGetComputeRunningProcesses(handle))
    except pynvml.NVMLError:
        return ()


def _process_name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "?"


def _silent(en: str, zh: str) -> Sentence:
    return Sentence(f"the NVIDIA driver does not answer ({en}).", f"NVIDIA 驱动没有响应（{zh}）。")


def _raiser(error: Exception) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def _text(value: Any) -> str:
    """Return a text; the bindings of older drivers return bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else cast("str", value)
