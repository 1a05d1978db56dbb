"""Completion: what can be completed at the caret, the list under it, and keys that belong to an input method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor.completion import CompletionContext, CompletionItem, CompletionPopup, key_of, wanted
from app.editor.source_editor import SourceEditor
from app.i18n import Translator
from app.style.theme import LIGHT


@pytest.mark.parametrize(
    ("before", "place", "found"),
    [
        ("see [[gat", "text", CompletionContext("note", "gat")),
        ("[[", "text", CompletionContext("note", "")),
        ("![[pic", "text", CompletionContext("note", "pic")),
        ("[[tensors/gather#Bou", "text", CompletionContext("heading", "Bou", "tensors/gather")),
        ("[[#Bou", "text", CompletionContext("heading", "Bou")),
        ("[[a|label", "text", None),
        ("[[a]] and", "text", None),
        ("`[[a", "text", None),
        ("x[[0", "code", None),
        ("[t](snippet:ga", "text", CompletionContext("snippet", "ga")),
        ("see [](snippet:ga", "text", CompletionContext("snippet", "ga", whole="[](snippet:ga")),
        ("[t](gather.md#bou", "text", CompletionContext("anchor", "bou", "gather.md")),
        ("[t](https://x.org#a", "text", None),
        ("tags: [tensor, ind", "front", CompletionContext("tag", "ind")),
        ("tags: te", "front", CompletionContext("tag", "te")),
        ("  - ind", "front", CompletionContext("tag", "ind")),
        ("title: ind", "front", None),
        ("gradient ac", "text", None),
    ],
)
def test_what_is_wanted(before: str, place: str, found: CompletionContext | None) -> None:
    """It depends on the text before the caret and on the kind of the line."""
    assert wanted(before, place, lambda: "tags") == found


def test_terms_are_wanted_on_demand() -> None:
    """A term is a few English words or a run of Chinese; inside a link the link is completed."""
    assert wanted("the gradient ac", "text", str, asked=True) == CompletionContext("term", "the gradient ac")
    assert wanted("用梯度", "text", str, asked=True) == CompletionContext("term", "用梯度")
    assert wanted("[[梯度", "text", str, asked=True) == CompletionContext("note", "梯度")
    assert wanted("- ind", "front", lambda: "aliases", asked=True) is None
    assert (key_of("tags: [a]"), key_of("  - a"), key_of("Tags:")) == ("tags", "", "tags")


class Some:
    """Knows a few notes, and can answer late."""

    def __init__(self) -> None:
        self.asked: list[CompletionContext] = []
        self.waiting: list[Callable[[], object]] = []
        self.slow = False

    def choices(
        self, wanted: CompletionContext, path: str, text: str, *, done: Callable[[Sequence[CompletionItem]], object]
    ) -> None:
        self.asked.append(wanted)
        known = [CompletionItem(name, path, name) for name in ("gather", "gathering", "scatter")]
        known.append(CompletionItem("mixed", path, "amp|mixed"))
        found = [choice for choice in known if choice.text.startswith(wanted.typed)]
        if self.slow:
            self.waiting.append(lambda: done(found))
        else:
            done(found)


@pytest.fixture
def context() -> Some:
    """Give the source of completions."""
    return Some()


@pytest.fixture
def chooser(qtbot: QtBot, context: Some) -> Iterator[CompletionPopup]:
    """Give the list of a visible field."""
    source = SourceEditor(LIGHT)
    qtbot.addWidget(source)
    source.resize(900, 700)
    with qtbot.waitExposed(source):
        source.show()
    source.activateWindow()
    source.setFocus()
    source.load("")
    yield CompletionPopup(source, context, path=lambda: "n.md", words=Translator("en"), theme=LIGHT)
    source.stop()


def type_in(chooser: CompletionPopup, text: str) -> None:
    """Type, and let the list appear."""
    QTest.keyClicks(chooser.source, text)
    QApplication.processEvents()


def shown(chooser: CompletionPopup) -> list[str]:
    """Return the offered labels."""
    return [chooser.item(row).text() for row in range(chooser.count())] if chooser.isVisible() else []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_a_choice_takes_the_place_of_what_was_typed(chooser: CompletionPopup, key: Qt.Key) -> None:
    """The link is closed once, the caret is after it, the focus stays, and one undo step reverts it."""
    type_in(chooser, "see [[gat")
    assert shown(chooser) == ["gather", "gathering"]
    QTest.keyClick(chooser.source, Qt.Key.Key_Down)
    QTest.keyClick(chooser.source, key)
    type_in(chooser, "!")
    assert chooser.source.raw() == "see [[gathering]]!"
    assert shown(chooser) == []
    assert chooser.source.hasFocus()


def test_escape_closes_the_list_and_nothing_else(chooser: CompletionPopup) -> None:
    """The next Escape closes the editor, and Enter breaks the line again."""
    commands: list[str] = []
    chooser.source.commanded.connect(commands.append)
    type_in(chooser, "[[ga")
    QTest.keyClick(chooser.source, Qt.Key.Key_Escape)
    assert (shown(chooser), commands) == ([], [])
    QTest.keyClick(chooser.source, Qt.Key.Key_Escape)
    assert commands == ["escape"]
    QTest.keyClick(chooser.source, Qt.Key.Key_Return)
    assert chooser.source.raw() == "[[ga\n]]"


def test_the_list_follows_the_typing(chooser: CompletionPopup) -> None:
    """It disappears if nothing fits or the caret moves away, and comes back while typing."""
    type_in(chooser, "[[gatherx")
    assert shown(chooser) == []
    QTest.keyClick(chooser.source, Qt.Key.Key_Backspace)
    QApplication.processEvents()
    assert shown(chooser) == ["gather", "gathering"]
    chooser.source.moveCursor(QTextCursor.MoveOperation.Start)
    QApplication.processEvents()
    assert shown(chooser) == []


def test_nothing_is_offered_while_text_is_composed(chooser: CompletionPopup, context: Some) -> None:
    """While composing there is no search, no list and no handled key; committed text is completed."""
    type_in(chooser, "[[ga")
    QApplication.sendEvent(chooser.source, QInputMethodEvent("ti", []))
    QApplication.processEvents()
    asked = len(context.asked)
    assert shown(chooser) == []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape):
        QTest.keyClick(chooser.source, key)
    chooser.demand()
    assert len(context.asked) == asked
    assert chooser.source.raw() == "[[ga]]"
    event = QInputMethodEvent()
    event.setCommitString("ther")
    QApplication.sendEvent(chooser.source, event)
    QApplication.processEvents()
    assert shown(chooser) == ["gather", "gathering"]


def test_late_answers_are_dropped(chooser: CompletionPopup, context: Some) -> None:
    """An answer to an outdated question, and one that comes while text is composed."""
    context.slow = True
    type_in(chooser, "[[g")
    type_in(chooser, "ather")
    context.waiting[0]()
    assert shown(chooser) == []
    QApplication.sendEvent(chooser.source, QInputMethodEvent("i", []))
    context.waiting[-1]()
    assert shown(chooser) == []


def test_a_link_in_a_table_leaves_its_cells_alone(chooser: CompletionPopup) -> None:
    """The bar before the label would end the cell."""
    type_in(chooser, "[[mi")
    chooser.take()
    assert chooser.source.raw() == "[[amp|mixed]]"
    chooser.source.load("")
    type_in(chooser, "| a | [[mi")
    chooser.take()
    assert chooser.source.raw() == r"| a | [[amp\|mixed]]"


def test_text_that_comes_by_itself_offers_nothing(chooser: CompletionPopup, context: Some) -> None:
    """Another version of the note and an undo step are not typing."""
    chooser.source.become("[[ga")
    QApplication.processEvents()
    assert context.asked == []
