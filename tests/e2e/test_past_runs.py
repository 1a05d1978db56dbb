"""The past of a snippet, its difference from the record, its options, and every device, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QDialogButtonBox, QMenu

from app.cells.cell_menu import CellMenu
from app.cells.device_comparison import DeviceComparison
from app.cells.output_dialogs import OutputDiffDialog
from app.cells.run_history_dialog import RunHistoryDialog
from app.cells.run_options_form import RunOptionsForm
from app.panels.top_bar import DeviceChooser
from app.runs.active_runs import CellKey
from app.runs.run_options import RunChoices, RunOptions
from app.runs.run_services import OPTIONS_FILE
from app.widgets.notification import Notification
from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.outcome import unavailable
from snippets.targets.devices import Device

NOTE = "tensors/gather.en.md"
ZH = "tensors/gather.zh.md"
GPU = Device("cuda:0", "cuda", "A GPU", 1 << 36, 1 << 35, available=True, load=0.25)


class Cell:
    """A cell of the open note, as a person has it."""

    def __init__(self, run: Any, cell: str) -> None:
        self.run, self.workspace = run, run.workspace
        page = run.workspace.runs.page_key(run.workspace.notes.current)
        self.key = CellKey(page, f"{ZH}#{cell}")
        self.menu: CellMenu = run.window.central.reader.cell_controller.menu

    @property
    def snippet(self) -> Snippet:
        """The snippet as the page shows it now."""
        found: Snippet = next(one for one in self.workspace.notes.shown if one.name == self.key.snippet)
        return found

    def start(self) -> Any:
        """Run it and return the outcome."""
        self.workspace.runs.transcripts.pop(self.key, None)
        self.workspace.runs.start(self.key.page, [self.snippet])
        self.run.until(self.judged)
        return self.workspace.runs.transcripts[self.key].outcome

    def judged(self) -> object:
        """Say whether it has run."""
        return (known := self.workspace.runs.transcripts.get(self.key)) and known.judged


@pytest.fixture
def hello(run: Any) -> Cell:
    """The note is open, with another output recorded under its first cell than it prints."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    for path in (NOTE, ZH):
        file = Path(run.vault) / path
        file.write_text(
            file.read_text("utf-8").replace("```output\nhello from", "```output\nan old hello from"), "utf-8"
        )
    run.open(NOTE)
    run.until(lambda: run.workspace.notes.shown)
    return Cell(run, "hello")


@pytest.fixture
def notices(run: Any) -> list[Notification]:
    """Collect what the window has to say."""
    found: list[Notification] = []
    run.workspace.noticed.connect(found.append)
    return found


def test_a_difference_is_shown_and_accepted(hello: Cell) -> None:
    """Line by line; accepting writes it into the note, and the cell is proven without another run."""
    hello.start()
    shown = hello.menu.show_difference(hello.key, hello.snippet)
    assert shown is not None
    assert shown.lines.toPlainText() == "- an old hello from the note\n+ hello from the note\n"
    shown.accept.click()
    hello.run.until(lambda: "now recorded" in shown.said.text())
    file = Path(hello.run.vault) / ZH
    assert "```output\nhello from the note\n```" in file.read_text("utf-8")
    hello.run.until(lambda: hello.workspace.runs.known[hello.key.page][hello.key.snippet].status == "passed")
    shown.close()


def test_the_status_bar_says_how_far_the_vault_is_proven(hello: Cell) -> None:
    """Passed of all, what failed in red; and in the other language at once."""
    proof = hello.run.window.status.proof
    hello.run.until(lambda: "code 0/3 proven" in proof.text())
    assert "3 never run" in proof.toolTip()
    hello.start()
    hello.run.until(lambda: "1 failed" in proof.text())  # it prints something else than is recorded
    hello.run.words.switch("zh")
    assert "失败" in proof.text()


def test_an_acceptance_that_fails_is_said(hello: Cell) -> None:
    """The note was changed meanwhile: nothing is written, and one may try again."""
    hello.start()
    shown = hello.menu.show_difference(hello.key, hello.snippet)
    assert shown is not None
    file = Path(hello.run.vault) / ZH
    changed = file.read_text("utf-8").replace('print("hello', 'print("good day')
    file.write_text(changed, "utf-8")
    shown.accept.click()
    hello.run.until(lambda: "was changed since it ran" in shown.said.text())
    assert shown.accept.isEnabled()
    assert file.read_text("utf-8") == changed
    hello.run.look.choose("dark")  # colours are taken anew
    assert shown.lines.toPlainText().startswith("- an old hello")
    shown.close()


def test_without_a_run_there_is_no_difference(hello: Cell) -> None:
    """The entry of the menu is off, as is running everywhere while something runs."""
    assert hello.menu.show_difference(hello.key, hello.snippet) is None
    menu = QMenu()
    hello.menu.fill(menu, hello.key, hello.snippet)
    assert [action.isEnabled() for action in menu.actions() if action.text()] == [True, True, True, True, False]
    menu.deleteLater()


