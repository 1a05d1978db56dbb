"""Window that compares one snippet on every device: times, memory and outputs, shown as runs end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QWidget

from app.i18n import Translator
from app.runs.active_runs import CellKey, CellRun
from app.runs.run_controller import RunController
from app.style.appearance import FocusLine
from app.style.stylesheets import in_columns
from app.widgets.accessibility import make_window
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import changes


class DeviceComparison(QWidget):
    """Shows a column for each device; an output that differs from the first is marked."""

    def __init__(
        self, key: CellKey, devices: Sequence[str], *, runs: RunController, words: Translator, parent: QWidget
    ) -> None:
        """Create a window that belongs to `parent` and waits for the runs of a cell."""
        super().__init__(parent)
        make_window(self)
        self._key, self._words = key, words
        self._first: Outcome | None = None
        self.outcomes: dict[str, Outcome] = {}
        self._running: set[str] = set()
        self.facts = {device: QLabel(wordWrap=True) for device in devices}
        self.outputs = {device: self._output() for device in devices}
        grid = QGridLayout(self)
        for column, device in enumerate(devices):
            head = QLabel(device)
            head.setStyleSheet("font-weight: 700;")
            for row, widget in enumerate((head, self.facts[device], self.outputs[device])):
                grid.addWidget(widget, row, column)
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(2, 1)
        self.resize(min(1500, 420 * max(1, len(devices))), 560)
        self._reword()
        words.changed.connect(self._reword)
        runs.started.connect(self._on_started)
        runs.finished.connect(self._on_finished)

    @staticmethod
    def _output() -> QPlainTextEdit:
        made = QPlainTextEdit(readOnly=True)
        made.setTabChangesFocus(True)
        FocusLine(made)
        made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        made.setStyleSheet(in_columns())
        return made

    def _reword(self) -> None:
        words = self._words
        self.setWindowTitle(f"{self._key.snippet} — {words('每个设备', 'every device')}")
        for device, output in self.outputs.items():
            output.setAccessibleName(words(f"{device} 的输出", f"Output on {device}"))
            self.facts[device].setText(self._state_of(device))

    def _state_of(self, device: str) -> str:
        if outcome := self.outcomes.get(device):
            return self._told(outcome)
        return self._words("运行中…", "running…") if device in self._running else self._words("等待中…", "waiting…")

    def _on_started(self, run: CellRun) -> None:
        if run.key == self._key and run.device in self.facts and run.device not in self.outcomes:
            self._running.add(run.device)
            self._reword()

    def _on_finished(self, run: CellRun, outcome: Outcome) -> None:
        if run.key != self._key or run.device not in self.facts or run.device in self.outcomes:
            return
        self.outcomes[run.device] = outcome
        self.outputs[run.device].setPlainText(outcome.output)
        self.facts[run.device].setText(self._told(outcome))  # before `_first` is set: it is not compared with itself
        if outcome.status != "unavailable" and self._first is None:
            self._first = outcome

    def _told(self, outcome: Outcome) -> str:
        words = self._words
        parts = [outcome.sentence(words.language).rstrip("。.")]  # more follows in the same line
        if outcome.first_output_seconds is not None:
            parts.append(words("首次输出", "first output") + f" {outcome.first_output_seconds:.2f} s")
        if outcome.peak_rss_mb is not None:
            parts.append(words("内存", "memory") + f" {outcome.peak_rss_mb:.0f} MiB")
        if outcome.peak_gpu_mb is not None:
            parts.append(words("显存", "GPU memory") + f" {outcome.peak_gpu_mb:.0f} MiB")
        if self._first is not None and self._first is not outcome and outcome.status != "unavailable":
            same = changes(self._first.stdout, outcome.stdout).same
            first = self._first.device
            parts.append(
                words(f"与 {first} 输出相同", f"same output as {first}")
                if same
                else words(f"≠ 与 {first} 输出不同", f"≠ output differs from {first}")
            )
        return " · ".join(parts)
