"""One snippet run on every device of the machine in turn, and the results in columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Run a snippet on each device; the outcome of a device that cannot run it is "unavailable" and has the reason."""
    snippet = request.snippet
    chosen = every(snippet.devices, snippet.needs_gpus, present=devices())
    outcomes = []
    with open_runner(places) as runner:
        for device in chosen:
            remark(f"Running on {device} …")
            outcomes.append(run_once(runner, replace(request, device=device), quiet=True))
    return tuple(outcomes)


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the JSON document: one run per device, and whether its output equals that of the first that ran."""
    same = _same_output(outcomes)
    return {"runs": [{**outcome.document(), "same_output": same[outcome.run_id]} for outcome in outcomes]}


def say_side_by_side(outcomes: Sequence[Outcome]) -> None:
    """Print a column for each device: status, times, memory and output."""
    same = _same_output(outcomes)
    answers = {None: "", True: "yes", False: "no"}
    rows: dict[str, Callable[[Outcome], str]] = {
        "status": lambda one: one.status,
        "seconds": lambda one: f"{one.seconds:.2f}" if _ran(one) else "",
        "first output": lambda one: _number(one.first_output_seconds, "s"),
        "memory": lambda one: _number(one.peak_rss_mb, "MiB"),
        "GPU memory": lambda one: _number(one.peak_gpu_mb, "MiB"),
        "same output": lambda one: answers[same[one.run_id]],
        "output": lambda one: one.output.rstrip("\n") if _ran(one) else one.reason_en or "",
    }
    cells = [(name, [cell(outcome) for outcome in outcomes]) for name, cell in rows.items()]
    say_columns([outcome.device for outcome in outcomes], cells)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return the exit code of the first failed run, 0 if none failed, 1 if no device could run the snippet."""
    ran = [outcome for outcome in outcomes if _ran(outcome)]
    return next((code for outcome in ran if (code := outcome.command_exit_code)), 0 if ran else 1)


def _same_output(outcomes: Sequence[Outcome]) -> dict[str, bool | None]:
    ran = [outcome for outcome in outcomes if _ran(outcome)]
    same = {outcome.run_id: changes(ran[0].stdout, outcome.stdout).same for outcome in ran[1:]}
    return {outcome.run_id: same.get(outcome.run_id) for outcome in outcomes}


def _ran(outcome: Outcome) -> bool:
    return outcome.status != "unavailable"


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.2f} {unit}" if unit == "s" else f"{value:.0f} {unit}"
