"""How one can search, in a sheet under the field: the table of the query language, each example to be clicked."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, unquote

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.parts.floating import Floating
from app.search.querylanguage import MANNERS
from app.style.look import Look, named
from app.words import Words

WIDTH = 720  # pixels


class QueryHelp(Floating):
    """The table, hidden until it is asked for; it leaves the keyboard with the field."""

    example_chosen = Signal(str)

    def __init__(self, words: Words, look: Look, window: QWidget) -> None:
        """Lie hidden over `window`."""
        super().__init__(look, window)
        self._window = window
        self._words = words
        self._look = look
        self.table = named(QLabel(wordWrap=True), "queryHelp")
        self.table.setTextFormat(Qt.TextFormat.RichText)
        self.table.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.linkActivated.connect(self._on_link)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setObjectName("queryHelpScroll")
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self._scroll)
        words.changed.connect(self._reword)
        look.changed.connect(lambda _: self._reword())

    def place(self, corner: QPoint) -> None:
        """Lie under the field, as high as the table needs and the window allows."""
        self._reword()
        width = min(WIDTH, self._window.width() - corner.x() - 12)
        height = self.table.heightForWidth(width - 12) + 14
        self.setGeometry(corner.x(), corner.y(), width, min(height, self._window.height() - corner.y() - 40))
        self.show()
        self.raise_()

    def _reword(self) -> None:
        words, theme = self._words, self._look.theme
        rows = "".join(
            f'<tr><td style="padding:3px 22px 3px 0; white-space:nowrap"><a style="color:{theme.accent}; '
            f'text-decoration:none" href="query:{quote(one.example)}">{escape(_cut(one.example))}</a></td>'
            f'<td style="padding:3px 0">{escape(words(one.zh, one.en))}</td></tr>'
            for one in MANNERS
        )
        title = words("可以这样搜索（点一下试试）", "Ways to search (click one to try it)")
        keys = words(
            "条件可以并用：tag:ddp lang:zh 梯度。看不懂的写法一律当作普通文字。Esc 关闭。",
            "They can be combined: tag:ddp lang:en gradient. What makes no sense is read as plain words. Esc closes.",
        )
        self.table.setText(
            f'<p style="color:{theme.dim}; margin:2px 0 8px 0">{title}</p><table>{rows}</table>'
            f'<p style="color:{theme.dim}; margin:10px 0 0 0">{escape(keys)}</p>'
        )
        self.table.setAccessibleName(title)

    def _on_link(self, link: str) -> None:
        self.hide()
        self.example_chosen.emit(unquote(link.removeprefix("query:")))


def _cut(example: str) -> str:
    return example if len(example) <= 34 else example[:33] + "…"  # noqa: PLR2004 - the column is that wide
