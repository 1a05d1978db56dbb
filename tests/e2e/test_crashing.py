"""A program that broke down: told once at the next start, and after two in a row nothing is opened by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from kb.files.paths import UserPaths

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, os, sys
from PySide6.QtCore import QTimer
from app.main_window import main_window
from app.startup.application import open_window
from kb.files.paths import UserPaths

how = sys.argv[1]

class Window(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        notes = self.workspace.notes
        # Where nothing is opened by itself there is only the list of notes to wait for, and then whether one follows.
        (notes.listed if how == "safe" else notes.opened).connect(lambda _: QTimer.singleShot(500, self.at_work))

    def at_work(self):
        if how == "crash":
            self.workspace._save_state()
            os.kill(os.getpid(), 11)
        note = self.workspace.notes.current
        notices = [card.notice.en for card in self.central.notification_bar.cards]
        print(json.dumps([note.place.path if note else "", notices]), flush=True)
        self.deferred.close_guard.force_close()

main_window.MainWindow = Window
if __name__ == "__main__":
    sys.exit(open_window(None, UserPaths.of_user()))
"""


def start(home: Path, how: str) -> tuple[int, Any]:
    """Start the program; return how it ended, and the note it showed with what it told."""
    # What it was asking when it broke down, a Python above all, stays in its folder of temporary files.
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "TMPDIR": str(home)}
    child = [sys.executable, "-c", PROGRAM, how]
    done = subprocess.run(child, env=known, capture_output=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout.splitlines()[0]) if done.stdout else None


def test_a_crash_is_told_once_and_crashing_at_every_start_ends_in_a_safe_one(home: Path) -> None:
    """One may be chance: the note comes back. After two it stays closed, and once that went well all is as ever."""
    vault = UserPaths.under(home).user_vault
    vault.mkdir(parents=True)
    (vault / "a.md").write_text("# a\n", "utf-8")
    assert start(home, "crash")[0] == -signal.SIGSEGV
    told = "The program ended unexpectedly last time"
    code, (note, notices) = start(home, "well")
    assert (code, note) == (0, "a.md")
    assert [told in notice for notice in notices] == [True]
    assert "No note was opened" not in notices[0]
    assert str(home / "data" / "logs" / "torchleaf.log") in notices[0]
    assert [start(home, "crash")[0] for _ in range(2)] == [-signal.SIGSEGV] * 2
    code, (note, notices) = start(home, "safe")
    assert (code, note) == (0, "")
    assert [told in notice and "No note was opened automatically" in notice for notice in notices] == [True]
    assert start(home, "well") == (0, ["a.md", []])
