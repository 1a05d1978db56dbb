"""Tests of a page as a whole: what is rebuilt, what is patched, and when it is busy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.note_page import NotePage
from app.reader.notebook_view import LEAST_ZOOM, MOST_ZOOM, NotebookView
from app.reader.page_set import PageSet
from app.style.theme import DARK, LIGHT


@pytest.fixture
def page(view: NotebookView) -> NotePage:
    """Give the page of a shown view."""
    return view.page


def test_a_changed_note_is_patched_and_another_one_built(
    view: NotebookView, page: NotePage, note: Callable[..., PageSet]
) -> None:
    """The signals say which of the two happened."""
    signals: list[str] = []
    page.rebuilt.connect(lambda: signals.append("rebuilt"))
    page.patched.connect(lambda: signals.append("patched"))
    text = "# T\n\n" + "".join(f"## Part {n}\n\n```python\n{n}\n```\n\n" for n in range(20))
    view.show_pages(note(text))
    view.show_pages(note(f"{text}more\n"))
    view.show_pages(note(text, key="other"))
    view.show_pages(replace(note(text, key="other"), tags=("x",)))
    assert signals == ["rebuilt", "patched", "rebuilt", "rebuilt"]


def test_an_empty_view_can_change_its_look(qtbot: QtBot) -> None:
    """Theme, zoom, language and size may change before the first note is shown."""
    words = Translator("en")
    view = NotebookView(words, LIGHT)
    qtbot.addWidget(view)
    view.show()
    view.set_theme(DARK)
    view.set_zoom(2)
    words.switch("zh")
    view.resize(500, 400)
    qtbot.waitUntil(lambda: not view.busy)
    assert view.page.built is None
    assert not view.go_to("a")
    assert not view.go_to_line(1)
    assert view.current_cell() is None


def test_the_same_theme_again_rebuilds_nothing(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """The page is rebuilt for another theme only."""
    view.show_pages(note("# T\n"))
    built = view.page.built
    view.set_theme(LIGHT)
    assert view.page.built is built
    view.set_theme(DARK)
    assert view.page.built is not built


@pytest.mark.parametrize(("factor", "zoom"), [(0.01, LEAST_ZOOM), (99, MOST_ZOOM), (1.234, 1.23)])
def test_zoom_is_bounded_and_reported_once(
    view: NotebookView, note: Callable[..., PageSet], qtbot: QtBot, factor: float, zoom: float
) -> None:
    """The page is busy until it has the new size, in which it is as large as said."""
    view.show_pages(note("# T\n\ntext\n"))
    reported: list[float] = []
    view.zoom_changed.connect(reported.append)
    view.set_zoom(factor)
    view.set_zoom(factor)
    assert reported == [zoom]
    assert view.busy
    qtbot.waitUntil(lambda: not view.busy)
    assert view.page.anchors is not None
    assert view.document().indentWidth() == pytest.approx(26 * zoom)


def test_a_summary_for_screen_readers_follows_the_note(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """It counts formulas and pictures, also after a change of the note."""
    view.show_pages(note("# T\n\n$x$\n"))
    assert view.accessibleDescription() == "1 formula, copied as LaTeX"
    view.show_pages(note("# T\n\n$x$ and $y$\n"))
    assert view.accessibleDescription() == "2 formulas, copied as LaTeX"
    view.show_pages(note("# T\n\ntext\n"))
    assert view.accessibleDescription() == ""
