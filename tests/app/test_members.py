"""Enumerations whose members are put in their places together are those that Python would have made one by one."""

from __future__ import annotations

import copy
import enum
import pickle
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.members import portrait, together

ADDRESS = re.compile(" at 0x[0-9a-f]+")
BASES = (enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag)
plain = enum.EnumType._create_  # type: ignore[attr-defined]
plain = getattr(plain, "__func__", plain)
bases = pytest.mark.parametrize("base", BASES)
pairs = st.lists(st.tuples(st.from_regex(r"\A[A-Za-z][A-Za-z_]{0,3}\Z"), st.integers(0, 1 << 40)), max_size=9)


class Counted:
    """Python's own way, and how often it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self, base: Any, class_name: str, names: Any, **more: Any) -> Any:
        """Make it as Python does."""
        self.taken += class_name != "Trial"
        return plain(base, class_name, names, **more)


def outcome(create: Any, base: Any, names: Any, **more: Any) -> Any:
    """Return all there is to an enumeration, or what is said instead."""
    try:
        made = portrait(create(base, "Kind", names, module=__name__, **more))
        return {name: ADDRESS.sub("", str(part)) for name, part in made.items()}
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)


@bases
@given(names=pairs, boundary=st.sampled_from([None, enum.KEEP]))
def test_all_of_it_is_alike(base: Any, names: list[tuple[str, int]], boundary: Any) -> None:
    """Members, aliases, orders, masks and methods; what cannot be one is refused in the same words."""
    assert outcome(together(plain), base, names, boundary=boundary) == outcome(plain, base, names, boundary=boundary)


@bases
@pytest.mark.parametrize(
    "names",
    [
        [("name", 1)], [("real", 1), ("value", 2)], [("_a_", 1)], [("__a", 1)], [("mro", 1)], [("A", 1), ("A", 2)],
        [("A", -1)], [("A", True)], [("A", "a")], [("A", 1.0)], [["A", 1]], "A B", {"A": 1}, ["A", "B"],
        [("A", 1, 2)], [("A", enum.auto())],
    ],
    ids=str,
)  # fmt: skip
def test_what_is_not_plain_is_made_by_python(base: Any, names: Any) -> None:
    """Names that mean something else, and values that are no numbers, take the way they always took."""
    counted = Counted()
    assert outcome(together(counted), base, names) == outcome(plain, base, names)
    assert counted.taken == 1


@bases
def test_members_behave(base: Any) -> None:
    """They are found, combined, counted, copied and said."""
    names = [("One", 1), ("Two", 2), ("Uno", 1), ("Three", 3)]
    counted = Counted()
    ours, theirs = (create(base, "Kind", names, module=__name__) for create in (together(counted), plain))
    assert counted.taken == 0
    for kind in (ours, theirs):
        assert kind.Uno is kind.One is kind(1) is kind["One"]
        assert copy.deepcopy(kind.Two) is kind.Two
        with pytest.raises(AttributeError):
            kind.One = 7
    assert [repr(one) for one in ours] == [repr(one) for one in theirs]
    assert [str(one) for one in ours] == [str(one) for one in theirs]
    if issubclass(base, enum.Flag):
        assert repr(ours.One | ours.Two) == repr(theirs.One | theirs.Two)
        assert repr(~ours.One) == repr(~theirs.One)
        assert (ours.One & ours.Two) == ours(0)
        assert list(ours.Three) == [ours.One, ours.Two]


Pickled = together(plain)(enum.Flag, "Pickled", [("One", 1), ("Two", 2)], module=__name__)


def test_members_are_pickled() -> None:
    """By their names' class, as others are."""
    assert pickle.loads(pickle.dumps(Pickled.Two)) is Pickled.Two


@bases
def test_the_module_is_that_of_who_asked(base: Any) -> None:
    """Where none is named it is found as Python finds it."""
    namespace: dict[str, Any] = {"__name__": "elsewhere", "base": base}
    before = plain
    try:
        for create in (before, together(before)):
            enum.EnumType._create_ = create  # type: ignore[attr-defined]
            exec("kind = base('Kind', [('One', 1)])", namespace)
            assert namespace["kind"].__module__ == "elsewhere"
    finally:
        enum.EnumType._create_ = before  # type: ignore[attr-defined]


@pytest.mark.parametrize("lacks", ["_value2member_map_", "__new__", "_extra_"])
def test_another_python_is_left_alone(lacks: str) -> None:
    """Where enumerations have more to them or less than is known here, Python makes them all."""

    def other(base: Any, class_name: str, names: Any, **more: Any) -> Any:
        kind = plain(base, class_name, names, **more)
        if lacks in vars(kind):
            delattr(kind, lacks)
        else:
            setattr(kind, lacks, len(kind.__members__))
        return kind

    kind = together(other)(enum.Enum, "Kind", [("One", 1), ("Two", 2)], module=__name__)
    assert vars(kind).get(lacks) == (2 if lacks == "_extra_" else None)


EVERY = """
import enum, sys
from app.members import portrait, together
plain, counts = vars(enum.EnumType)["_create_"], []
ours = together(plain)
def both(base, class_name, names, **more):
    more["module"] = "somewhere"
    made = ours(base, class_name, names, **more)
    counts.append(portrait(made) == portrait(plain(base, class_name, names, **more)))
    return made
enum.EnumType._create_ = both
from PySide6 import QtCore, QtGui, QtWidgets
for module in (QtCore, QtGui, QtWidgets):
    for name in dir(module):
        getattr(module, name)
print(all(counts), len(counts) > 400)
"""


def test_every_enumeration_of_the_window() -> None:
    """All of Qt's come out as they would have."""
    ended = subprocess.run([sys.executable, "-c", EVERY], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == ("True True\n", "")
