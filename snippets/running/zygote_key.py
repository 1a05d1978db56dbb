"""Which Python stands ready for which run: it has imported torch under the variables that the run asks for."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snippets.process.connection import MARKER
from snippets.running.run_folder import RunFolder, full_environment
from snippets.targets.devices import environment_for, kind_of
from snippets.targets.interpreters import Interpreter

_FOLDER = "warm"
_STARTUP = Path(__file__).with_name("interpreter_startup.py")
HOW = "TORCHLEAF_READY"  # a variable of this program; "once": use what stands ready once, though it could fork
_KINDS = frozenset({"cpu", "cuda"})  # what importing torch does not touch yet, so that a fork may
# Variables that nothing reads before the run begins; a run with any other one that differs is started cold.
_READ_LATE = frozenset((
    "PYTHONPATH", "MPLBACKEND", "MPLCONFIGDIR", "TORCHLEAF_FIGURES", "TORCHLEAF_INPUT", "TORCHLEAF_STACKS",
    "TMPDIR", "TEMP", "TMP", MARKER,
    "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING",
    "MASTER_ADDR", "MASTER_PORT", "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK",
))  # fmt: skip
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)
# What code may do before it imports torch that comes too late for a torch which is there already.
_TOO_LATE = re.compile(
    r"(?<![A-Z])(?:OMP|MKL|KMP|(?:OPEN)?BLAS|PYTORCH|TORCH|ATEN|LD|MALLOC)_|CUDA_MODULE_LOADING|environ\.update|"
    r"sys\.modules|meta_path|path_hooks|setdlopenflags|__import__|simplefilter|filterwarnings|addaudithook"
)


@dataclass(frozen=True)
class ZygoteKey:
    """A Python that is to stand ready, as the supervisor is asked for it."""

    key: str  # of two with the same key one will do for the other
    python: Path
    isolate: bool
    runs: Path

    def message(self) -> dict[str, Any]:
        """Ask for one, in a folder of its own."""
        folder, environment = _surroundings(self.runs)
        return {
            "do": "warm", "key": self.key, "argv": [str(self.python), "-u"], "env": environment, "once": not forks(),
            "folder": str(folder.root), "startup": _STARTUP.read_text(encoding="utf-8"), "sealed": self.isolate,
        }  # fmt: skip


def forks() -> bool:
    """Say whether one Python is to fork all runs; else each is used once, and another is made ready behind it.

    Forking is left alone where a library that torch uses does not bear it, as on macOS, and where there is none.
    """
    return sys.platform.startswith("linux") and os.environ.get(HOW) != "once"


def zygote_key(interpreter: Interpreter, *, isolate: bool, runs: Path) -> ZygoteKey | None:
    """Say what is to stand ready for the runs of an interpreter; None where there is nothing to gain. Raises OSError.

    Walls are built for one run, so that what is used once cannot stand behind them before.
    """
    if interpreter.torch is None or not interpreter.has_safe_path or (isolate and not forks()):
        return None
    _, environment = _surroundings(runs)
    return ZygoteKey(_key(interpreter, environment, isolate=isolate), interpreter.path, isolate, runs)


def _surroundings(runs: Path) -> tuple[RunFolder, dict[str, str]]:
    folder = RunFolder(runs, f"{_FOLDER}/{secrets.token_hex(8)}")
    return folder, full_environment(folder, environment_for("cpu"), {MARKER: "-" * 24})


def imports_torch(code: str) -> bool:
    """Say whether code seems to import torch."""
    return _IMPORT.search(code) is not None


def key_for(
    interpreter: Interpreter, environment: Mapping[str, str], *, code: str, device: str, isolate: bool
) -> str | None:
    """Give the key of the Python that could fork this run; None for a run that is started cold.

    Code that does not import torch starts cold about as soon, and finds nothing there that it did not ask for.
    """
    imported = _IMPORT.search(code)
    if (forks() and kind_of(device) not in _KINDS) or imported is None or _TOO_LATE.search(code, 0, imported.start()):
        return None
    return _key(interpreter, environment, isolate=isolate)


def _key(interpreter: Interpreter, environment: Mapping[str, str], *, isolate: bool) -> str:
    """Change with whatever would make the import of torch go another way."""
    early = {name: value for name, value in environment.items() if name not in _READ_LATE}
    facts = [str(interpreter.path), interpreter.version, interpreter.torch, isolate, forks(), sorted(early.items())]
    return hashlib.sha256(json.dumps([*facts, *_stamps(interpreter)]).encode()).hexdigest()


def _stamps(interpreter: Interpreter) -> Iterator[int]:
    """Change when the program or its packages do."""
    places = [place for place in interpreter.places if place.name in {"site-packages", "dist-packages"}]
    inside = [place / "torch" / name for place in places for name in ("__init__.py", "version.py")]
    for path in (interpreter.path, *places, *inside):
        if path.exists():
            yield path.stat().st_mtime_ns
