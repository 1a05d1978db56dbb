"""What the command line says of hits and verdicts, as JSON and for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from app.cli.console import remark, say, say_marked
from kb.results import IndexReport, SearchResult
from snippets.model.catalog import Problem
from snippets.model.snippet import Snippet
from snippets.verification.verify import VerifyReport

_HIT_KEYS = "path heading line lang score excerpt matched why"


def picked(document: dict[str, Any], keys: str) -> dict[str, Any]:
    """Give only these keys of a document, in this order."""
    return {key: document[key] for key in keys.split()}


def say_rebuilt(report: IndexReport) -> None:
    """Say that an index was thrown away, and why."""
    if report.rebuilt:
        remark(f"The search index was made anew: {report.rebuilt}.")


def search_document(result: SearchResult) -> dict[str, Any]:
    """Give the JSON document of one query."""
    hits = [picked(asdict(hit), _HIT_KEYS) for hit in result.hits]
    return {"query": result.query, "hits": hits, "did_you_mean": result.did_you_mean, "seconds": result.seconds}


def snippet_document(snippet: Snippet, status: str) -> dict[str, Any]:
    """Give the entry of a snippet in the JSON document of `snippets`."""
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
    """Give the entry of what should be a snippet and cannot be one; the reason says what to mend."""
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
    """Print hits as a person reads them: where, what, and why."""
    if result.did_you_mean:
        say(f"Did you mean: {result.did_you_mean}")
    for hit in result.hits:
        say_marked(
            " › ".join([hit.title, *(h for h in (*hit.trail, hit.heading) if h and h != hit.title)]), hit.matched
        )
        say_marked(f"    {hit.excerpt}", hit.matched)
        say(f"    {hit.path}:{hit.line}  {hit.lang}  {'; '.join(hit.why)}".rstrip())
    if not result.hits:
        say(f"Nothing found for: {result.query}")


def say_verdicts(report: VerifyReport) -> None:
    """Print each verdict, with the difference where there is one."""
    for verdict in report.results:
        say(f"{verdict.status:12} {verdict.name}  {verdict.outcome.seconds:.2f} s")
        if verdict.status != "passed":
            text = verdict.diff or (verdict.reason.en if verdict.reason else "")
            say("\n".join(f"    {line}" for line in text.splitlines()))
    say(f"{report.passed} passed, {report.failed} failed, {report.unavailable} unavailable")
