"""The record of runs on the command line: lists, two runs beside each other, and an output that is pinned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from app.cli.console import say, say_table
from snippets.results.ledger import RunRow
from snippets.results.run_comparison import Measure, RunComparison

_SIGNS = {"kept": " ", "removed": "-", "added": "+"}


def say_runs(rows: Iterable[RunRow]) -> None:
    """Print a list of runs."""
    shown = ({**asdict(row), "pinned": "*" if row.pinned else ""} for row in rows)
    say_table("started name status device torch seconds peak_rss_mb pinned run_id", shown)


def say_comparison(found: RunComparison) -> None:
    """Print two runs beside each other: facts and times that differ, then the output as diff does."""
    say(f"- {found.first.run_id}  {found.first.name}  {found.first.status}  {found.first.device}")
    say(f"+ {found.second.run_id}  {found.second.name}  {found.second.status}  {found.second.device}")
    for name in found.changed:
        say(f"{name.replace('_', ' ')}: {getattr(found.first, name)} -> {getattr(found.second, name)}")
    for measure in found.measures:
        if measure.first is not None or measure.second is not None:
            say(_measured(measure))
    if found.difference.same:
        say("The output is the same.")
        return
    for line in found.difference.lines:
        say(f"{_SIGNS[line.kind]}{line.text}")
    if found.difference.left_out:
        say(f"({found.difference.left_out} more lines are not compared)")


def _measured(measure: Measure) -> str:
    both = " -> ".join("?" if value is None else f"{value:.3g}" for value in (measure.first, measure.second))
    ratio = "" if measure.ratio is None else f" ({measure.ratio:.2f} times)"
    return f"{measure.name.replace('_', ' ')}: {both}{ratio}"
