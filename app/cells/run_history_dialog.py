"""Window with the past runs of a snippet: their outputs, the comparison of two, and recording one as expected."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)
from PySide6.QtWidgets import QTableWidget as Table
from PySide6.QtWidgets import QTableWidgetItem as Item

from app.cells.output_dialogs import LineDiff
from app.i18n import Translator
from app.runs.run_history import RunHistory
from app.state.tree_model import ago, seconds_since
from app.style.appearance import Appearance
from app.widgets.accessibility import make_window
from app.widgets.list_layout import selected_rows
from app.widgets.notification import of_error
from snippets.results.ledger import RunRow
from snippets.results.run_comparison import RunComparison

_COLUMNS = (
    ("时间", "When"),
    ("状态", "Status"),
    ("设备", "Device"),
    ("torch", "torch"),
    ("用时", "Time"),
    ("内存", "Memory"),
)
_STATUSES = {
    "passed": ("通过", "passed"),
    "failed": ("失败", "failed"),
    "timeout": ("超时", "timed out"),
    "killed": ("被终止", "killed"),
    "stopped": ("已停止", "stopped"),
    "running": ("运行中", "running"),
    "interrupted": ("被中断", "interrupted"),
    "unavailable": ("不可用", "unavailable"),
}
_PAIR = 2
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RunHistoryDialog(QWidget):
    """Shows the output of one selected run, or the comparison of two; a run can be made the recorded output."""

    pinned = Signal(str)  # name of the snippet whose recorded output changed

    def __init__(self, name: str, history: RunHistory, words: Translator, look: Appearance, parent: QWidget) -> None:
        """Create a window that belongs to `parent`, and read the runs of a snippet from `history`."""
        super().__init__(parent)
        make_window(self)
        self._name, self._history, self._words = name, history, words
        self._rows: tuple[RunRow, ...] = ()
        self._asked: tuple[str, ...] = ()
        self._told: Callable[[], str] = lambda: ""
        self._open = True
        self.table = Table(0, len(_COLUMNS))
        self.output = LineDiff(words, look)
        self.said = QLabel(wordWrap=True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pin = QPushButton()
        self._arrange()
        self._reword()
        words.changed.connect(self._reword)
        self.table.itemSelectionChanged.connect(self._on_chosen)
        self.pin.clicked.connect(self._on_pin)
        self.refresh()

    def refresh(self) -> None:
        """Read the runs again."""
        self._history.list(self._name, self._on_rows, self._on_failed)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignore later answers, and drop the closure over this window, so that no other thread collects it."""
        self._open = False
        self._told = str
        super().closeEvent(event)

    def _arrange(self) -> None:
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setDefaultAlignment(_LEFT)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.setShowGrid(False)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.addWidget(self.table)
        halves.addWidget(self.output)
        halves.setSizes([240, 320])
        foot = QHBoxLayout()
        foot.addWidget(self.said, 1)
        foot.addWidget(self.pin)
        column = QVBoxLayout(self)
        column.addWidget(halves, 1)
        column.addLayout(foot)
        self.pin.setEnabled(False)
        self.resize(860, 640)

    def _reword(self) -> None:
        words = self._words
        self.setWindowTitle(f"{self._name} — {words('运行历史', 'past runs')}")
        self.table.setHorizontalHeaderLabels([words(zh, en) for zh, en in _COLUMNS])
        self.table.setAccessibleName(words("运行列表；选两条可以对照", "Runs; choose two to compare them"))
        self.pin.setText(words("固定为记录的输出", "Make this the recorded output"))
        self._fill()
        self.said.setText(self._told())

    def _say(self, told: Callable[[], str]) -> None:
        self._told = told
        self.said.setText(told())

    def _fill(self) -> None:
        for number, row in enumerate(self._rows):
            for column, text in enumerate(self._cells(row)):
                self.table.setItem(number, column, Item(text))

    def _on_rows(self, rows: tuple[RunRow, ...]) -> None:
        if not self._open:
            return
        self._rows = rows
        self.table.setRowCount(len(rows))
        self._fill()
        if rows:
            self.table.selectRow(0)
        else:
            self._say(lambda: self._words("还没有运行过。", "It has not been run yet."))

    def _cells(self, row: RunRow) -> tuple[str, ...]:
        words = self._words
        pin = "📌 " if row.pinned else ""
        taken = "" if row.seconds is None else f"{row.seconds:.2f} s"
        memory = "" if row.peak_rss_mb is None else f"{row.peak_rss_mb:.0f} MiB"
        if row.peak_gpu_mb is not None:
            memory += f" · GPU {row.peak_gpu_mb:.0f} MiB"
        when = pin + ago(seconds_since(row.started), words)
        return when, words(*_STATUSES[row.status]), row.device, (row.torch or "").split("+")[0], taken, memory

    def _on_chosen(self) -> None:
        numbers = selected_rows(self.table)
        chosen = self._asked = tuple(self._rows[number].run_id for number in numbers)
        self.pin.setEnabled(len(chosen) == 1 and self._rows[numbers[0]].status == "passed")
        if len(chosen) == 1:
            self._history.find(chosen[0], lambda row: self._on_run(chosen, row), self._on_failed)
        elif len(chosen) == _PAIR:
            new, old = chosen  # rows are sorted newest first
            self._history.compare(old, new, lambda found: self._on_compared(chosen, found), self._on_failed)

    def _on_run(self, asked: tuple[str, ...], row: RunRow) -> None:
        if not self._open or asked != self._asked:
            return
        self.output.show_text(row.output)
        self._say(lambda: self._of_run(row))

    def _of_run(self, row: RunRow) -> str:
        reason = self._words(row.reason_zh or "", row.reason_en or "")
        cut = self._words(f"有 {row.output_cut:,} 字节没有保留", f"{row.output_cut:,} bytes were not kept")
        return " ".join(part for part in (reason, cut if row.output_cut else "") if part)

    def _on_compared(self, asked: tuple[str, ...], found: RunComparison) -> None:
        if not self._open or asked != self._asked:
            return
        self.output.show_difference(found.difference)
        self._say(lambda: self._of_two(found))

    def _of_two(self, found: RunComparison) -> str:
        words = self._words
        parts = [words("输出相同", "same output") if found.difference.same else words("输出不同", "different output")]
        if "code_sha256" in found.changed:
            parts.append(words("代码不同", "different code"))
        told = [fact for fact in ("device", "torch", "python", "status") if fact in found.changed]
        parts += [f"{fact}: {getattr(found.first, fact)} → {getattr(found.second, fact)}" for fact in told]
        seconds = found.measures[0]
        if seconds.ratio is not None:
            parts.append(f"{seconds.first:.2f} s → {seconds.second:.2f} s (×{seconds.ratio:.2f})")
        return " · ".join(parts)

    def _on_pin(self) -> None:
        if len(self._asked) == 1:
            self._history.pin(self._asked[0], lambda _: self._on_pinned(), self._on_failed)

    def _on_pinned(self) -> None:
        self.pinned.emit(self._name)
        if self._open:
            self.refresh()
            self._say(lambda: self._words("已写为记录的输出。", "This is now the recorded output."))

    def _on_failed(self, error: Exception) -> None:
        if self._open:
            told = of_error(error)
            self._say(lambda: self._words(told.zh, told.en))
