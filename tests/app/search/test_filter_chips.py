"""Chips: the filters of a query, as understood, and the way out of each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.search.filter_chips import Chip, ChipRow, chips_of, ending_at


def test_each_filter_is_a_chip_that_knows_the_query_without_it() -> None:
    """Words and phrases are none; a minus is said."""
    chips = chips_of('tag:amp "a phrase" gather -lang:zh', Translator("en"))
    assert [(chip.label, chip.without) for chip in chips] == [
        ("tag: amp", '"a phrase" gather -lang:zh'),
        ("not language: zh", 'tag:amp "a phrase" gather '),
    ]
    assert [chip.label for chip in chips_of("标签：amp ", Translator("zh"))] == ["标签：amp"]


def test_a_filter_that_makes_no_sense_is_shown_as_such_once_it_is_left() -> None:
    """Not while it is being typed."""
    assert chips_of("modified:soon", Translator("en")) == ()
    assert [chip.understood for chip in chips_of("modified:soon gather", Translator("en"))] == [False]


def test_a_filter_ends_behind_its_blank() -> None:
    """There Backspace takes it out whole; inside it, a letter."""
    part = ending_at("gather tag:amp ", 15)
    assert part is not None
    assert (part.start, part.end) == (7, 14)
    for text, cursor in (("tag:amp", 7), ("gather ", 7), ("tag:amp x", 9), ("foo:bar ", 8), ("", 0)):
        assert ending_at(text, cursor) is None, text


def test_a_chip_is_taken_out_by_a_click(qtbot: QtBot) -> None:
    """It has a name for a screen reader; rows of many chips wrap."""
    around = QWidget()
    qtbot.addWidget(around)
    row = ChipRow(Translator("en"), around)
    removed: list[str] = []
    row.removed.connect(removed.append)
    row.show_chips([Chip(f"tag: number {n}", f"without {n}", understood=n > 0) for n in range(12)])
    around.resize(400, 300)
    around.show()
    row.setGeometry(0, 0, 400, row.heightForWidth(400))
    assert row.buttons[0].y() < row.buttons[-1].y()
    assert max(button.geometry().right() for button in row.buttons) <= 400
    assert "was not understood" in row.buttons[0].accessibleName()
    assert "Take out the filter tag: number 1" in row.buttons[1].accessibleName()
    QTest.mouseClick(row.buttons[1], Qt.MouseButton.LeftButton)
    assert removed == ["without 1"]
    row.show_chips(())
    assert row.isHidden()
