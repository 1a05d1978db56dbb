"""The search field: what stands in it beside what is typed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.search.search_field import SearchField
from app.style.appearance import Appearance


def test_the_key_never_stands_on_the_placeholder(look: Appearance, qtbot: QtBot) -> None:
    """It is named where both have room, in either language, and else not."""
    words = Translator("en")
    field = SearchField(words, look)
    qtbot.addWidget(field)
    field.show()
    seen = set()
    for language in ("en", "zh"):
        words.switch(language)
        for width in range(200, 520, 20):
            field.resize(width, 34)
            if field._hint.isVisible():
                end = 34 + field.fontMetrics().horizontalAdvance(field.placeholderText())
                assert end + 8 < field._hint.x(), (language, width)
            seen.add((language, field._hint.isVisible()))
    assert len(seen) == 4
