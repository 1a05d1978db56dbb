"""The ledger of runs, kept on a thread of its own: the window never waits for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.threads import Door
from snippets.form import Snippet
from snippets.interpreters import Interpreter
from snippets.ledger import Ledger, RunRow
from snippets.outcome import Outcome
from snippets.runner import RunRequest


@dataclass(frozen=True)
class CellState:
    """How a snippet stands: passed, failed, stale, never ..., and its last run."""

    status: str
    last: RunRow | None = None
