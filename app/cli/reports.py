"""Results on the command line: search hits, verdicts, past runs and their comparison, as JSON or as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from app.cli.console import remark, say, say_marked, say_table
from kb.results import IndexReport, SearchResult
from snippets.model.catalog import Problem
from snippets.model.snippet import Snippet
from snippets.results.ledger import RunRow
from snippets.results.run_comparison import Measure, RunComparison
from snippets.verification.verify import VerifyReport

_HIT_KEYS = "path heading line lang score excerpt matched why"
_DIFF_MARKS = {"kept": " ", "removed": "-", "added": "+"}


def picked(document: dict[str, Any], keys: str) -> dict[str, Any]:
    """Return only these keys of a document, in this order; `keys` is separated by spaces."""
    return {key: document[key] for key in keys.split()}


def say_rebuilt(report: IndexReport) -> None:
    """Print why the index was rebuilt, if it was."""
    if report.rebuilt:
        remark(f"The search index was made anew: {report.rebuilt}.")


def search_document(result: SearchResult) -> dict[str, Any]:
    """Return the JSON document of one query."""
    hits = [picked(asdict(hit), _HIT_KEYS) for hit in result.hits]
    return {
        "query": result.query,
        "hits": hits,
        "did_you_mean": result.did_you_mean,
        "seconds": result.seconds,
        "unknown_error": result.unknown_error,
    }


def snippet_document(snippet: Snippet, status: str) -> dict[str, Any]:
    """Return the entry of a snippet in the JSON document of `snippets`."""
    return {
        "name": snippet.name,
        "path": snippet.origin,
        "line": snippet.line,
        "title": dict(snippet.title),
        "devices": list(snippet.devices),
        "needs_gpus": snippet.needs_gpus,
        "status": status,
    }


def problem_document(problem: Problem) -> dict[str, Any]:
    """Return the entry of a snippet that cannot be read; its reason says what to correct."""
    return {
        "name": problem.name,
        "path": problem.origin,
        "line": problem.line,
        "title": {"zh": problem.name, "en": problem.name},
        "devices": [],
        "needs_gpus": 0,
        "status": "broken",
        "reason": problem.error.en,
    }


def say_hits(result: SearchResult) -> None:
    """Print hits as text: title and headings, excerpt, then place, language and reasons."""
    if result.did_you_mean:
        say(f"Did you mean: {result.did_you_mean}")
    if result.unknown_error and result.hits:
        say("No note has the words of this error; the nearest are:")
    for hit in result.hits:
        say_marked(
            " › ".join([hit.title, *(h for h in (*hit.trail, hit.heading) if h and h != hit.title)]), hit.matched
        )
        say_marked(f"    {hit.excerpt}", hit.matched)
        say(f"    {hit.path}:{hit.line}  {hit.lang}  {'; '.join(hit.why)}".rstrip())
    if not result.hits:
        say(f"Nothing found for: {result.query}")


def say_verdicts(report: VerifyReport) -> None:
    """Print each verdict, with the difference or the reason if it did not pass."""
    for verdict in report.results:
        say(f"{verdict.status:12} {verdict.name}  {verdict.outcome.seconds:.2f} s")
        if verdict.status != "passed":
            text = verdict.diff or (verdict.reason.en if verdict.reason else "")
            say("\n".join(f"    {line}" for line in text.splitlines()))
    say(f"{report.passed} passed, {report.failed} failed, {report.unavailable} unavailable")


def say_runs(rows: Iterable[RunRow]) -> None:
    """Print a list of runs."""
    shown = ({**asdict(row), "pinned": "*" if row.pinned else ""} for row in rows)
    say_table("started name status device torch seconds peak_rss_mb pinned run_id", shown)


def say_comparison(found: RunComparison) -> None:
    """Print what differs between two runs: facts, measurements, then the output as a diff."""
    say(f"- {found.first.run_id}  {found.first.name}  {found.first.status}  {found.first.device}")
    say(f"+ {found.second.run_id}  {found.second.name}  {found.second.status}  {found.second.device}")
    for name in found.changed:
        say(f"{name.replace('_', ' ')}: {getattr(found.first, name)} -> {getattr(found.second, name)}")
    for measure in found.measures:
        if measure.first is not None or measure.second is not None:
            say(_measurement(measure))
    if found.difference.same:
        say("The output is the same.")
        return
    for line in found.difference.lines:
        say(f"{_DIFF_MARKS[line.kind]}{line.text}")
    if found.difference.left_out:
        say(f"({found.difference.left_out} more lines are not compared)")


def _measurement(measure: Measure) -> str:
    both = " -> ".join("?" if value is None else f"{value:.3g}" for value in (measure.first, measure.second))
    ratio = "" if measure.ratio is None else f" ({measure.ratio:.2f} times)"
    return f"{measure.name.replace('_', ' ')}: {both}{ratio}"
