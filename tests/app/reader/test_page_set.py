"""Tests of the choice of languages to show."""

from __future__ import annotations

import pytest

from app.reader.page_set import Mode, PageSet, Side
from kb.rendering.rendered_page import Page


@pytest.mark.parametrize(
    ("has", "mode", "shown", "lacking"),
    [
        (("zh", "en"), "both", ("zh", "en"), ""),
        (("en", "zh"), "both", ("zh", "en"), ""),
        (("zh", "en"), "en", ("en",), ""),
        (("zh",), "en", ("zh",), "en"),
        (("zh",), "both", ("zh",), "en"),
        (("en",), "both", ("en",), "zh"),
        (("zh",), "zh", ("zh",), ""),
        (("",), "both", ("",), ""),
        ((), "both", (), ""),
    ],
)
def test_sides(has: tuple[Side, ...], mode: Mode, shown: tuple[Side, ...], lacking: Side) -> None:
    """A mode shows its languages as far as they exist, else the one there is; only a language asked for is lacking."""
    pages = PageSet("k", {side: Page(()) for side in has}, mode)
    assert pages.sides() == shown
    assert pages.lacking() == lacking
