"""The window, killed while somebody types: the note is whole, and no word of more than a moment ago is lost."""

from __future__ import annotations

import concurrent.futures
import faulthandler
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts
from kb.vault.vault import Vault
from tests.pace import slowness
from tests.tally import tally

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("TORCHLEAF_TYPING_KILLS", "2"))
AT_ONCE = 2
SAFE = 1.5  # seconds after which a typed word is in the file or in a draft, on a machine that is not busy
BASE = "# Typed\n\nWords of before.\n\n"
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.error_reporting import ErrorReporter
from app.i18n import Translator
from app.main_window.main_window import MainWindow
from app.state.workspace import Workspace
from app.style.appearance import Appearance
from kb.files.paths import UserPaths
application = QApplication(sys.argv[:1])
workspace = Workspace(UserPaths.under(Path(sys.argv[1])))
look, reporter = Appearance(application, "light"), ErrorReporter(Path(sys.argv[1]), debug=False)
window = MainWindow(workspace, Translator("en"), look, reporter)
window.show()
workspace.open_vault(Path(sys.argv[2]))
naive = sys.argv[3] == "naive"
place = Path(sys.argv[2]) / "n.md"
number = 0

def type_word():
    global number
    source = window.central.editor.source
    QTest.keyClicks(source, f"w{number} ")
    if naive:  # the control: what a program without drafts and atomic saves does
        with place.open("w", encoding="utf-8") as file:
            file.write(source.text() + "x" * 4_000_000)
    print(number, flush=True)
    number += 1

def begin():
    if workspace.notes.current is None:
        QTimer.singleShot(5, begin)
    elif not window.central.editing:
        window.central.toggle_editor()
        QTimer.singleShot(5, begin)
    elif window.central.editor.source.loading or "before" not in window.central.editor.source.text():
        QTimer.singleShot(5, begin)
    else:
        source = window.central.editor.source
        source.moveCursor(source.textCursor().MoveOperation.End)
        typing.start()

typing = QTimer(interval=25)
typing.timeout.connect(type_word)
QTimer.singleShot(0, begin)
application.exec()
"""


@dataclass(frozen=True)
class Kill:
    """What one kill did: whether the note was torn, how many words that should be safe are nowhere."""

    words: int
    torn: bool
    lost: int


def words_in(text: str) -> int | None:
    """Return how many of the words in sequence stand behind the old text; None if the text is anything else."""
    if not text.startswith(BASE):
        return None
    words = text.removeprefix(BASE).split()
    return len(words) if words == [f"w{number}" for number in range(len(words))] else None


def kill_once(folder: Path, kind: str, seed: int) -> Kill:
    """Start a window, have it type, kill it, and look at what is there."""
    root, home = folder / f"vault{seed}", folder / f"home{seed}"
    root.mkdir(parents=True)
    (root / "n.md").write_text(BASE, "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home)}
    command = [sys.executable, "-c", PROGRAM, str(home), str(root), kind]
    typed: list[float] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=known) as child:
        assert child.stdout is not None
        read_words(child.stdout, typed, random.Random(seed).uniform(0.0, 3.5))
        killed_at = time.monotonic()
        child.kill()
        typed += [killed_at for _ in child.stdout]
    patience = SAFE * slowness()
    safe = sum(killed_at - at > patience for at in typed)
    in_file = words_in((root / "n.md").read_text("utf-8"))
    drafts = Drafts(UserPaths.under(home).for_vault(root).drafts).pending()
    kept = max([words_in(draft.text) or 0 for draft in drafts], default=0)
    Vault.open(root).sweep()
    leftovers = len(list(root.iterdir())) - 1
    return Kill(len(typed), in_file is None or leftovers > 0, max(0, safe - max(in_file or 0, kept)))


def read_words(lines: IO[bytes], typed: list[float], seconds: float) -> None:
    """Note the time of each word, until so many seconds after the first."""
    for _ in lines:
        typed.append(time.monotonic())
        if typed[-1] - typed[0] >= seconds:
            return


def kill_often(folder: Path, kind: str, kills: int) -> list[Kill]:
    """Kill windows, a few at once."""
    faulthandler.cancel_dump_traceback_later()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda seed: kill_once(folder, kind, seed), range(kills)))


def test_a_naive_editor_does_not_survive_this(tmp_path: Path) -> None:
    """The control: the same kills tear the note of one that writes it in place."""
    assert any(kill_once(tmp_path, "naive", seed).torn for seed in range(20))


def test_no_word_is_lost_and_no_note_torn(tmp_path: Path) -> None:
    """The note is the old text or a saved one; what was typed 1.5 s before is in it or in a draft."""
    found = kill_often(tmp_path, "ours", KILLS)
    torn, lost = sum(one.torn for one in found), sum(one.lost for one in found)
    tally(KILLS, lost=lost, torn=torn)
    assert sum(one.words for one in found) > KILLS
    assert (torn, lost) == (0, 0), json.dumps([one.__dict__ for one in found if one.torn or one.lost])
