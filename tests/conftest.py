"""What every test stands on: a home of its own, no screen, and nothing left running when it ends."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if "PYTEST_XDIST_WORKER" in os.environ:  # several workers: torch's threads would wait for each other, busily
    os.environ.setdefault("OMP_NUM_THREADS", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: no child would hear a Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
# How long one example takes says more of the machine than of the code; what has to be quick is held to it by a test.
# The examples are the same each time, so that a failure comes with the change that causes it; TORCHLEAF_THOROUGH
# looks for others.
settings.register_profile(
    "torchleaf",
    deadline=None,
    derandomize="TORCHLEAF_THOROUGH" not in os.environ,
    max_examples=int(os.environ.get("TORCHLEAF_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("torchleaf")

_ENDING = 3.0  # seconds that a process or thread which was told to end may take for it


def pytest_collection_finish() -> None:
    """Leave the tests themselves, hundreds of thousands of objects, out of each search for garbage from now on."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give places for homes: pytest would go through all that there are for the number of the next."""
    around = tmp_path_factory.mktemp("homes")
    return (around / f"home{number}" for number in itertools.count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test user folders of its own, so that none reads or writes the real ones."""
    folder = next(homes)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TORCHLEAF_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def common_ground() -> Iterator[Path]:
    """Give a folder that every user may enter and write to; pytest's own are for the one who started it."""
    with tempfile.TemporaryDirectory(prefix="torchleaf-test-") as name:
        ground = Path(name).resolve()
        if not all(folder.stat().st_mode & stat.S_IXOTH for folder in ground.parents):
            pytest.skip("there is no folder here that every user may enter")
        ground.chmod(0o777)
        yield ground


@pytest.fixture(autouse=True, scope="module")
def nothing_left_running() -> Iterator[None]:
    """Fail a file of tests that leaves a process or a thread behind, or a look that dresses all windows to come."""
    processes, threads = set(_children()), set(threading.enumerate())
    yield
    left = [child for child in _children() if child not in processes]
    _, alive = psutil.wait_procs(left, timeout=_ENDING)
    for thread in (started := [t for t in threading.enumerate() if t not in threads]):
        thread.join(_ENDING / len(started))
    names = [" ".join(child.cmdline()) for child in alive if child.is_running()]
    names += [f"thread {thread.name}" for thread in started if thread.is_alive()]
    names += _looks()
    if names:
        pytest.fail(f"left running: {'; '.join(names)}")


def _looks() -> list[str]:
    """Name the looks that would go on to dress the application, each of them all that later tests show."""
    widgets, look = sys.modules.get("PySide6.QtWidgets"), sys.modules.get("app.style.appearance")
    application = widgets.QApplication.instance() if widgets and look else None
    return ["a look" for _ in application.findChildren(look.Appearance)] if application and look else []


def _children() -> list[psutil.Process]:
    """Return the processes below this one but those that multiprocessing keeps for the whole session."""
    found = psutil.Process().children(recursive=True)
    return [child for child in found if not _kept(child)]


def _kept(child: psutil.Process) -> bool:
    try:
        return "resource_tracker" in " ".join(child.cmdline())
    except psutil.Error:
        return True
