"""Running the code of notes through the real window: real processes, real output, real ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from app.cells.output_dialogs import OutputDiffDialog
from app.runs.active_runs import CellKey
from kb.files.paths import UserPaths

NOTE = "tensors/gather.en.md"


def key_of(run: Any, cell: str) -> CellKey:
    """Return the key of a cell of the open note, as the runs know it."""
    return CellKey(run.workspace.runs.page_key(run.workspace.notes.current), f"tensors/gather.zh.md#{cell}")


def ended(run: Any, cell: str) -> Callable[[], object]:
    """Return a test of whether a cell has run and been judged."""
    return lambda: (known := run.workspace.runs.transcripts.get(key_of(run, cell))) and known.judged


@pytest.fixture
def reading(run: Any) -> Any:
    """Give a window with the note open, side by side, and an interpreter known."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    run.open(NOTE)
    return run


def test_opening_runs_nothing(reading: Any) -> None:
    """Neither a process nor a row of the ledger."""
    reading.until(lambda: any(reading.workspace.runs.known.values()))
    assert reading.workspace.runs.active == {}
    assert {state.status for known in reading.workspace.runs.known.values() for state in known.values()} == {"never"}


def test_a_cell_runs_and_its_output_stands_in_the_note(reading: Any) -> None:
    """Its state becomes passed, as recorded, and the ledger has it."""
    reading.window.central.reader.view.run_requested.emit("fence:hello", "cpu")
    reading.until(ended(reading, "hello"))
    transcript = reading.workspace.runs.transcripts[key_of(reading, "hello")]
    assert transcript.outcome.status == "passed"
    assert transcript.judged.as_recorded is True
    reading.until(lambda: "as recorded" in reading.page())
    page = key_of(reading, "hello").page
    reading.until(lambda: reading.workspace.runs.known[page][key_of(reading, "hello").snippet].status == "passed")
    reading.until(lambda: reading.workspace.vault_scanner.facts["tensors/gather"].sign == ("passed", 1))


def test_a_failure_names_the_line_of_the_cell(reading: Any) -> None:
    """The last line of the cell's own code in the traceback."""
    reading.window.central.reader.view.run_requested.emit("fence:fails", "cpu")
    reading.until(ended(reading, "fails"))
    transcript = reading.workspace.runs.transcripts[key_of(reading, "fails")]
    assert transcript.outcome.status == "failed"
    assert transcript.judged.failed_line == 2
    reading.until(lambda: "meant to fail" in reading.page())


def test_a_run_goes_on_while_another_note_is_read_and_can_be_stopped(reading: Any) -> None:
    """Coming back shows what it said; stop ends it."""
    reading.window.central.reader.view.run_requested.emit("fence:sleeps", "cpu")
    reading.until(lambda: "begun" in reading.page())
    assert "00:" in reading.window.status.runs.text()
    reading.open("tensors/expand.md")
    assert "begun" not in reading.page()
    assert reading.workspace.runs.active
    reading.open(NOTE)
    reading.until(lambda: "begun" in reading.page())
    reading.window.central.reader.view.stop_requested.emit("fence:sleeps")
    reading.until(lambda: not reading.workspace.runs.active, seconds=10)
    assert reading.workspace.runs.transcripts[key_of(reading, "sleeps")].outcome.status == "stopped"
    assert not reading.window.status.runs.isVisible()


def test_running_again_while_it_runs_starts_nothing(reading: Any) -> None:
    """Two outputs in one box could not be told apart."""
    for _ in range(3):
        reading.window.central.reader.view.run_requested.emit("fence:sleeps", "cpu")
    assert len(reading.workspace.runs.active) == 1
    reading.workspace.runs.stop_all()
    reading.until(lambda: not reading.workspace.runs.active, seconds=10)


SEVERAL = """# several

```python id=another_output_than_recorded
print(1)
```

```output
2
```

```python id=the_first_that_sleeps_for_long
import time; time.sleep(60)
```

```python id=the_second_that_sleeps_for_long
import time; time.sleep(60)
```
"""


