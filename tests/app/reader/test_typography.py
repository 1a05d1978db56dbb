"""Tests of the look of text on the page: sizes of headings, bullets, formulas, spacing, quotation marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage, QTextBlock, QTextFormat, QTextFragment
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader import cell_text
from app.reader.cell_state import state_of
from app.reader.cell_view import BODY
from app.reader.document_html import CODE
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet, Side
from app.reader.text_formats import RULED
from app.style.theme import DARK, LIGHT
from kb.rendering.render import render
from kb.rendering.rendered_page import Cell
from snippets.results.outcome import Outcome

SIDES: tuple[Side, ...] = ("zh", "en")
HEADINGS = "# One `code`\n\n## Two `code`\n\n### Three `code`\n\n#### Four\n\n##### Five\n\n###### Six\n\nprose\n"


def showing(qtbot: QtBot, text: str, root: Path | None = None) -> NotebookView:
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 700)
    qtbot.addWidget(view)
    view.show()
    page = render(text, path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "en", {"en": "note.en.md"}, {"en": "T"}, root))
    return view


def blocks(view: NotebookView) -> Iterator[QTextBlock]:
    block = view.document().begin()
    while block.isValid():
        yield block
        block = block.next()


def fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    place = block.begin()
    while not place.atEnd():
        yield place.fragment()
        place += 1


def block_of(view: NotebookView, words: str) -> QTextBlock:
    return next(block for block in blocks(view) if words in block.text())


def height(block: QTextBlock, words: str) -> int:
    """Return the size in pixels that words are drawn in."""
    found = block.layout().glyphRuns(block.text().index(words), len(words))
    return round(found[0].rawFont().pixelSize())


def test_headings_go_down_by_steps(qtbot: QtBot) -> None:
    """Each level of heading is at most as large as the one above, the lowest is not below the text of a footnote."""
    view = showing(qtbot, HEADINGS)
    sizes = [height(block_of(view, word), word) for word in ("One", "Two", "Three", "Four", "Five", "Six")]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == height(block_of(view, "prose"), "prose")
    assert sizes[-1] >= 13


@pytest.mark.parametrize("word", ["One", "Two", "Three"])
def test_code_in_a_heading_is_a_little_smaller(qtbot: QtBot, word: str) -> None:
    """Fixed-width letters look larger than others, so they are smaller in a heading, with space around them."""
    block = block_of(showing(qtbot, HEADINGS), word)
    assert 0.8 < height(block, "code") / height(block, word) < 0.95
    code = next(one for one in fragments(block) if one.charFormat().toolTip() == CODE)
    line, start = block.layout().lineAt(0), code.position() - block.position()
    before, after = (float(line.cursorToX(at)[0]) for at in (start - 2, start))  # type: ignore[index]  # PySide's stub
    assert after - before > 6


def test_an_item_among_tasks_has_its_bullet(qtbot: QtBot) -> None:
    """Only the check box of a task replaces a bullet."""
    view = showing(qtbot, "# T\n\n- [ ] open task\n- plain item\n")
    view.grab()
    ground = view.viewport().grab().toImage()
    for words, there in (("open task", False), ("plain item", True)):
        block = block_of(view, words)
        rect = view.document().documentLayout().blockBoundingRect(block)
        line = block.layout().lineAt(0)
        middle = QPointF(rect.left() + line.x() - 11, rect.top() + line.y() + line.ascent() - 5.2).toPoint()
        assert (ground.pixelColor(middle).name() != LIGHT.page) is there


def test_a_formula_on_its_own_takes_its_whole_height(qtbot: QtBot) -> None:
    """A formula in a paragraph of its own takes all of its height; within a sentence it extends below the line."""
    view = showing(qtbot, "# T\n\n$$\\frac{a}{b}$$\n\nbetween\n\nhere $\\frac{a}{b}$ is\n")
    built = view.page.built
    assert built is not None
    images = [one for block in blocks(view) for one in fragments(block) if one.charFormat().isImageFormat()]
    tall = [built.pictures.intrinsicSize(view.document(), one.position(), one.charFormat()) for one in images]
    drawn = [built.pictures._look(one.charFormat().toImageFormat().name()) for one in images]
    assert tall[0].height() == pytest.approx(drawn[0].height * built.pictures._scale)  # type: ignore[union-attr]
    assert tall[1].height() < drawn[1].height * built.pictures._scale - 2  # type: ignore[union-attr]


def test_a_formula_is_whole_in_a_paragraph_with_marked_words(qtbot: QtBot) -> None:
    """The part below the last line is painted also if words of the paragraph are marked."""
    view = showing(qtbot, "# T\n\nword $\\frac{a}{\\sqrt{b_k}}$\n\nafter\n")
    block = block_of(view, "word")
    bottom = round(view.document().documentLayout().blockBoundingRect(block).top() + block.layout().lineAt(0).height())
    below = QRect(77, bottom, 200, 8)  # right of the word's background
    plain = view.viewport().grab(below).toImage()
    assert any(plain.pixelColor(x, 3).name() != LIGHT.page for x in range(plain.width()))
    view.mark(("word",))
    assert len(view.extraSelections()) == 1
    assert view.viewport().grab(below).toImage() == plain


@pytest.mark.parametrize("within", ["", "> ", "- "])
def test_no_formula_is_wider_than_its_column(qtbot: QtBot, within: str) -> None:
    """A long formula is drawn smaller, so that it fits its column; others keep their size."""
    long = " + ".join(f"x_{{{number}}}" for number in range(40))
    view = showing(qtbot, f"# T\n\n{within}here $$a{long}$$ is\n\n$$b{long}$$\n\n$$c$$\n")
    built = view.page.built
    assert built is not None
    images = [one for block in blocks(view) for one in fragments(block) if one.charFormat().isImageFormat()]
    rooms = [built.pictures.intrinsicSize(view.document(), one.position(), one.charFormat()) for one in images]
    drawn = [built.pictures._look(one.charFormat().toImageFormat().name()) for one in images]
    widths = [formula.width * built.pictures._scale for formula in drawn]  # type: ignore[union-attr]
    assert min(widths[:2]) > built.pictures.column
    assert rooms[0].width() <= built.pictures.column - (10 if within else 0)
    assert rooms[1].width() == pytest.approx(built.pictures.column)
    assert rooms[1].height() < drawn[1].height * built.pictures._scale  # type: ignore[union-attr]
    assert rooms[2].width() == pytest.approx(widths[2])
    assert view.document().size().width() <= view.viewport().width()


def test_the_reason_for_a_missing_picture_is_shown_whole(qtbot: QtBot, tmp_path: Path) -> None:
    """The placeholder of a picture is as wide as its words, within the column."""
    view = showing(qtbot, "# T\n\n![x](figures/a-picture-that-is-not-there.png)\n", root=tmp_path)
    built = view.page.built
    assert built is not None
    image = next(one for block in blocks(view) for one in fragments(block) if one.charFormat().isImageFormat())
    room = built.pictures.intrinsicSize(view.document(), image.position(), image.charFormat()).width()
    assert 480 < room <= built.pictures.column


@pytest.mark.parametrize("item", ["1. `first` word", "1. `first` word\n\n2. loose", "- `first` word"])
def test_the_background_of_code_does_not_touch_the_number_of_its_item(qtbot: QtBot, item: str) -> None:
    """In a list item there is space before it; in a paragraph its letters are aligned with those of other lines."""
    view = showing(qtbot, f"# T\n\n{item}\n\n`second` word\n")
    for words, room in (("first", True), ("second", False)):
        block = block_of(view, words)
        line = block.layout().lineAt(0)
        start = float(line.cursorToX(block.text().index(words))[0])  # type: ignore[index]  # PySide's stub
        assert (start - line.x() > 2) is room


def test_centred_html(qtbot: QtBot) -> None:
    """Text that a note centres by HTML is in the middle."""
    view = showing(qtbot, '# T\n\n<div align="center">centred <b>text</b></div>\n\nafter\n')
    assert block_of(view, "centred").blockFormat().alignment() & Qt.AlignmentFlag.AlignHCenter
    assert not block_of(view, "after").blockFormat().alignment() & Qt.AlignmentFlag.AlignHCenter


@pytest.mark.parametrize("status", ["failed", "timeout", "stopped"])
def test_the_first_entry_has_no_hairline(status: str, outcome: Callable[..., Outcome]) -> None:
    """The first entry below the code has no hairline above it: the edge of the code separates it."""
    state = state_of(Cell("fence", "a", "", "pass", "", "python", {}, None, 1, 3))
    state.finish(outcome(status=status), failed_line=None, as_recorded=None)
    first = cell_text.body(state, Translator("en"))[0]
    assert isinstance(first, cell_text.Remark)
    assert not first.ruled


def test_the_edge_of_the_code_is_below_its_last_line(qtbot: QtBot, outcome: Callable[..., Outcome]) -> None:
    """If a picture or a sentence comes first in the output, no line is drawn through the code."""
    view = showing(qtbot, "# T\n\n```python id=a\npass\n```\n")
    view.cell_finished("fence:a", outcome(status="timeout", output=""))
    view.page.cells.flush()
    box = view.page.cells.boxes[0][1]
    cell = box.table.cellAt(BODY, 0)
    assert not cell.firstCursorPosition().blockFormat().hasProperty(RULED)
    code, body = box.code_block(1), cell.firstCursorPosition().block()
    assert code is not None
    layout = view.document().documentLayout()
    padding = cell.format().toTableCellFormat().property(QTextFormat.Property.TableCellTopPadding)
    assert layout.blockBoundingRect(body).top() - float(padding) >= layout.blockBoundingRect(code).bottom()


def test_a_picture_in_a_list_stays_within_the_page(qtbot: QtBot, tmp_path: Path) -> None:
    """A wide picture is no wider than the space it has in a list or quote."""
    image = QImage(2000, 100, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    assert image.save(str(tmp_path / "wide.png"))
    view = showing(qtbot, "# T\n\n![a](wide.png)\n\n- item\n\n  ![a](wide.png)\n\n> ![a](wide.png)\n", tmp_path)
    built = view.page.built
    assert built is not None
    images = [one for block in blocks(view) for one in fragments(block) if one.charFormat().isImageFormat()]
    widths = [built.pictures.intrinsicSize(view.document(), one.position(), one.charFormat()).width() for one in images]
    assert widths == [built.pictures.column, built.pictures.column - 26, built.pictures.column - 32]


def test_line_breaks_after_a_block_take_no_space(qtbot: QtBot) -> None:
    """A <br> after a centred block leaves no gap in the page."""
    view = showing(qtbot, '# T\n\n<div align="center">centred</div><br>\n\nafter\n')
    layout = view.document().documentLayout()
    above, below = (layout.blockBoundingRect(block_of(view, words)) for words in ("centred", "after"))
    assert 0 <= below.top() - above.bottom() <= 16


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("it’s", 1),
        ("she said “yes” to it", 2),
        ("“begin” there", 2),
        ("他说“是”。", 0),
        ("说：“So it is.”即", 0),
        ("`it’s`", 0),
        ("PyTorch’s 接口", 1),
        ("# a heading’s mark", 1),
        ('![it’s](x.png "it’s")', 1),
        ("他’们", 0),
    ],
)
def test_quotation_marks_of_english_are_narrow(qtbot: QtBot, text: str, narrow: int) -> None:
    """Quotation marks between English words have a font that is not Chinese; others, and those in code, have not."""
    view = showing(qtbot, f"{text}\n" if text.startswith("#") else f"# T\n\n{text}\n")
    usual = view.document().defaultFont().families()
    found = [
        one
        for block in blocks(view)
        for one in fragments(block)
        if one.text() in set("‘’“”") and one.charFormat().fontFamilies() not in (None, usual)
    ]
    assert len(found) == narrow
    assert all("Noto Sans CJK SC" not in one.charFormat().fontFamilies() for one in found)
    assert text.strip("#`![] ")[:4] in view.document().toPlainText() or "png" in text


def test_a_recorded_picture_is_shown_until_there_is_a_run(
    qtbot: QtBot, tmp_path: Path, outcome: Callable[..., Outcome]
) -> None:
    """It is below the recorded output, and disappears when a run begins."""
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    assert image.save(str(tmp_path / "a.png"))
    view = showing(qtbot, "# T\n\n```python id=a\npass\n```\n")
    view.cell_pictured("fence:a", (tmp_path / "a.png",))
    view.page.cells.flush()

    def shown() -> tuple[bool, bool]:
        images = any(one.charFormat().isImageFormat() for block in blocks(view) for one in fragments(block))
        return images, "recorded" in view.document().toPlainText()

    assert shown() == (True, True)
    view.cell_started("fence:a", "cpu")
    view.cell_finished("fence:a", outcome())
    view.page.cells.flush()
    assert shown() == (False, False)


def test_two_headings_of_one_section_are_close_together(qtbot: QtBot) -> None:
    """With one language below the other, a heading is nearer to its twin than to the text before."""
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(500, 700)
    qtbot.addWidget(view)
    view.show()
    pages = {side: render(f"# T {side}\n\ntext {side}\n\n## Part {side}\n\nmore\n", path="n.md") for side in SIDES}
    view.show_pages(PageSet("k", pages, "both", {"zh": "n.zh.md", "en": "n.en.md"}, {"zh": "T", "en": "T"}))
    layout = view.document().documentLayout()
    before, first, second = (
        layout.blockBoundingRect(block_of(view, words)) for words in ("text en", "Part zh", "Part en")
    )
    assert second.top() - first.bottom() < (first.top() - before.bottom()) / 2


def test_a_plot_has_round_corners(qtbot: QtBot, tmp_path: Path) -> None:
    """Its background is not a sharp white box in a dark page; the plot reaches to the edges."""
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill("#ffffff")
    assert image.save(str(tmp_path / "a.png"))
    view = showing(qtbot, "# T\n\n```python id=a\npass\n```\n")
    view.set_theme(DARK)
    view.cell_pictured("fence:a", (tmp_path / "a.png",))
    view.page.cells.flush()
    block = next(b for b in blocks(view) for one in fragments(b) if one.charFormat().isImageFormat())
    line, rect = block.layout().lineAt(0), view.document().documentLayout().blockBoundingRect(block)
    corner = QPointF(rect.left() + line.x(), rect.top() + line.y() + line.ascent() - 100).toPoint()
    page = view.viewport().grab().toImage()
    assert page.pixelColor(corner).name() == DARK.output
    assert page.pixelColor(corner + QPoint(1, 50)).name() == "#ffffff"


def test_the_line_under_a_link_hides_no_letters_of_code(qtbot: QtBot) -> None:
    """The words of a link are underlined; under code the line is lower, below the underscores."""
    view = showing(qtbot, "# T\n\n[after `CUDA_VISIBLE_DEVICES` all](x.md) and `plain`\n")
    block = block_of(view, "after")
    looks = {one.text().strip(): one.charFormat() for one in fragments(block) if one.text().strip()}
    assert looks["after"].fontUnderline()
    assert not looks["CUDA_VISIBLE_DEVICES"].fontUnderline()
    page, layout, line = view.viewport().grab().toImage(), view.document().documentLayout(), block.layout().lineAt(0)
    base = layout.blockBoundingRect(block).top() + line.y() + line.ascent()

    def line_under(words: str) -> bool:
        x = float(line.cursorToX(block.text().index(words) + 2)[0])  # type: ignore[index]  # PySide's stub
        left = round(view.document().rootFrame().frameFormat().leftMargin() + x)
        return any(page.pixelColor(left, round(base) + dy).name() == LIGHT.underline for dy in range(4, 8))

    assert line_under("CUDA_VISIBLE_DEVICES")
    assert not line_under("plain")


def test_the_space_below_a_list_is_after_its_last_item(qtbot: QtBot) -> None:
    """Also if the list ends with a nested list, which stays close to its own item."""
    text = "- one\n    - in\n- two\n    - deep\n        - deeper\n\nafter\n\n- last\n    - of all\n"
    view = showing(qtbot, text)
    layout = view.document().documentLayout()

    def apart(above: str, below: str) -> float:
        rects = [layout.blockBoundingRect(block_of(view, words)) for words in (above, below)]
        return rects[1].top() - rects[0].bottom()

    within = apart("one", "in")
    assert [apart("two", "deep"), apart("deep", "deeper"), apart("last", "of all")] == [within] * 3
    assert apart("deeper", "after") > within + 5
    assert block_of(view, "of all").blockFormat().bottomMargin() == 10


def test_the_sign_of_a_footnote_is_not_underlined(qtbot: QtBot) -> None:
    """Its position and size are enough; an underline would touch the letters below."""
    view = showing(qtbot, "a word[^1] and [a link](x.md)\n\n[^1]: told\n")
    looks = {fragment.text(): fragment.charFormat() for fragment in fragments(block_of(view, "a word"))}
    assert looks["1"].isAnchor()
    assert not looks["1"].fontUnderline()
    assert looks["a link"].fontUnderline()
    assert looks["a link"].underlineColor().name() == LIGHT.underline
