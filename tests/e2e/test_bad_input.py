"""The window before what people really have: broken notes, wild snippets, sudden ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest

from app.runs.active_runs import CellKey
from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts
from snippets.results.ledger import Ledger
from tests.pace import slowness, within

ROOT = Path(__file__).parents[2]
LAG = 0.5  # seconds that the window may be without an answer, on a machine that does much else
NOTE = """# Wild

[gone](snippet:no_such_snippet)

```python id=odd timeout=abc
print("odd")
```

```python id=crash
import ctypes
print("before", flush=True)
ctypes.string_at(0)
```

```python id=hang timeout=1.5
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(99)
```

```python id=flood
import os, time
end = time.monotonic() + 2
while time.monotonic() < end:
    os.write(1, (b"x" * 79 + b"\\n") * 800)
```
"""
STORMS: dict[str, Callable[[], str]] = {
    "brackets": lambda: "[" * 50_000,
    "spaces": lambda: "a" + " " * 100_000 + "b",
    "tags": lambda: "<a " * 20_000,
    "lists": lambda: "\n".join("  " * depth + "- item" for depth in range(500)),
    "table": lambda: "\n".join(["|a" * 50 + "|", "|-" * 50 + "|", *(["|b" * 50 + "|"] * 1000)]),
    "words": lambda: "word " * 400_000,
    "backticks": lambda: " ".join("`" * count for count in range(1, 700)),
    "emphasis": lambda: "*a **b _c __d " * 4000,
    "quotes": lambda: ">" * 5000 + " deep",
    "formulas": lambda: "$" * 20_001,
}


@contextlib.contextmanager
def answering(run: Any) -> Iterator[list[float]]:
    """Measure how long the window is without an answer while the block runs; the longest is held to the bound."""
    gaps = [0.0]
    before = slowness()
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        now = time.monotonic()
        gaps.append(now - last)
        last = now

    timer = QTimer()
    timer.timeout.connect(beat)
    timer.start(10)
    yield gaps
    run.qtbot.wait(50)
    timer.stop()
    assert max(gaps) < LAG * max(before, slowness())


def told(run: Any, words: str) -> Callable[[], bool]:
    """Return a test of whether a notice with these words is shown."""
    return lambda: any(words in card.notice.en for card in run.window.central.notification_bar.cards)


def press(run: Any, words: str, choice: str) -> None:
    """Press a button of a notice."""
    card = next(card for card in run.window.central.notification_bar.cards if words in card.notice.en)
    next(button for button, known in card.buttons if known.en == choice).click()


@pytest.fixture
def wild(places: UserPaths, opened: Any) -> Any:
    """Give a window on a vault with a wild note open."""
    (places.user_vault / "wild.md").write_text(NOTE, "utf-8")
    run = opened(None)
    run.until(lambda: run.workspace.notes.entries and run.workspace.search_service.report)
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open("wild.md")
    return run


def ran(run: Any, cell: str) -> Any:
    """Run a cell of the wild note to its end and return its outcome."""
    key = CellKey(run.workspace.runs.page_key(run.workspace.notes.current), f"wild.md#{cell}")
    with answering(run):
        run.window.central.reader.view.run_requested.emit(f"fence:{cell}", "cpu")
        run.until(lambda: (known := run.workspace.runs.transcripts.get(key)) and known.judged)
    return run.workspace.runs.transcripts[key].outcome


# --- notes


def test_notes_that_cannot_be_read(places: UserPaths, opened: Any) -> None:
    """Binary data, a pipe, a link that leaves: a sentence, the page before stays, the next note opens."""
    vault = places.user_vault
    (vault / "blob.md").write_bytes(bytes(range(256)) * 16)
    os.mkfifo(vault / "pipe.md")
    (vault / "out.md").symlink_to("/etc/passwd")
    (vault / "broken.md").write_text("---\ntitle: [x\n: : {\n---\n# Still here\n\nquokka\n", "utf-8")
    before = {path: path.read_bytes() for path in vault.rglob("*.md") if path.is_file()}
    run = opened(None)
    run.until(lambda: run.workspace.notes.entries and run.workspace.search_service.report)
    run.open("tensors/expand.md")
    with answering(run):
        run.workspace.open_note("blob.md")
        run.until(told(run, "blob.md cannot be shown as text: it is binary data"))
        assert "no memory" in run.page()
        for name in ("pipe.md", "out.md"):
            run.workspace.open_note(name)
            run.until(told(run, name))
        run.open("broken.md")
        run.until(told(run, "front matter of broken.md is not valid YAML"))
    assert "quokka" in run.page()
    run.open("tensors/expand.md")
    assert not told(run, "front matter")()
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("storm", STORMS)
def test_hostile_markdown(places: UserPaths, opened: Any, storm: str) -> None:
    """Something of it is shown soon, the window answers all the while, and the next note opens."""
    (places.user_vault / "storm.md").write_text(f"{STORMS[storm]()}\n\nquokka\n", "utf-8")
    run = opened(None)
    run.until(lambda: run.workspace.notes.current and run.workspace.search_service.report)
    run.open("tensors/expand.md")
    with answering(run):
        with within(5):
            run.open("storm.md")
        assert run.page()
        run.open("tensors/expand.md")
    assert "no memory" in run.page()


# --- snippets


def test_what_cannot_be_run_says_why(wild: Any) -> None:
    """Impossible options and an unknown snippet: the page is there, a sentence comes with the click, nothing runs."""
    for cell, words in (("fence:odd", "timeout"), ("snippet:no_such_snippet", "no_such_snippet")):
        wild.window.central.reader.view.run_requested.emit(cell, "cpu")
        wild.until(told(wild, words))
    assert wild.workspace.runs.active == {}
    assert 'print("odd")' in wild.page()


def test_a_crash_is_worded(wild: Any) -> None:
    """A segmentation fault of the snippet is its own; the sentence stands under the cell."""
    outcome = ran(wild, "crash")
    assert (outcome.status, outcome.exit_code) == ("killed", -signal.SIGSEGV)
    wild.until(lambda: "SIGSEGV" in wild.page())
    assert "before" in wild.page()


def test_a_hang_is_ended(wild: Any) -> None:
    """After its time, though it ignores TERM."""
    assert ran(wild, "hang").status == "timeout"
    wild.until(lambda: "longer than the 1.5 s" in wild.page())


def test_a_flood_is_taken(wild: Any) -> None:
    """The window answers, its memory is bounded, and what is not kept is counted."""
    before = psutil.Process().memory_info().rss
    outcome = ran(wild, "flood")
    assert outcome.status == "passed"
    assert outcome.cut_bytes > 10 << 20
    assert psutil.Process().memory_info().rss - before < 100 << 20


# --- the index


def test_a_damaged_index_is_told_once(run: Any, places: UserPaths) -> None:
    """Each file overwritten while the window is open: rebuilt by itself, said once, notes untouched."""
    notes = {path: path.read_bytes() for path in run.vault.rglob("*.md")}
    found: list[Any] = []
    said: list[Any] = []
    run.workspace.search_service.answered.connect(found.append)
    run.workspace.noticed.connect(lambda notice: said.append(notice) if notice.topic == "rebuilt" else None)
    index = places.for_vault(run.vault).index
    for file in sorted(path.name for path in index.iterdir() if path.is_file() and "lock" not in path.name):
        if not (index / file).exists():
            continue  # of an index that was thrown away meanwhile
        said.clear()
        (index / file).write_bytes(b"garbage" * 100)
        with run.qtbot.waitSignal(run.workspace.search_service.indexed, timeout=30_000):
            run.workspace.rescan()
        assert [notice.en for notice in said] == [
            "The search index was damaged and has been rebuilt; your notes were not touched."
        ], file
        found.clear()
        run.workspace.search_service.search("broadcasting")
        run.until(lambda: found and found[-1].hits)
    assert {path: path.read_bytes() for path in notes} == notes


# --- sudden ends

PROGRAM = """
import os, signal, sys
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.startup.application import open_window
from app.main_window.main_window import MainWindow
from kb.files.paths import UserPaths
from kb.vault.drafts import Drafts

