"""What PySide does at each import, and this program has no use for; and what it does not do, and has to be done."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from PySide6.QtCore import QObject  # and with it comes the hook below


def disable_feature_scan() -> None:
    """Keep PySide from reading the source of every module that is imported from now on.

    It looks there for its own name, as such a module may ask for `__feature__`, and Python then keeps the source:
    30 MB, and a tenth of the time that a start takes. Nobody here asks for features, so all that is given up is the
    reading; and that every `import` asks first, in Python. A PySide that goes about it in another way is left alone.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and "_mod_uses_pyside" in vars(feature):
        vars(feature)["_mod_uses_pyside"] = _uses_no_features
        builtins.__import__ = vars(builtins).get("__orig_import__", builtins.__import__)


def _uses_no_features(_: ModuleType) -> bool:
    return False


def guard_overrides() -> None:
    """Have what a method raises be an exception before PySide sees it, in every class that is made from now on.

    Up to Python 3.11 what C code raises, as an index out of range, is one only once some Python has caught it. Where
    Python has Qt call a method that a class of ours overrides, PySide looks into that exception first, and the
    program ends without a word (PySide6 6.11.3; `tests/e2e/test_faults.py` shows it).
    """
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_settle)  # type: ignore[assignment, method-assign]


def _settle(made: type) -> None:
    qt = [base for base in made.__mro__ if base.__module__.startswith("PySide6.")]
    for name, method in tuple(vars(made).items()):
        if isinstance(method, FunctionType) and any(name in vars(base) for base in qt):
            setattr(made, name, _settled(method))


def _settled(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except Exception:  # noqa: TRY203 - to have caught it is all that is wanted
            raise

    return call