def test_what_differs_is_shown_by_a_click_and_many_runs_are_counted(opened: Any, places: UserPaths) -> None:
    """The word of another output leads to the difference; in a narrow window no run is cut off, but counted."""
    root = places.user_vault
    root.mkdir(parents=True, exist_ok=True)
    (root / "several.md").write_text(SEVERAL, "utf-8")
    run = opened(root)
    run.until(lambda: run.workspace.notes.current and run.workspace.device_model.interpreter)
    run.open("several.md")
    view = run.window.central.reader.view
    view.run_requested.emit("fence:another_output_than_recorded", "cpu")
    run.until(lambda: "not as recorded" in run.page())
    view._act(0, "differs")
    run.until(lambda: any(shown.isVisible() for shown in run.window.findChildren(OutputDiffDialog)))
    for shown in run.window.findChildren(OutputDiffDialog):
        shown.close()
    for cell in ("first", "second"):
        view.run_requested.emit(f"fence:the_{cell}_that_sleeps_for_long", "cpu")
    status = run.window.status
    run.until(lambda: len(run.workspace.runs.active) == 2)
    run.window.resize(720, 480)
    run.until(lambda: "1 more" in status.runs.text() and status.runs.width() >= status.runs.sizeHint().width())
    run.window.resize(1900, 900)
    run.until(lambda: "second" in status.runs.text())
    run.workspace.runs.stop_all()
    run.until(lambda: not run.workspace.runs.active, seconds=10)