{act}

if __name__ == "__main__":
    opened = MainWindow._on_note_opened

    def on_opened(window, note):
        opened(window, note)
        QTimer.singleShot(0, window, lambda: act(window))

    MainWindow._on_note_opened = on_opened
    sys.exit(open_window(None, UserPaths.of_user()))
"""
TYPE = """
def act(window):
    window.central.toggle_editor()
    source = window.central.editor.source
    source.moveCursor(source.textCursor().MoveOperation.End)
    QTest.keyClicks(source, "Typed at the last moment.")
    QTimer.singleShot(600, window, lambda: os.kill(os.getpid(), signal.SIGKILL))
"""
TRAIN = """
def act(window):
    if window.workspace.device_model.interpreter is None:
        QTimer.singleShot(50, window, lambda: act(window))
        return
    window.workspace.runs.output.connect(lambda *_: print("output", flush=True))
    window.central.reader.view.run_requested.emit("snippet:ddp_spawn", "cpu")
"""


def start(home: Path, act: str) -> subprocess.Popen[bytes]:
    """Start a window as a program of its own, in which something is done as soon as its first note is open."""
    script = home / "program.py"
    script.write_text(PROGRAM.format(act=act), "utf-8")
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "TMPDIR": str(home)}
    return subprocess.Popen([sys.executable, str(script)], env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_killed_between_typing_and_saving(home: Path, places: UserPaths, opened: Any) -> None:
    """The file is untouched; the next start offers the text, and gives it back."""
    (places.user_vault / "index.md").write_text("# Front\n\nOld.\n", "utf-8")
    with start(home, TYPE) as child:
        _, errors = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL, errors
    assert (places.user_vault / "index.md").read_text("utf-8") == "# Front\n\nOld.\n"
    run = opened(None)
    run.until(told(run, "index.md has text that could not be saved last time"))
    press(run, "index.md has text", "Look at it")
    run.until(lambda: run.window.central.editing)
    editor = run.window.central.editor
    assert "Nothing is written until you choose" in editor.ask_bar.notice.en
    next(choice for choice in editor.ask_bar.notice.choices if choice.en == "Restore").act()
    assert "Typed at the last moment." in editor.text()
    run.until(lambda: "Typed at the last moment." in (run.vault / "index.md").read_text("utf-8"))


def test_killed_and_the_note_renamed_by_another_program(home: Path, places: UserPaths, opened: Any) -> None:
    """The text is offered for the note under its new name."""
    (places.user_vault / "index.md").write_text("# Front\n\nOld.\n", "utf-8")
    with start(home, TYPE) as child:
        child.communicate(timeout=60)
    (places.user_vault / "index.md").rename(places.user_vault / "renamed.md")
    run = opened(None)
    run.until(told(run, "renamed.md has text that could not be saved last time"))
    press(run, "renamed.md has text", "Look at it")
    run.until(lambda: run.window.central.editing)
    next(choice for choice in run.window.central.editor.ask_bar.notice.choices if choice.en == "Restore").act()
    run.until(lambda: "Typed at the last moment." in (run.vault / "renamed.md").read_text("utf-8"))


def test_killed_and_the_note_deleted_by_another_program(home: Path, places: UserPaths, opened: Any) -> None:
    """The text is offered as a note of its own, and it is no draft any more once it is one."""
    (places.user_vault / "index.md").write_text("# Front\n\nOld.\n", "utf-8")
    with start(home, TYPE) as child:
        child.communicate(timeout=60)
    (places.user_vault / "index.md").unlink()
    (places.user_vault / "other.md").write_text("# Other\n", "utf-8")
    run = opened(None)
    run.until(told(run, "index.md is gone, but it has text that could not be saved last time"))
    press(run, "index.md is gone", "Keep as a note")
    run.until((run.vault / "index.md").exists)
    assert "Typed at the last moment." in (run.vault / "index.md").read_text("utf-8")
    drafts = places.for_vault(places.user_vault).drafts
    run.until(lambda: not list(drafts.glob("*.json")))


def test_a_window_killed_beside_another_one(home: Path, places: UserPaths, opened: Any) -> None:
    """The other one, open all along, edits and saves the same note; the text of the dead one is offered afterwards."""
    (places.user_vault / "index.md").write_text("# Front\n\nOld.\n", "utf-8")
    run = opened(None)
    run.open("index.md")
    run.window.central.edit("index.md")
    run.until(lambda: run.window.central.editing)
    with start(home, TYPE) as child:
        child.communicate(timeout=60)
    run.window.central.editor.source.selectAll()
    QTest.keyClicks(run.window.central.editor.source, "# Mine")
    run.until(lambda: (run.vault / "index.md").read_text("utf-8").startswith("# Mine"))
    drafts = Drafts(places.for_vault(places.user_vault).drafts)
    run.until(lambda: len(drafts.pending()) == 1)  # its own is dropped just after the save
    (left,) = drafts.pending()
    assert "Typed at the last moment." in left.text


@pytest.mark.torch
def test_killed_during_a_ddp_run(home: Path, places: UserPaths) -> None:
    """Two seconds later nothing of it is alive, and the next start finds the run interrupted."""
    (places.user_vault / "index.md").write_text("# Front\n\n[ranks](snippet:ddp_spawn)\n", "utf-8")
    with start(home, TRAIN) as child:
        ledger_file = places.for_vault(places.user_vault).ledger
        family = ranks(child)
        child.kill()
        child.communicate(timeout=10)
        end = time.monotonic() + 2 * slowness()
        while (left := [one for one in family if _lives(one)]) and time.monotonic() < end:
            time.sleep(0.02)
    assert left == []
    ledger = Ledger(ledger_file)
    try:
        assert [(row.name, row.status) for row in ledger.recent(5)] == [("ddp_spawn", "interrupted")]
    finally:
        ledger.close()


def ranks(child: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Wait until the ranks of the run are there, and return everything below the window."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        family = psutil.Process(child.pid).children(recursive=True)
        with contextlib.suppress(psutil.Error):
            if sum(_is_rank(one) for one in family) >= 2:
                return family
        time.sleep(0.02)
    raise AssertionError([one.cmdline() for one in family])


def _lives(process: psutil.Process) -> bool:
    """Tell whether a process still does something; what only waits to be counted by its parent does not."""
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _is_rank(process: psutil.Process) -> bool:
    """Tell whether a process was spawned by the demo."""
    parent = process.parent()
    spawned = "spawn_main" in " ".join(process.cmdline())
    return spawned and parent is not None and "ddp_spawn.py" in " ".join(parent.cmdline())
