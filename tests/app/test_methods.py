"""The methods of dataclasses are written when first called, and are then those that would have been written at once."""

from __future__ import annotations

import copy
import dataclasses
import sys
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, InitVar, asdict, dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.methods import write_later

CREATES = "_create_fn"
needs_single = pytest.mark.skipif(sys.version_info >= (3, 13), reason="this Python compiles a class at one go")


@pytest.fixture(params=["at once", "later"])
def kinds(request: pytest.FixtureRequest) -> Iterator[SimpleNamespace]:
    """Give the same classes, their methods written at once and later."""
    before = vars(dataclasses).get(CREATES)
    if request.param == "later":
        write_later()
    try:
        yield _kinds()
    finally:
        if before is not None:
            setattr(dataclasses, CREATES, before)


def _kinds() -> SimpleNamespace:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        tags: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @dataclass(frozen=True, slots=True, order=True)
    class Slotted:
        name: str
        rank: int = field(default_factory=lambda: 7)

    @dataclass
    class Open(dict):  # type: ignore[type-arg]
        start: int
        step: InitVar[int] = 1
        also: list[int] = field(default_factory=list, kw_only=True)

        def __post_init__(self, step: int) -> None:
            self.start += step

        def __repr__(self) -> str:
            return "open"

    @dataclass(frozen=True)
    class Deeper(Point):
        z: int = 3

    return SimpleNamespace(Point=Point, Slotted=Slotted, Open=Open, Deeper=Deeper)


def _error(call: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, FrozenInstanceError)) as raised:
        call()
    return f"{raised.type.__name__} {raised.value}"


def test_a_dataclass_is_what_it_would_have_been(kinds: SimpleNamespace) -> None:
    """Made, compared, hashed, ordered, shown, copied, frozen, subclassed, and wrongly called: all the same."""
    point, other = kinds.Point(1), kinds.Point(1, 2, ("a",))
    assert point == other
    assert hash(point) == hash(other)
    assert point != kinds.Deeper(1)
    assert repr(kinds.Deeper(1)) == "_kinds.<locals>.Deeper(x=1, y=2, z=3)"
    assert asdict(replace(other, x=5)) == {"x": 5, "y": 2, "tags": ("a",)}
    assert copy.copy(other) == other
    assert _error(lambda: setattr(point, "x", 3)) == "FrozenInstanceError cannot assign to field 'x'"
    assert _error(lambda: delattr(kinds.Deeper(1), "z")) == "FrozenInstanceError cannot delete field 'z'"
    assert _error(kinds.Point).endswith("Point.__init__() missing 1 required positional argument: 'x'")
    assert sorted([kinds.Slotted("b"), kinds.Slotted("a", 1)]) == [kinds.Slotted("a", 1), kinds.Slotted("b", 7)]
    assert not hasattr(kinds.Slotted("a"), "__dict__")
    assert kinds.Open(3, 4, also=[1]).start == 7
    assert repr(kinds.Open(1)) == "open"


@needs_single
def test_a_method_is_written_once_and_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written by making the class; the first call leaves what was written in the class, with its name."""
    monkeypatch.setattr(dataclasses, CREATES, vars(dataclasses)[CREATES])  # to have it back
    write_later()
    write_later()  # a second time changes nothing
    made: Any = dataclass(frozen=True)(type("Sent", (), {"__annotations__": {"word": "str"}}))
    promised = vars(made)["__init__"]
    one = made("a")
    written = vars(made)["__init__"]
    assert written is not promised
    assert (written.__qualname__, written.__name__) == ("Sent.__init__", "__init__")
    assert promised(made("b"), "c") is None  # who holds the promise still gets what it stands for
    assert written is vars(made)["__init__"]
    assert one.word == "a"