def test_past_runs_are_listed_compared_and_pinned(hello: Cell) -> None:
    """One chosen shows its output, two what changed; pinned, it is the recorded output."""
    hello.start()
    hello.workspace.runs.options[hello.key.snippet] = RunOptions(arguments="x")
    hello.start()
    past = hello.menu.show_past(hello.key, hello.snippet)
    hello.run.until(lambda: past.output.toPlainText() == "hello from the note\n")
    assert past.table.rowCount() == 2
    model, flags = past.table.selectionModel(), QItemSelectionModel.SelectionFlag
    model.select(past.table.model().index(1, 0), flags.Select | flags.Rows)
    hello.run.until(lambda: "same output" in past.said.text())
    assert "×" in past.said.text()
    assert not past.pin.isEnabled()
    past.table.selectRow(0)
    past.pin.click()
    hello.run.until(lambda: "now the recorded output" in past.said.text())
    assert "```output\nhello from the note\n```" in (Path(hello.run.vault) / ZH).read_text("utf-8")
    hello.run.until(lambda: (item := past.table.item(0, 0)) is not None and item.text().startswith("📌"))
    past.close()


def test_what_cannot_be_pinned_is_said(hello: Cell) -> None:
    """The code is another by now."""
    hello.start()
    past = hello.menu.show_past(hello.key, hello.snippet)
    hello.run.until(past.pin.isEnabled)
    file = Path(hello.run.vault) / ZH
    file.write_text(file.read_text("utf-8").replace('print("hello', 'print("good day'), "utf-8")
    past.pin.click()
    hello.run.until(lambda: "was changed since the run" in past.said.text())
    past.close()


def test_a_snippet_without_a_past(hello: Cell) -> None:
    """It says so; a window that was closed meanwhile takes no answer."""
    past = hello.menu.show_past(hello.key, hello.snippet)
    hello.run.until(lambda: "not been run yet" in past.said.text())
    past.refresh()
    past.close()
    hello.start()


def test_options_reach_the_run(hello: Cell) -> None:
    """What cannot be read is said in the form; what can is used from then on, and can be taken back."""
    cell = Cell(hello.run, "hello")
    form = cell.menu.choose_options(cell.key, cell.snippet)
    ok = form.findChildren(QDialogButtonBox)[0].buttons()[0]
    for field, text, says in (
        (form.arguments, "'open", "quotes"),
        (form.timeout, "soon", "seconds"),
        (form.timeout, "-1", "seconds"),
    ):
        field.setText(text)
        ok.click()
        assert says in form.said.text()
        field.clear()
    form.variables.setPlainText("A=b\n\nC=d")
    form.device.setCurrentIndex(form.device.findData("cpu"))
    form.threads.setValue(2)
    form.blocking.setChecked(True)
    form.arguments.setText("--x 'y z'")
    form.timeout.setText("0")
    ok.click()
    chosen = cell.workspace.runs.options[cell.key.snippet]
    assert chosen.args() == ("--x", "y z")
    assert {"A": "b", "C": "d", "CUDA_LAUNCH_BLOCKING": "1", "OMP_NUM_THREADS": "2"}.items() <= dict(
        chosen.environment()
    ).items()
    assert cell.start().status == "passed"
    found: list[Any] = []
    cell.workspace.runs.history.list(cell.key.snippet, found.append, found.append)
    cell.run.until(lambda: found)
    assert '"y z"' in found[0][0].asked
    file = hello.run.workspace.places.for_vault(Path(hello.run.vault)).state.with_name(OPTIONS_FILE)
    assert RunChoices(file)[cell.key.snippet] == chosen  # what another window would find
    again = cell.menu.choose_options(cell.key, cell.snippet)
    assert (again.threads.value(), again.timeout.text(), again.device.currentData()) == (2, "0", "cpu")
    again.chosen.emit(RunOptions())
    assert cell.workspace.runs.options == RunChoices(file) == {}
    again.close()


