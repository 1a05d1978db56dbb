"""Tabs keep their order and the reading position of each note."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import Location
from app.state.settings import SettingsStore
from app.state.tabs import Tabs
from kb.files.paths import UserPaths


@pytest.fixture
def tabs(tmp_path: Path) -> Tabs:
    """Give the tabs of a vault in which b.md is in view, between a.md and c.md."""
    memory = SettingsStore(UserPaths.under(tmp_path), lambda _: None)
    made = Tabs(memory)
    memory.set_state(note="a.md")
    made.add("c.md")
    made.add("b.md")
    memory.set_state(note="b.md")
    return made


def test_a_new_tab_stands_after_the_one_in_view(tabs: Tabs) -> None:
    """The first new tab gives the note that was open alone one, too; no note has two."""
    assert tabs.paths == ("a.md", "b.md", "c.md")
    tabs.add("c.md")
    assert tabs.paths == ("a.md", "b.md", "c.md")


def test_a_note_alone_has_no_tab(tmp_path: Path) -> None:
    """Also one that was asked for in a new tab before any note was open."""
    tabs = Tabs(SettingsStore(UserPaths.under(tmp_path), lambda _: None))
    tabs.add("a.md")
    assert tabs.paths == ()


def test_closing_shows_the_one_beside(tabs: Tabs) -> None:
    """Where it was left; closing another one shows nothing new; the last one needs no tab."""
    tabs.read(Location("c.md", anchor="deep", marks=("x",)))
    assert tabs.close("b.md") == Location("c.md", anchor="deep")
    assert tabs.close("b.md") is None
    assert tabs.close("a.md") is None
    assert tabs.paths == ()


def test_what_was_closed_opens_again(tabs: Tabs) -> None:
    """The last one first, at its place, and none when there is none left."""
    tabs.read(Location("b.md", anchor="here"))
    tabs.close("c.md")
    tabs.close("b.md")
    assert tabs.reopen() == Location("b.md", anchor="here")
    assert tabs.reopen() == Location("c.md")
    assert tabs.reopen() is None
    tabs.close("c.md")
    tabs.clear()
    assert tabs.reopen() is None


def test_tabs_are_moved_and_stepped_through(tabs: Tabs) -> None:
    """Round the row, in the order that they have now."""
    tabs.move(0, 2)
    assert tabs.paths == ("b.md", "c.md", "a.md")
    assert tabs.neighbour(1) == Location("c.md")
    assert tabs.neighbour(-1) == Location("a.md")
    tabs.opened("other.md", "b.md")
    assert tabs.paths == ("other.md", "c.md", "a.md")
    assert tabs.neighbour(1) is None


def test_the_others_are_closed(tabs: Tabs) -> None:
    """The one that is kept comes into view, if it was not."""
    assert tabs.close_others("b.md") is None
    assert tabs.paths == ()
    tabs.add("c.md")
    assert tabs.close_others("c.md") == Location("c.md")
