"""Devices and interpreters of this machine, found off the GUI thread, and the chosen ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.executor import GuiExecutor
from snippets.targets.devices import Device, devices
from snippets.targets.interpreters import Interpreter, known_interpreters, probe

REFRESH_MS = 1000  # while devices are shown


class DeviceModel(QObject):
    """Knows and chooses the device and the interpreter for runs; signals are emitted on the GUI thread."""

    devices_found = Signal(object)  # tuple[Device, ...]
    device_chosen = Signal(str)
    interpreters_found = Signal(object)  # tuple[Interpreter, ...]
    interpreter_chosen = Signal(object)  # Interpreter
    choice_requested = Signal()  # show the list of interpreters
    probe_failed = Signal(object)  # error

    def __init__(self, executor: GuiExecutor, parent: QObject | None = None) -> None:
        """Start with the CPU as device and no interpreter."""
        super().__init__(parent)
        self._executor = executor
        self.devices: tuple[Device, ...] = ()
        self.interpreters: tuple[Interpreter, ...] = ()
        self.device = "cpu"
        self.interpreter: Interpreter | None = None
        self._wanted = ""
        self._looking = False
        self._refresh_timer = QTimer(self, interval=REFRESH_MS)
        self._refresh_timer.timeout.connect(self.refresh)

    def attach(self, root: Path | None, *, device: str, python: str) -> None:
        """Find devices and interpreters, also in the trusted vault at `root`, and restore the last choices."""
        self._wanted = python
        self.choose_device(device or "cpu")
        self.refresh()
        self._executor.run(lambda: _interpreters(root, python), self._on_interpreters, self.probe_failed.emit)

    def refresh(self) -> None:
        """Query the devices and their free memory again, unless a query is in progress."""
        if not self._looking:
            self._looking = True
            self._executor.run(devices, self._on_devices, lambda _: self._on_devices(self.devices))

    def watch(self, *, on: bool) -> None:
        """Turn a query of the devices every second on or off."""
        if on:
            self.refresh()
            self._refresh_timer.start()
        else:
            self._refresh_timer.stop()

    def choose_device(self, device: str) -> None:
        """Run on this device from now on."""
        if device != self.device:
            self.device = device
            self.device_chosen.emit(device)

    def choose_interpreter(self, interpreter: Interpreter) -> None:
        """Run under this interpreter from now on."""
        self.interpreter = interpreter
        self.interpreter_chosen.emit(interpreter)

    def try_interpreter(self, path: Path) -> None:
        """Probe a program, and choose it if it is a Python."""
        self._executor.run(lambda: probe(path), self._on_probed, self.probe_failed.emit)

    def renew(self) -> None:
        """Probe the chosen interpreter again: torch may have been installed since."""
        if (chosen := self.interpreter) is not None:
            self._executor.run(lambda: probe(chosen.path), self._on_renewed, self.probe_failed.emit)

    def _on_devices(self, found: tuple[Device, ...]) -> None:
        self._looking = False
        self.devices = found
        self.devices_found.emit(found)

    def _on_interpreters(self, found: tuple[Interpreter, ...]) -> None:
        self._show_interpreters(found)
        usable = [known for known in found if known.torch and known.reason != "vault"] or list(found)
        wanted = [known for known in found if str(known.path) == self._wanted]
        if chosen := next(iter(wanted + usable), None):
            self.choose_interpreter(chosen)

    def _on_probed(self, found: Interpreter) -> None:
        if found.path not in {known.path for known in self.interpreters}:
            self._show_interpreters((*self.interpreters, found))
        self.choose_interpreter(found)

    def _on_renewed(self, found: Interpreter) -> None:
        known = self.interpreter
        if known is None or known.path != found.path or known.torch == found.torch:
            return
        renewed = replace(found, reason=known.reason)
        self._show_interpreters(tuple(renewed if one.path == found.path else one for one in self.interpreters))
        self.choose_interpreter(renewed)

    def _show_interpreters(self, found: tuple[Interpreter, ...]) -> None:
        self.interpreters = found
        self.interpreters_found.emit(found)


def _interpreters(root: Path | None, python: str) -> tuple[Interpreter, ...]:
    known = known_interpreters(root)
    if python and python not in {str(one.path) for one in known} and Path(python).exists():
        return (*known, probe(Path(python)))
    return known
