"""Completion: what is wanted at the caret, the list under it, and keys that are an input method's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.commands.vault_completions import NameIndex, fitting, terms
from app.editor.completion import CompletionContext, CompletionItem, CompletionPopup, key_of, wanted
from app.editor.source_editor import SourceEditor
from app.i18n import Translator
from app.style.theme import LIGHT
from kb.notes.note_listing import NoteEntry
from tests.pace import slowness


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
    """By what stands before the caret and where it stands."""
    assert wanted(before, place, lambda: "tags") == found


def test_terms_are_wanted_on_demand() -> None:
    """Some words of English or a run of Chinese; what is in a link stays a link."""
    assert wanted("the gradient ac", "text", str, asked=True) == CompletionContext("term", "the gradient ac")
    assert wanted("用梯度", "text", str, asked=True) == CompletionContext("term", "用梯度")
    assert wanted("[[梯度", "text", str, asked=True) == CompletionContext("note", "梯度")
    assert wanted("- ind", "front", lambda: "aliases", asked=True) is None
    assert (key_of("tags: [a]"), key_of("  - a"), key_of("Tags:")) == ("tags", "", "tags")


class Some:
    """Knows a few notes, and can be slow to say so."""

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
def lore() -> Some:
    """Give who knows."""
    return Some()


@pytest.fixture
def chooser(qtbot: QtBot, lore: Some) -> Iterator[CompletionPopup]:
    """Give the list of a field on a screen."""
    source = SourceEditor(LIGHT)
    qtbot.addWidget(source)
    source.resize(900, 700)
    with qtbot.waitExposed(source):
        source.show()
    source.activateWindow()
    source.setFocus()
    source.load("")
    yield CompletionPopup(source, lore, path=lambda: "n.md", words=Translator("en"), theme=LIGHT)
    source.stop()


def type_in(chooser: CompletionPopup, text: str) -> None:
    """Type, and let the list come."""
    QTest.keyClicks(chooser._source, text)
    QApplication.processEvents()


def shown(chooser: CompletionPopup) -> list[str]:
    """Return what is offered."""
    return [chooser.item(row).text() for row in range(chooser.count())] if chooser.isVisible() else []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_a_choice_takes_the_place_of_what_was_typed(chooser: CompletionPopup, key: Qt.Key) -> None:
    """The link is closed once, the caret goes on behind it, the focus stays, and undo takes it back at once."""
    type_in(chooser, "see [[gat")
    assert shown(chooser) == ["gather", "gathering"]
    QTest.keyClick(chooser._source, Qt.Key.Key_Down)
    QTest.keyClick(chooser._source, key)
    type_in(chooser, "!")
    assert chooser._source.raw() == "see [[gathering]]!"
    assert shown(chooser) == []
    assert chooser._source.hasFocus()


def test_escape_closes_the_list_and_nothing_else(chooser: CompletionPopup) -> None:
    """The next Escape is the editor's; Enter is a line again."""
    commands: list[str] = []
    chooser._source.commanded.connect(commands.append)
    type_in(chooser, "[[ga")
    QTest.keyClick(chooser._source, Qt.Key.Key_Escape)
    assert (shown(chooser), commands) == ([], [])
    QTest.keyClick(chooser._source, Qt.Key.Key_Escape)
    assert commands == ["escape"]
    QTest.keyClick(chooser._source, Qt.Key.Key_Return)
    assert chooser._source.raw() == "[[ga\n]]"


def test_the_list_follows_the_typing(chooser: CompletionPopup) -> None:
    """It goes when nothing fits, when the caret leaves, and comes back with the keys."""
    type_in(chooser, "[[gatherx")
    assert shown(chooser) == []
    QTest.keyClick(chooser._source, Qt.Key.Key_Backspace)
    QApplication.processEvents()
    assert shown(chooser) == ["gather", "gathering"]
    chooser._source.moveCursor(QTextCursor.MoveOperation.Start)
    QApplication.processEvents()
    assert shown(chooser) == []


def test_nothing_is_offered_while_text_is_composed(chooser: CompletionPopup, lore: Some) -> None:
    """No question, no list, no key: they are the input method's. What it commits is asked about."""
    type_in(chooser, "[[ga")
    QApplication.sendEvent(chooser._source, QInputMethodEvent("ti", []))
    QApplication.processEvents()
    asked = len(lore.asked)
    assert shown(chooser) == []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape):
        QTest.keyClick(chooser._source, key)
    chooser.demand()
    assert len(lore.asked) == asked
    assert chooser._source.raw() == "[[ga]]"
    event = QInputMethodEvent()
    event.setCommitString("ther")
    QApplication.sendEvent(chooser._source, event)
    QApplication.processEvents()
    assert shown(chooser) == ["gather", "gathering"]


