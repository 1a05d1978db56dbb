"""The members of Qt's enumerations, put in their places together: a start makes 2,500 of them, of which few are used.

Python makes each member by a dozen steps that allow for whatever a class statement may hold. Of plain names and numbers
they all come out alike, and so they are made here; a Python that would make something else of them is left alone.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable
from copy import copy
from functools import cache
from typing import Any

_CREATES = "_create_"
_PAIR = 2
_Create = Callable[..., Any]
# In no order, with an alias, and with bits together.
_TRIAL = (("One", 1), ("Uno", 1), ("Four", 4), ("Two", 2), ("Six", 6), ("Nil", 0))


def write_together() -> None:
    """Have the enumerations that are made of names and numbers from now on get their members together."""
    create = vars(enum.EnumType).get(_CREATES)
    if create is not None and create.__module__ == enum.__name__:
        setattr(enum.EnumType, _CREATES, together(create))


def together(create: _Create) -> _Create:
    """Return a way to make enumerations that gives what `create` gives."""

    @cache
    def pattern(base: Any, boundary: Any) -> _Pattern | None:
        """Return what every enumeration of that kind is made of; None where that is not known."""
        if base not in {enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag}:
            return None
        empty, wanted = (create(base, "Trial", these, module=__name__, boundary=boundary) for these in ((), _TRIAL))
        try:
            found = _Pattern(base, empty)
            return found if portrait(found.filled("Trial", _TRIAL, __name__)) == portrait(wanted) else None
        except (AttributeError, KeyError, TypeError):
            return None

    def made(base: Any, class_name: str, names: Any, *, module: Any = None, boundary: Any = None, **more: Any) -> Any:
        module = module or sys._getframe(2).f_globals.get("__name__")  # noqa: SLF001 - whoever asks, as it is for `create`
        known = None if more.get("type") or more.get("qualname") else pattern(base, boundary)
        if known and known.covers(names):
            return known.filled(class_name, names, module)
        return create(base, class_name, names, module=module, boundary=boundary, **more)

    return made


class _Pattern:
    """All that an enumeration without members is made of."""

    def __init__(self, base: Any, empty: Any) -> None:
        self._base = base
        self._parts = {name: part for name, part in vars(empty).items() if name not in {"__dict__", "__weakref__"}}
        self._new = self._parts.pop("__new__")  # in a class statement it would become a static method
        self._taken = frozenset().union({"mro"}, *map(vars, empty.__mro__))

    def covers(self, names: Any) -> bool:
        """Tell whether these are pairs of a name that means nothing else and a number."""
        if not isinstance(names, (list, tuple)) or not all(
            type(pair) is tuple and len(pair) == _PAIR for pair in names
        ):
            return False
        known = {name for name, value in names if type(name) is str and type(value) is int and value >= 0}
        return len(known) == len(names) and self._taken.isdisjoint(known) and not any(name[:1] == "_" for name in known)

    def filled(self, name: str, names: Iterable[tuple[str, int]], module: str) -> Any:
        """Make an enumeration of these."""
        own = {part: copy(value) if isinstance(value, (list, dict)) else value for part, value in self._parts.items()}
        kind = type.__new__(enum.EnumType, name, (self._base,), {**own, "__module__": module})
        type.__setattr__(kind, "__new__", self._new)
        _fill(kind, names)
        return kind


def _fill(kind: Any, names: Iterable[tuple[str, int]]) -> None:
    """Give an enumeration without members these."""
    flag, whole = issubclass(kind, enum.Flag), issubclass(kind, int)
    members, by_value, listed = kind._member_map_, kind._value2member_map_, kind._member_names_
    for name, value in names:
        member = by_value.get(value)
        if member is None:
            by_value[value] = member = int.__new__(kind, value) if whole else object.__new__(kind)
            member.__dict__.update(_value_=value, _name_=name, __objclass__=kind, _sort_order_=len(listed))
            if not flag or (value and not value & (value - 1)):
                listed.append(name)
        members[name] = member
        type.__setattr__(kind, name, member)
    if flag:
        _mask(kind, by_value)


def _mask(kind: Any, values: Iterable[int]) -> None:
    """Tell a flag which bits there are, and whether its members lie in their order."""
    every = single = 0
    for value in values:
        every |= value
        single |= 0 if value & (value - 1) else value
    kind._flag_mask_, kind._singles_mask_, kind._all_bits_ = every, single, 2 ** every.bit_length() - 1
    inside = [member.value for member in kind]
    if inside != sorted(inside):
        kind._iter_member_ = kind._iter_member_by_def_


def portrait(kind: Any) -> dict[str, Any]:
    """Describe all that an enumeration is made of, in words that are the same for one that is made alike."""

    def told(thing: Any) -> Any:
        if isinstance(thing, kind):
            return sorted((name, repr(value)) for name, value in vars(thing).items())
        if isinstance(thing, dict):
            return [(key, told(value)) for key, value in thing.items()]
        return repr(thing)

    return {name: told(thing) for name, thing in vars(kind).items()}
