"""Texts and shortcuts in the interface language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.i18n import Translator


@pytest.fixture
def words(qapp: object) -> Iterator[Translator]:
    """Give an English translator, and leave Qt in English."""
    made = Translator("en")
    yield made
    made.switch("en")


def test_the_text_follows_the_language(words: Translator) -> None:
    """A change is announced once; the same language again is no change."""
    changes: list[str] = []
    words.changed.connect(lambda: changes.append(words("中", "en")))
    words.switch("en")
    words.switch("zh")
    words.switch("zh")
    words.switch("en")
    assert changes == ["中", "en"]


def test_tooltips_name_the_shortcut_in_use(words: Translator) -> None:
    """The default, a changed one, or none."""
    assert words.with_key("Save", "save", "Ctrl+S") == "Save  (Ctrl+S)"
    words.rebind({"save": ("F2", "F3")})
    assert words.with_key("Save", "save", "Ctrl+S") == "Save  (F2)"
    words.rebind({"save": ()})
    assert words.with_key("Save", "save", "Ctrl+S") == "Save"
    assert words.key("other", "") == ""
