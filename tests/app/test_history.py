"""Steps back and forward through what was read."""

from __future__ import annotations

from app.history import History, Location


def test_back_and_forward_return_to_places() -> None:
    """In order, and no further than there is."""
    history = History()
    for path in "abc":
        history.visit(Location(path))
    assert [history.back(), history.back(), history.back()] == [Location("b"), Location("a"), None]
    assert [history.forward(), history.forward(), history.forward()] == [Location("b"), Location("c"), None]


def test_a_new_visit_drops_what_back_left() -> None:
    """As in a browser."""
    history = History()
    for path in "abc":
        history.visit(Location(path))
    history.back()
    history.visit(Location("d"))
    assert not history.can_go_forward
    assert history.back() == Location("b")


def test_the_same_place_twice_is_one_step() -> None:
    """Other marks do not make another place."""
    history = History()
    history.visit(Location("a", "x"))
    history.visit(Location("a", "x", marks=("word",)))
    assert not history.can_go_back


def test_scrolling_moves_the_present_place_only() -> None:
    """Coming back comes back to where one had read to; another note's scroll is not ours."""
    history = History()
    history.update_current(Location("a"))
    history.visit(Location("a"))
    history.update_current(Location("a", "far"))
    history.update_current(Location("b", "other"))
    history.visit(Location("c"))
    assert history.back() == Location("a", "far")


def test_the_past_is_bounded_and_can_be_forgotten() -> None:
    """200 steps are enough for anybody."""
    history = History()
    for number in range(500):
        history.visit(Location(str(number)))
    steps = 0
    while history.back():
        steps += 1
    assert steps == 199
    history.clear()
    assert not history.can_go_back
    assert not history.can_go_forward
