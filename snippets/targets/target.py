"""Where runs happen: a target starts supervisors and knows what they can use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from snippets.process.connection import Connection, supervisor_command
from snippets.process.isolation import Isolation, isolation
from snippets.targets.devices import Device, devices
from snippets.targets.interpreters import Interpreter, as_program, probe, running

if TYPE_CHECKING:  # loading pynvml takes 10 ms, and no run is started while the window opens
    from snippets.targets.gpu_sampler import GpuWatch


class Target(Protocol):
    """One place to run code: this machine, or another one.

    Code, modules and variables go to its supervisor as frames, and output and files come back as frames. A target that
    is not available raises SnippetError with the reason from `devices`, `interpreter` and `connect`.
    """

    @property
    def name(self) -> str:
        """A name that no other target has."""

    @property
    def sees_files(self) -> bool:
        """Whether its runs can read the files of this machine; else a snippet is always sent as text."""

    def devices(self) -> tuple[Device, ...]:
        """Return what it has, the CPU first."""

    def check_program(self, python: Path) -> None:
        """Raise UnknownInterpreter if it is known at once that a path is no program on it."""

    def interpreter(self, python: Path | None) -> Interpreter:
        """Return what a Python on it is, by default its own one."""

    def isolation(self) -> Isolation:
        """Return whether runs on it can be isolated."""

    def connect(self, log: Path) -> Connection:
        """Start a supervisor whose errors go to a file of this machine. Raises SnippetError, OSError."""

    def watch_gpus(self, device: str, main: Callable[[], int | None]) -> GpuWatch | None:
        """Return a context that samples the GPU memory of a run by its main process; None if that is not possible."""

    def folder(self, run_id: str) -> Path | None:
        """Return the folder that keeps the files of a run on this machine; None if only copies of them are here."""


class LocalTarget:
    """This machine. Its run folders are in `runs`."""

    name = "local"
    sees_files = True

    def __init__(self, runs: Path) -> None:
        self._runs = runs.absolute()

    def devices(self) -> tuple[Device, ...]:
        """Return the devices of this machine."""
        return devices()

    def check_program(self, python: Path) -> None:
        """Raise UnknownInterpreter for a path that is no program."""
        as_program(python)

    def interpreter(self, python: Path | None) -> Interpreter:
        """Return what a Python is, by default the one of this program. Raises UnknownInterpreter."""
        return probe(python or running())

    def isolation(self) -> Isolation:
        """Return whether bubblewrap works here. Raises RunnerFailed."""
        return isolation()

    def connect(self, log: Path) -> Connection:
        """Start a supervisor here. Raises RunnerFailed, OSError."""
        return Connection(supervisor_command(self._runs), log)

    def watch_gpus(self, device: str, main: Callable[[], int | None]) -> GpuWatch | None:
        """Return a context that samples the GPU memory of a run."""
        from snippets.targets.gpu_sampler import GpuWatch  # noqa: PLC0415 - see above

        return GpuWatch(device, main)

    def folder(self, run_id: str) -> Path | None:
        """Return the folder of a run."""
        return self._runs / run_id
