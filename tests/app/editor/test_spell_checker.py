"""Unknown English words: found in prose alone, marked in view, mended by the menu; else nothing is loaded."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor.dictionary import (
    ProseLine,
    Speller,
    add_own_word,
    available,
    code_of,
    english,
    misspelt,
    own_words,
    words_of,
)
from app.editor.markdown_tokens import START, spans
from app.editor.source_editor import SourceEditor
from app.editor.source_menu import SourceMenu
from app.editor.spell_checker import SpellChecker
from app.executor import GuiExecutor
from app.i18n import Translator
from app.style.theme import LIGHT
from tests.pace import slowness

spelled = pytest.mark.skipif(not available(), reason="needs spylls")


class Lore:
    """A vault that has some names."""

    def __init__(self) -> None:
        self.on = True
        self.known: tuple[str, ...] = ("allreduce", "Fully Sharded")

    def wanted(self) -> bool:
        return self.on

    def names(self) -> Callable[[], Iterable[str]]:
        return lambda: self.known


@pytest.fixture
def lore() -> Lore:
    return Lore()


@pytest.fixture
def spelling(source: SourceEditor, lore: Lore, tmp_path: Path) -> Iterator[SpellChecker]:
    """Give the marks of a field, words looked up by threads."""
    door = GuiExecutor(threads=2)
    made = SpellChecker(source, run=door.run, lore=lore, own=tmp_path / "data" / "words.txt", theme=LIGHT)
    yield made
    made.stop()
    door.close()


def marked(spelling: SpellChecker) -> list[str]:
    return [one.word for one in spelling._marks if one.holds]


def lines_of(text: str) -> tuple[ProseLine, ...]:
    made, state = [], START
    for line in text.split("\n"):
        made.append(ProseLine(line, state))
        state = spans(line, state)[1]
    return tuple(made)


class Only:
    """A dictionary of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked = 0

    def lookup(self, word: str) -> bool:
        self.asked += 1
        return word in self.words

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        yield from (word.upper(), word.upper(), "far" if far else "near")


RIGHT = """gradients Walked it's don’t colour behaviour normalised optimisation analysing centre labelled modelling
artefact grey learnt spelt misspelt catalogue defence unscaled Monday another's"""
WRONG = "gradeint recieve optimzation teh seperate untill becuase"
PROSE = """---
title: zzfront
---

# A zzhead of it

Words zzprose, **zzbold** and zzdone.
`zzcode` $zzmath$ [[zzwiki]] [zzlink](zztarget) <https://zzauto.org> https://zzurl.org/zz [^zzfoot]
用zzhan时 and zz_name zzName Zzz.zz zz/path GPUs v2zz @zzuser zzkey=1 zz(x) é-zzé don't zzit's

- [ ] zztask
> zzquote

| zzcell | b |
|---|---|

$$
zzblock
$$

```python
zzfence = 1
```
<!-- zzcomment -->
    indented
"""


def test_only_prose_is_looked_at() -> None:
    """Neither code, links, formulas, front matter, wikilinks, addresses, nor names; Chinese beside a word ends it."""
    known = Only("words", "and", "of", "it", "don't", "indented")
    found = [one.word for one in misspelt(lines_of(PROSE), Speller(known, ["Words"]))]
    assert found == ["zzhead", "zzprose", "zzbold", "zzdone", "zzhan", "zzit's", "zztask", "zzquote", "zzcell"]


def test_what_is_named_is_known() -> None:
    """Terms, titles, identifiers and their parts, of the note's code as well; each word is looked up once."""
    only = Only("plain")
    code = code_of("uses `zero_grad()`\n\n```py\nclass WeightDecay: sgdish = 1\n```\nprose")
    speller = Speller(only, ["Fully Sharded", "allreduce", code])
    assert all(speller.knows(word) for word in ("sharded", "Sharded", "allreduce", "allreduces", "grad", "decay"))
    assert speller.knows("sgdish")
    assert speller.knows("plain’s")
    assert not speller.knows("prose")
    asked = only.asked
    assert not speller.knows("prose")
    assert only.asked == asked
    assert speller.suggestions("w") == ("W", "far")
    assert speller.suggestions("alreduce") == ("allreduce", "ALREDUCE", "near")
    assert list(words_of("zero_grad 梯度 torchDDP")) == ["zero", "grad", "梯度", "torchDDP", "torch"]


@spelled
def test_english_is_known_on_either_side_of_the_ocean() -> None:
    """Inflected, capital at the head of a sentence, contracted, American and British; what is wrong is not."""
    speller = Speller(english())
    for word in RIGHT.split():
        assert speller.knows(word), word
    for word in WRONG.split():
        assert not speller.knows(word), word
    assert "receive" in speller.suggestions("recieve")


