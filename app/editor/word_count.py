"""The word count of a note or a selection: Chinese characters and words of other scripts, without markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import QObject, QTimer

from app.editor.editor_header import EditorHeader
from app.editor.source_editor import SourceEditor
from app.editor.text_diff import selected_text
from app.i18n import Translator
from kb.lazy_regex import expression

_FRONT = expression(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MARKUP = expression(
    r"\]\([^()\n]*\)|<[^<>\n]{1,300}>|https?://[^\s<>()\[\]（）。，、；：]+|^[ \t]*(?:```|~~~).*$", re.MULTILINE
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTER = expression(f"[{_HAN}]")
_WORD = expression(rf"[^\W_{_HAN}]+(?:['’._-][^\W_{_HAN}]+)*")
_PAUSE = 400  # ms from the last change to the count


@dataclass(frozen=True)
class Count:
    """Numbers of Chinese characters and of words of other scripts."""

    characters: int
    words: int


def count(text: str) -> Count:
    """Count the text of a note or a part of it, without front matter, addresses and Markdown markup."""
    plain = _MARKUP.sub(" ", _FRONT.sub("", text))
    characters = 0 if plain.isascii() else len(_CHARACTER.findall(plain))
    return Count(characters, sum(1 for _ in _WORD.finditer(plain)))


Run: TypeAlias = Callable[[Callable[[], Count], Callable[[Count], object], Callable[[Exception], object]], object]


class WordCountLabel(QObject):
    """Shows the word count of the selection, or else of the whole note, in the header."""

    def __init__(self, source: SourceEditor, header: EditorHeader, *, words: Translator, run: Run) -> None:
        """Count the text of `source` by `run`, off the GUI thread, and show it in `header`."""
        super().__init__(source)
        self._source, self._header, self._words, self._run = source, header, words, run
        self._asked = 0
        self._shown = Count(0, 0)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._count)
        for happened in (source.edited, source.loaded, source.selectionChanged):
            happened.connect(self._pause.start)
        words.changed.connect(self._update)
        self._pause.start()  # the text may have been there before

    def _count(self) -> None:
        text = selected_text(self._source.textCursor()) or self._source.live()
        self._asked += 1
        number = self._asked
        self._run(lambda: count(text), lambda found: self._on_counted(number, found), lambda _: None)

    def _on_counted(self, number: int, found: Count) -> None:
        if number == self._asked:
            self._shown = found
            self._update()

    def _update(self) -> None:
        han, others = self._shown.characters, self._shown.words
        words = "word" if others == 1 else "words"
        characters = "Chinese character" if han == 1 else "Chinese characters"
        parts = [self._words(f"{han:,} 字", f"{han:,} {characters}")] if han else []
        parts += [self._words(f"{others:,} 词", f"{others:,} {words}")] if others or not han else []
        tip = self._words(f"{han:,} 个汉字，{others:,} 个西文词", f"{han:,} {characters}, {others:,} other {words}")
        self._header.show_count(" · ".join(parts), tip)
