"""How the main process of a run comes to be: started cold, or forked by a Python that has imported torch."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, cast

from snippets.supervisor.job_object import CREATE_SUSPENDED, Job
from snippets.supervisor.limits import Limits
from snippets.supervisor.process_tree import WINDOWS
from snippets.supervisor.sandbox import Sandbox
from snippets.supervisor.zygote_client import Ready, SingleUseClient, ZygoteClient


@dataclass
class Launched:
    """A main process, and its two pipes."""

    pid: int
    pipes: tuple[IO[bytes], IO[bytes]]
    process: subprocess.Popen[bytes] | None = None  # where it was started cold
    walls: Sandbox | None = None  # where it was put behind walls that stand by themselves
    job: Job | None = None  # on Windows
    warm: bool = False  # it had imported torch before


def launch(request: Mapping[str, Any], warm: Ready | None, limits: Limits) -> Launched:
    """Start a run, by a Python that stands ready where there is one and that works. Raises OSError, ValueError."""
    if isinstance(warm, SingleUseClient) and warm.ready:
        with contextlib.suppress(OSError, ValueError):
            return _taken(request, warm, limits)
    if WINDOWS:  # pragma: no cover - Windows only
        return _in_a_job(request, limits)
    if isinstance(warm, ZygoteClient) and warm.ready:
        with contextlib.suppress(OSError, ValueError):
            return _forked(request, warm)
    return _cold(request)


def _cold(request: Mapping[str, Any]) -> Launched:
    """Start it in a session of its own, so that what it sends its group stays with it."""
    walls = [*request["walls"], "--"] if request.get("walls") else []
    process = subprocess.Popen(
        [*walls, *request["argv"]], cwd=request["cwd"], env=request["env"], start_new_session=True, bufsize=0,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    pipes = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    return Launched(process.pid, pipes, process)


def _in_a_job(request: Mapping[str, Any], limits: Limits) -> Launched:  # pragma: no cover - Windows only
    """Start it halted, and let it go on when it is in a job that ends with this process."""
    job = Job(memory=limits.memory, processes=limits.processes)
    try:
        process = subprocess.Popen(
            request["argv"], cwd=request["cwd"], env=request["env"], bufsize=0, creationflags=CREATE_SUSPENDED,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            job.add_process(int(vars(process)["_handle"]))
        except OSError:
            process.kill()
            raise
    except (OSError, ValueError):
        job.close()
        raise
    pipes = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    return Launched(process.pid, pipes, process, job=job)


def _taken(request: Mapping[str, Any], warm: SingleUseClient, limits: Limits) -> Launched:
    job = Job(memory=limits.memory, processes=limits.processes) if WINDOWS else None
    process = warm.hand_over({name: request[name] for name in ("argv", "env", "cwd")}, job)
    pipes = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    return Launched(process.pid, pipes, process, job=job, warm=True)


def _forked(request: Mapping[str, Any], warm: ZygoteClient) -> Launched:
    walls = Sandbox(request["walls"], request["env"]) if request.get("walls") else None
    openings: list[int] = []
    reading: list[IO[bytes]] = []
    writing: list[int] = []
    try:
        if walls:
            openings = walls.openings()
        for _ in range(2):
            inner, outer = os.pipe()
            reading.append(os.fdopen(inner, "rb", buffering=0))
            writing.append(outer)
        order = {name: request[name] for name in ("argv", "env", "cwd")}
        if walls:
            order["env"] = {**request["env"], "PWD": request["cwd"]}  # bubblewrap sets it
        pid = warm.fork(order, [*writing, *openings])
    except (OSError, ValueError):
        for pipe in reading:
            pipe.close()
        if walls:
            walls.close()
        raise
    finally:
        for handle in (*openings, *writing):
            os.close(handle)
    return Launched(pid, (reading[0], reading[1]), walls=walls, warm=True)
