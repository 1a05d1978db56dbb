"""What a run says, in the real window: answered, drawn, led from, named and found again. Real processes and events."""

from __future__ import annotations

import time
import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.cells import cell_controller
from app.reader.input_field import InputField
from app.runs import run_controller as room
from app.runs.active_runs import CellKey
from kb.files.paths import UserPaths
from snippets.results.outcome import Outcome
from snippets.running.run_variables import offer_for
from snippets.running.runner import RunRequest
from tests.pace import slowness

NOTE = """# talk

```python id=asks
name = input("name? ")
print("hello", name)
print(open(0).read() == "", input("more? "))
```

```python id=draws
import struct, time, zlib
def picture(path, size):
    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\\0" + b"\\x80" * size for _ in range(size))
    head = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    parts = part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
    open(path, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + parts)
picture("loss.png", 20)
open("weights.bin", "wb").write(b"x" * 3000)
input("again? ")
picture("loss.png", 60)
input("end? ")
```

```python id=fails
def inner(x):
    return x[9]

print("first")
inner([1])
```

```python id=late
import os
print(os.environ.get("CUDA_LAUNCH_BLOCKING"))
raise RuntimeError("CUDA error: device-side assert triggered")
```

```python id=ranks
import multiprocessing as mp  # as in torch.distributed
import time
def work(rank):
    print(f"[rank {rank}] same")
    print(f"[rank {rank}] own {rank}")
    time.sleep(100)
if __name__ == "__main__":
    context = mp.get_context("fork")
    for one in [context.Process(target=work, args=(rank,)) for rank in range(3)]:
        one.start()
```

```python id=lines
import os, time
line, end, count = b"x" * 79 + b"\\n", time.monotonic() + 2, 0
while time.monotonic() < end:
    os.write(1, line * 800)
    count += 64000
open("count.txt", "w").write(str(count))
```

```python id=endless
import os, time
end, count = time.monotonic() + 2, 0
while time.monotonic() < end:
    os.write(1, b"x" * 64000)
    count += 64000
open("count.txt", "w").write(str(count))
```

```python id=errors
import os, time
line, end, count = b"[rank 1] " + b"y" * 70 + b"\\n", time.monotonic() + 2, 0
while time.monotonic() < end:
    os.write(2, line * 800)
    count += 64000
open("count.txt", "w").write(str(count))
```
"""


@pytest.fixture
def talk(places: UserPaths, run: Any) -> Any:
    """Give a window with the note open."""
    (places.user_vault / "talk.md").write_text(NOTE, "utf-8")
    run.workspace.search_service.refresh(["talk.md"])
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.until(lambda: any(entry.key == "talk" for entry in run.workspace.notes.entries))
    run.open("talk.md")
    return run


def key_of(run: Any, cell: str) -> CellKey:
    """Return the key of a cell, as the runs know it."""
    return CellKey(run.workspace.runs.page_key(run.workspace.notes.current), f"talk.md#{cell}")


def start(run: Any, cell: str) -> Any:
    """Press Run."""
    view = run.window.central.reader.view
    view.run_requested.emit(f"fence:{cell}", "cpu")
    return view


def outcome_of(run: Any, cell: str) -> Outcome:
    """Wait for the end of a run that the window has seen."""
    known: Callable[[], Any] = lambda: run.workspace.runs.transcripts.get(key_of(run, cell))  # noqa: E731
    run.until(lambda: (found := known()) and found.judged)
    found: Outcome = known().outcome
    return found


def click(view: Any, text: str) -> None:
    """Click on words of the page, where they can be seen."""
    cursor = view.document().find(text, 0, QTextDocument.FindFlag.FindCaseSensitively)
    assert not cursor.isNull(), text
    cursor.setPosition(cursor.selectionStart() + 1)
    view.setTextCursor(cursor)
    view.ensureCursorVisible()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center() + QPoint(1, 0))


def field_of(run: Any) -> InputField:
    """Wait for the field in which a line is typed."""
    view = run.window.central.reader.view
    run.until(lambda: any(one.isVisible() for one in view.viewport().findChildren(InputField)))
    field: InputField = next(one for one in view.viewport().findChildren(InputField) if one.isVisible())
    return field


def test_a_line_is_typed_under_the_output(talk: Any) -> None:
    """Enter sends it, it stands in the output, and Ctrl+D ends the input; the field goes with the run."""
    view = start(talk, "asks")
    field = field_of(talk)
    box = view.cell("fence:asks")
    assert box is not None
    assert "name? " in talk.page()
    QTest.keyClicks(field, "Ann")
    QTest.keyClick(field, Qt.Key.Key_Return)
    talk.until(lambda: "hello Ann" in talk.page() and "more?" in talk.page())
    assert "name? Ann" in talk.page()
    QTest.keyClick(field_of(talk), Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    outcome = outcome_of(talk, "asks")
    assert "EOFError" in outcome.output
    talk.until(lambda: not [one for one in view.viewport().findChildren(InputField) if one.isVisible()])


def test_a_field_stays_in_its_place_and_comes_back(talk: Any) -> None:
    """It follows the page as it is scrolled, and stands there again after another note was read."""
    view = start(talk, "asks")
    before = field_of(talk).y()
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() + 20)
    assert field_of(talk).y() == before - 20
    talk.open("tensors/expand.md")
    assert "waits for input" in talk.window.status.runs.text()
    assert not [one for one in view.viewport().findChildren(InputField) if one.isVisible()]
    talk.window.status.runs.linkActivated.emit("go:0")
    talk.until(lambda: "name? " in talk.page())
    assert field_of(talk)
    talk.workspace.runs.stop_all()
    talk.until(lambda: not talk.workspace.runs.active, seconds=10)


