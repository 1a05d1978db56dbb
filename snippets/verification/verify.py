"""Runs snippets and compares their output with the recorded one, so that claims of notes stay true."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from snippets.errors import BadSnippet, Sentence, SnippetError
from snippets.model.catalog import Problem
from snippets.model.snippet import Snippet
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import TOLERANCE
from snippets.results.record_output import claim_from, record, record_picture
from snippets.running.runner import Run, Runner, RunRequest
from snippets.running.zygote_key import forks, imports_torch
from snippets.targets.devices import devices
from snippets.targets.resources import PROCESS_BYTES, memory, share_of, shares
from snippets.verification.verdicts import ACCEPTED, Verdict, VerifyReport, difference, judge, unreadable

_PAYS = 4  # runs for each warm Python: its import of torch takes about as long as one run
_AMPLE = 2 * PROCESS_BYTES  # of free memory for each warm Python, with its run

__all__ = ["Verdict", "VerifyReport", "difference", "judge", "verify"]


def verify(
    snippets: Iterable[Snippet],
    *,
    runner: Runner,
    device: str = "cpu",
    accept: bool = False,
    python: Path | None = None,
    isolate: bool = False,
    vault: Path | None = None,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, int, Verdict], None] | None = None,
    jobs: int | None = None,
    problems: Sequence[Problem] = (),
) -> VerifyReport:
    """Run the snippets on a device and judge each. Raises UnknownDevice, UnknownInterpreter.

    With `isolate`, all runs are isolated, and `vault` is the folder that they can read. `jobs` processes run at the
    same time, by default as many as the machine has resources for; a snippet of several processes counts as that many.
    With `accept`, a new or different output is recorded if the run ended as it should. `progress` is called after each
    run with the number done, the number of all, and the verdict. The report has the order of the snippets, followed by
    `problems`, which count as failed.
    """
    chosen = tuple(snippets)
    most = jobs or shares(device, devices())
    _get_ready(runner, chosen, most=most, python=python, isolate=isolate)
    requests = [RunRequest(snippet, device=device, python=python, isolate=isolate, vault=vault) for snippet in chosen]
    verdicts: dict[int, Verdict] = {}
    for number, outcome in _outcomes(runner, requests, most):
        verdict = judge(chosen[number], outcome, tolerance=tolerance)
        verdicts[number] = _accepted(verdict, device) if accept else verdict
        if progress is not None:
            progress(len(verdicts), len(chosen), verdicts[number])
    broken = tuple(unreadable(problem) for problem in problems)
    return VerifyReport.of((*(verdicts[number] for number in range(len(chosen))), *broken))


def _get_ready(runner: Runner, snippets: Sequence[Snippet], *, most: int, python: Path | None, isolate: bool) -> None:
    """Keep Pythons warm for the runs, if there are enough runs to save time."""
    importing = sum(imports_torch(snippet.code) for snippet in snippets)
    count = min(most, importing // _PAYS, memory() // _AMPLE)
    if count and forks():
        with suppress(SnippetError, OSError):  # each run reports the error then
            runner.warm_up(python, isolate=isolate, count=count)


def _outcomes(runner: Runner, requests: Sequence[RunRequest], most: int) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcomes as the runs end, each with the index of its request; on an error all runs are stopped."""
    waiting = list(range(len(requests)))
    going_on: dict[int, Run] = {}
    ended: queue.SimpleQueue[int] = queue.SimpleQueue()
    try:
        while waiting or going_on:
            for number in _next(waiting, going_on, requests, most):
                waiting.remove(number)
                tell = partial(_tell, ended, number)
                going_on[number] = runner.start(requests[number], output=_ignore, finished=tell)
            number = ended.get()
            outcome = going_on[number].wait()
            del going_on[number]
            yield number, outcome
    finally:
        for run in going_on.values():
            run.stop()


def _next(
    waiting: Iterable[int], going_on: Iterable[int], requests: Sequence[RunRequest], most: int
) -> tuple[int, ...]:
    """Return the waiting requests that fit next to the active ones; one that is too large runs alone."""
    need = {number: min(most, share_of(requests[number].snippet)) for number in (*waiting, *going_on)}
    room = most - sum(need[number] for number in going_on)
    chosen = []
    for number in waiting:
        share = need[number]
        if share <= room:
            chosen.append(number)
            room -= share
    return tuple(chosen)


def _accepted(verdict: Verdict, device: str) -> Verdict:
    outcome, snippet = verdict.outcome, verdict.snippet
    if outcome.status != "passed":
        return verdict
    try:
        record_picture(snippet, outcome)
    except BadSnippet as error:
        return replace(verdict, status="failed", reason=Sentence(error.en, error.zh))
    if verdict.status == "passed":
        return verdict
    text = claim_from(snippet, device, stdout=outcome.stdout, output=outcome.output)
    if snippet.path is not None:
        try:
            record(snippet, device, text)
        except BadSnippet as error:
            return replace(verdict, status="failed", reason=Sentence(error.en, error.zh))
    return Verdict(snippet, "passed", outcome, ACCEPTED, accepted=text)


def _tell(ended: queue.SimpleQueue[int], number: int, _: Outcome) -> None:
    ended.put(number)


def _ignore(_: object) -> None:
    """Ignore a report."""
