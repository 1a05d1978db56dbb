"""What Qt deletes later survives the garbage collector until then: else the program ends without a word."""

from __future__ import annotations

import gc
from typing import Any

from PySide6.QtWidgets import QLayout, QLayoutItem

SWITCHES = 150


def test_what_goes_is_not_collected_before_qt_deletes_it(run: Any) -> None:
    """Lines, cards and documents that are made anew with each switch of the language, and the collector at work."""
    run.open("tensors/gather.en.md")
    for number in range(SWITCHES):
        run.words.switch("zh" if number % 2 else "en")
        if number % 3 == 0:
            gc.collect()
        if number % 5 == 0:
            run.qtbot.wait(1)
    assert run.window.isVisible()


def test_no_item_of_a_layout_outlives_its_widget(run: Any) -> None:
    """PySide keeps those of a layout within a layout when Qt has deleted them; another object may then lie there."""
    notes = ("tensors/expand.md", "tensors/gather.en.md")
    for path in notes:
        run.open(path)
    before = items()
    for path in notes * 3:
        run.open(path)
        run.words.switch("zh" if run.words.language == "en" else "en")
    assert items() == before


def items() -> int:
    """Count what Python knows of the items of layouts."""
    return sum(isinstance(one, QLayoutItem) and not isinstance(one, QLayout) for one in gc.get_objects())