def test_pictures_appear_while_the_run_goes_on(talk: Any) -> None:
    """As soon as they are written, and as they are now when they are written anew; other files are listed."""
    view = start(talk, "draws")
    talk.until(lambda: "weights.bin" in talk.page() and "2.9 KiB" in talk.page())
    assert talk.workspace.runs.active
    state = view.page.cells.state("fence:draws")
    talk.until(lambda: [path.name for path in state.figures] == ["loss.png"])
    QTest.keyClick(field_of(talk), Qt.Key.Key_Return)
    talk.until(lambda: list(state.versions.values()) == [1])
    talk.until(lambda: 60.0 in [getattr(one, "width", 0) for one in view.page.built.pictures._shown.values()])
    QTest.keyClick(field_of(talk), Qt.Key.Key_Return)
    assert outcome_of(talk, "draws").status == "passed"
    assert [path.name for path in state.figures] == ["loss.png"]


def test_a_traceback_leads_to_the_lines_of_the_note(talk: Any) -> None:
    """A click on a line of the cell's own marks that line; the run's folder is not shown."""
    view = start(talk, "fails")
    outcome_of(talk, "fails")
    talk.until(lambda: 'File "talk_md_fails.py", line 5' in talk.page())
    state = view.page.cells.state("fence:fails")
    assert state.failed_line == 2
    click(view, "line 5")
    assert state.failed_line == 5
    assert "".join(talk.page().split()).count("runs/") == 0


