"""Workarounds for PySide6: a scan at each import that is turned off, and a crash that is prevented."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from PySide6.QtCore import QObject  # installs the import hook that is removed below


def disable_feature_scan() -> None:
    """Stop PySide from reading the source of every module imported from now on.

    It searches the source for its own name, because such a module may use `__feature__`, and Python then keeps the
    source: 30 MB, and a tenth of the start time. This program uses no features. A PySide without this scan is left
    alone.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and "_mod_uses_pyside" in vars(feature):
        vars(feature)["_mod_uses_pyside"] = _uses_no_features
        builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)


def _uses_no_features(_: ModuleType) -> bool:
    return False


def guard_overrides() -> None:
    """Wrap overridden methods of Qt in try/except, in every class created from now on.

    Up to Python 3.11 an error raised by C code, such as an index out of range, becomes an exception object only when
    Python code catches it. PySide inspects it earlier if Qt called the method, and the program crashes
    (PySide6 6.11.3; shown by `tests/e2e/test_faults.py`).
    """
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_guard_class)  # type: ignore[assignment, method-assign]


def _guard_class(made: type) -> None:
    qt = [base for base in made.__mro__ if base.__module__.startswith("PySide6.")]
    for name, method in tuple(vars(made).items()):
        if isinstance(method, FunctionType) and any(name in vars(base) for base in qt):
            setattr(made, name, _guarded(method))


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except Exception:  # noqa: TRY203 - catching creates the exception object
            raise

    return call
