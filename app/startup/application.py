"""Opens the window: application, theme, words, workspace, window, and an orderly end."""

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

_FCITX = re.compile(r"fcitx5?|fcitx4", re.IGNORECASE)
_FOLDER = "platforminputcontexts"


def plugin_names(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the files that Qt looks for input methods in, given its folders of plugins."""
    return tuple(file.name for folder in folders for file in sorted(Path(folder, _FOLDER).glob("*")))


def mended(environment: Mapping[str, str], plugins: Iterable[str]) -> dict[str, str]:
    """Return the variables to be set before Qt starts, so that Chinese can be typed under fcitx on Linux.

    Qt as it is installed from wheels has a plugin for ibus and none for fcitx, which answers to that of ibus as well.
    A session that talks to its compositor instead, and one whose plugin is there, is left alone.
    """
    if any("fcitx" in name.lower() for name in plugins):
        return {}
    if several := environment.get("QT_IM_MODULES", ""):  # tried one after the other, before QT_IM_MODULE
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


LAST_CALL_SECONDS = 4.5  # after which the program ends whatever still hangs
TURN_SECONDS = 0.0005  # after which a thread that is busy lets the window's go on; Python's own 5 ms are felt in typing
QUIET_MS = 3_000  # after which a Python that has imported torch is made ready: the start itself needs the machine
SETTLED_MS = 20_000  # a start that has lasted so long has gone well
_ICON = Path(__file__).parents[1] / "style" / "torchleaf.svg"
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGALRM") if hasattr(signal, name))


def open_window(vault: Path | None, places: UserPaths, *, temp: bool = False, debug: bool = False) -> int:
    """Open the window on a vault, or on the one of last time; return the exit code when it is closed.

    With `temp` the settings and data are thrown away at the end. 2 when there is no display or no place to write.
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
            renderer.warm()  # its process gets ready while this one loads the window
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
    sweeper = GuiThreadGc()
    try:
        workspace = Workspace(places, renderer=renderer)
        words, look = chosen_appearance(application, workspace.settings_store.preferences)
        starts = CrashMarker(places.data)
        window = MainWindow(workspace, words, look, faults, reopens=not starts.safe)
        starts.begin()
        QTimer.singleShot(SETTLED_MS, window, starts.confirm)
        application.commitDataRequest.connect(lambda _: window.deferred.close_guard.session_ends())  # somebody logs out
        with _signals(window, window.close_now):
            window.show()
            remembered = (
                Path(workspace.settings_store.preferences.vault) if workspace.settings_store.preferences.vault else None
            )
            (workspace.open_vault if temp else window.enter)(vault or remembered)
            QTimer.singleShot(QUIET_MS, window, workspace.runs.keep_ready)
            if starts.crashed:
                window.report_crash(faults.log_file)
            sweeper.start()
            code = application.exec()
        workspace.close()
        starts.end()
        return code
    finally:
        sweeper.stop()
        faults.remove()


def _last_vault(places: UserPaths) -> Path:
    """Return the folder that will be opened if none is asked for."""
    known = peek(places.data / "settings.json", Preferences).vault
    return Path(known) if known else places.user_vault


def chosen_appearance(application: QApplication, preferences: Preferences) -> tuple[Translator, Appearance]:
    """Return the words and the look that were chosen."""
    language = system_language() if preferences.language == "system" else preferences.language
    return Translator("zh" if language == "zh" else "en", application), Appearance(
        application, preferences.theme, fonts=(preferences.text_font, preferences.code_font)
    )


def _application() -> QApplication:
    if sys.platform.startswith("linux"):
        os.environ |= mended(os.environ, plugin_names(QCoreApplication.libraryPaths()))
    known = QApplication.instance()
    application = known if isinstance(known, QApplication) else _begun()
    application.setApplicationName("torchleaf")
    application.setApplicationDisplayName(NAME)
    application.setDesktopFileName("torchleaf")
    application.setWindowIcon(QIcon(str(_ICON)))
    return application


def _begun() -> QApplication:
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


class _Ending(QObject):
    """Closes the window when the system asks the program to end."""

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
    """While the window is open, TERM, HUP and INT close it. A handler in Python alone would wait for Qt to return.

    ALRM is an INT that came too early to be heard, see `app.cli.console_run`.
    """
    reading, writing = socket.socketpair()
    for end in (reading, writing):
        end.setblocking(False)
    ending = _Ending(window, force, reading)
    before_fd = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    try:
        yield
    finally:
        signal.set_wakeup_fd(before_fd)
        for number, handler in before.items():
            signal.signal(number, handler)
        ending.deleteLater()
        reading.close()
        writing.close()


def _no_display() -> str | None:
    """Say why no window can be shown; Qt itself would abort."""
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
    """Say which libraries Qt lacks for the screen; Qt itself would abort."""
    from app.qt_libraries import platform_plugins, trouble  # noqa: PLC0415 - what it imports is loaded soon after

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
