"""The commands of the help menu and their pages: manual, check of the machine, log, about."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from app.central.central_widget import CentralWidget
from app.commands.registry import Command
from app.doctor import CheckResult, check_up
from app.i18n import Translator
from app.pages.close_button import CloseButton
from app.state.workspace import Workspace
from app.style.appearance import Appearance, FocusLine, named
from app.style.stylesheets import in_columns
from app.widgets.deferred_delete import delete_later
from app.widgets.notification import Notification, NotificationAction, of_error
from kb.errors import KbError
from kb.files.tree import read_regular
from kb.notes.note_listing import NoteEntry
from torchleaf import __version__

_MANUAL = "manual/index"  # key of the first note of the manual
_LOG_TAIL = 256 * 1024  # bytes
# The main libraries. None is part of the wheel: each is installed as its authors publish it.
_LICENCES = {
    "PySide6-Essentials": "LGPL-3.0",
    "spylls": "MPL-2.0",
    "whoosh-reloaded": "BSD-2-Clause",
    "Markdown": "BSD-3-Clause",
    "Pygments": "BSD-2-Clause",
}


class HelpCommands:
    """Opens the manual, and shows the other pages in the central widget."""

    def __init__(
        self,
        workspace: Workspace,
        central: CentralWidget,
        words: Translator,
        look: Appearance,
        *,
        log: Path,
        open_vault: Callable[[Path | None], bool],
    ) -> None:
        """Show pages in `central`; `log` is the program's log file, `open_vault` returns whether it opens a vault."""
        self._workspace, self._central = workspace, central
        self._open_vault, self._wants_manual = open_vault, False
        workspace.notes.listed.connect(self._on_listed)
        self._words, self._look, self._log = words, look, log
        self._machine: DoctorPage | None = None
        self._report: ReportPage | None = None

    def commands(self) -> tuple[Command, ...]:
        """Return the commands in the order of the menu."""
        return (
            Command("manual", "help", "使用手册", "Manual", self.show_manual, ("F1",)),
            Command("doctor", "help", "检查这台机器", "Check this machine", self.show_machine),
            Command("log", "help", "程序日志", "Program log", self.show_log),
            Command("about", "help", "关于", "About", self.show_about),
        )

    def show_manual(self) -> None:
        """Open the first note of the manual; if it is not in this vault, offer to open the user's own."""
        found = next((entry for entry in self._workspace.notes.entries if entry.key == _MANUAL), None)
        if found is not None:
            self._workspace.open_note(self._workspace.path_of(found))
            return
        zh, en = "手册在自己的笔记库里。", "The manual is in your own vault."
        choices = (NotificationAction("打开它", "Open it", self._open_own),)
        self._workspace.noticed.emit(Notification(zh, en, choices=choices, topic="manual"))

    def _open_own(self) -> None:
        self._wants_manual = self._open_vault(None)

    def _on_listed(self, entries: Sequence[NoteEntry]) -> None:
        """Open the manual once its vault is listed."""
        if self._wants_manual and any(entry.key == _MANUAL for entry in entries):
            self._wants_manual = False
            self.show_manual()

    def show_machine(self) -> None:
        """Check everything the program needs in the background, and show the results."""
        if self._machine is None:
            self._machine = DoctorPage(self._words, self._look, self._central.leave_page)
        page = self._machine
        page.show_findings(None)
        self._central.show_page(page)
        places, chosen = self._workspace.places, self._workspace.device_model.interpreter
        python = chosen.path if chosen is not None else None
        self._workspace.executor.run(lambda: check_up(places, python), page.show_findings, self._on_failed)

    def show_log(self) -> None:
        """Show the end of the log."""
        log = self._log
        self._show(lambda: self._words("程序日志", "Program log"), f"{log}\n\n{_tail(log, self._words)}")

    def show_about(self) -> None:
        """Show the versions and licences of the program and its libraries."""
        program = f"torchleaf {__version__} (MIT)", f"Python {platform.python_version()}", f"Qt {qVersion()}"
        self._show(lambda: "炬页 Torchleaf", "\n".join((*program, *_libraries(), platform.platform())))

    def _show(self, title: Callable[[], str], text: str) -> None:
        if self._report is None:
            self._report = ReportPage(self._words, self._look, self._central.leave_page)
        self._report.show_report(title, text)
        self._central.show_page(self._report)

    def _on_failed(self, error: Exception) -> None:
        self._workspace.noticed.emit(of_error(error, topic="doctor"))


