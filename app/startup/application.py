"""Opens the window: checks the display, creates the application and the window, and ends on signals.

On Linux it also sets the input method variables that Qt needs for Chinese under fcitx.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibrary, QObject, QSocketNotifier, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMainWindow

from app.error_reporting import LOG, ErrorReporter
from app.i18n import Translator, system_language
from app.startup.crash_marker import CrashMarker
from app.startup.gui_gc import GuiThreadGc
from app.state.settings import NAME, Preferences, peek
from app.style.appearance import STYLE, STYLED, Appearance
from kb.files.paths import UserPaths, make_private
from kb.rendering.renderer import Renderer

LAST_CALL_SECONDS = 4.5  # after a signal, before the program ends whatever still hangs
TURN_SECONDS = 0.0005  # before a busy thread yields to the GUI thread; Python's default of 5 ms is felt in typing
QUIET_MS = 3_000  # before a Python that has imported torch is started: the start itself needs the CPU
SETTLED_MS = 20_000  # after which a start counts as successful
_ICON = Path(__file__).parents[1] / "style" / "torchleaf.svg"
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGALRM") if hasattr(signal, name))
_FCITX = re.compile(r"fcitx5?|fcitx4", re.IGNORECASE)
_INPUT_PLUGINS = "platforminputcontexts"  # folder


def plugin_names(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the file names of the input method plugins in Qt's plugin folders."""
    return tuple(file.name for folder in folders for file in sorted(Path(folder, _INPUT_PLUGINS).glob("*")))


def mended(environment: Mapping[str, str], plugins: Iterable[str]) -> dict[str, str]:
    """Return the variables to set before Qt starts, so that Chinese can be typed under fcitx on Linux.

    Qt from wheels has an input method plugin for ibus but not for fcitx; fcitx also supports the protocol of ibus.
    Nothing is set if a fcitx plugin exists, or if a Wayland session uses the input method of its compositor.
    """
    if any("fcitx" in name.lower() for name in plugins):
        return {}
    if several := environment.get("QT_IM_MODULES", ""):  # tried in order, before QT_IM_MODULE
        names = several.split(";")
        lacks = any(map(_FCITX.fullmatch, names)) and "ibus" not in names
        return {"QT_IM_MODULES": ";".join([*names, "ibus"])} if lacks else {}
    chosen = environment.get("QT_IM_MODULE", "")
    if _FCITX.fullmatch(chosen):
        return {"QT_IM_MODULE": "ibus"}
    if chosen not in ("", "xim") or (not chosen and environment.get("WAYLAND_DISPLAY")):
        return {}
    said = environment.get("XMODIFIERS", "").partition("@im=")[2]
    return {"QT_IM_MODULE": "ibus"} if _FCITX.fullmatch(said) or said == "ibus" else {}


def open_window(vault: Path | None, places: UserPaths, *, temp: bool = False, debug: bool = False) -> int:
    """Open the window with a vault, or with the last one; return the exit code when it is closed.

    With `temp` settings and data are deleted at the end. Returns 2 without a display or a writable data folder.
    """
    if problem := _no_display() or _no_platform():
        sys.stderr.write(f"{problem}\n")
        return 2
    with _places(places, temp=temp) as used:
        try:
            make_private(used.data)
        except OSError as error:
            sys.stderr.write(f"torchleaf: {used.data} cannot be written: {error.strerror}; set TORCHLEAF_HOME.\n")
            return 2
        renderer = Renderer()
        if not renderer.recall(used.for_vault(vault or _last_vault(used)).pages):
            renderer.warm()  # its process starts while this one loads the window
        try:
            return _run(vault, used, renderer, temp=temp, debug=debug)
        finally:
            renderer.close()


def _run(vault: Path | None, places: UserPaths, renderer: Renderer, *, temp: bool, debug: bool) -> int:
    from app.main_window.main_window import MainWindow  # noqa: PLC0415 - see above
    from app.state.workspace import Workspace  # noqa: PLC0415

    sys.setswitchinterval(TURN_SECONDS)
    application = _application()
    faults = ErrorReporter(places.data / "logs", debug=debug)
    faults.install()
    collector = GuiThreadGc()
    try:
        workspace = Workspace(places, renderer=renderer)
        words, look = chosen_appearance(application, workspace.settings_store.preferences)
        marker = CrashMarker(places.data)
        window = MainWindow(workspace, words, look, faults, reopens=not marker.safe)
        marker.begin()
        QTimer.singleShot(SETTLED_MS, window, marker.confirm)
        application.commitDataRequest.connect(lambda _: window.deferred.close_guard.session_ends())  # log-out
        with _signals(window, window.close_now):
            window.show()
            last = workspace.settings_store.preferences.vault
            (workspace.open_vault if temp else window.enter)(vault or (Path(last) if last else None))
            QTimer.singleShot(QUIET_MS, window, workspace.runs.keep_ready)
            if marker.crashed:
                window.report_crash(faults.log_file)
            collector.start()
            code = application.exec()
        workspace.close()
        marker.end()
        return code
    finally:
        collector.stop()
        faults.remove()


