"""Helpers for tests of runs that are forked from a warm Python."""

from __future__ import annotations

import contextlib
from typing import Any

import psutil

from snippets.model.snippet import Snippet, snippet_from_block
from snippets.results.outcome import Outcome
from snippets.running.runner import Run, Runner, RunRequest
from snippets.supervisor.zygote import PROGRAM

HEAD = "import torch, os, sys, signal, subprocess, time\n"


def block(code: str) -> Snippet:
    """Make a snippet that imports torch, as a fence of a note would."""
    return snippet_from_block(name="note#warm", code=HEAD + code, options={}, output=None, origin="note", line=1)


def begin(runner: Runner, code: str, **asked: Any) -> Run:
    """Start a run and ignore its reports."""
    return runner.start(RunRequest(block(code), **asked), output=lambda _: None, finished=lambda _: None)


def forked(runner: Runner, code: str, **asked: Any) -> Outcome:
    """Run to the end, and make sure that it was forked."""
    run = begin(runner, code, **asked)
    outcome = run.wait(60)
    assert run.warm, outcome
    return outcome


def is_server(process: psutil.Process) -> bool:
    """Return whether a process is a zygote. Raises psutil.Error."""
    return any(part.endswith(PROGRAM) for part in process.cmdline())


def servers() -> list[psutil.Process]:
    """Return the warm Pythons among the descendants of this process."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if is_server(child) and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found