def test_own_words_are_kept(tmp_path: Path) -> None:
    """One in each line, in order, whatever was there before; an unreadable file gives none."""
    file = tmp_path / "data" / "words.txt"
    assert own_words(file) == frozenset()
    add_own_word(file, "zeta")
    assert add_own_word(file, "Alpha") == {"zeta", "Alpha"}
    assert file.read_text("utf-8") == "Alpha\nzeta\n"
    file.write_bytes(b"\xff\xfe\x00")
    assert own_words(file) == frozenset()


@spelled
def test_words_in_view_are_marked_and_follow_the_typing(
    source: SourceEditor, spelling: SpellChecker, qtbot: QtBot
) -> None:
    """Not the one that is being typed; one that is mended loses its mark at once."""
    source.load("A gradeint 😀 and allreduce.\n")
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint"], timeout=30_000)
    source.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(source, "a recieve")
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint", "recieve"], timeout=30_000)
    assert len(list(spelling._wave_areas())) == 1
    QTest.keyClick(source, Qt.Key.Key_Space)
    assert len(list(spelling._wave_areas())) == 2
    source.go_to_line(1)
    QTest.keyClicks(source, "x ")
    assert marked(spelling) == ["gradeint", "recieve"]
    cursor = source.textCursor()
    cursor.setPosition(10)
    source.setTextCursor(cursor)
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert marked(spelling) == ["recieve"]


@spelled
def test_what_is_composed_is_not_marked(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot) -> None:
    """Letters of an input method are no words; what it commits is."""
    source.load("a\n")
    qtbot.waitUntil(lambda: spelling._speller is not None, timeout=30_000)
    source.moveCursor(QTextCursor.MoveOperation.End)
    QApplication.sendEvent(source, QInputMethodEvent("tidu", []))
    QTest.qWait(400)
    assert marked(spelling) == []
    event = QInputMethodEvent()
    event.setCommitString("梯度gradeint ")
    QApplication.sendEvent(source, event)
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint"], timeout=30_000)


@spelled
def test_the_menu_mends_and_learns(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot, tmp_path: Path) -> None:
    """A suggestion takes the word's place as one step; a word that is added is marked no more."""
    source.load("to recieve torchvision\n")
    menu = SourceMenu(source, spelling, Translator("en"), table=lambda _: None)
    qtbot.waitUntil(lambda: len(marked(spelling)) == 2, timeout=30_000)

    def said() -> list[str]:
        return [one.text() for one in menu.menu.actions() if one.isVisible()]

    menu._on_requested(source.cursorRect(spelling._marks[0].cursor).center())
    assert said()[0].startswith("Looking for")
    qtbot.waitUntil(lambda: "receive" in said(), timeout=30_000)
    assert "Cut\tCtrl+X" in said()
    next(one for one in menu.menu.actions() if one.text() == "receive").trigger()
    assert source.raw() == "to receive torchvision\n"
    source.undo()
    assert source.raw() == "to recieve torchvision\n"
    menu.menu.close()
    found: list[Any] = []
    source.go_to_line(1)
    spelling.next_one(found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=30_000)
    assert found[0].selectedText() == "recieve"
    source.setTextCursor(found[0])
    spelling.next_one(found.append)
    qtbot.waitUntil(lambda: len(found) == 2, timeout=30_000)
    menu.open_at(found[1], source.mapToGlobal(source.rect().center()), word=found[1])
    next(one for one in menu.menu.actions() if "torchvision" in one.text()).trigger()
    qtbot.waitUntil(lambda: marked(spelling) == ["recieve"], timeout=30_000)
    assert (tmp_path / "data" / "words.txt").read_text("utf-8") == "torchvision\n"
    menu.menu.close()


def test_where_it_is_off_nothing_is_loaded(
    source: SourceEditor, spelling: SpellChecker, lore: Lore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No dictionary is read, and no word is looked up."""
    monkeypatch.setattr("app.editor.spell_checker.english", lambda: pytest.fail("it was read"))
    lore.on = False
    source.load("recieve\n")
    QTest.keyClicks(source, "wrods ")
    QTest.qWait(350)
    assert not spelling.on
    assert spelling._speller is None
    assert "spylls.hunspell" not in sys.modules or available()


@spelled
def test_typing_waits_for_no_dictionary(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot) -> None:
    """Keys in a megabyte of misspelt words take no more of the window's thread than they may."""
    source.load("some gradeint wrods that recieve no mercy, `code` and 中文\n" * 20_000)
    qtbot.waitUntil(lambda: not source.loading and len(marked(spelling)) > 20, timeout=60_000)
    took = []
    for key in "gradeint wrods " * 2:
        began = time.thread_time()
        QTest.keyClicks(source, key)
        QApplication.processEvents()
        took.append(time.thread_time() - began)
    assert sorted(took)[-3] < 0.03 * slowness(time.thread_time)