def _last_vault(places: UserPaths) -> Path:
    """Return the folder of the vault opened last."""
    known = peek(places.data / "settings.json", Preferences).vault
    return Path(known) if known else places.user_vault


def chosen_appearance(application: QApplication, preferences: Preferences) -> tuple[Translator, Appearance]:
    """Return the translator and the appearance for these preferences."""
    language = system_language() if preferences.language == "system" else preferences.language
    return Translator("zh" if language == "zh" else "en", application), Appearance(
        application, preferences.theme, fonts=(preferences.text_font, preferences.code_font)
    )


def _application() -> QApplication:
    if sys.platform.startswith("linux"):
        os.environ |= mended(os.environ, plugin_names(QCoreApplication.libraryPaths()))
    known = QApplication.instance()
    application = known if isinstance(known, QApplication) else _new_application()
    application.setApplicationName("torchleaf")
    application.setApplicationDisplayName(NAME)
    application.setDesktopFileName("torchleaf")
    application.setWindowIcon(QIcon(str(_ICON)))
    return application


def _new_application() -> QApplication:
    application = QApplication([*sys.argv[:1], "-style", STYLE])
    application.setProperty(STYLED, STYLE)
    return application


@contextlib.contextmanager
def _places(places: UserPaths, *, temp: bool) -> Iterator[UserPaths]:
    if not temp:
        yield places
        return
    with tempfile.TemporaryDirectory(prefix="torchleaf-", ignore_cleanup_errors=True) as folder:
        yield UserPaths.under(Path(folder))


class _SignalListener(QObject):
    """Closes the window when the program receives a signal to end."""

    def __init__(self, window: QMainWindow, force: Callable[[], object], reading: socket.socket) -> None:
        super().__init__(window)
        self._force = force
        self._window = window
        self._reading = reading
        self._notifier = QSocketNotifier(reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    def _on_signal(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._reading.recv(64)
        LOG.info("asked to end by the system")
        last_call = threading.Timer(LAST_CALL_SECONDS, os._exit, (1,))
        last_call.daemon = True
        last_call.start()
        QTimer.singleShot(0, self._window, self._force)


@contextlib.contextmanager
def _signals(window: QMainWindow, force: Callable[[], object]) -> Iterator[None]:
    """Close the window on SIGTERM, SIGHUP and SIGINT, through a socket: a Python handler would wait for Qt to return.

    SIGALRM replaces a SIGINT that came too early, see `app.cli.interrupt`.
    """
    reading, writing = socket.socketpair()
    for end in (reading, writing):
        end.setblocking(False)
    listener = _SignalListener(window, force, reading)
    before_fd = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    try:
        yield
    finally:
        signal.set_wakeup_fd(before_fd)
        for number, handler in before.items():
            signal.signal(number, handler)
        listener.deleteLater()
        reading.close()
        writing.close()


def _no_display() -> str | None:
    """Return why there is no usable display, None if there is one; Qt itself would abort."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return None
    if os.environ.get("WAYLAND_DISPLAY"):
        return None
    display = os.environ.get("DISPLAY", "")
    if not display:
        return "torchleaf: there is no display to open a window on; set DISPLAY, or use the other commands."
    if display.startswith(":") and not _answers(display):
        return f"torchleaf: the display {display} does not answer; set DISPLAY, or use the other commands."
    return None


def _no_platform() -> str | None:
    """Return which libraries Qt's platform plugins lack, None if one can be loaded; Qt itself would abort."""
    from app.qt_libraries import platform_plugins, trouble  # noqa: PLC0415 - not needed without a display

    if not (plugins := platform_plugins(os.environ)) or any(QLibrary(str(file)).load() for file in plugins):
        return None
    found = trouble()
    return f"torchleaf: the window cannot be opened: {found.said.en}. To mend it: {found.mend.en}" if found else None


def _answers(display: str) -> bool:
    number = display[1:].split(".", maxsplit=1)[0]
    for address in (f"/tmp/.X11-unix/X{number}", f"\0/tmp/.X11-unix/X{number}"):  # noqa: S108 - X11's own place
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as trial:
            trial.connect(address)
            return True
    return False
