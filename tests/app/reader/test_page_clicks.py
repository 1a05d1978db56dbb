"""Tests of clicks in a page: copying code, enlarging pictures, footnotes, tasks, remote pictures, links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QImage, QTextCursor, QTextFormat, QTextFragment, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.image_loader import ImageSource
from app.reader.image_object import ImageRefusal
from app.reader.image_viewer import ImageViewer
from app.reader.link_targets import BeginTranslation, EnlargeImage, JumpTarget, LoadImage, TaskTarget
from app.reader.notebook_view import NotebookView
from app.reader.page_set import Mode, PageSet, Side
from app.reader.reader_document import ReaderDocument
from app.reader.text_formats import LINE_MARK
from app.style.theme import LIGHT
from kb.rendering.render import render
from tests.app.conftest import Person

NOTE = """# Title

- [ ] an open task
- [x] a task that is done

```js {2}
let a = 1
let b = 2

let c = 3
```

```
no language
```

Said so[^1], twice[^2].

```python {1}
import torch
```

![wide](wide.png)

![far](https://example.org/far.png)

[to a heading](#a-heading-of-words) [by its words](#A%20heading%20of%20words)

## A heading of words

[^1]: A *footnote* with `code`.
[^2]: Another
"""


@pytest.fixture
def reader(qtbot: QtBot, tmp_path: Path) -> Person:
    """Give a person who reads the note."""
    image = QImage(1200, 300, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    assert image.save(str(tmp_path / "wide.png"))
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 700)
    qtbot.addWidget(view)
    view.show()
    page = render(NOTE, path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "zh", {"en": "note.en.md"}, {"en": "Title"}, root=tmp_path))
    return Person(qtbot, view)


def click(person: Person, words: str, *, nth: int = 0) -> None:
    """Click on words of the page."""
    QTest.mouseClick(person.view.viewport(), Qt.MouseButton.LeftButton, pos=person.finds(words, nth=nth))


def linked(view: NotebookView, kind: type) -> list[QTextFragment]:
    """Return the links of a kind, from top to bottom."""
    found = []
    block = view.document().begin()
    while block.isValid():
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            address = fragment.charFormat().anchorHref()
            if address and isinstance(view.page.built.targets.link_of(address), kind):  # type: ignore[union-attr]
                found.append(fragment)
            place += 1
        block = block.next()
    return found


def middle(view: NotebookView, fragment: QTextFragment) -> QPoint:
    """Return where on the viewport a link is, scrolled into view."""
    cursor = QTextCursor(view.document())
    cursor.setPosition(fragment.position())
    view.setTextCursor(cursor)
    view.ensureCursorVisible()
    start = view.cursorRect(cursor).center()
    cursor.setPosition(fragment.position() + fragment.length())
    return (start + view.cursorRect(cursor).center()) / 2


def press(view: NotebookView, fragment: QTextFragment) -> None:
    """Click on a link."""
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle(view, fragment))


def hint_at(person: Person, at: QPoint) -> str:
    """Return the tooltip at a place."""
    QToolTip.hideText()
    event = QHelpEvent(QEvent.Type.ToolTip, at, person.view.viewport().mapToGlobal(at))
    QApplication.sendEvent(person.view.viewport(), event)
    return QToolTip.text()


def test_any_code_is_copied_by_its_button(reader: Person) -> None:
    """With blank lines and without its label; for a moment the button says that it was copied."""
    click(reader, "copy")
    assert QGuiApplication.clipboard().text() == "let a = 1\nlet b = 2\n\nlet c = 3"
    assert reader.sees().count("copied") == 1
    reader._qtbot.waitUntil(lambda: "copied" not in reader.sees())
    click(reader, "copy", nth=1)
    assert QGuiApplication.clipboard().text() == "no language"


def test_code_is_labelled_and_its_label_is_not_copied(reader: Person) -> None:
    """The language is shown above the code, and is not copied with a selection."""
    assert "js" in reader.sees().split("\n")
    reader.view.selectAll()
    reader.view.copy()
    copied = QGuiApplication.clipboard().text().split("\n")
    assert "js" not in copied
    assert "copy" not in copied
    assert "let a = 1" in copied


def test_lines_are_marked(reader: Person) -> None:
    """The lines that the author named are marked, in code to read and in code to run."""
    marked = []
    block = reader.view.document().begin()
    while block.isValid():
        if block.blockFormat().hasProperty(QTextFormat.Property(LINE_MARK)):
            marked.append(block.text())
        block = block.next()
    assert marked == ["let b = 2", "import torch"]
    assert not reader.view.grab().isNull()


def test_the_tooltip_of_a_footnote_number_is_the_footnote(reader: Person) -> None:
    """Its text alone, without the arrow back to the text."""
    said = [hint_at(reader, middle(reader.view, one)) for one in linked(reader.view, JumpTarget)[:3]]
    assert said == ["A footnote with code.", "Another", "#a-heading-of-words"]


def test_a_task_is_ticked_by_a_click(reader: Person) -> None:
    """The view reports file, line and new state of the task; it changes nothing by itself."""
    seen: list[tuple[str, int, bool]] = []
    reader.view.links.ticked.connect(lambda side, line, done: seen.append((side, line, done)))
    for one in linked(reader.view, TaskTarget):
        press(reader.view, one)
    assert seen == [("en", 3, True), ("en", 4, False)]


def test_a_note_cannot_forge_a_task_link(qtbot: QtBot) -> None:
    """A link of that scheme in a note does nothing."""
    view = NotebookView(Translator("en"), LIGHT)
    qtbot.addWidget(view)
    text = '[a](task:1) <a class="task-open" href="task:1">b</a>\n\n- c\n'
    view.show_pages(PageSet("k", {"en": render(text, path="a.en.md")}, "en"))
    assert linked(view, TaskTarget) == []


def test_the_other_language_can_be_started(reader: Person, qtbot: QtBot) -> None:
    """A missing language is named below the title, if it was asked for."""
    assert "not yet in Chinese: start writing" in reader.sees()
    with qtbot.waitSignal(reader.view.links.translation_requested) as asked:
        click(reader, "start writing")
    assert asked.args == ["zh"]
    assert len(linked(reader.view, BeginTranslation)) == 1


@pytest.mark.parametrize(
    ("mode", "sides"), [("en", ("en",)), ("zh", ("zh", "en")), ("both", ("zh", "en")), ("zh", ("",))]
)
def test_a_missing_language_is_not_named_unless_asked_for(qtbot: QtBot, mode: Mode, sides: tuple[Side, ...]) -> None:
    """Nor in a note without a language."""
    view = NotebookView(Translator("en"), LIGHT)
    qtbot.addWidget(view)
    pages = {side: render("# a\n", path="a.md") for side in sides}
    view.show_pages(PageSet("k", pages, mode))
    assert "begin" not in view.toPlainText()


def test_a_remote_picture_is_only_requested_by_a_click(reader: Person, qtbot: QtBot) -> None:
    """Then it is shown, or the reason why it is not; once it is shown, the same click enlarges it."""
    view, asked = reader.view, list[str]()
    view.links.picture_requested.connect(asked.append)
    (link,) = linked(view, LoadImage)
    view.grab()
    assert asked == []
    press(view, link)
    assert asked == ["https://example.org/far.png"]
    view.show_remote(asked[0], ImageRefusal("example.org", "not loaded", "没有加载"))
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill("#ff0000")
    path = Path(view.page.pages.root or "") / "far.png"  # type: ignore[union-attr]
    assert image.save(str(path))
    view.show_remote(asked[0], ImageSource(path.read_bytes(), 60, 30, vector=False))
    press(view, linked(view, LoadImage)[0])
    assert len(asked) == 1
    (enlarged,) = view.window().findChildren(ImageViewer)
    enlarged.leave()


def test_a_picture_is_enlarged_over_the_window(reader: Person, qtbot: QtBot) -> None:
    """As large as it fits; zoomed about the pointer, moved, fitted again, and closed with Escape or a click."""
    view = reader.view
    press(view, linked(view, EnlargeImage)[0])
    (over,) = view.findChildren(ImageViewer)
    assert over.size() == view.size()
    fitted = over.scale
    assert fitted == pytest.approx((800 - 72) / 1200)
    assert over.grab().toImage().pixelColor(400, 350).name() == "#3b5bdb"
    at, button, keys = QPointF(10, 10), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    wheel = QWheelEvent(at, at, QPoint(), QPoint(0, 120), button, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(over, wheel)
    assert over.scale > fitted
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Left, Qt.Key.Key_1):
        QTest.keyClick(over, key)
    assert over.scale == pytest.approx(1)
    QTest.keyClick(over, Qt.Key.Key_0)
    assert over.scale == pytest.approx(fitted)
    QTest.mousePress(over, Qt.MouseButton.LeftButton, pos=QPoint(400, 350))
    QTest.mouseMove(over, QPoint(300, 350))
    QTest.mouseRelease(over, Qt.MouseButton.LeftButton, pos=QPoint(300, 350))
    assert over.isVisible()
    view.resize(700, 600)
    assert over.size() == view.size()
    QTest.keyClick(over, Qt.Key.Key_Escape)
    assert not over.isVisible()
    qtbot.waitUntil(lambda: not view.findChildren(ImageViewer))


def test_links_lead_to_headings_by_anchor_and_by_words(reader: Person) -> None:
    """As in GitHub and in Obsidian, in any case of letters, and with the headings above."""
    for name in ("a-heading-of-words", "A heading of words", "a Heading of Words", "Title#A heading of words"):
        reader.view.verticalScrollBar().setValue(0)
        assert reader.view.go_to(name), name
        assert reader.view.section == "a-heading-of-words"
    assert not reader.view.go_to("no such heading")


def test_sizes_that_a_note_sets(qtbot: QtBot, tmp_path: Path) -> None:
    """In pixels, in percent of the column, or by the height alone; never wider than the column."""
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill("#3b5bdb")
    assert image.save(str(tmp_path / "a.png"))
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 600)
    qtbot.addWidget(view)

    def size(written: str) -> tuple[int, int]:
        view.show_pages(PageSet("k", {"": render(written, path="a.md")}, "en", {"": "a.md"}, root=tmp_path))
        pictures, column = view.page.built.pictures, view.page.built.pictures.column  # type: ignore[union-attr]
        block = view.document().begin()
        while "\ufffc" not in block.text():
            block = block.next()
        at = block.position() + block.text().index("\ufffc")
        cursor = QTextCursor(view.document())
        cursor.setPosition(at + 1)
        found = pictures.intrinsicSize(view.document(), at, cursor.charFormat())
        assert found.width() <= column
        return round(found.width()), round(found.height())

    assert size("![a](a.png)") == (200, 100)
    assert size("![a|50](a.png)") == (50, 25)
    assert size("![[a.png|50x10]]") == (50, 10)
    assert size('<img src="a.png" height="50">') == (100, 50)
    assert size("![a](a.png){width=50%}")[0] == round(view.page.built.pictures.column / 2)  # type: ignore[union-attr]
    assert size("![a|9000](a.png)")[0] == round(view.page.built.pictures.column)  # type: ignore[union-attr]


@pytest.mark.parametrize(("width", "rows"), [(1000, True), (520, False)])
def test_two_languages_in_a_narrow_page_are_one_below_the_other(
    view: NotebookView,
    pages: PageSet,
    qtbot: QtBot,
    width: int,
    rows: bool,  # noqa: FBT001
) -> None:
    """Each section in both languages, every cell once; side by side again in a wide page."""
    view.resize(width, 700)
    view.show_pages(pages)
    kinds = [kind for _, kind in view.page.built.frames]  # type: ignore[union-attr]
    assert ("pair" in kinds) is rows
    assert view.toPlainText().count("picked = scores.gather(1, labels)") == 1
    view.resize(1520 - width, 700)
    qtbot.waitUntil(lambda: ("pair" in [kind for _, kind in view.page.built.frames]) is not rows)  # type: ignore[union-attr]
    assert view.go_to("shapes")


def test_the_cell_of_the_section_that_was_jumped_to_is_run(qtbot: QtBot) -> None:
    """Also at the end of the note, where the page cannot scroll that far."""
    cells = (
        f"## {anchor}\n\n```python id={name}\n1\n```\n"
        for anchor, name in zip("abc", ("one", "two", "three"), strict=True)
    )
    text = "".join(cells) + "## d\n"
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 900)
    qtbot.addWidget(view)
    view.show_pages(PageSet("k", {"": render(text, path="a.md")}, "en"))
    for anchor, name in (("c", "three"), ("b", "two"), ("a", "one")):
        view.go_to(anchor)
        assert view.current_cell() == f"fence:{name}"
    view.go_to("d")
    assert view.current_cell() is not None


def test_the_cell_in_view_is_run_and_not_one_out_of_view(qtbot: QtBot) -> None:
    """A cursor in a cell out of view does not count, and marks further down do not change the section."""
    cell = "```python id={0}\n1\n```\n\n{1}\n\n"
    text = "".join(f"## {name}\n\n" + cell.format(name, "text\n\n" * 40) for name in ("one", "two", "three"))
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 500)
    qtbot.addWidget(view)
    view.show()
    view.show_pages(PageSet("k", {"": render(text + "needle\n", path="a.md")}, "en"))
    cursor = view.document().find("1")
    view.setTextCursor(cursor)
    assert view.current_cell() == "fence:one"
    view.go_to("two")
    assert view.current_cell() == "fence:two"
    view.go_to("three")
    view.mark(("needle",))
    assert view.current_cell() == "fence:three"


def test_a_hundred_notes_leave_nothing_behind(view: NotebookView, note: Callable[..., PageSet], qtbot: QtBot) -> None:
    """One document remains, and as much memory as after the first notes."""
    text = "".join(f"## S{number}\n\n- [ ] *a* `b`\n\n```python\nprint({number})\n```\n\n" for number in range(15))
    taken = []
    for number in range(100):
        view.show_pages(note(f"{text}\n\n{number}\n", key=f"note {number}"))
        view.grab()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        if number in {20, 99}:
            qtbot.waitUntil(lambda: len(view.findChildren(ReaderDocument)) == 1)
            taken.append(psutil.Process().memory_info().rss)
    assert taken[1] - taken[0] < 12 << 20