def test_a_device_of_its_own(hello: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen in the box, it is the snippet's from then on, where all of a note run, too; one that is gone is said."""
    reading = hello.run.window.central.reader
    hello.workspace.device_model._on_devices((hello.workspace.device_model.devices[0], GPU))
    box = reading.cell_controller._cells[hello.key.snippet]
    reading.cell_controller._choose_device(box, "cuda:0")
    assert reading.view.page.cells.device_of(box) == "cuda:0"
    hello.workspace.runs.start_in_turn(hello.key.page, [hello.snippet])
    hello.run.until(hello.judged)
    assert hello.workspace.runs.transcripts[hello.key].outcome.status == "unavailable"
    assert {hello.workspace.runs.device_of(one) for one in hello.workspace.notes.shown} == {"cpu", "cuda:0"}
    reading.cell_controller._choose_device(box, "")
    assert reading.view.page.cells.device_of(box) == "cpu"
    assert hello.start().status == "passed"


def test_their_windows_speak_the_other_language_at_once(hello: Cell) -> None:
    """Titles, buttons and what has been said; each opens by a command, too, for the cell in view."""
    window, commands, outputs = (
        hello.run.window,
        hello.run.window.commands,
        hello.run.window.central.reader.cell_controller,
    )
    box = outputs._cells[hello.key.snippet]
    outputs._view.current_cell = lambda: box
    hello.start()
    for name in ("past", "options", "differs", "everywhere"):
        commands.run(name)
    kinds = (RunHistoryDialog, RunOptionsForm, OutputDiffDialog, DeviceComparison)
    shown = {kind: found[0] for kind in kinds if (found := window.findChildren(kind))}
    assert set(shown) == set(kinds)
    hello.run.until(lambda: len(shown[DeviceComparison].outcomes) == 1)
    past, form, differs, everywhere = (shown[kind] for kind in kinds)
    hello.run.until(lambda: past.output.toPlainText() == "hello from the note\n")
    form.timeout.setText("soon")
    form.findChildren(QDialogButtonBox)[0].buttons()[0].click()
    hello.run.words.switch("zh")
    assert [one.windowTitle().partition(" — ")[2] for one in shown.values()] == [
        "运行历史",
        "运行选项",
        "与记录的差异",
        "每个设备",
    ]
    header = past.table.horizontalHeaderItem(0)
    assert header is not None
    assert (header.text(), past.pin.text(), differs.accept.text()) == ("时间", "固定为记录的输出", "接受这次的输出")
    assert (past.table.item(0, 1).text(), form.device.itemText(0)) == ("通过", "窗口所选的设备")
    assert "不是时间" in form.said.text()
    assert "记录的输出" in differs.said.text()
    assert "完成" in everywhere.facts["cpu"].text()
    for one in shown.values():
        one.close()


def test_every_device_side_by_side(hello: Cell) -> None:
    """One that cannot run it says why; what it printed stands in its column."""
    cpu = hello.workspace.device_model.devices[0]
    hello.workspace.device_model._on_devices((cpu, GPU))
    shown = hello.menu.run_on_all_devices(hello.key, hello.snippet)
    hello.run.until(lambda: len(shown.outcomes) == 2)
    assert shown.outputs["cpu"].toPlainText() == "hello from the note\n"
    assert "Finished in" in shown.facts["cpu"].text()
    assert "memory" in shown.facts["cpu"].text()
    assert "Not run." in shown.facts["cuda:0"].text()
    assert "cuda:0" in shown.facts["cuda:0"].text()
    other = replace(shown.outcomes["cpu"], device="cuda:0", stdout="else\n", peak_gpu_mb=5.0)
    assert "≠ output differs from cpu" in shown._told(other)
    assert "same output as cpu" in shown._told(replace(other, stdout="hello from the note\n"))
    shown.close()


def test_blocking_launches_are_offered_once(hello: Cell, notices: list[Notification]) -> None:
    """For an error that CUDA reports late; taking the offer runs it so."""
    late = replace(
        unavailable(Sentence("x", "x"), device="cuda:0", run_id="1"),
        status="failed",
        output="RuntimeError: CUDA error: device-side assert triggered\n",
    )
    active = type("Active", (), {"key": hello.key, "snippet": hello.snippet, "device": "cuda:0"})()
    hello.menu.offer(active, late)
    (notice,) = [one for one in notices if one.topic.startswith("blocking")]
    assert "CUDA_LAUNCH_BLOCKING" in notice.zh
    active.device = "cpu"
    notice.choices[0].act()
    hello.run.until(hello.judged)
    assert hello.workspace.runs.options[hello.key.snippet].blocking
    active.device = "cuda:0"
    hello.menu.offer(active, late)
    assert len([one for one in notices if one.topic.startswith("blocking")]) == 1


def test_devices_are_watched_while_they_are_looked_at(hello: Cell, monkeypatch: pytest.MonkeyPatch, qtbot: Any) -> None:
    """Memory and load change in the open menu, and nobody asks any more when it is closed."""
    machine = hello.workspace.device_model
    loads = iter(range(100))
    monkeypatch.setattr(
        "app.runs.device_model.devices", lambda: (machine.devices[0], replace(GPU, load=next(loads) / 100))
    )
    machine.refresh()
    hello.run.until(lambda: len(machine.devices) == 2)
    chooser = hello.run.window.findChildren(DeviceChooser)[0]
    machine._refresh_timer.setInterval(20)
    chooser._menu.popup(chooser.mapToGlobal(chooser.rect().bottomLeft()))
    hello.run.until(lambda: "load 5%" in chooser._shown["cuda:0"].text())
    chooser._menu.close()
    assert not machine._refresh_timer.isActive()


def test_one_look_at_a_time(hello: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that is slow is not asked again before it has answered; one that fails leaves what was known."""
    machine = hello.workspace.device_model
    asked: list[Callable[[], object]] = []
    monkeypatch.setattr(machine._executor, "run", lambda work, done, failed: asked.append(lambda: failed(OSError())))
    machine._looking = False
    known = machine.devices
    machine.refresh()
    machine.refresh()
    assert len(asked) == 1
    asked[0]()
    assert machine.devices == known
    machine.refresh()
    assert len(asked) == 2
    asked[1]()
