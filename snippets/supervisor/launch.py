"""Starts the main process of a run: cold, or forked from a Python that has imported torch."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, cast

from snippets.supervisor.job_object import CREATE_SUSPENDED, Job
from snippets.supervisor.limits import Limits
from snippets.supervisor.process_tree import WINDOWS
from snippets.supervisor.run_setup import RunCommand
from snippets.supervisor.sandbox import Sandbox
from snippets.supervisor.seccomp import seccomp_filter
from snippets.supervisor.zygote_client import Ready, SingleUseClient, ZygoteClient


@dataclass
class Launched:
    """A main process and the pipes of its standard output and error."""

    pid: int
    pipes: tuple[IO[bytes], IO[bytes]]
    process: subprocess.Popen[bytes] | None = None  # if it was started cold
    walls: Sandbox | None = None  # if it was forked into a sandbox
    job: Job | None = None  # on Windows
    warm: bool = False  # torch was already imported


def launch(command: RunCommand, warm: Ready | None, limits: Limits) -> Launched:
    """Start a run from the warm Python, or cold if there is none or it fails. Raises OSError, ValueError."""
    if isinstance(warm, SingleUseClient) and warm.ready:
        with contextlib.suppress(OSError, ValueError):
            return _taken(command, warm, limits)
    if WINDOWS:  # pragma: no cover - Windows only
        return _in_a_job(command, limits)
    if isinstance(warm, ZygoteClient) and warm.ready:
        with contextlib.suppress(OSError, ValueError):
            return _forked(command, warm)
    return _cold(command)


def _cold(command: RunCommand) -> Launched:
    """Start it in a session of its own, so that signals to its process group stay inside."""
    with _filter_file(command) as handles:
        filtering = [part for handle in handles for part in ("--seccomp", str(handle))]
        sandbox = [*command.sandbox, *filtering, "--"] if command.sandbox else []
        process = subprocess.Popen(
            [*sandbox, *command.argv],
            cwd=command.folder,
            env=command.environment,
            start_new_session=True,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=handles,
        )
    pipes = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    return Launched(process.pid, pipes, process)


@contextlib.contextmanager
def _filter_file(command: RunCommand) -> Iterator[tuple[int, ...]]:
    """Yield an open file with the filter of system calls, for bubblewrap to read; none without a sandbox or filter."""
    program = seccomp_filter() if command.sandbox else b""
    if not program:
        yield ()
        return
    read, write = os.pipe()  # which has room for it
    try:
        os.write(write, program)
        os.close(write)
        yield (read,)
    finally:
        os.close(read)


def _in_a_job(command: RunCommand, limits: Limits) -> Launched:  # pragma: no cover - Windows only
    """Start it suspended, and resume it in a job object that ends with this process."""
    job = Job(memory=limits.memory, processes=limits.processes)
    try:
        process = subprocess.Popen(
            command.argv,
            cwd=command.folder,
            env=command.environment,
            bufsize=0,
            creationflags=CREATE_SUSPENDED,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
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


def _taken(command: RunCommand, warm: SingleUseClient, limits: Limits) -> Launched:
    job = Job(memory=limits.memory, processes=limits.processes) if WINDOWS else None
    process = warm.hand_over(_order(command), job)
    pipes = (cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr))
    return Launched(process.pid, pipes, process, job=job, warm=True)


def _order(command: RunCommand) -> dict[str, object]:
    return {"argv": command.argv, "env": command.environment, "cwd": command.folder}


def _forked(command: RunCommand, warm: ZygoteClient) -> Launched:
    walls = Sandbox(command.sandbox, command.environment) if command.sandbox else None
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
        order = _order(command)
        if walls:
            order["env"] = {**command.environment, "PWD": command.folder}  # as bubblewrap does
            order["filter"] = seccomp_filter().hex()
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