def test_a_strange_vault_is_asked_about_once(opened: Any, places: UserPaths, tmp_path: Path) -> None:
    """Nothing runs before the answer; afterwards no question."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.md").write_text("# a\n\n```python id=hello\nprint('ran')\n```\n", "utf-8")
    run = opened(tmp_path / "other")
    run.until(lambda: run.workspace.notes.current and run.workspace.device_model.interpreter)
    view = run.window.central.reader.view
    view.run_requested.emit("fence:hello", "cpu")
    assert run.workspace.runs.active == {}
    card = next(card for card in run.window.central.notification_bar.cards if card.notice.kind == "asked")
    card.buttons[0][0].click()
    run.until(
        lambda: "passed" in str([t.outcome and t.outcome.status for t in run.workspace.runs.transcripts.values()])
    )
    view.run_requested.emit("fence:hello", "cpu")
    assert run.workspace.runs.active
    run.until(lambda: not run.workspace.runs.active)


def test_changed_code_of_a_strange_vault_is_asked_about(opened: Any, tmp_path: Path) -> None:
    """Once the vault is allowed: changed by another program it waits, typed here it runs; "never" says why not."""
    place = tmp_path / "other" / "a.md"
    place.parent.mkdir()
    place.write_text("# a\n\n```python id=hello\nprint('ran')\n```\n", "utf-8")
    run = opened(tmp_path / "other")
    run.until(lambda: run.workspace.notes.current and run.workspace.device_model.interpreter)
    runs, view = run.workspace.runs, run.window.central.reader.view

    def cards() -> list[Any]:
        return [card for card in run.window.central.notification_bar.cards if card.notice.topic == "trust"]

    def outputs() -> str:
        return str([transcript.outcome and transcript.outcome.output for transcript in runs.transcripts.values()])

    view.run_requested.emit("fence:hello", "cpu")
    cards()[0].buttons[0][0].click()
    run.until(lambda: "ran" in outputs())
    run.until(lambda: runs.code.begun)
    place.write_text("# a\n\n```python id=hello\nprint('changed')\n```\n", "utf-8")
    run.until(lambda: "changed" in run.page())
    view.run_requested.emit("fence:hello", "cpu")
    assert runs.active == {}
    assert "was not written here" in cards()[-1].notice.en
    cards()[-1].buttons[0][0].click()
    run.until(lambda: "changed" in outputs())
    run.until(lambda: not runs.active)
    run.window.central.edit("a.md", 4)
    source = run.window.central.editor.source
    run.until(lambda: not source.loading)
    QTest.keyClicks(source, "2;")
    run.window.central.editor.save_now()
    run.until(lambda: "2;print" in place.read_text("utf-8"))
    run.window.central.toggle_editor()
    run.until(lambda: "2;print" in run.page())
    run.workspace.choose_policy("never")
    view.run_requested.emit("fence:hello", "cpu")
    run.until(lambda: not runs.active)
    place.write_text("# a\n\n```python id=hello\nprint('again')\n```\n", "utf-8")
    run.until(lambda: "again" in run.page())
    with run.qtbot.waitSignal(run.workspace.noticed, check_params_cb=lambda said: "say not to run" in said.en):
        view.run_requested.emit("fence:hello", "cpu")
    assert "again" not in outputs()


def test_imported_code_is_asked_about_in_ones_own_vault(reading: Any, tmp_path: Path) -> None:
    """It is not trusted for lying there; the other code runs as before."""
    (tmp_path / "brought.md").write_text("# brought\n\n```python id=theirs\nprint('theirs')\n```\n", "utf-8")
    reading.workspace.vault_edits.import_files([tmp_path / "brought.md"], "", reading.workspace.open_note)
    reading.until(lambda: "theirs" in reading.page())
    view = reading.window.central.reader.view
    view.run_requested.emit("fence:theirs", "cpu")
    assert reading.workspace.runs.active == {}
    cards = reading.window.central.notification_bar.cards
    card = next(card for card in cards if "was not written here" in card.notice.en)
    assert card.notice.choices[1].en == "Never ask in this vault"
    card.buttons[1][0].click()
    transcripts = reading.workspace.runs.transcripts
    reading.until(lambda: any("theirs" in str(one.outcome) and one.judged for one in transcripts.values()))
    view.run_requested.emit("fence:theirs", "cpu")
    assert reading.workspace.runs.active


def test_verify_runs_every_cell_of_the_page(reading: Any) -> None:
    """Each once, one after another; stopping ends what waits as well."""
    reading.workspace.verify_note()
    assert len(reading.workspace.runs.active) == 1
    assert reading.workspace.runs.waiting == 2
    reading.until(lambda: ended(reading, "hello")() and ended(reading, "fails")())
    reading.workspace.verify_note()
    reading.workspace.runs.stop_all()
    assert reading.workspace.runs.waiting == 0
    reading.until(lambda: not reading.workspace.runs.active, seconds=10)


def test_closing_with_a_run_going_asks_and_stops_it(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep open keeps it; stop and close ends it with the window."""
    reading.window.central.reader.view.run_requested.emit("fence:sleeps", "cpu")
    reading.until(lambda: "begun" in reading.page())
    answers = [False, True]

    def answer(box: QMessageBox) -> int:
        wanted = box.ButtonRole.AcceptRole if answers.pop(0) else box.ButtonRole.RejectRole
        chosen = next(button for button in box.buttons() if box.buttonRole(button) == wanted)
        monkeypatch.setattr(QMessageBox, "clickedButton", lambda _: chosen)
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    reading.window.close()
    assert reading.window.isVisible()
    assert reading.workspace.runs.active
    reading.window.close()
    reading.until(lambda: not reading.window.isVisible(), seconds=8)
    sleeping = [p for p in psutil.Process().children(recursive=True) if "sleeps" in " ".join(p.cmdline())]
    assert sleeping == []


def test_a_python_stands_ready_once_it_is_wanted(reading: Any) -> None:
    """From then on one that imports torch waits beside the window; before, opening a vault starts none."""

    def ready() -> list[dict[str, Any]]:
        known = [child.as_dict(["cmdline"], ad_value=[]) for child in psutil.Process().children(recursive=True)]
        return [one for one in known if any(part.endswith("torchleaf_zygote.py") for part in one["cmdline"])]

    reading.until(lambda: reading.workspace.runs.isolated or reading.workspace.runs.isolation_reason)
    assert ready() == []
    reading.workspace.runs.keep_ready()
    reading.until(ready)
