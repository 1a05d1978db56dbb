"""The bar at the bottom: counts of notes and sections, state of the index, active runs, and isolation."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QToolButton, QWidget

from app.i18n import Translator
from app.runs.active_runs import CellRun
from app.state.workspace import Workspace
from app.style.appearance import Appearance, named
from app.widgets.accessibility import LinkLabel
from snippets.results.outcome import ISOLATED, NOT_ISOLATED

HEIGHT = 28
_RUNS_SHOWN = 3
_SPACING = 12  # pixels between the parts


class StatusBar(QWidget):
    """Notes, sections and index at the left, then active runs, isolation at the right."""

    def __init__(self, workspace: Workspace, words: Translator, look: Appearance) -> None:
        """Show the state of `workspace`."""
        super().__init__()
        self._workspace = workspace
        self._words = words
        self._look = look
        self.setObjectName("statusBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.index = named(QLabel(), "status")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setFixedWidth(90)
        self.runs = named(LinkLabel(), "status")
        self.runs.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.runs.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.proof = named(QLabel(), "status")
        self.target = named(QLabel(), "status")
        self.isolation = named(QToolButton(), "isolation")
        self.isolation.setProperty("quiet", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 10, 0)
        row.setSpacing(_SPACING)
        for widget in (self.index, self.progress, self.proof, self.runs):
            row.addWidget(widget)
        row.addStretch()
        row.addWidget(self.target)
        row.addWidget(self.isolation)
        self._clock = QTimer(self, interval=1000)
        self._has_code = False  # whether there is code to verify
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        lookup, runs, notes = self._workspace.search_service, self._workspace.runs, self._workspace.notes
        for signal in (lookup.progressed, lookup.indexed, lookup.index_failed, notes.listed):
            signal.connect(lambda *_: self._show_index())
        for signal in (runs.started, runs.finished, runs.failed, runs.midway):
            signal.connect(lambda *_: self._show_runs())
        self._workspace.vault_opened.connect(lambda _: self.retranslate())
        self._workspace.vault_scanner.found.connect(lambda _: self._show_proof())
        runs.isolation_known.connect(self._show_isolation)
        self.runs.linkActivated.connect(self._on_link)
        self.isolation.clicked.connect(lambda: self._workspace.choose_isolation(not runs.isolate))
        self._clock.timeout.connect(self._show_runs)
        self._words.changed.connect(self.retranslate)
        self._look.changed.connect(lambda _: self.retranslate())

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self.runs.setAccessibleName(self._words("正在运行", "Running"))
        self._show_index()
        self._show_proof()
        self._show_runs()
        self._show_isolation()

    def show_target(self, target: str) -> None:
        """Show the target of the link under the pointer; empty if there is none."""
        text = self.target.fontMetrics().elidedText(target, Qt.TextElideMode.ElideMiddle, 420)
        self.target.setText(text)

    def _show_index(self) -> None:
        words, lookup = self._words, self._workspace.search_service
        notes = len(self._workspace.notes.entries)
        report, progress = lookup.report, lookup.progress
        counted = words(f"{notes:,} 篇笔记", f"{notes:,} note{'s' * (notes != 1)}")
        parts = [counted] if notes or lookup.report is not None else []  # 0 only if the vault is known to be empty
        if report is not None:
            sections = report.sections
            parts.append(words(f"{sections:,} 个小节", f"{sections:,} section{'s' * (sections != 1)}"))
        if progress is not None and progress.total:
            done = f"{progress.done:,} / {progress.total:,}"
            parts.append(words(f"正在索引 {done}", f"indexing {done}"))
        elif report is not None:
            parts.append(words("索引已是最新", "index up to date"))
        elif lookup.failed:
            parts.append(words("没有索引", "no index"))
        else:
            parts.append(words("正在准备索引", "preparing the index"))
        self.index.setText(" · ".join(parts))
        self.progress.setVisible(progress is not None and progress.total > 0)
        if progress is not None:
            self.progress.setRange(0, progress.total)
            self.progress.setValue(progress.done)

    def _show_proof(self) -> None:
        """Show how much of the vault's code is verified."""
        words, theme, counts = self._words, self._look.theme, self._workspace.vault_scanner.counts
        total = sum(counts.values())
        self._has_code = total > 0
        self.proof.setVisible(self._has_code)
        parts = [words(f"代码 {counts['passed']}/{total} 通过", f"code {counts['passed']}/{total} proven")]
        for badge, zh, en, colour in (
            ("failed", "失败", "failed", theme.bad),
            ("stale", "待重跑", "stale", theme.warn),
        ):
            if number := counts.get(badge, 0):
                parts.append(f'<span style="color:{colour}">{number} {words(zh, en)}</span>')
        self.proof.setText(" · ".join(parts))
        rest = {"never": ("没有运行过", "never run"), "unavailable": ("此处不可用", "unavailable here")}
        told = [f"{counts[badge]} {words(*rest[badge])}" for badge in rest if counts.get(badge)]
        self.proof.setToolTip(" · ".join(told))

    def _show_runs(self) -> None:
        active = list(self._workspace.runs.active.values())
        if bool(active) != self._clock.isActive():
            (self._clock.start if active else self._clock.stop)()
        self.runs.setVisible(bool(active))
        self.runs.setText("")
        for hidden in ((), (self.proof,), (self.proof, self.index)):  # hidden one after another if runs need space
            for part, wanted in ((self.index, True), (self.proof, self._has_code)):
                part.setVisible(wanted and part not in hidden)
            most = min(_RUNS_SHOWN, len(active))
            if not active or any(self._say_runs(active, shown) for shown in range(most, 0, -1)):
                return

    def _say_runs(self, active: list[CellRun], shown: int) -> bool:
        """Show the first `shown` runs and the number of the others; return whether that fits."""
        parts = [self._run(number, one) for number, one in enumerate(active[:shown])]
        if more := len(active) - shown + self._workspace.runs.waiting:
            parts.append(self._words(f"另有 {more} 段", f"{more} more"))
        self.runs.setText("&nbsp;&nbsp;&nbsp;".join(parts))
        others = [part for part in (self.index, self.progress, self.proof, self.isolation) if not part.isHidden()]
        taken = sum(part.sizeHint().width() + _SPACING for part in others) + 3 * _SPACING
        return self.runs.sizeHint().width() + taken <= self.width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many runs as fit."""
        super().resizeEvent(event)
        self._show_runs()

    def _run(self, number: int, run: CellRun) -> str:
        theme, words = self._look.theme, self._words
        time = f"{int(run.seconds) // 60:02d}:{int(run.seconds) % 60:02d}"
        doing = words("正在停止", "stopping") if run.stop_asked else words("停止", "stop")
        stop = doing if run.stop_asked else f'<a style="color:{theme.ink}" href="stop:{number}">{doing}</a>'
        wants = self._wants(run)
        dot = f'<span style="color:{theme.warn if wants else theme.good}">●</span>'
        name = f'<a style="color:{theme.ink}" href="go:{number}">{escape(run.snippet.name.rpartition("#")[2])}</a>'
        return f"{dot} {name} · {escape(run.device)} · {time}{wants}&nbsp;&nbsp;{stop}"

    def _wants(self, run: CellRun) -> str:
        """Return why an active run needs attention: it waits for input, or ranks are silent; else empty."""
        transcript, words = self._workspace.runs.transcripts.get(run.key), self._words
        if transcript is None:
            return ""
        silent = ", ".join(str(one.rank) for one in transcript.midway.silent)
        if transcript.midway.waits:
            return words(" · 等待输入", " · waits for input")
        return words(f" · rank {silent} 没有动静", f" · rank {silent} silent") if silent else ""

    def _on_link(self, link: str) -> None:
        keys = list(self._workspace.runs.active)
        verb, _, which = link.partition(":")
        number = int(which)
        if number < len(keys) and verb == "go":
            self._workspace.go_to_run(keys[number])
        elif number < len(keys):
            self._workspace.runs.stop(keys[number])
            self._show_runs()

    def _show_isolation(self) -> None:
        runs, words = self._workspace.runs, self._words
        self.isolation.setVisible(not runs.looks_for_isolation)  # until then it might be a false alarm
        if runs.isolated:
            self.isolation.setText(words(ISOLATED.zh, ISOLATED.en))
        elif runs.isolate and runs.isolation_reason is not None:
            self.isolation.setText(words("未隔离", "not isolated"))
        else:
            self.isolation.setText(words(NOT_ISOLATED.zh, NOT_ISOLATED.en))
        reason = runs.isolation_reason
        why = f"\n{words(reason.zh, reason.en)}" if reason is not None else ""
        click = words("点击切换：代码是否在隔离的空间里运行", "Click to run code isolated or not")
        self.isolation.setToolTip(click + why)
