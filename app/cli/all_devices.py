"""One snippet on every device of the machine, one after another, and what came of it side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.cli.console import remark, say_columns
from app.cli.console_run import open_runner, run_once
from kb.files.paths import VaultPaths
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import changes
from snippets.running.runner import RunRequest
from snippets.targets.devices import devices, every

ALL = "all"


def run_on_all_devices(request: RunRequest, places: VaultPaths) -> tuple[Outcome, ...]:
    """Run it on each device that is here; one that cannot says why."""
    snippet = request.snippet
    chosen = every(snippet.devices, snippet.needs_gpus, present=devices())
    outcomes = []
    with open_runner(places) as runner:
        for device in chosen:
            remark(f"Running on {device} …")
            outcomes.append(run_once(runner, replace(request, device=device), quiet=True))
    return tuple(outcomes)


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Give the JSON document: a run as each device had it, and whether it printed the same as the first that ran."""
    told = _compared(outcomes)
    return {"runs": [{**outcome.document(), "same_output": told[outcome.run_id]} for outcome in outcomes]}


def say_side_by_side(outcomes: Sequence[Outcome]) -> None:
    """Print a column for each device: how it ended, its times and memory, and what it printed."""
    told = _compared(outcomes)
    say_columns([outcome.device for outcome in outcomes], [
        ("status", [outcome.status for outcome in outcomes]),
        ("seconds", [f"{outcome.seconds:.2f}" if _ran(outcome) else "" for outcome in outcomes]),
        ("first output", [_number(outcome.first_output_seconds, "s") for outcome in outcomes]),
        ("memory", [_number(outcome.peak_rss_mb, "MiB") for outcome in outcomes]),
        ("GPU memory", [_number(outcome.peak_gpu_mb, "MiB") for outcome in outcomes]),
        ("same output", [{None: "", True: "yes", False: "no"}[told[outcome.run_id]] for outcome in outcomes]),
        ("output", [outcome.output.rstrip("\n") if _ran(outcome) else outcome.reason_en or "" for outcome in outcomes]),
    ])  # fmt: skip


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return the code of the first run that failed; 1 where there was none at all, as no device can run it."""
    ran = [outcome for outcome in outcomes if _ran(outcome)]
    return next((code for outcome in ran if (code := outcome.command_exit_code)), 0 if ran else 1)


def _compared(outcomes: Sequence[Outcome]) -> dict[str, bool | None]:
    ran = [outcome for outcome in outcomes if _ran(outcome)]
    same = {outcome.run_id: changes(ran[0].stdout, outcome.stdout).same for outcome in ran[1:]}
    return {outcome.run_id: same.get(outcome.run_id) for outcome in outcomes}


def _ran(outcome: Outcome) -> bool:
    return outcome.status != "unavailable"


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.2f} {unit}" if unit == "s" else f"{value:.0f} {unit}"
