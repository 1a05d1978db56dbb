"""How a snippet stands by its runs: whether its claim is proven here and now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from snippets.model.snippet import Snippet
from snippets.results.expected_output import bears_out, claim_hash, code_hash
from snippets.results.ledger_row import RunRow
from snippets.results.missing_modules import lacks_torch
from snippets.targets.devices import Device, fitting
from snippets.targets.interpreters import Interpreter

Badge = Literal["passed", "failed", "stale", "never", "unavailable"]
BADGES: tuple[Badge, ...] = ("failed", "stale", "passed", "unavailable", "never")  # the first counts for a whole note

_UNDER_WAY = frozenset({"running", "stopped", "interrupted"})


@dataclass(frozen=True)
class SnippetStatus:
    """How a snippet stands. `last` is its latest run, whatever became of it, without its output.

    passed: it ran well, and printed what is recorded where something is. failed: it did not. stale: the code, the
    torch or the Python have changed since. never: nothing is known. unavailable: nothing is known, and nothing here
    can run it: no device, or the interpreter lacks what it imports.
    """

    badge: Badge
    last: RunRow | None = None

    @property
    def status(self) -> str:
        """The badge, or what the latest run is doing or has suffered: running, stopped, interrupted."""
        return self.last.status if self.last and self.last.status in _UNDER_WAY else self.badge


def badge_of(
    snippet: Snippet,
    telling: RunRow | None,
    *,
    last: RunRow | None,
    interpreter: Interpreter | None,
    present: Sequence[Device] | None,
    whole: Callable[[RunRow], RunRow],
) -> Badge:
    """Judge by the latest run that says something and by the latest of all; `present` is None where nobody looked.

    The rows come without their outputs; `whole` fetches one in the rare case that it counts.
    """
    if telling is None:
        return "unavailable" if _cannot_run(snippet, last, interpreter, present) else "never"
    if is_stale(telling, snippet, interpreter):
        return "stale"
    if telling.status != "passed":
        return "failed"
    return _as_recorded(telling, snippet, whole)


def _cannot_run(
    snippet: Snippet, last: RunRow | None, interpreter: Interpreter | None, present: Sequence[Device] | None
) -> bool:
    """Say whether nothing here can run a snippet, by what there is or by the latest try under this interpreter."""
    tried = last is not None and last.status == "unavailable" and not is_stale(last, snippet, interpreter)
    if tried and (present is None or (last is not None and last.interpreter is not None)):
        return True
    if interpreter is not None and lacks_torch(snippet, interpreter):
        return True
    if present is None:
        return False
    fits = fitting(snippet.devices, snippet.needs_gpus, present=present)
    return not any(interpreter is None or interpreter.reaches(one.partition(":")[0]) for one in fits)


def is_stale(row: RunRow, snippet: Snippet, interpreter: Interpreter | None = None) -> bool:
    """Say whether the code has changed since a run, or the Python or the torch if an interpreter is given."""
    if row.code_sha256 != code_hash(snippet):
        return True
    if interpreter is None or row.interpreter is None:
        return False
    return (str(interpreter.path), interpreter.version, interpreter.torch) != (row.interpreter, row.python, row.torch)


def worst(badges: Sequence[str]) -> tuple[str, int]:
    """Return the badge that counts for a note or a vault, and how many snippets have it; ("", 0) without any."""
    return next(((badge, count) for badge in BADGES if (count := list(badges).count(badge))), ("", 0))


def _as_recorded(row: RunRow, snippet: Snippet, whole: Callable[[RunRow], RunRow]) -> Badge:
    now = claim_hash(snippet, row.device)
    if not now or row.recorded_sha256 is None:  # nothing is claimed, or an old record does not know
        return "passed"
    if row.recorded_sha256 == now:
        return "failed" if row.as_recorded is False else "passed"
    if row.output_cut:
        return "stale"
    row = whole(row)
    held = bears_out(snippet, row.device, stdout=row.printed, output=row.output)
    return "failed" if held is False else "passed"