def test_what_ranks_say_alike_is_said_once_and_silent_ones_are_named(
    talk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each on a line of its own on demand; with the line where it is, that a click leads to."""
    monkeypatch.setattr(room, "RunRequest", lambda *given, **more: replace(RunRequest(*given, **more), silence=0.5))
    view = start(talk, "ranks")
    talk.until(lambda: "[ranks 0-2] same" in talk.page() and "[rank 1] own 1" in talk.page())
    talk.until(lambda: "rank 1 has printed nothing for" in talk.page())
    click(view, "show all")
    talk.until(lambda: "[rank 2] same" in talk.page() and "[ranks 0-2]" not in talk.page())
    click(view, "show the stacks")
    talk.until(lambda: "talk_md_ranks.py:6" in talk.page())
    click(view, "line 6")
    assert view.page.cells.state("fence:ranks").failed_line == 6
    talk.workspace.runs.stop_all()
    outcome = outcome_of(talk, "ranks")
    assert outcome.status == "stopped"
    talk.until(lambda: "has printed nothing" not in talk.page())


def test_the_last_run_is_shown_again_by_another_window(talk: Any, opened: Any) -> None:
    """With how long ago it was; code that has changed since has none."""
    start(talk, "fails")
    outcome_of(talk, "fails")
    talk.window.deferred.close_guard.force_close()
    talk.until(lambda: not talk.window.isVisible(), seconds=8)
    talk.workspace.close()
    other = opened(None)
    other.until(lambda: other.workspace.notes.entries and other.workspace.device_model.interpreter)
    other.open("talk.md")
    other.until(lambda: "last run · just now" in other.page() or "last run ·" in other.page())
    assert "IndexError" in other.page()
    click(other.window.central.reader.view, "line 5")
    path = other.workspace.places.user_vault / "talk.md"
    path.write_text(NOTE.replace("inner([1])", "inner([2])"), "utf-8")
    other.workspace.notes.reload()
    other.until(lambda: "inner([2])" in other.page())
    other.until(lambda: "IndexError" not in other.page())


def test_what_a_crash_cut_off_is_on_the_disk(talk: Any, opened: Any) -> None:
    """A run whose window died without a word has said what its log holds."""
    start(talk, "asks")
    field_of(talk)
    runs = talk.workspace.runs
    active = runs.active[key_of(talk, "asks")]
    log = talk.workspace.places.for_vault(talk.vault).runs / active.run.id / "log"
    kept = {path.name: path.read_bytes() for path in log.iterdir()}
    runs.stop_all()
    outcome_of(talk, "asks")
    ledger = runs._services.ledger
    ledger._write(
        "UPDATE runs SET status = 'interrupted', output = '', stdout = NULL WHERE run_id = ?", [active.run.id]
    )
    for name, data in kept.items():
        (log / name).write_bytes(data)
    talk.window.deferred.close_guard.force_close()
    talk.until(lambda: not talk.window.isVisible(), seconds=8)
    talk.workspace.close()
    other = opened(None)
    other.until(lambda: other.workspace.notes.entries and other.workspace.device_model.interpreter)
    other.open("talk.md")
    other.until(lambda: "last run ·" in other.page() and "name? " in other.page().split("last run")[1])


def test_a_late_error_of_cuda_can_be_run_again_with_blocking_launches(
    talk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offered beneath the output with its reason; the run that follows has the variable, and offers nothing more."""
    monkeypatch.setattr(
        cell_controller, "offer_for", lambda *given, **more: offer_for(*given, **{**more, "device": "cuda:0"})
    )
    view = start(talk, "late")
    assert outcome_of(talk, "late").output.startswith("None")
    talk.until(lambda: "CUDA reports this error late" in talk.page())
    click(view, "Run again with CUDA_LAUNCH_BLOCKING=1")
    talk.until(lambda: outcome_of(talk, "late").output.startswith("1"))
    talk.until(lambda: "1\nTraceback" in talk.page())
    assert "CUDA reports this error late" not in talk.page()


@pytest.mark.parametrize("cell", ["lines", "endless", "errors"])
def test_a_flood_leaves_the_window_fluid(talk: Any, cell: str) -> None:
    """The event loop lags less than 200 ms, memory is bounded, and what is cut is counted to the byte."""
    lags, last = [0.0], time.monotonic()

    def beat() -> None:
        nonlocal last
        lags.append(time.monotonic() - last)
        last = time.monotonic()

    before = psutil.Process().memory_info().rss
    timer = QTimer(interval=5)
    timer.timeout.connect(beat)
    timer.start()
    start(talk, cell)
    outcome = outcome_of(talk, cell)
    timer.stop()
    assert outcome.status == "passed", outcome.output[-500:]
    assert psutil.Process().memory_info().rss - before < 100 << 20
    total = int(Path(outcome.artifacts[0].path).read_text())
    marker = f"\n⋯ {outcome.cut_bytes:,} B ⋯\n"
    assert outcome.output.count(marker) == 1
    assert len(outcome.output.replace(marker, "")) + outcome.cut_bytes == total
    assert sorted(lags)[-3] < 0.2 * slowness(), sorted(lags)[-10:]  # the machine itself may halt for a moment


NEEDS_TORCH = """# needs torch

```python id=first
import torch
print(torch.__version__)
```

```python id=later
print("worked")
def later():
    import no_such_module
later()
```

```python id=plain
print(1 + 1)
```
"""


@pytest.fixture
def bare(opened: Any, places: UserPaths, tmp_path: Path) -> Any:
    """A window on a note of code that needs torch, with a Python chosen that has none."""
    venv.create(tmp_path / "bare", symlinks=True, with_pip=True)
    places.user_vault.mkdir(parents=True, exist_ok=True)
    (places.user_vault / "needs.md").write_text(NEEDS_TORCH, "utf-8")
    run = opened(places.user_vault)
    run.until(lambda: run.workspace.notes.current and run.workspace.device_model.interpreter)
    run.python = tmp_path / "bare" / "bin" / "python"
    run.workspace.device_model.try_interpreter(run.python)
    run.until(lambda: run.workspace.device_model.interpreter.path == run.python)
    run.open("needs.md")
    for cell in ("first", "later", "plain"):
        run.window.central.reader.view.run_requested.emit(f"fence:{cell}", "cpu")
    run.until(lambda: not run.workspace.runs.active)
    run.until(lambda: "torch is not installed in this Python" in run.page() and "Not run to its end." in run.page())
    return run


def test_a_module_that_is_missing_is_no_failure(bare: Any) -> None:
    """No traceback, no mark of a failure, no explanation of another error; what was printed before stands."""
    assert "Traceback" not in bare.page()
    assert "Notes that explain" not in bare.page()
    assert bare.page().count("not available here") == 2
    assert "\nworked\n" in bare.page()
    assert "\n2\n" in bare.page()
    survey = bare.workspace.vault_scanner
    bare.until(lambda: sorted(survey.facts["needs"].statuses.values()) == ["passed", "unavailable", "unavailable"])


def test_the_ways_out_are_offered(bare: Any) -> None:
    """The command goes to the clipboard, the Pythons are listed; once torch is there, the same cell runs."""
    view, machine = bare.window.central.reader.view, bare.workspace.device_model
    click(view, "Copy the install command")
    assert QGuiApplication.clipboard().text() == f"{bare.python} -m pip install torch==2.13.0"
    bare.until(lambda: "copied" in bare.page())
    click(view, "Choose a Python")
    bare.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = cast("QMenu", QApplication.activePopupWidget())
    assert any(action.isChecked() and str(bare.python) in action.toolTip() for action in menu.actions())
    menu.close()
    (packages,) = bare.python.parents[1].glob("lib/python3*/site-packages")
    (packages / "torch").mkdir()
    for name in ("version.py", "__init__.py"):
        (packages / "torch" / name).write_text("__version__ = '9.9'\n")
    view.run_requested.emit("fence:first", "cpu")
    bare.until(lambda: "\n9.9\n" in bare.page())
    bare.until(lambda: machine.interpreter.torch == "9.9")
    assert any(known.torch == "9.9" for known in machine.interpreters)
