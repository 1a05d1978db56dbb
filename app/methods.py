"""The methods that `dataclass` writes, written when they are first called: a start has 150 such classes and calls few.

Python up to 3.12 writes each method as text and compiles it by itself, six for a frozen class: a sixth of the time that
a start takes. Later ones compile those of a class together, and are left alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

_WRITES = "_create_fn"


def write_later() -> None:
    """Have the methods of the dataclasses that are made from now on written at their first call."""
    write = vars(dataclasses).get(_WRITES)
    if write is not None and write.__module__ == dataclasses.__name__:
        setattr(dataclasses, _WRITES, _later(write))


def _later(write: Callable[..., Any]) -> Callable[..., Any]:
    def promise(name: str, *parts: Any, **more: Any) -> Callable[..., Any]:
        written: Callable[..., Any] | None = None

        def method(self: Any, *given: Any, **named: Any) -> Any:
            nonlocal written
            if written is None:
                written = _settled(write(name, *parts, **more), method, type(self))
            return written(self, *given, **named)

        method.__name__ = method.__qualname__ = name
        return method

    return promise


def _settled(written: Callable[..., Any], promised: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """Put a method in the place of the one that promised it."""
    written.__qualname__ = promised.__qualname__
    for base in kind.__mro__:
        if vars(base).get(promised.__name__) is promised:
            setattr(base, promised.__name__, written)
    return written