def test_late_answers_are_dropped(chooser: CompletionPopup, lore: Some) -> None:
    """An answer to what is no longer there, and one that comes while text is composed."""
    lore.slow = True
    type_in(chooser, "[[g")
    type_in(chooser, "ather")
    lore.waiting[0]()
    assert shown(chooser) == []
    QApplication.sendEvent(chooser._source, QInputMethodEvent("i", []))
    lore.waiting[-1]()
    assert shown(chooser) == []


def test_a_link_in_a_table_leaves_its_cells_alone(chooser: CompletionPopup) -> None:
    """The bar before the label would end the cell."""
    type_in(chooser, "[[mi")
    chooser.take()
    assert chooser._source.raw() == "[[amp|mixed]]"
    chooser._source.load("")
    type_in(chooser, "| a | [[mi")
    chooser.take()
    assert chooser._source.raw() == r"| a | [[amp\|mixed]]"


def test_text_that_comes_by_itself_offers_nothing(chooser: CompletionPopup, lore: Some) -> None:
    """Another version of the note, an undo: nobody typed."""
    chooser._source.become("[[ga")
    QApplication.processEvents()
    assert lore.asked == []


def entry(key: str, title: str, *aliases: str) -> NoteEntry:
    """Return a note in Chinese."""
    folder, _, name = key.rpartition("/")
    return NoteEntry(key, folder, name, {"zh": f"{key}.zh.md"}, {"zh": title}, (), aliases)


def test_notes_are_found_by_every_name() -> None:
    """Title, file, alias, folder, pinyin whole and by initials; a link reads as what is chosen.

    The name of a file reads well by itself where the title has its words, a path or a number never does.
    """
    names = NameIndex((
        entry("tensors/gather", "gather：按下标取值", "torch.gather"),
        entry("training/amp", "混合精度训练"),
        entry("saving/amp", "保存混合精度"),
        entry("in/000_91cb39ce", "为什么 [loss] 是 NaN | 常见原因"),
    ))  # fmt: skip

    def found(typed: str, path: str = "training/loop.zh.md") -> list[str]:
        return [choice.insert for choice in names.find(typed, path, "zh")]

    assert found("gat") == ["gather"]
    assert found("torch.g") == ["gather|torch.gather"]
    assert found("混合") == ["training/amp|混合精度训练", "saving/amp|保存混合精度"]
    assert found("hunhe") == found("hhjd") == found("混合")
    assert found("xunlian") == ["training/amp|混合精度训练"]
    assert found("amp") == ["training/amp|混合精度训练", "saving/amp|保存混合精度"]
    assert found("amp", "saving/x.md") == ["saving/amp|保存混合精度", "training/amp|混合精度训练"]
    assert found("91c") == found("loss") == ["000_91cb39ce|为什么 loss 是 NaN | 常见原因"]
    assert found("tensors/") == ["gather"]
    assert found("")[0] == "training/amp|混合精度训练"
    assert "gather" in found("")
    assert found("zzz") == []
    both = NoteEntry("in/x1", "in", "x1", {"en": "in/x1.en.md", "zh": "in/x1.zh.md"}, {"en": "Mixed", "zh": "混合"}, ())
    assert [one.insert for one in NameIndex((both,)).find("混", "a.en.md", "en")] == ["x1|Mixed"]
    assert found("gat", "tensors/gather.en.md") == []


def test_ten_thousand_notes_are_looked_through_within_a_frame() -> None:
    """For each key, once their names are known."""
    names = NameIndex(tuple(entry(f"f{at % 90}/note-{at}", f"梯度累积的第 {at} 种办法") for at in range(10_000)))
    took = []
    for typed in ("n", "no", "note-77", "梯度", "tidu", "tdlj", "zz", ""):
        began = time.thread_time()
        names.find(typed, "f1/x.md", "zh")
        took.append(time.thread_time() - began)
    assert max(took) < 0.016 * slowness(time.thread_time)


def test_choices_that_begin_so_come_first() -> None:
    """Then those that have it, then those that sound so."""
    made = [
        CompletionItem(name, told, name)
        for name, told in (("b_grad", ""), ("grad", ""), ("t", "梯度 grad"), ("u", "梯度"))
    ]
    assert [choice.text for choice in fitting(iter(made), "grad")] == ["grad", "b_grad", "t"]
    assert [choice.text for choice in fitting(iter(made), "tidu")] == ["t", "u"]


def test_a_term_is_offered_with_its_other_forms() -> None:
    """The form that was begun first, in the other language next."""
    known = [("梯度累积", "gradient accumulation"), ("显存", "GPU memory", "VRAM")]
    assert [choice.text for choice in terms(iter(known), "gpu")] == ["GPU memory", "显存", "VRAM"]
    assert [choice.text for choice in terms(iter(known), "梯度")] == ["梯度累积", "gradient accumulation"]
    assert terms(iter(known), "xyz") == ()
