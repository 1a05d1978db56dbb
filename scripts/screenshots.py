"""Takes the pictures of the README from the real window, on a vault fresh from the shipped notes: make screenshots.

It wants a screen; without one, put xvfb-run -s "-screen 0 1360x860x24" in front.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PySide6.QtGui import QTextDocument  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from app.error_reporting import ErrorReporter  # noqa: E402
from app.i18n import Translator  # noqa: E402
from app.main_window.main_window import MainWindow  # noqa: E402
from app.reader.notebook_view import NotebookView  # noqa: E402
from app.state.workspace import Workspace  # noqa: E402
from app.style.appearance import Appearance  # noqa: E402
from kb.files.paths import UserPaths  # noqa: E402


class Session:
    """A window that is led through what the pictures show."""

    def __init__(self, application: QApplication, places: UserPaths) -> None:
        self.application = application
        self.workspace = Workspace(places)
        self.words = Translator("en")
        self.look = Appearance(application, "light")
        self.window = MainWindow(
            self.workspace, self.words, self.look, ErrorReporter(places.data / "logs", debug=False)
        )
        self.window.show()
        self.workspace.open_vault(None)
        self.until(lambda: self.workspace.notes.current and self.workspace.device_model.interpreter)
        self.workspace.runs.keep_ready()  # as in a window that has been open for a while
        self.settle(8)

    @property
    def view(self) -> NotebookView:
        """The reader's widget."""
        return self.window.central.reader.view

    def until(self, true: Callable[[], object], seconds: float = 60) -> None:
        """Let the window live until something is so."""
        limit = time.monotonic() + seconds
        while not true():
            if time.monotonic() > limit:
                raise SystemExit("It did not come to the next picture in time.")
            self.application.processEvents()
            time.sleep(0.01)

    def settle(self, seconds: float = 0.7) -> None:
        """Let the window live for a while: timers, late results, painting."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            self.application.processEvents()
            time.sleep(0.01)

    def open(self, path: str, *, anchor: str = "", mode: str = "both") -> None:
        """Open a note at a section."""
        self.workspace.choose_mode(mode)
        self.workspace.open_note(path, anchor=anchor)
        self.until(lambda: self.workspace.notes.current.place.path == path)
        self.settle()

    def run(self, *cells: str) -> None:
        """Run cells of the open note, and wait for them."""
        for cell in cells:
            self.view.run_requested.emit(cell, "cpu")
            self.settle(0.3)
        self.until(lambda: not self.workspace.runs.active)
        self.settle(1.5)

    def scroll_to(self, text: str) -> None:
        """Bring a line of the page near the lower edge."""
        found = self.view.document().find(
            text, self.view.document().characterCount() - 1, QTextDocument.FindFlag.FindBackward
        )
        bar = self.view.verticalScrollBar()
        bar.setValue(bar.value() + self.view.cursorRect(found).bottom() - self.view.viewport().height() + 200)

    def take(self, name: str) -> None:
        """Write what the screen shows of the window, without what it says for the moment."""
        for card in tuple(self.window.central.notification_bar.cards):
            card.done.click()
        self.settle()
        self.window.screen().grabWindow(self.window.winId()).save(str(ROOT / "docs" / f"{name}.png"))


def main() -> None:
    """Take all pictures."""
    application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="torchleaf-", ignore_cleanup_errors=True) as folder:
        session = Session(application, UserPaths.under(Path(folder)))
        session.open("tensors/gather.en.md")
        session.workspace.verify_note()
        session.settle(2)
        session.until(lambda: not session.workspace.runs.active)
        session.settle(2)
        session.open("tensors/gather.en.md")
        session.take("read-both-light")
        session.window.search_controller.field.setFocus()
        session.window.search_controller.field.setText("冻结 bn")
        session.take("search-light")
        session.window.search_controller.field.clear()
        session.window.search_controller.leave()
        session.open("distributed/spawn.en.md", anchor="the-whole-program", mode="en")
        session.run("snippet:ddp_spawn")
        session.scroll_to("have ended well")
        session.take("ddp-run-light")
        session.words.switch("zh")
        session.look.choose("dark")
        session.open("saving/checkpoint.zh.md")
        session.take("read-dark")
        session.look.choose("light")
        session.words.switch("en")
        session.open("tensors/scatter.en.md", anchor="two-values-for-one-cell", mode="en")
        session.window.central.toggle_editor()
        session.settle(2)
        session.take("edit-light")
        session.workspace.close()


if __name__ == "__main__":
    main()
