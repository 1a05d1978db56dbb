"""What Qt deletes later survives the garbage collector until then: else the program ends without a word."""

from __future__ import annotations

import gc
from typing import Any

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
