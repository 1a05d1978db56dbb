"""Which warm Python can serve which run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snippets.targets.devices import environment_for, kind_of
from snippets.targets.interpreters import Interpreter

_STARTUP = Path(__file__).with_name("interpreter_startup.py")
HOW = "TORCHLEAF_READY"  # a variable of this program; "once": a warm Python becomes one run, even if it could fork
_KINDS = frozenset({"cpu", "cuda"})  # importing torch does not initialize these, so a fork can use them
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)
# What has no effect once torch is imported, so that code which does it before its import needs a cold start.
_TOO_LATE = re.compile(
    r"(?<![A-Z])(?:OMP|MKL|KMP|(?:OPEN)?BLAS|PYTORCH|TORCH|ATEN|LD|MALLOC)_|CUDA_MODULE_LOADING|environ\.update|"
    r"sys\.modules|meta_path|path_hooks|setdlopenflags|__import__|simplefilter|filterwarnings|addaudithook"
)


@dataclass(frozen=True)
class ZygoteKey:
    """A Python to keep warm."""

    key: str  # two with the same key are interchangeable
    python: Path
    isolate: bool

    def message(self) -> dict[str, Any]:
        """Return the request to the supervisor."""
        return {
            "do": "warm",
            "key": self.key,
            "python": str(self.python),
            "env": environment_for("cpu"),
            "once": not forks(),
            "startup": _STARTUP.read_text(encoding="utf-8"),
            "sealed": self.isolate,
        }


def forks() -> bool:
    """Return whether one warm Python forks all runs; else each becomes one run and is replaced.

    Windows has no fork, and on macOS libraries that torch uses do not support it.
    """
    return sys.platform.startswith("linux") and os.environ.get(HOW) != "once"


def zygote_key(interpreter: Interpreter, *, isolate: bool) -> ZygoteKey | None:
    """Return what to keep warm for the runs of an interpreter; None if there is nothing to gain. Raises OSError.

    A sandbox is made for one run, so a Python that becomes one run cannot be started in it beforehand.
    """
    if interpreter.torch is None or not interpreter.has_safe_path or (isolate and not forks()):
        return None
    return ZygoteKey(_key(interpreter, isolate=isolate), interpreter.path, isolate)


def imports_torch(code: str) -> bool:
    """Return whether code seems to import torch."""
    return _IMPORT.search(code) is not None


def key_for(interpreter: Interpreter, *, code: str, device: str, isolate: bool) -> str | None:
    """Return the key of the warm Python that can serve this run; None for a cold start.

    Code that does not import torch starts cold about as fast, and in a process without modules it did not import.
    The supervisor compares the environment of the run as well.
    """
    imported = _IMPORT.search(code)
    if (forks() and kind_of(device) not in _KINDS) or imported is None or _TOO_LATE.search(code, 0, imported.start()):
        return None
    return _key(interpreter, isolate=isolate)


def _key(interpreter: Interpreter, *, isolate: bool) -> str:
    """Return a hash of what the import of torch depends on, besides the environment. Raises OSError."""
    facts = [str(interpreter.path), interpreter.version, interpreter.torch, isolate, forks()]
    return hashlib.sha256(json.dumps([*facts, *_stamps(interpreter)]).encode()).hexdigest()


def _stamps(interpreter: Interpreter) -> Iterator[int]:
    """Yield the modification times of the program and its packages, in nanoseconds. Raises OSError."""
    places = [place for place in interpreter.places if place.name in {"site-packages", "dist-packages"}]
    inside = [place / "torch" / name for place in places for name in ("__init__.py", "version.py")]
    for path in (interpreter.path, *places, *inside):
        if path.exists():
            yield path.stat().st_mtime_ns
