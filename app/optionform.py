"""The options of a snippet's runs, in a small form: threads, blocking launches, variables, arguments, time."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from app.runoptions import MOST_THREADS, RunOptions
from app.words import Words
from snippets.errors import BadOption

_LINES_HIGH = 78  # pixels


class OptionForm(QWidget):
    """Asks for options; what cannot be read is said in the form, which stays open."""

    chosen = Signal(object)  # RunOptions

    def __init__(self, name: str, options: RunOptions, words: Words, parent: QWidget) -> None:
        """Be a window of its own, which goes with `parent`, with the options as they are now."""
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Dialog)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._words = words
        self.threads = QSpinBox(maximum=MOST_THREADS, value=options.threads)
        self.threads.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.threads.setSpecialValueText(words("自动", "automatic"))
        self.blocking = QCheckBox("CUDA_LAUNCH_BLOCKING=1")
        self.blocking.setChecked(options.blocking)
        self.arguments = QLineEdit(options.arguments)
        self.timeout = QLineEdit(options.timeout)
        self.variables = QPlainTextEdit(options.variables)
        self.said = QLabel(wordWrap=True)
        self.said.hide()
        self._buttons = QDialogButtonBox()
        self._arrange(name)
        self._buttons.accepted.connect(self._on_accepted)
        self._buttons.rejected.connect(self.close)

    def _arrange(self, name: str) -> None:
        words, standard = self._words, QDialogButtonBox.StandardButton
        self.setWindowTitle(f"{name} — {words('运行选项', 'run options')}")
        self.blocking.setToolTip(
            words("报错会停在真正出错的那一行，但更慢", "Errors appear at the line at fault; slower")
        )
        self.timeout.setPlaceholderText(
            words("秒；空着按代码自己的，0 不限", "seconds; empty as the code says, 0 for none")
        )
        self.arguments.setPlaceholderText("--steps 10")
        self.variables.setPlaceholderText("NAME=VALUE")
        self.variables.setFixedHeight(_LINES_HIGH)
        self.variables.setTabChangesFocus(True)
        form = QFormLayout(self)
        for label, widget in (
            (words("线程数", "Threads"), self.threads),
            (words("逐个等待 CUDA 核函数", "Blocking launches"), self.blocking),
            (words("参数", "Arguments"), self.arguments),
            (words("环境变量，每行一个", "Variables, a line each"), self.variables),
            (words("最长时间", "Time limit"), self.timeout),
        ):
            form.addRow(label, widget)
            widget.setAccessibleName(label)
        form.addRow(self.said)
        form.addRow(self._buttons)
        self._buttons.addButton(standard.Ok).setText(words("采用", "Use them"))
        self._buttons.addButton(standard.Cancel).setText(words("取消", "Cancel"))
        self.setMinimumWidth(460)

    def _on_accepted(self) -> None:
        options = RunOptions(
            threads=self.threads.value(),
            blocking=self.blocking.isChecked(),
            variables=self.variables.toPlainText(),
            arguments=self.arguments.text(),
            timeout=self.timeout.text(),
        )
        try:
            options.check()
        except BadOption as error:
            self.said.setText(error.sentence(self._words.language))
            self.said.show()
            return
        self.chosen.emit(options)
        self.close()
