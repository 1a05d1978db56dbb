"""Marks unknown words in view; they are looked up off the GUI thread, shortly after the last key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from PySide6.QtCore import QObject, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTextBlock, QTextCursor

from app.editor.dictionary import MisspeltWord, ProseLine, Speller, add_own_word, code_of, english, misspelt, own_words
from app.editor.markdown_tokens import START
from app.editor.source_editor import SourceEditor
from app.editor.text_diff import units
from app.style.theme import Theme

_PAUSE = 250  # ms without a key or a scroll
_AHEAD = 3_000  # lines to search for the next unknown word
_TILE = 4  # pixels, the width of one wave
Run: TypeAlias = Callable[[Callable[[], Any], Callable[[Any], object], Callable[[Exception], object]], object]


class SpellingContext(Protocol):
    """Decides whether to mark words. `app.commands` implements it, which this package cannot import."""

    def wanted(self) -> bool:
        """Return whether unknown words of the edited note are marked."""

    def names(self) -> Callable[[], Iterable[str]]:
        """Return a function that returns the names known in the vault; it runs off the GUI thread."""


class SpellChecker(QObject):
    """Marks unknown words in one field; the dictionary is loaded only if they are wanted."""

    failed = Signal(object)  # error: a dictionary could not be read or written

    def __init__(self, source: SourceEditor, *, run: Run, context: SpellingContext, own: Path, theme: Theme) -> None:
        """Look words up by `run`, off the GUI thread; `own` is the file of words that the user has added."""
        super().__init__(source)
        self._source, self._run, self._context, self._own, self._theme = source, run, context, own, theme
        self._speller: Speller | None = None
        self._marks: list[tuple[QTextCursor, str]] = []
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

    @property
    def ready(self) -> bool:
        """Whether the dictionary is loaded."""
        return self._speller is not None

    @property
    def marked(self) -> list[QTextCursor]:
        """Cursors that select the marked words which are still there."""
        return [cursor for cursor, word in self._marks if cursor.selectedText() == word]

    def refresh(self) -> None:
        """Read the setting again, and the known words: of the vault, of the user, and of the note's code."""
        self.on = self._context.wanted()
        self._speller, self._asked = None, self._asked + 1
        self._show([])
        if not self.on or self._source.loading:
            return
        number, text, names, own = self._asked, self._source.live(), self._context.names(), self._own
        self._run(
            lambda: Speller(english(), (*names(), *own_words(own), code_of(text))),
            lambda made: self._on_loaded(number, made),
            self.failed.emit,
        )

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme, self._wave = theme, QPixmap()

    def stop(self) -> None:
        """Stop looking words up."""
        self._pause.stop()
        self._asked += 1

    def word_at(self, place: QTextCursor) -> QTextCursor | None:
        """Return a cursor that selects the marked word at a position, or None."""
        at = place.position()
        return next((word for word in self.marked if word.selectionStart() <= at <= word.selectionEnd()), None)

    def suggest(self, word: str, done: Callable[[tuple[str, ...]], object]) -> None:
        """Call `done` with suggestions for a word, none if the lookup fails."""
        if (speller := self._speller) is not None:
            self._run(lambda: speller.suggestions(word), done, lambda _: done(()))

    def add(self, word: str) -> None:
        """Add a word to the user's dictionary."""
        file = self._own
        self._run(lambda: add_own_word(file, word), lambda _: self.refresh(), self.failed.emit)

    def next_one(self, done: Callable[[QTextCursor | None], object]) -> None:
        """Call `done` with a cursor that selects the next unknown word after the caret, or None."""
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

    # looking words up

    def _soon(self) -> None:
        if self.on:
            self._pause.start()

    def _on_loaded(self, number: int, speller: Speller) -> None:
        if number == self._asked:
            self._speller = speller
            self._look()

    def _look(self) -> None:
        """Look up the words in view."""
        speller, source = self._speller, self._source
        if speller is None or not self.on or not source.highlighter.on:
            return
        if source.highlighter.busy:  # which lines are code is not known yet
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
        state = self._source.highlighter.shown_state(above) if above.isValid() else START
        while block.isValid() and more(len(made)):
            made.append(ProseLine(block.text(), state))
            state = self._source.highlighter.shown_state(block)
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
        """Mark the words found, unless the text changed meanwhile: then they are looked up again."""
        if number != self._asked or revision != self._source.document().revision():
            return
        cursors = ((self._selected(first, lines, one), one.word) for one in found)
        self._show([(cursor, word) for cursor, word in cursors if cursor is not None])

    def _selected(self, first: QTextBlock, lines: tuple[ProseLine, ...], one: MisspeltWord) -> QTextCursor | None:
        """Return a cursor that selects a word, or None if its line has changed."""
        block = self._source.document().findBlockByNumber(first.blockNumber() + one.line)
        before = lines[one.line].text[: one.start]
        cursor = QTextCursor(block)
        if not block.isValid() or block.text() != lines[one.line].text:
            return None
        cursor.setPosition(block.position() + units(before))
        cursor.setPosition(cursor.position() + len(one.word), QTextCursor.MoveMode.KeepAnchor)
        cursor.setKeepPositionOnInsert(True)  # text typed after a word is not part of it
        return cursor

    def _show(self, marks: list[tuple[QTextCursor, str]]) -> None:
        if marks or self._marks:
            self._marks = marks
            self._source.viewport().update()

    # painting

    def _paint(self, painter: QPainter) -> None:
        """Draw a wave under each marked word, except the one being typed."""
        if not self._marks:
            return
        ratio = self._source.devicePixelRatioF()
        if self._wave.isNull() or self._wave.devicePixelRatioF() != ratio:
            self._wave = _wave(self._theme, ratio)
        for place in self._wave_areas():
            painter.drawTiledPixmap(place, self._wave)

    def _wave_areas(self) -> Iterator[QRect]:
        """Yield the areas of the waves."""
        source = self._source
        typing = source.textCursor().position() if source.hasFocus() else -1
        if source.composing():
            return
        for word in self.marked:
            if word.selectionEnd() != typing:
                right = source.cursorRect(word)
                start = QTextCursor(word)
                start.setPosition(word.selectionStart())
                left = source.cursorRect(start).left()
                yield QRect(left, right.bottom() - 2, max(_TILE, right.left() - left), _TILE - 1)


def _wave(theme: Theme, ratio: float) -> QPixmap:
    """Return the image of one wave, to be tiled."""
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
