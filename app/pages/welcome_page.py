"""The page of the first start: asks before it creates a folder for the notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.i18n import Translator
from app.pages.close_button import CloseButton
from app.state.vault_setup import count_shipped
from app.style.appearance import Appearance, named
from app.widgets.accessibility import announce_alert
from app.widgets.elided_label import ElidedLabel
from kb.errors import VaultNotMade

_WIDTH = 560  # pixels of the text, at most


class WelcomePage(QScrollArea):
    """Says what will be created and where; one button creates it, the other opens another folder."""

    def __init__(
        self,
        words: Translator,
        look: Appearance,
        place: Path,
        *,
        make: Callable[[], object],
        choose: Callable[[], object],
        close: Callable[[], object],
    ) -> None:
        """Show `place`, the folder that `make` creates; `choose` asks for another one, `close` goes back to a note."""
        super().__init__(widgetResizable=True)
        self._words, self._place, self._make = words, place, make
        self._count = count_shipped()
        self._problem: VaultNotMade | None = None
        self._making, self._first = False, True
        self.setObjectName("welcomePage")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._title, self._told = named(QLabel(), "welcomeTitle"), named(QLabel(wordWrap=True), "welcomeTold")
        self._folder = ElidedLabel()
        self._folder.setText(str(place))
        self._other = QLabel(wordWrap=True)
        self._other.setProperty("dim", True)
        self._failed = named(QLabel(wordWrap=True), "welcomeFailed")
        self._failed.setTextFormat(Qt.TextFormat.PlainText)
        self.make_button = named(QPushButton(autoDefault=True), "welcomeMake")
        self.choose_button = QPushButton(autoDefault=True)
        self.make_button.setProperty("accent", True)
        self.make_button.clicked.connect(self._on_make)
        self.choose_button.clicked.connect(choose)
        self._close = CloseButton(words, look, close)
        self.setFocusProxy(self.make_button)
        self._place_parts()
        words.changed.connect(self._retranslate)
        self._retranslate()

    def _place_parts(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(14)
        column.addStretch(2)
        framed = QHBoxLayout(frame := named(QFrame(), "welcomeFolder"))
        framed.setContentsMargins(12, 8, 12, 8)
        framed.addWidget(self._folder)
        for part in (self._title, self._told, frame, self._failed):
            column.addWidget(part)
        row = QHBoxLayout()
        row.setContentsMargins(0, 6, 0, 2)
        row.setSpacing(10)
        for button in (self.make_button, self.choose_button):
            row.addWidget(button)
        row.addStretch()
        column.addLayout(row)
        column.addWidget(self._other)
        column.addStretch(3)
        held = QWidget()
        held.setMaximumWidth(_WIDTH)
        held.setLayout(column)
        inner = named(QWidget(), "welcomeInner")
        outer = QHBoxLayout(inner)
        outer.setContentsMargins(28, 18, 18, 18)
        outer.addStretch(1)
        outer.addWidget(held, _WIDTH)
        outer.addStretch(1)
        outer.addWidget(self._close, alignment=Qt.AlignmentFlag.AlignTop)
        self.setWidget(inner)

    def ask(self, *, closes: bool, problem: VaultNotMade | None = None) -> None:
        """Ask, or say why the folder could not be created; the page has a close button if it `closes`."""
        self._making, self._problem, self._first = False, problem, not closes
        self._close.setVisible(closes)
        self._retranslate()
        if problem is not None:
            announce_alert(self._failed, self._failed.text(), urgent=True)

    def _on_make(self) -> None:
        if not self._making:
            self._making, self._problem = True, None
            self._retranslate()
            self._make()

    def _retranslate(self) -> None:
        words, count = self._words, self._count
        told = words(
            "笔记就是文件夹里普通的 Markdown 文件。炬页会新建下面这个文件夹，放入随程序附带的 "
            f"{count} 篇笔记：关于 PyTorch，也关于炬页自己的用法。",
            "Your notes are plain Markdown files in a folder. Torchleaf will create the one below and put its "
            f"{count} notes there: on PyTorch, and on how to use it.",
        )
        welcome, own = ("欢迎使用炬页", "Welcome to Torchleaf"), ("自己的笔记库", "Your own vault")
        self._title.setText(words(*(welcome if self._first else own)))
        self._told.setText(told)
        zh = "其他文件夹会原样打开，不放入任何东西。"
        self._other.setText(words(zh, "Another folder is opened as it is, and nothing is put into it."))
        creating, create = ("正在新建…", "Creating it…"), ("新建并开始", "Create it and start")
        self.make_button.setText(words(*(creating if self._making else create)))
        self.make_button.setAccessibleDescription(f"{told} {self._place}")
        self.choose_button.setText(words("选择其他文件夹…", "Choose another folder…"))
        self.choose_button.setAccessibleDescription(self._other.text())
        self._failed.setText(self._problem.sentence(words.language) if self._problem is not None else "")
        self._failed.setVisible(self._problem is not None)
        self.setAccessibleName(self._title.text())
