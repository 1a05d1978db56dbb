"""Libraries that are named at the head of a module and used by a few of its functions, loaded when one is called.

What an `import` binds from now on is a stand-in, which loads the library at the first look for anything in it. A start
names many that it never uses, and some take as long as a room of our own.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from types import ModuleType

LATE = ("psutil", "pynvml", "tomllib", "platform", "ctypes", "sqlite3", "subprocess", "xml.etree.ElementTree")
_LOADING = threading.RLock()  # what is looked for by several threads at once is loaded by one


def load_late(*names: str) -> None:
    """Have these libraries loaded when they are first used; one that is loaded already, or missing, is left alone."""
    for name in names:
        if name not in sys.modules and importlib.util.find_spec(name) is not None:
            sys.modules[name] = _Late(name)


class _Late(ModuleType):
    def __getattr__(self, wanted: str) -> object:
        """Take on all that the library has, so that nothing comes by here again."""
        with _LOADING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            library = importlib.import_module(self.__name__)
            own = {name: value for name, value in vars(library).items() if name not in {"__name__", "__class__"}}
            vars(self).update(own)
        return getattr(library, wanted)
