"""What is asked of the runner, and whether and how this machine can do it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.process.connection import MARKER
from snippets.process.isolation import WRAPPER, isolation, sandbox_command
from snippets.results.missing_modules import TORCH, lack_of, lacks_torch
from snippets.results.outcome import Lack
from snippets.running.run_folder import RunFolder, full_environment
from snippets.running.zygote_key import key_for
from snippets.targets.devices import devices, environment_for, kind_of, why_not
from snippets.targets.interpreters import Interpreter, probe, running

GRACE_SECONDS = 1.0  # between asking a run to end and killing it


@dataclass(frozen=True)
class RunRequest:
    """One run that is asked for. Raises nothing; what does not fit is said when it is started."""

    snippet: Snippet
    device: str = "cpu"
    python: Path | None = None  # None: the interpreter of this program
    timeout: float | None = None  # seconds; None: the snippet's own, infinite: none
    args: tuple[str, ...] = ()  # after the snippet's own
    isolate: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    vault: Path | None = None  # stays readable when the run is isolated
    memory: int | None = None  # bytes that all its processes may hold together; None: a share of the machine's
    disk: int | None = None  # bytes that it may write to its folder; None: a share of what is free
    processes: int | None = None  # how many it may have at once; None: very many
    asks: bool = False  # whether somebody is there to type what it reads; else its input is at its end
    silence: float | None = None  # seconds after which a rank is told of that says nothing; None: half a minute

    def limit(self) -> float | None:
        """Give the seconds it may take, None for no limit."""
        seconds = self.snippet.timeout if self.timeout is None else self.timeout
        return seconds if 0 < seconds < math.inf else None


@dataclass(frozen=True)
class PreparedRun:
    """A run that can be started."""

    request: RunRequest
    run_id: str
    interpreter: Interpreter
    folder: RunFolder
    program: Path

    def message(self) -> tuple[dict[str, Any], bytes]:
        """Make the request to the supervisor, with the code where the snippet has no file of its own."""
        request = self.request
        python = [str(self.interpreter.path), "-u", str(self.program), *request.snippet.args, *request.args]
        own_file = self.program == request.snippet.path
        environment = self._environment()
        warm = key_for(
            self.interpreter, environment, code=request.snippet.code, device=request.device, isolate=request.isolate
        )
        header = {
            "do": "run", "run": self.run_id, "argv": python, "walls": self._walls() if request.isolate else None,
            "env": environment, "cwd": str(self.folder.work), "log": str(self.folder.log), "warm": warm,
            "file": None if own_file else str(self.program), "timeout": request.limit(), "grace": GRACE_SECONDS,
            "spare": WRAPPER if request.isolate else None,
            "scratch": str(self.folder.root), "memory": request.memory, "disk": request.disk,
            "processes": request.processes, "input": str(self.folder.keyboard) if request.asks else None,
            "ranks": "distributed" in request.snippet.code, "program": str(self.program), "silence": request.silence,
        }  # fmt: skip
        return header, b"" if own_file else request.snippet.code.encode("utf-8")

    def _environment(self) -> dict[str, str]:
        given = {**self.request.environment, **self.folder.ears(asks=self.request.asks), MARKER: self.run_id}
        return full_environment(self.folder, environment_for(self.request.device), given)

    def _walls(self) -> list[str]:
        vault = () if self.request.vault is None else (self.request.vault,)
        visible = (*self.interpreter.places, *_links(self.interpreter.path), self.program.parent, *vault)
        links = self.folder.links()
        return sandbox_command(scratch=self.folder.root, visible=visible, device=self.request.device, links=links)


@dataclass(frozen=True)
class Refusal:
    """Why a run cannot be done here, and the interpreter where that is what is wrong."""

    reason: Sentence
    interpreter: Interpreter | None = None
    lack: Lack | None = None


def prepare(request: RunRequest, *, run_id: str, runs: Path) -> PreparedRun | Refusal:
    """Look whether the run can be done here, and make its folder; else say why not. Raises SnippetError, OSError."""
    reason = _device_reason(request)
    if reason:
        return Refusal(reason)
    interpreter = probe(request.python or running())
    if lack := _lack(request, interpreter):
        return Refusal(lack.reason, interpreter, lack)
    reason = _torch_reason(interpreter, request.device)
    if reason:
        return Refusal(reason, interpreter)
    reason = _isolation_reason(request)
    if reason:
        return Refusal(reason)
    folder = RunFolder(runs, run_id)
    folder.make()
    path = request.snippet.path
    # An interpreter that cannot be told to leave the snippet's folder alone gets a copy in a folder of its own.
    program = path if path is not None and interpreter.has_safe_path else folder.code_file(request.snippet.name)
    return PreparedRun(request, run_id, interpreter, folder, program)


def _device_reason(request: RunRequest) -> Sentence | None:
    present = devices()
    snippet = request.snippet
    return why_not(request.device, kinds=snippet.devices, needs_gpus=snippet.needs_gpus, present=present)


def _lack(request: RunRequest, interpreter: Interpreter) -> Lack | None:
    """Find that there is no torch without starting what needs it; a path that was given may lead to one."""
    elsewhere = "PYTHONPATH" in request.environment
    return lack_of(TORCH, interpreter) if not elsewhere and lacks_torch(request.snippet, interpreter) else None


def _torch_reason(interpreter: Interpreter, device: str) -> Sentence | None:
    """Never the CPU in silence: a torch without this kind of device would take it."""
    kind = kind_of(device)
    if interpreter.reaches(kind):
        return None
    return Sentence(
        f"The torch {interpreter.torch} of {interpreter.path} is built without {kind}; choose another interpreter.",
        f"{interpreter.path} 里的 torch {interpreter.torch} 不支持 {kind}；请选择别的解释器。",
    )


def _isolation_reason(request: RunRequest) -> Sentence | None:
    if not request.isolate:
        return None
    found = isolation()
    return None if found.available else Sentence(found.reason_en or "", found.reason_zh or "")


def _links(program: Path) -> tuple[Path, ...]:
    """Give the folders that a chain of links to a program leads through."""
    folders = []
    while program.is_symlink():
        folders.append(program.parent)
        program = program.parent / program.readlink()
    return (*folders, program.parent)
