"""How long a text is: Chinese characters and words of other scripts, without what only marks it up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

from app.editor.editor_header import EditorHeader
from app.editor.source_editor import SourceEditor
from app.i18n import Translator
from kb.lazy_regex import expression

_FRONT = expression(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MARKUP = expression(
    r"\]\([^()\n]*\)|<[^<>\n]{1,300}>|https?://[^\s<>()\[\]（）。，、；：]+|^[ \t]*(?:```|~~~).*$", re.MULTILINE
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTER = expression(f"[{_HAN}]")
_WORD = expression(rf"[^\W_{_HAN}]+(?:['’._-][^\W_{_HAN}]+)*")


@dataclass(frozen=True)
class Count:
    """Chinese characters, and words of other scripts."""

    characters: int
    words: int


def count(text: str) -> Count:
    """Count a note's text, or a part of it; front matter, addresses and the signs of Markdown do not count."""
    plain = _MARKUP.sub(" ", _FRONT.sub("", text))
    characters = 0 if plain.isascii() else len(_CHARACTER.findall(plain))
    return Count(characters, sum(1 for _ in _WORD.finditer(plain)))


_PAUSE = 400  # ms


class CountExecutor(Protocol):
    """Does work elsewhere, and calls back here."""

    def __call__(
        self, work: Callable[[], Count], done: Callable[[Count], object], failed: Callable[[Exception], object]
    ) -> object:
        """Run `work` off the GUI thread."""


class WordCountLabel(QObject):
    """Counts what is selected, else the whole note; the newest count wins."""

    def __init__(self, source: SourceEditor, header: EditorHeader, *, words: Translator, run: CountExecutor) -> None:
        """Count the text of `source` by `run` and tell it in `header`."""
        super().__init__(source)
        self._source, self._header, self._words, self._run = source, header, words, run
        self._asked = 0
        self._told = Count(0, 0)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._count)
        for happened in (source.edited, source.loaded, source.selectionChanged):
            happened.connect(self._pause.start)
        words.changed.connect(self._say)

    def _count(self) -> None:
        selected = self._source.textCursor().selectedText().replace("\u2029", "\n")
        text = selected or self._source.live()
        self._asked += 1
        number = self._asked
        self._run(lambda: count(text), lambda found: self._on_counted(number, found), lambda _: None)

    def _on_counted(self, number: int, found: Count) -> None:
        if number == self._asked:
            self._told = found
            self._say()

    def _say(self) -> None:
        han, others = self._told.characters, self._told.words
        words = "word" if others == 1 else "words"
        characters = "Chinese character" if han == 1 else "Chinese characters"
        parts = [self._words(f"{han:,} 字", f"{han:,} {characters}")] if han else []
        parts += [self._words(f"{others:,} 词", f"{others:,} {words}")] if others or not han else []
        tip = self._words(f"{han:,} 个汉字，{others:,} 个西文词", f"{han:,} {characters}, {others:,} other {words}")
        self._header.show_count(" · ".join(parts), tip)
