"""A true window on a true vault: real files, real processes, real Qt events, no screen."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import TimeoutError  # noqa: A004 - its own
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.error_reporting import ErrorReporter
from app.i18n import Translator
from app.main_window.main_window import MainWindow
from app.startup.gui_gc import GuiThreadGc
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from kb.files.paths import UserPaths
from kb.index.indexer import IndexProcess
from kb.rendering.renderer import RenderBackend
from tests.e2e.shared_renderer import LentRenderer
from tests.pace import slowness

GATHER_EN = """---
tags: [indexing, tensors]
---
# gather: pick by index

The result has the shape of `index`. See [broadcasting](expand.md).

```python id=hello
print("hello from the note")
```

```output
hello from the note
```

## Bounds and errors

An index past the end raises a RuntimeError.

```python id=fails
x = 1
raise ValueError("meant to fail")
```

## Long work

```python id=sleeps timeout=60
import time
print("begun", flush=True)
time.sleep(50)
```
"""
GATHER_ZH = """# gather：按下标取值

结果的形状就是 `index` 的形状。

```python id=hello
print("hello from the note")
```

```output
hello from the note
```

## 越界与报错

下标越界会抛出 RuntimeError。

```python id=fails
x = 1
raise ValueError("meant to fail")
```

## 长任务

```python id=sleeps timeout=60
import time
print("begun", flush=True)
time.sleep(50)
```
"""
EXPAND = "# expand and broadcasting\n\nAn expanded tensor takes no memory. Back to [[tensors/gather]].\n"


@dataclass
class Run:
    """A window with what it stands on."""

    window: MainWindow
    workspace: Workspace
    words: Translator
    look: Appearance
    faults: ErrorReporter
    vault: Path
    qtbot: QtBot

    def until(self, holds: Callable[[], object], *, seconds: float = 30) -> None:
        """Wait, with the events running, until something holds; so many seconds of a machine that is not busy."""

        def check() -> None:
            assert holds()

        with contextlib.suppress(TimeoutError):
            self.qtbot.waitUntil(check, timeout=int(seconds * 1000))
            return
        self.qtbot.waitUntil(check, timeout=int(seconds * 1000 * (slowness() - 1)) + 1)

    def open(self, path: str, *, anchor: str = "") -> None:
        """Open a note and wait for its page."""
        with self.qtbot.waitSignal(self.workspace.notes.opened, timeout=30_000):
            self.workspace.open_note(path, anchor=anchor)

    def page(self) -> str:
        """Return the text that the reader shows."""
        return self.window.central.reader.view.toPlainText()


def write_vault(root: Path) -> Path:
    """Write a small bilingual vault."""
    (root / "tensors").mkdir(parents=True)
    (root / "tensors" / "gather.en.md").write_text(GATHER_EN, "utf-8")
    (root / "tensors" / "gather.zh.md").write_text(GATHER_ZH, "utf-8")
    (root / "tensors" / "expand.md").write_text(EXPAND, "utf-8")
    return root


class Broom(GuiThreadGc):
    """Sweeps; what was there at its start stays left out, so that the next window's need not go through it all."""

    def stop(self) -> None:
        """Leave the collector to Python again."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gc, "unfreeze", lambda: None)
            super().stop()


@pytest.fixture
def places(home: Path) -> UserPaths:
    """Give the places of an empty home, whose own vault holds three small notes."""
    made = UserPaths.of_user()
    write_vault(made.user_vault)
    return made


@pytest.fixture(scope="module")
def renderers() -> Iterator[list[RenderBackend] | None]:
    """Keep the processes that render, for all windows of a file of tests; None where each is to have its own."""
    free: list[RenderBackend] = []
    yield free
    for worker in free:
        worker.end()


@pytest.fixture(scope="module")
def indexers() -> Iterator[list[IndexProcess] | None]:
    """Keep the processes that index, as `renderers` does."""
    idle: list[IndexProcess] = []
    yield idle
    for worker in idle:
        worker.end()


Opener = Callable[..., Run]


@pytest.fixture
def opened(
    places: UserPaths,
    qapp: QApplication,
    qtbot: QtBot,
    renderers: list[RenderBackend] | None,
    indexers: list[IndexProcess] | None,
) -> Iterator[Opener]:
    """Open windows, and close them afterwards; Qt must not have warned."""
    said: list[str] = []

    def listen(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        # The screen that is not there says of itself what it cannot do.
        if kind != QtMsgType.QtDebugMsg and not message.startswith("This plugin does not support"):
            said.append(message)

    before = qInstallMessageHandler(listen)
    gc.collect()  # other tests' words in Chinese, which Qt would go on to speak
    sweeper = Broom()
    sweeper.start()
    runs: list[Run] = []

    def make(root: Path | None = None) -> Run:
        faults = ErrorReporter(places.data / "logs", debug=False)
        renderer = None if renderers is None else LentRenderer(renderers)
        workspace = Workspace(places, renderer=renderer, indexers=indexers)
        words, look = Translator("en"), Appearance(qapp, workspace.settings_store.preferences.theme)
        window = MainWindow(workspace, words, look, faults)
        window.show()
        run = Run(window, workspace, words, look, faults, root or places.user_vault, qtbot)
        runs.append(run)
        window.enter(root)
        return run

    yield make
    for run in runs:
        run.words.switch("en")  # Qt's own words, which a window has the whole process speak
        run.window.deferred.close_guard.force_close()
        run.until(lambda run=run: not run.window.isVisible(), seconds=8)  # type: ignore[misc]
        run.workspace.close()
    for window in (one for one in qapp.topLevelWidgets() if isinstance(one, MainWindow)):  # a second one of a test, too
        window.deleteLater()
    # What is gone is not dressed once more for the next window, nor is that dressed by a look of before.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for run in runs:
        delete(run.look)
    qapp.setStyleSheet("")
    qapp.processEvents()
    # Without a screen Qt keeps what was copied beyond the end of Python, which made it.
    qapp.clipboard().clear()
    sweeper.stop()
    qInstallMessageHandler(before)
    assert said == []


@pytest.fixture
def run(opened: Opener) -> Run:
    """Give a window on the user's own vault, complete, with its notes listed and indexed."""
    made = opened(None)
    made.until(lambda: made.workspace.notes.entries and made.workspace.search_service.report)
    made.until(lambda: not made.window._deferred_setup.waiting)
    return made
