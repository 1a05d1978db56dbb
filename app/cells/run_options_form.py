"""Form for the run options of a snippet: device, threads, blocking launches, variables, arguments, time limit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QWidget,
)

from app.i18n import Translator
from app.runs.run_options import MOST_THREADS, RunOptions
from app.widgets.accessibility import make_window
from app.widgets.ime_fields import ImeLineEdit, ImeTextEdit
from snippets.errors import BadOption

_LINES_HIGH = 78  # pixels


class RunOptionsForm(QWidget):
    """Asks for options; the form stays open and shows the error if one is invalid."""

    chosen = Signal(object)  # RunOptions

    def __init__(
        self, name: str, options: RunOptions, devices: Sequence[str], *, words: Translator, parent: QWidget
    ) -> None:
        """Create a dialog that belongs to `parent` and shows these options."""
        super().__init__(parent)
        make_window(self, Qt.WindowType.Dialog)
        self._name, self._words = name, words
        self.device = QComboBox()
        for device in dict.fromkeys(("", *devices, options.device)):
            self.device.addItem(device, device)
        self.device.setCurrentIndex(self.device.findData(options.device))
        self.threads = QSpinBox(maximum=MOST_THREADS, value=options.threads)
        self.threads.lineEdit().setTextMargins(9, 0, 9, 0)  # the style sheet's padding does not apply to it
        self.blocking = QCheckBox("CUDA_LAUNCH_BLOCKING=1")
        self.blocking.setChecked(options.blocking)
        self.arguments, self.timeout = ImeLineEdit(), ImeLineEdit()
        self.arguments.setText(options.arguments)
        self.timeout.setText(options.timeout)
        self.variables = ImeTextEdit(options.variables)
        self.said = QLabel(wordWrap=True)
        self.said.hide()
        self._said: BadOption | None = None
        self._buttons = QDialogButtonBox()
        self._labels: list[tuple[QLabel, QWidget, str, str]] = []
        self._arrange()
        self._reword()
        words.changed.connect(self._reword)
        self._buttons.accepted.connect(self._on_accepted)
        self._buttons.rejected.connect(self.close)

    def _arrange(self) -> None:
        standard = QDialogButtonBox.StandardButton
        self.arguments.setPlaceholderText("--steps 10")
        self.variables.setPlaceholderText("NAME=VALUE")
        self.variables.setObjectName("lines")
        self.variables.setFixedHeight(_LINES_HIGH)
        self.variables.setTabChangesFocus(True)
        form = QFormLayout(self)
        for zh, en, widget in (
            ("设备", "Device", self.device),
            ("线程数", "Threads", self.threads),
            ("逐个等待 CUDA 核函数", "Blocking launches", self.blocking),
            ("参数", "Arguments", self.arguments),
            ("环境变量，每行一个", "Variables, one per line", self.variables),
            ("最长时间", "Time limit", self.timeout),
        ):
            self._labels.append((label := QLabel(), widget, zh, en))
            label.setBuddy(widget)
            form.addRow(label, widget)
        form.addRow(self.said)
        form.addRow(self._buttons)
        for button in (standard.Ok, standard.Cancel):
            self._buttons.addButton(button).setIcon(QIcon())
        self.setMinimumWidth(520)

    def _reword(self) -> None:
        words, standard = self._words, QDialogButtonBox.StandardButton
        self.setWindowTitle(f"{self._name} — {words('运行选项', 'run options')}")
        for label, widget, zh, en in self._labels:
            label.setText(words(zh, en))
            widget.setAccessibleName(words(zh, en))
        self.device.setItemText(0, words("窗口所选的设备", "as chosen in the window"))
        self.threads.setSpecialValueText(words("自动", "automatic"))
        self.blocking.setToolTip(words("报错会停在真正出错的那一行，但更慢", "Errors name the line at fault; slower"))
        self.timeout.setPlaceholderText(
            words("秒；空着按代码自己的，0 不限", "seconds; empty for the code's own, 0 for none")
        )
        self._buttons.button(standard.Ok).setText(words("采用", "Apply"))
        self._buttons.button(standard.Cancel).setText(words("取消", "Cancel"))
        if self._said is not None:
            self.said.setText(self._said.sentence(words.language))

    def _on_accepted(self) -> None:
        options = RunOptions(
            threads=self.threads.value(),
            blocking=self.blocking.isChecked(),
            variables=self.variables.toPlainText(),
            arguments=self.arguments.text(),
            timeout=self.timeout.text(),
            device=self.device.currentData(),
        )
        try:
            options.check()
        except BadOption as error:
            self._said = error
            self._reword()
            self.said.show()
            return
        self.chosen.emit(options)
        self.close()