class _Page(QWidget):
    """A page with a title and a close button."""

    def __init__(self, words: Translator, look: Appearance, close: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("helpPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title = named(QLabel(indent=0), "settingsTitle")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(28, 18, 18, 18)
        self.column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(CloseButton(words, look, close), alignment=Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(head)


class ReportPage(_Page):
    """A page with plain text that can be copied."""

    def __init__(self, words: Translator, look: Appearance, close: Callable[[], object]) -> None:
        """Create an empty page; `close` is called by its button."""
        super().__init__(words, look, close)
        self._title: Callable[[], str] = str
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setStyleSheet(in_columns())
        self.text.document().setDocumentMargin(0)  # aligned with the title
        FocusLine(self.text)
        self.setFocusProxy(self.text)
        self.column.addWidget(self.text, 1)
        words.changed.connect(self._retranslate)

    def show_report(self, title: Callable[[], str], text: str) -> None:
        """Show a text, scrolled to its end; `title` returns the title in the current language."""
        self._title = title
        self.text.setPlainText(text)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._retranslate()

    def _retranslate(self) -> None:
        self.title.setText(self._title())
        self.setAccessibleName(self._title())
        self.text.setAccessibleName(self._title())


class DoctorPage(_Page):
    """A page with one line for each check: what was found or is missing, and how to correct it."""

    def __init__(self, words: Translator, look: Appearance, close: Callable[[], object]) -> None:
        """Create an empty page; `close` is called by its button."""
        super().__init__(words, look, close)
        self._words, self._look = words, look
        self._findings: Sequence[CheckResult] | None = None
        self._shown: tuple[QWidget, ...] = ()
        self._area = named(QScrollArea(widgetResizable=True), "helpArea")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lines = QVBoxLayout(named(inner := QWidget(), "helpInner"))
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(10)
        self._lines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._area.setWidget(inner)
        FocusLine(self._area)
        self.setFocusProxy(self._area)
        self.column.addWidget(self._area, 1)
        words.changed.connect(self._retranslate)
        look.changed.connect(self._retranslate)
        self._retranslate()

    def show_findings(self, findings: Sequence[CheckResult] | None) -> None:
        """Show the results; None while the checks run."""
        self._findings = findings
        self._retranslate()

    def _retranslate(self) -> None:
        words = self._words
        self.title.setText(words("检查这台机器", "Check this machine"))
        for part in (self, self._area):
            part.setAccessibleName(self.title.text())
        for line in self._shown:
            self._lines.removeWidget(line)
            delete_later(line)
        self._shown = tuple(map(self._line, self._findings or ()))
        if self._findings is None:
            self._shown = (QLabel(words("正在检查…", "Checking…")),)
        for line in self._shown:
            self._lines.addWidget(line)

    def _line(self, finding: CheckResult) -> QWidget:
        line, theme, language = QFrame(), self._look.theme, self._words.language
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        good = finding.ok
        sign = QLabel("✓" if good else "✕" if finding.needed else "–")
        sign.setStyleSheet(f"color: {theme.good if good else theme.bad if finding.needed else theme.warn};")
        sign.setAccessibleName(self._words("有", "found") if good else self._words("缺少", "missing"))
        sign.setFixedWidth(16)
        mend = "" if finding.mend is None else f"\n→ {finding.mend.in_language(language)}"
        name, detail = finding.name.in_language(language), finding.detail.in_language(language)
        told = QLabel(f"{name}{self._words('：', ': ')}{detail}{mend}", wordWrap=True)
        told.setTextFormat(Qt.TextFormat.PlainText)
        told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        row.addWidget(told, 1)
        return line


def _tail(log: Path, words: Translator) -> str:
    if not log.exists():
        return words("还没有任何记录。", "Nothing has been logged yet.")
    try:
        data = read_regular(log, log.name)
    except (KbError, OSError) as error:
        said = of_error(error)
        return words(said.zh, said.en)
    # The first line, which is incomplete, is left out.
    shown = data if len(data) <= _LOG_TAIL else data[data.find(b"\n", len(data) - _LOG_TAIL) + 1 :]
    return shown.decode("utf-8", "replace")


def _libraries() -> Iterator[str]:
    """Yield name, version and licence of each installed library."""
    for name, licence in _LICENCES.items():
        with contextlib.suppress(PackageNotFoundError):
            yield f"{name} {version(name)} ({licence})"
