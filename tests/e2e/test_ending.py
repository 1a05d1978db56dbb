"""The program as a child: asked to end by the system, killed, or started where no window can be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.state.settings import VaultState, load
from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts
from kb.vault.vault import SHIPPED_NOTES, make_user_vault
from tests.pace import slowness

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from app.startup.application import open_window
from kb.files.paths import UserPaths
if __name__ == "__main__":
    sys.exit(open_window(None, UserPaths.of_user(), temp="--temp" in sys.argv))
"""


def until(holds: Callable[[], object], *, seconds: float) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def start(home: Path, *words: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start the program on a home."""
    script = home / "program.py"
    script.write_text(PROGRAM, "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "TMPDIR": str(home), **environment}
    return subprocess.Popen(
        [sys.executable, str(script), *words], env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_asked_to_end_it_saves_and_is_gone_within_five_seconds(home: Path, number: signal.Signals) -> None:
    """With all its processes, and the state is on disk."""
    make_user_vault(UserPaths.under(home).user_vault, SHIPPED_NOTES)
    child = start(home)
    index = UserPaths.under(home).for_vault(UserPaths.under(home).user_vault).index
    until(index.exists, seconds=30)
    family = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(number)
    _, errors = child.communicate(timeout=5 * slowness())
    assert child.returncode == 0, errors
    assert psutil.wait_procs(family, timeout=2 * slowness())[1] == []
    state = UserPaths.under(home).for_vault(UserPaths.under(home).user_vault).state
    assert load(state, VaultState).value.geometry


def test_killed_it_leaves_no_process(home: Path) -> None:
    """Indexing, rendering: nobody works for nobody."""
    make_user_vault(UserPaths.under(home).user_vault, SHIPPED_NOTES)
    child = start(home)
    index = UserPaths.under(home).for_vault(UserPaths.under(home).user_vault).index
    until(index.exists, seconds=30)
    family = psutil.Process(child.pid).children(recursive=True)
    child.kill()
    child.communicate(timeout=30)
    assert psutil.wait_procs(family, timeout=5 * slowness())[1] == []


def test_temp_leaves_nothing_behind(home: Path, tmp_path: Path) -> None:
    """Neither settings nor a vault; what fontconfig writes where the system keeps no list of its fonts is its own."""
    child = start(home, "--temp", TMPDIR=str(home), XDG_CACHE_HOME=str(tmp_path))
    until(lambda: list(home.glob("torchleaf-*/cache/vaults/*/index")), seconds=30)
    child.terminate()
    child.communicate(timeout=30)
    assert [path.name for path in home.iterdir()] == ["program.py"]


def test_without_a_display_it_says_so_and_exits_with_2(home: Path) -> None:
    """A sentence, not Qt's abort."""
    for display in ("", ":4711"):
        child = start(home, DISPLAY=display, WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
        _, errors = child.communicate(timeout=30)
        assert child.returncode == 2
        assert errors.decode().count("\n") == 1
        assert "display" in errors.decode()


@pytest.mark.parametrize("lies", ["file/below", "/proc/none"])
def test_without_a_home_it_says_so_and_exits_with_2(home: Path, lies: str) -> None:
    """Of a home that lies in a file, or that cannot be made; nothing is written anywhere else."""
    (home / "file").write_text("", "utf-8")
    names = ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_DOCUMENTS_DIR")
    child = start(home, TORCHLEAF_HOME="", HOME=str(home / lies), **dict.fromkeys(names, ""))
    _, errors = child.communicate(timeout=30 * slowness())
    assert child.returncode == 2, errors
    assert errors.decode().count("\n") == 1
    assert "TORCHLEAF_HOME" in errors.decode()
    assert sorted(path.name for path in home.iterdir()) == ["file", "program.py"]


def test_where_nothing_can_be_written_it_says_so_and_exits_with_2(home: Path) -> None:
    """The sentence names the place."""
    (home / "data").write_text("a file where a folder should be", "utf-8")
    child = start(home)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 2
    assert str(home / "data") in errors.decode()


WORKING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from app.main_window import main_window
from app.startup.application import open_window
from kb.files.paths import UserPaths

how = sys.argv[1]

class Window(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        self.workspace.notes.opened.connect(self.begin)

    def begin(self, note):
        self.workspace.notes.opened.disconnect(self.begin)
        self.clock = QTimer(self, interval=20)
        self.clock.timeout.connect(self.go_on)
        self.clock.start()
        self.wanted = self.work()
        self.holds = lambda: self.workspace.notes.shown and self.workspace.device_model.interpreter

    def go_on(self):
        if self.holds():
            self.holds = next(self.wanted)

    def work(self):
        self.commands.run("run")
        yield lambda: self.workspace.runs.active
        self.central.edit("a.md", 1)
        yield lambda: not self.central.editor.source.loading
        QTest.keyClicks(self.central.editor.source, "typed just now ")
        if how == "conflict":
            (self.workspace.vault.root / "a.md").write_text("# theirs", "utf-8")
            yield lambda: self.central.editor.state.kind == "conflict"
        print("ready", flush=True)
        if how == "asked":
            self.clock.stop()
            self.close()
        yield lambda: False

main_window.MainWindow = Window
if __name__ == "__main__":
    sys.exit(open_window(None, UserPaths.of_user()))
"""


@pytest.mark.parametrize("how", ["typed", "conflict", "asked"])
def test_asked_to_end_amid_work_it_loses_nothing(home: Path, how: str) -> None:
    """With text that was typed just before and a run going; with a conflict; with a question on the screen."""
    places = UserPaths.under(home)
    places.user_vault.mkdir(parents=True)
    (places.user_vault / "a.md").write_text("# a\n\n```python\nimport time\ntime.sleep(50)\n```\n", "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home)}
    child = subprocess.Popen(
        [sys.executable, "-c", WORKING, how], env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    family = psutil.Process(child.pid).children(recursive=True)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=5 * slowness())
    assert child.returncode == 0, errors
    assert psutil.wait_procs(family, timeout=2 * slowness())[1] == []
    drafts = [one.text for one in Drafts(places.for_vault(places.user_vault).drafts).pending()]
    file = (places.user_vault / "a.md").read_text("utf-8")
    assert ["typed just now" in text for text in (drafts if how == "conflict" else [file])] == [True]
    assert (file == "# theirs") == (how == "conflict")
