"""Marks the words that no dictionary knows, in what is in view; looked up elsewhere, a moment after the last key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTextBlock, QTextCursor

from app.editor.dictionary import MisspeltWord, ProseLine, Speller, add_own_word, code_of, english, misspelt, own_words
from app.editor.markdown_tokens import START
from app.editor.source_editor import SourceEditor
from app.editor.text_diff import units
from app.style.theme import Theme

_PAUSE = 250  # ms without a key or a scroll
_AHEAD = 3_000  # lines in which the next such word is looked for
_TILE = 4  # pixels of a wave


class SpellingContext(Protocol):
    """Knows which notes are to be marked, and what else is a word there."""

    def wanted(self) -> bool:
        """Tell whether the words of the note that is being edited are to be marked."""

    def names(self) -> Callable[[], Iterable[str]]:
        """Return what gives, off the GUI thread, the names of things that are known where the note lies."""


class SpellExecutor(Protocol):
    """Does work elsewhere, and calls back here."""

    def __call__(
        self, work: Callable[[], Any], done: Callable[[Any], object], failed: Callable[[Exception], object]
    ) -> object:
        """Run `work` off the GUI thread."""


@dataclass(frozen=True)
class _Mark:
    """A word that is marked, as long as it stands at its cursor."""

    cursor: QTextCursor
    word: str

    @property
    def holds(self) -> bool:
        return self.cursor.selectedText() == self.word


class SpellChecker(QObject):
    """Marks words of one field where that is wanted; nothing is loaded before."""

    failed = Signal(object)  # what keeps a dictionary from being read or written

    def __init__(
        self, source: SourceEditor, *, run: SpellExecutor, lore: SpellingContext, own: Path, theme: Theme
    ) -> None:
        """Look words up by `run`; `own` is the file of words that the user has added."""
        super().__init__(source)
        self._source, self._run, self._lore, self._own, self._theme = source, run, lore, own, theme
        self._speller: Speller | None = None
        self._marks: list[_Mark] = []
        self._asked = 0
        self._wave = QPixmap()
        self.on = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._look)
        bar = source.verticalScrollBar()
        for happened in (source.edited, bar.valueChanged, bar.rangeChanged):
            happened.connect(self._soon)
        source.loaded.connect(self.refresh)
        source.overlays.append(self._paint)

    def refresh(self) -> None:
        """Find out anew whether words are marked, and which are known: the vault's, the user's, those of the code."""
        self.on = self._lore.wanted()
        self._speller, self._asked = None, self._asked + 1
        self._show([])
        if not self.on or self._source.loading:
            return
        number, text, names, own = self._asked, self._source.live(), self._lore.names(), self._own
        self._run(
            lambda: Speller(english(), (*names(), *own_words(own), code_of(text))),
            lambda made: self._on_learnt(number, made),
            self.failed.emit,
        )

    def set_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self._theme, self._wave = theme, QPixmap()

    def stop(self) -> None:
        """Look for nothing any more."""
        self._pause.stop()
        self._asked += 1

    def word_at(self, place: QTextCursor) -> QTextCursor | None:
        """Return the marked word that a place is in, selected."""
        at = place.position()
        marks = (one for one in self._marks if one.holds)
        return next(
            (one.cursor for one in marks if one.cursor.selectionStart() <= at <= one.cursor.selectionEnd()), None
        )

    def suggest(self, word: str, done: Callable[[tuple[str, ...]], object]) -> None:
        """Tell `done` what may have been meant; nothing where that cannot be found out."""
        if (speller := self._speller) is not None:
            self._run(lambda: speller.suggestions(word), done, lambda _: done(()))

    def add(self, word: str) -> None:
        """Take a word into the user's own."""
        file = self._own
        self._run(lambda: add_own_word(file, word), lambda _: self.refresh(), self.failed.emit)

    def next_one(self, done: Callable[[QTextCursor | None], object]) -> None:
        """Tell `done` where the next such word behind the caret is, selected; None where there is none near."""
        speller = self._speller
        if not self.on or speller is None:
            done(None)
            return
        caret = self._source.textCursor()
        first = caret.block()
        lines = self._lines(first, lambda number: number < _AHEAD)
        behind = caret.selectionEnd() - first.position()

        def on_found(found: tuple[MisspeltWord, ...]) -> None:
            cursors = (self._selected(first, lines, one) for one in found)
            done(next((one for one in cursors if one and one.selectionStart() >= first.position() + behind), None))

        self._run(lambda: misspelt(lines, speller), on_found, lambda _: done(None))

    # looking

    def _soon(self) -> None:
        if self.on:
            self._pause.start()

    def _on_learnt(self, number: int, speller: Speller) -> None:
        if number == self._asked:
            self._speller = speller
            self._look()

    def _look(self) -> None:
        """Have the words in view looked up."""
        speller, source = self._speller, self._source
        if speller is None or not self.on or not source.highlighter.on:
            return
        if source.highlighter.busy:  # it does not know yet what is code
            self._pause.start()
            return
        first, bottom = source.firstVisibleBlock(), source.viewport().height()
        tops = (area.top() for _, area in source.areas())
        lines = self._lines(first, lambda _: next(tops, bottom + 1) <= bottom)
        self._asked += 1
        number, revision = self._asked, source.document().revision()
        self._run(
            lambda: misspelt(lines, speller),
            lambda found: self._on_found(number, revision, first, lines, found),
            lambda _: None,
        )

    def _lines(self, block: QTextBlock, more: Callable[[int], bool]) -> tuple[ProseLine, ...]:
        """Return lines from a block on, each with what it begins in."""
        made: list[ProseLine] = []
        above = block.previous()
        state = self._source.highlighter.state_of(above) if above.isValid() else START
        while block.isValid() and more(len(made)):
            made.append(ProseLine(block.text(), state))
            state = self._source.highlighter.state_of(block)
            block = block.next()
        return tuple(made)

    def _on_found(
        self,
        number: int,
        revision: int,
        first: QTextBlock,
        lines: tuple[ProseLine, ...],
        found: tuple[MisspeltWord, ...],
    ) -> None:
        """Mark what was found, if nobody has typed meanwhile; who types has the words looked up once more."""
        if number != self._asked or revision != self._source.document().revision():
            return
        cursors = ((self._selected(first, lines, one), one.word) for one in found)
        self._show([_Mark(cursor, word) for cursor, word in cursors if cursor is not None])

    def _selected(self, first: QTextBlock, lines: tuple[ProseLine, ...], one: MisspeltWord) -> QTextCursor | None:
        """Return a cursor that has selected a word; None where another stands there now."""
        block = self._source.document().findBlockByNumber(first.blockNumber() + one.line)
        before = lines[one.line].text[: one.start]
        cursor = QTextCursor(block)
        if not block.isValid() or block.text() != lines[one.line].text:
            return None
        cursor.setPosition(block.position() + units(before))
        cursor.setPosition(cursor.position() + len(one.word), QTextCursor.MoveMode.KeepAnchor)
        cursor.setKeepPositionOnInsert(True)  # what is typed behind a word is not of it
        return cursor

    def _show(self, marks: list[_Mark]) -> None:
        if marks or self._marks:
            self._marks = marks
            self._source.viewport().update()

    # painting

    def _paint(self, painter: QPainter) -> None:
        """Draw a wave under each word, but for the one that is being typed."""
        if not self._marks:
            return
        ratio = self._source.devicePixelRatioF()
        if self._wave.isNull() or self._wave.devicePixelRatioF() != ratio:
            self._wave = _wave(self._theme, ratio)
        for place in self._under():
            painter.drawTiledPixmap(place, self._wave)

    def _under(self) -> Iterator[QRect]:
        """Yield where a wave is to be drawn."""
        source = self._source
        typing = source.textCursor().position() if source.hasFocus() else -1
        if source.composing():
            return
        for mark in self._marks:
            end = mark.cursor.selectionEnd()
            if end != typing and mark.holds:
                right = source.cursorRect(mark.cursor)
                place = QTextCursor(mark.cursor)
                place.setPosition(mark.cursor.selectionStart())
                left = source.cursorRect(place).left()
                yield QRect(left, right.bottom() - 2, max(_TILE, right.left() - left), _TILE - 1)


def _wave(theme: Theme, ratio: float) -> QPixmap:
    """Return one wave, to be laid side by side."""
    tile = QPixmap(round(_TILE * ratio), round((_TILE - 1) * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.bad), 1.1))
    half = _TILE / 2
    painter.drawPolyline([QPointF(-half, 0.6), QPointF(0, 2.4), QPointF(half, 0.6), QPointF(_TILE, 2.4)])
    painter.end()
    return tile
