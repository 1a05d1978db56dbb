"""The request for a run, and whether and how a target can serve it."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.missing_modules import TORCH, lack_of, lacks_torch
from snippets.results.outcome import Lack
from snippets.running.zygote_key import key_for
from snippets.supervisor.bubblewrap import WRAPPER
from snippets.targets.devices import environment_for, kind_of, why_not
from snippets.targets.interpreters import Interpreter
from snippets.targets.target import Target

GRACE_SECONDS = 1.0  # between asking a run to end and killing it
_MODULES = {"torchleaf_figures.py": "matplotlib_backend.py", "sitecustomize.py": "interpreter_startup.py"}


@dataclass(frozen=True)
class RunRequest:
    """What to run, and how. An impossible request ends as "unavailable"."""

    snippet: Snippet
    target: Target | None = None  # None: the one of the runner
    device: str = "cpu"
    python: Path | None = None  # None: the interpreter of this program, or the own one of another target
    timeout: float | None = None  # seconds; None: the snippet's own, infinite: none
    args: tuple[str, ...] = ()  # after the snippet's own
    isolate: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    vault: Path | None = None  # stays readable when the run is isolated
    memory: int | None = None  # most bytes of all its processes together; None: a share of the machine's
    disk: int | None = None  # most bytes in its folder; None: a share of what is free
    processes: int | None = None  # most processes at once; None: 1000
    asks: bool = False  # it can read lines that the user types; else its input is empty
    silence: float | None = None  # seconds without output after which a rank is reported; None: 30

    def limit(self) -> float | None:
        """Return the seconds it may take, None for no limit."""
        seconds = self.snippet.timeout if self.timeout is None else self.timeout
        return seconds if 0 < seconds < math.inf else None


@dataclass(frozen=True)
class PreparedRun:
    """A run that can be started."""

    request: RunRequest
    run_id: str
    target: Target
    interpreter: Interpreter

    @property
    def keeps_folder(self) -> bool:
        """Whether the run folder stays after the run; else only what comes back by the connection does."""
        return self.target.folder(self.run_id) is not None

    def message(self) -> tuple[dict[str, Any], bytes]:
        """Return the request to the supervisor, and the code unless the snippet is run where it lies."""
        request, snippet = self.request, self.request.snippet
        in_place = self._runs_in_place()
        warm = key_for(self.interpreter, code=snippet.code, device=request.device, isolate=request.isolate)
        header = {
            "do": "run",
            "run": self.run_id,
            "python": str(self.interpreter.path),
            "args": [*snippet.args, *request.args],
            "program": str(snippet.path) if in_place else None,
            "name": code_name(snippet.name),
            "modules": _modules(),
            "env": {**request.environment, **environment_for(request.device)},
            "device": request.device,
            "isolate": request.isolate,
            "visible": self._visible(),
            "spare": WRAPPER if request.isolate else None,
            "asks": request.asks,
            "keep": self.keeps_folder,
            "warm": warm,
            "timeout": request.limit(),
            "grace": GRACE_SECONDS,
            "memory": request.memory,
            "disk": request.disk,
            "processes": request.processes,
            "ranks": "distributed" in snippet.code,
            "silence": request.silence,
        }
        return header, b"" if in_place else snippet.code.encode("utf-8")

    def _runs_in_place(self) -> bool:
        """Return whether Python runs the snippet's own file.

        Without safe path it would find modules next to the file, so such an interpreter gets a copy.
        """
        return self.request.snippet.path is not None and self.target.sees_files and self.interpreter.has_safe_path

    def _visible(self) -> list[str]:
        vault = [self.request.vault] if self.request.vault is not None and self.target.sees_files else []
        return [str(path) for path in (*self.interpreter.places, *vault)]


def code_name(name: str) -> str:
    """Return the name of the file that the code of a snippet without a file of its own is written to."""
    plain = re.sub(r"[^\w-]+", "_", name).strip("_-")[:60] or "snippet"
    return f"{plain}.py"


@functools.cache
def _modules() -> dict[str, str]:
    """Return the sources of our modules on the path of a run, by their names there."""
    return {name: Path(__file__).with_name(here).read_text(encoding="utf-8") for name, here in _MODULES.items()}


@dataclass(frozen=True)
class Refusal:
    """Why a run cannot be done, and the interpreter if that is the reason."""

    reason: Sentence
    interpreter: Interpreter | None = None
    lack: Lack | None = None


def prepare(request: RunRequest, *, run_id: str, target: Target) -> PreparedRun | Refusal:
    """Check whether the target can serve the request. Raises SnippetError, OSError."""
    reason = _device_reason(request, target)
    if reason:
        return Refusal(reason)
    interpreter = target.interpreter(request.python)
    if lack := _lack(request, interpreter):
        return Refusal(lack.reason, interpreter, lack)
    reason = _torch_reason(interpreter, request.device)
    if reason:
        return Refusal(reason, interpreter)
    reason = _isolation_reason(request, target)
    return Refusal(reason) if reason else PreparedRun(request, run_id, target, interpreter)


def _device_reason(request: RunRequest, target: Target) -> Sentence | None:
    snippet = request.snippet
    return why_not(request.device, kinds=snippet.devices, needs_gpus=snippet.needs_gpus, present=target.devices())


def _lack(request: RunRequest, interpreter: Interpreter) -> Lack | None:
    """Return that torch is missing, without starting code that needs it; a given PYTHONPATH may lead to one."""
    elsewhere = "PYTHONPATH" in request.environment
    return lack_of(TORCH, interpreter) if not elsewhere and lacks_torch(request.snippet, interpreter) else None


def _torch_reason(interpreter: Interpreter, device: str) -> Sentence | None:
    """Return why this torch cannot use the device: it would silently use the CPU."""
    kind = kind_of(device)
    if interpreter.reaches(kind):
        return None
    return Sentence(
        f"The torch {interpreter.torch} of {interpreter.path} is built without {kind}; choose another interpreter.",
        f"{interpreter.path} 里的 torch {interpreter.torch} 不支持 {kind}；请选择别的解释器。",
    )


def _isolation_reason(request: RunRequest, target: Target) -> Sentence | None:
    if not request.isolate:
        return None
    found = target.isolation()
    return None if found.available else Sentence(found.reason_en or "", found.reason_zh or "")
