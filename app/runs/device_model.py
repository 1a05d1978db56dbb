"""What there is to run on: devices and interpreters, found in the background, and which of them is chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.executor import GuiExecutor
from snippets.targets.devices import Device, devices
from snippets.targets.interpreters import Interpreter, known_interpreters, probe

PULSE = 1000  # milliseconds between two looks at devices that somebody sees


class DeviceModel(QObject):
    """The choice of device and interpreter; every signal comes on the GUI thread."""

    devices_found = Signal(object)  # tuple[Device, ...]
    device_chosen = Signal(str)
    interpreters_found = Signal(object)  # tuple[Interpreter, ...]
    interpreter_chosen = Signal(object)  # Interpreter
    choice_requested = Signal()  # somebody wants to see the interpreters there are, and choose
    probe_failed = Signal(object)  # error

    def __init__(self, door: GuiExecutor, parent: QObject | None = None) -> None:
        """Know nothing but the CPU yet."""
        super().__init__(parent)
        self._door = door
        self.devices: tuple[Device, ...] = ()
        self.interpreters: tuple[Interpreter, ...] = ()
        self.device = "cpu"
        self.interpreter: Interpreter | None = None
        self._wanted = ""
        self._looking = False
        self._pulse = QTimer(self, interval=PULSE)
        self._pulse.timeout.connect(self.refresh)

    def attach(self, root: Path | None, *, device: str, python: str) -> None:
        """Look for what there is to run on, in the vault at `root` too if it is trusted; take up the choices before."""
        self._wanted = python
        self.choose_device(device or "cpu")
        self.refresh()
        self._door.run(lambda: _interpreters(root, python), self._on_interpreters, self.probe_failed.emit)

    def refresh(self) -> None:
        """Look at the devices again: memory comes and goes. One look at a time, however slow a driver is."""
        if not self._looking:
            self._looking = True
            self._door.run(devices, self._on_devices, lambda _: self._on_devices(self.devices))

    def watch(self, *, on: bool) -> None:
        """Look at the devices every second, as long as somebody sees them."""
        if on:
            self.refresh()
            self._pulse.start()
        else:
            self._pulse.stop()

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
        """Ask a program of the user's choice what it is, and choose it if it is a Python."""
        self._door.run(lambda: probe(path), self._on_probed, self.probe_failed.emit)

    def renew(self) -> None:
        """Ask the interpreter again whether it has torch: it may have been installed meanwhile."""
        if (chosen := self.interpreter) is not None:
            self._door.run(lambda: probe(chosen.path), self._on_renewed, self.probe_failed.emit)

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
