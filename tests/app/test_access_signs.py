"""Nothing is told by its colour alone: every state has a sign or words of its own, and each sign another shape."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter, QTextCharFormat, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from app.cells.output_dialogs import _SIGNS as DIFFERENCE
from app.editor import editor_header
from app.i18n import Language, Translator
from app.panels import note_tree
from app.reader.cell_state import CellState
from app.reader.cell_text import _standing
from app.reader.document_search import DocumentSearch
from app.reader.text_formats import Formats
from app.state.tree_model import SIGN_WORDS
from app.style.stylesheets import document_sheet
from app.style.theme import DARK, LIGHT, Theme
from app.widgets import notification_bar
from app.widgets.list_delegates import _marked, text_font
from snippets.results.outcome import Status

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
SHOWN = {"passed", "stale", "failed", "timeout", "killed", "stopped", "interrupted", "unavailable", "running"}
ALIKE = {"failed", "timeout", "killed", "interrupted"}  # one sign, as each of them went wrong; words tell which


def drawn(sign: str) -> QImage:
    """Return a sign in black on white, as one sees it who sees no colours."""
    image = QImage(40, 30, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(text_font(14))
    painter.drawText(image.rect(), Qt.AlignmentFlag.AlignCenter, sign)
    painter.end()
    return image


def apart(one: QImage, other: QImage) -> int:
    """Count the pixels in which two pictures differ much."""
    places = ((x, y) for x in range(one.width()) for y in range(one.height()))
    return sum(abs(one.pixelColor(*at).lightness() - other.pixelColor(*at).lightness()) > 96 for at in places)


@pytest.mark.parametrize(
    "signs",
    [
        note_tree._SIGNS,
        notification_bar._SIGNS,
        DIFFERENCE,
        {name: sign for name, sign in editor_header._SIGNS.items() if name != "gone"},
    ],
    ids=["tree", "notices", "differences", "saving"],
)
def test_signs_have_shapes_of_their_own(qtbot: QtBot, signs: Mapping[str, str]) -> None:
    """In grey, too, no two of them look the same."""
    pictures = {name: drawn(sign.strip() or " ") for name, sign in signs.items()}
    same = [pair for pair in combinations(pictures, 2) if apart(pictures[pair[0]], pictures[pair[1]]) < 4]
    assert same == []


def test_each_state_of_a_note_has_words() -> None:
    """What the tree's sign says is said in words by the tooltip and to a screen reader, each its own."""
    assert note_tree._SIGNS.keys() == SIGN_WORDS.keys() == note_tree._COLOURS.keys()
    for side in (0, 1):
        assert len({words[side] for words in SIGN_WORDS.values()}) == len(SIGN_WORDS)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_state_of_a_cell_has_words_and_a_sign(qtbot: QtBot, language: Language) -> None:
    """The words are all different; where only the sign has room, good, old, bad and absent are different."""
    words, pieces = Translator("en"), {}
    words.switch(language)
    for status in SHOWN:
        state = CellState("", None, "")
        state.standing = status
        piece = _standing(state, words)
        assert piece is not None, status
        pieces[status] = piece
    words.switch("en")
    assert len({piece.text for piece in pieces.values()}) == len(SHOWN)
    signs = {piece.brief for status, piece in pieces.items() if status not in ALIKE}
    assert len(signs) == len(SHOWN - ALIKE)
    assert {pieces[status].brief for status in ALIKE}.isdisjoint(signs)
    assert set(get_args(Status)) <= SHOWN


@THEMES
def test_what_was_found_is_underlined(qtbot: QtBot, theme: Theme) -> None:
    """In the results and in the page; the place that one is at is darker or lighter than the others, too."""
    assert _marked("gather", 0, 3, theme.mark).format.fontUnderline()
    document = QTextDocument("a word and a word")
    finder = DocumentSearch(document, theme)
    finder.find("word", 0, backward=False)
    marked = finder.selections()
    assert [one.format.fontUnderline() for one in marked] == [True, True]
    first, second = (one.format.background().color().lightness() for one in marked)
    assert abs(first - second) > 60


@THEMES
def test_links_are_underlined(qtbot: QtBot, theme: Theme) -> None:
    """In prose and in a box; its buttons, which stand apart, are none."""
    document = QTextDocument()
    document.setDefaultStyleSheet(document_sheet(theme))
    document.setHtml('<p>see <a href="x">that</a></p>')
    assert looks_at(document, document.toPlainText().index("that")).fontUnderline()
    formats = Formats(theme, 1.0)
    assert formats.toned("link", "x", "~action").fontUnderline()
    assert not formats.toned("ink", "x", "~action").fontUnderline()


def looks_at(document: QTextDocument, position: int) -> QTextCharFormat:
    """Return the format of the letter at a position."""
    cursor = QTextCursor(document)
    cursor.setPosition(position + 1)
    return cursor.charFormat()


def test_the_chosen_tag_is_told_by_more_than_its_colour() -> None:
    """It is bold and underlined, the others are not."""
    chosen, other = (note_tree._tag_style(LIGHT, chosen=one) for one in (True, False))
    assert "underline" in chosen
    assert "700" in chosen
    assert "underline" not in other


def test_a_tag_stands_in_one_line(qtbot: QtBot) -> None:
    """No line ends within it, whatever it is made of, as long as there is room for it."""
    label = QTextDocument()
    label.setHtml(" ".join(note_tree._in_one_line(tag) for tag in ("很长的标签名字", "two words", "a-b")))
    label.setTextWidth(130)
    label.documentLayout().documentSize()
    lines = label.firstBlock().layout()
    text = label.firstBlock().text()
    ends = [text[lines.lineAt(at).textStart() + lines.lineAt(at).textLength() - 1] for at in range(lines.lineCount())]
    assert lines.lineCount() > 1
    assert ends[:-1] == [" "] * (len(ends) - 1)
