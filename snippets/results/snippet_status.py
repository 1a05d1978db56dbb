"""The status of a snippet by its runs: whether its claim is proven on this machine."""

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
BADGES: tuple[Badge, ...] = ("failed", "stale", "passed", "unavailable", "never")  # worst first

_UNDER_WAY = frozenset({"running", "stopped", "interrupted"})


@dataclass(frozen=True)
class SnippetStatus:
    """The status of a snippet. `last` is its latest run, however it ended, without its output.

    passed: it succeeded and printed the expected output, if one is recorded. failed: it did not. stale: the code, torch
    or Python changed since. never: nothing is known. unavailable: nothing is known, and it cannot run here because a
    device or an imported module is missing.
    """

    badge: Badge
    last: RunRow | None = None

    @property
    def status(self) -> str:
        """The badge, or the state of the latest run if that is running, stopped or interrupted."""
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
    """Return the badge by the latest run that says something about the code, `telling`, and the latest of all, `last`.

    `present` is None if the devices are not known. The rows have no outputs; `whole` loads one if it is needed.
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
    """Return whether a snippet cannot run here, by the devices or by the latest attempt with this interpreter."""
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
    """Return whether the code changed since a run, or Python or torch if an interpreter is given."""
    if row.code_sha256 != code_hash(snippet):
        return True
    if interpreter is None or row.interpreter is None:
        return False
    return (str(interpreter.path), interpreter.version, interpreter.torch) != (row.interpreter, row.python, row.torch)


def worst(badges: Sequence[str]) -> tuple[str, int]:
    """Return the worst of the badges, and how many snippets have it; ("", 0) without any."""
    return next(((badge, count) for badge in BADGES if (count := list(badges).count(badge))), ("", 0))


def _as_recorded(row: RunRow, snippet: Snippet, whole: Callable[[RunRow], RunRow]) -> Badge:
    now = claim_hash(snippet, row.device)
    if not now or row.recorded_sha256 is None:  # nothing is recorded, or the row is old
        return "passed"
    if row.recorded_sha256 == now:
        return "failed" if row.as_recorded is False else "passed"
    if row.output_cut:
        return "stale"
    row = whole(row)
    held = bears_out(snippet, row.device, stdout=row.printed, output=row.output)
    return "failed" if held is False else "passed"
