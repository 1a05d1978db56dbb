"""What PySide knows of the signatures of its own methods, read when somebody asks: an error's text does, or `help`.

PySide carries that part of itself as source and compiles it at each start, a fifteenth of the time that a start takes.
"""

from __future__ import annotations

import builtins
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# The sources that may wait, by their checksums: those of PySide6 6.11.3. One that differs is left alone, and so is
# `mapping`, as PySide looks into its dictionary from C.
MAY_WAIT = {
    "shibokensupport/signature/errorhandler.py": 0x097485F4,
    "shibokensupport/signature/layout.py": 0x5A9065C3,
    "shibokensupport/signature/parser.py": 0x105CFC9F,
    "shibokensupport/signature/lib/enum_sig.py": 0x2DAA4418,
    "shibokensupport/signature/lib/pyi_generator.py": 0x66004E69,
    "shibokensupport/signature/lib/tool.py": 0x35E890F1,
}
_STAND_IN = f"from {__name__} import awaken\n__getattr__ = awaken(globals())"
_READING = threading.RLock()  # what is asked for by several threads at once is read by one
_waiting: dict[str, bytes] = {}  # file to source


@contextmanager
def unread() -> Iterator[None]:
    """Have what PySide compiles in here, at its first import, wait until something in it is looked for."""
    plain = builtins.compile

    def compile_later(source: Any, filename: Any, mode: str, *rest: Any, **more: Any) -> Any:
        if isinstance(source, bytes) and MAY_WAIT.get(filename) == zlib.crc32(source):
            _waiting[filename] = source
            source = _STAND_IN
        return plain(source, filename, mode, *rest, **more)

    builtins.compile = compile_later
    try:
        yield
    finally:
        builtins.compile = plain


def waiting() -> frozenset[str]:
    """Return the files that have not been read so far."""
    return frozenset(_waiting)


def awaken(module: dict[str, Any]) -> Callable[[str], Any]:
    """Return what a module that waits does once something is looked for that it lacks: become what it stands for."""
    filename = f"{module['__name__'].replace('.', '/')}.py"

    def missing(name: str) -> Any:
        with _READING:
            source = _waiting.pop(filename, None)
            if source is not None:
                exec(compile(source, filename, "exec"), module)  # noqa: S102 - PySide's own
        try:
            return module[name]
        except KeyError:
            raise AttributeError(name) from None

    return missing
