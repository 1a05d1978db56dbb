"""What PySide does at each import, and this program has no use for."""

from __future__ import annotations

import sys
from types import ModuleType

import PySide6.QtCore  # noqa: F401 - the hook comes with it


def no_features() -> None:
    """Keep PySide from reading the source of every module that is imported from now on.

    It looks there for its own name, as such a module may ask for `__feature__`, and Python then keeps the source:
    30 MB, and a tenth of the time that a start takes. Nobody here asks for features, so all that is given up is the
    reading. A PySide that goes about it in another way is left alone.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and "_mod_uses_pyside" in vars(feature):
        vars(feature)["_mod_uses_pyside"] = _uses_no_features


def _uses_no_features(_: ModuleType) -> bool:
    return False
