"""From a request to a run folder on this machine and the command to start in it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snippets.supervisor.bubblewrap import link_folders, sandbox_command
from snippets.supervisor.run_environment import MARKER, clean, python_variables
from snippets.supervisor.run_folder import RunFolder

_ZYGOTES = "warm"


@dataclass(frozen=True)
class RunCommand:
    """A command as it is started cold."""

    argv: list[str]
    environment: dict[str, str]
    folder: str  # to start it in
    sandbox: list[str]  # the command line of bubblewrap; empty without a sandbox
    program: str = ""  # the file of the snippet


def set_up(request: dict[str, Any], code: bytes, folder: RunFolder) -> RunCommand:
    """Make the folder of a run and what is in it. Raises OSError."""
    if "argv" in request:  # a short command of ours, with exactly this environment
        folder.make_bare()
        return RunCommand(request["argv"], request["env"], str(folder.work), [])
    folder.make(request["modules"])
    program = Path(request["program"]) if request["program"] else folder.write_code(request["name"], code)
    environment = {
        **_base_environment(folder),
        **request["env"],
        **folder.control_variables(asks=request["asks"]),
        MARKER: request["run"],
    }
    argv = [request["python"], "-u", str(program), *request["args"]]
    sandbox = _sandbox(request, folder, program) if request["isolate"] else []
    return RunCommand(argv, environment, str(folder.work), sandbox, str(program))


def _base_environment(folder: RunFolder) -> dict[str, str]:
    return {**clean(), **python_variables(), **folder.variables()}


def _sandbox(request: dict[str, Any], folder: RunFolder, program: Path) -> list[str]:
    visible = (*map(Path, request["visible"]), *link_folders(Path(request["python"])), program, folder.root)
    return sandbox_command(
        writable=(folder.work, folder.temporary, folder.control),
        visible=visible,
        settings=folder.control / "etc",
        device=request["device"],
        links=folder.links(),
    )


@dataclass(frozen=True)
class ZygoteCommand:
    """A Python to start that imports torch and waits; the folder is removed once it is ready."""

    argv: list[str]
    environment: dict[str, str]
    folder: Path
    startup: str  # the source of the `sitecustomize` of runs
    sealed: bool  # its program is a copy in memory, for runs in a sandbox


def set_up_zygote(request: dict[str, Any], runs: Path) -> ZygoteCommand:
    """Return what the request for a warm Python asks for, in a folder of its own that is not made yet."""
    folder = RunFolder(runs, f"{_ZYGOTES}/{secrets.token_hex(8)}")
    environment = {**_base_environment(folder), **request["env"], MARKER: "-" * 24}
    return ZygoteCommand([request["python"], "-u"], environment, folder.root, request["startup"], request["sealed"])
