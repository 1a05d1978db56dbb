"""A prompt for one line over the window: checked while typed, accepted by Enter, cancelled by Escape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QPushButton, QVBoxLayout, QWidget

from app.i18n import Translator
from app.style.appearance import flag, named
from app.widgets.ime_fields import ImeLineEdit

_WIDTH = 560


class InputPrompt(QDialog):
    """A field with a caption above it, and a hint or an error below."""

    def __init__(self, words: Translator, window: QWidget) -> None:
        """Create it hidden over `window`."""
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._words = words
        self.setObjectName("prompt")
        self.caption = named(QLabel(), "promptCaption")
        self.field = named(ImeLineEdit(), "paletteField")
        self.hint = named(QLabel(wordWrap=True), "promptHint")
        self.choices = QComboBox()
        self.button = named(QPushButton(), "promptTake")
        self.button.setProperty("accent", True)
        self.caption.setBuddy(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        for part in (self.caption, self.field, self.choices, self.hint):
            column.addWidget(part)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignRight)
        self._hinted = self._first = ""
        self._check: Callable[[str], str] = lambda _: ""
        self._taken: Callable[[str], object] = lambda _: None
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self.take)
        self.button.clicked.connect(self.take)

    def ask(
        self,
        caption: str,
        taken: Callable[[str], object],
        *,
        text: str = "",
        chosen: tuple[int, int] | None = None,
        hint: str = "",
        check: Callable[[str], str] = lambda _: "",
        choices: Sequence[str] = (),
        verb: tuple[str, str] = ("确定", "Done"),
    ) -> None:
        """Ask for a line that begins with `text`, selected from..to as `chosen`; call `taken` with what was typed.

        `check` returns what is wrong with the line; only a correct line that is not empty is accepted. One of
        `choices`, the first by default, is chosen in `self.choices`. `verb` labels the button, in both languages.
        """
        self.choices.clear()
        self.choices.addItems(list(choices))
        self.choices.setAccessibleName(caption)
        self.choices.setVisible(bool(choices))
        self._hinted, self._check, self._taken, self._first = hint, check, taken, text
        self.caption.setText(caption)
        self.field.setAccessibleName(caption)
        self.button.setText(self._words(*verb))
        self.field.setText(text)
        start, end = chosen or (0, len(text))
        self.field.setSelection(start, end - start)
        self._on_text_changed(text)
        self.setFixedWidth(min(_WIDTH, self._window.width() - 40))
        self._fit()
        self.move(self._window.mapToGlobal(QPoint((self._window.width() - self.width()) // 2, 56)))
        self.show()
        self.field.setFocus()

    def take(self) -> None:
        """Accept the line if it is correct."""
        text = self.field.text().strip()
        if text and not self._check(text) and not self.field.composing:
            self.hide()
            self._taken(text)

    def _on_text_changed(self, text: str) -> None:
        wrong = self._check(text.strip()) if text.strip() else ""
        told = wrong if text != self._first else ""  # no error before anything is typed
        self.hint.setText(told or self._hinted)
        self.hint.setVisible(bool(told or self._hinted))
        flag(self.hint, "wrong", on=bool(told))
        self.button.setEnabled(bool(text.strip()) and not wrong)
        self._fit()

    def _fit(self) -> None:
        """Set the height that the content needs at this width; Qt would reserve space for a hint in narrow lines."""
        if (layout := self.layout()) is not None:
            wraps = layout.hasHeightForWidth()
            self.setFixedHeight(layout.totalHeightForWidth(self.width()) if wraps else layout.totalSizeHint().height())
