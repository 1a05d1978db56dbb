"""Find results are highlighted as far as they are in view, and code fences and the caret's line have a background."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.editor.line_backgrounds import FindHighlights, paint_backgrounds
from app.editor.source_editor import SourceEditor
from app.editor.text_search import SearchPattern, TextMatch, find_all
from app.style.theme import DARK, LIGHT


def marked(source: SourceEditor) -> list[int]:
    """Return the lines of the highlighted matches, from 0."""
    return [one.cursor.blockNumber() for one in source.extraSelections()]


def matches(source: SourceEditor, pattern: str) -> tuple[TextMatch, ...]:
    return find_all(source.raw(), SearchPattern(pattern)).matches


def test_only_matches_in_view_are_highlighted(source: SourceEditor) -> None:
    """Others follow when they are scrolled to."""
    source.load("word\n" * 2_000)
    highlights = FindHighlights(source, LIGHT)
    found = matches(source, "word")
    highlights.show(found, None)
    first = marked(source)
    assert first[0] == 0
    assert len(first) < 200
    source.go_to_line(1_500)
    source.repaint()
    assert 1_499 in marked(source)
    assert 0 not in marked(source)
    highlights.show((), None)
    assert marked(source) == []


def test_the_current_match_looks_different(source: SourceEditor) -> None:
    """By its colour, which follows the theme; all are underlined, for users who cannot see the colours."""
    source.load("one two one\n")
    highlights = FindHighlights(source, LIGHT)
    found = matches(source, "one")
    highlights.show(found, found[1])
    selections = source.extraSelections()
    assert [one.format.background().color() for one in selections] == [QColor(LIGHT.mark), QColor(LIGHT.accent)]
    assert all(one.format.fontUnderline() for one in selections)
    highlights.set_theme(DARK)
    selections = source.extraSelections()
    assert selections[1].format.background().color() == QColor(DARK.accent)


def test_a_fence_and_the_line_of_the_caret_have_a_background(source: SourceEditor, qtbot: QtBot) -> None:
    """Exactly the lines of the fence and the caret's line are painted; without a caret only the fence."""
    source.load("prose\n```\ncode\n```\nprose\nlast\n")
    qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)

    def painted(caret_block: int) -> list[bool]:
        image = QImage(100, 60, QImage.Format.Format_RGB32)
        image.fill(QColor("#123456"))
        blocks = [source.document().findBlockByNumber(number) for number in range(6)]
        areas = [(block, QRectF(0, 10 * number, 100, 10)) for number, block in enumerate(blocks)]
        with QPainter(image) as painter:
            paint_backgrounds(
                painter, iter(areas), highlighter=source.highlighter, theme=LIGHT, caret_block=caret_block
            )
        return [image.pixelColor(50, 10 * number + 5) != QColor("#123456") for number in range(6)]

    assert painted(-1) == [False, True, True, True, False, False]
    assert painted(4) == [False, True, True, True, True, False]
