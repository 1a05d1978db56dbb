"""Run snippets and hold what they print against what was recorded, so that no claim of a note rots unseen.

What counts is standard output; after it, for a snippet that is meant to raise, the line that its traceback ends with.
Warnings and log lines on standard error come and go with versions and machines.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snippets.endings import exceptions_in
from snippets.errors import Sentence
from snippets.form import Snippet, recorded_path
from snippets.outcome import Outcome
from snippets.recorded import TOLERANCE, choose, compare, renewed
from snippets.runner import Runner, RunRequest

# The frames tell where this machine keeps its files, so only the end of a traceback is compared.
_FRAMES = re.compile(r"(?m)^Traceback \(most recent call last\):\n(?:[ \t]+.*\n)+")
_DIFFERS = Sentence("The output is not the recorded one.", "输出与记录的不同。")
_ACCEPTED = Sentence("This output is recorded now.", "已记录这次的输出。")
_NOTHING_RECORDED = Sentence(
    "No output is recorded yet; `verify --accept` records this one.",
    "尚无记录的输出；用 verify --accept 可记录这次的输出。",
)


@dataclass(frozen=True)
class Verdict:
    """What became of one snippet on one device."""

    snippet: Snippet
    status: Literal["passed", "failed", "unavailable"]
    outcome: Outcome
    reason: Sentence | None = None  # None when the output is as recorded
    diff: str = ""
    accepted: str | None = None  # recorded now: in the snippet's file; of a fence, for the caller to write

    @property
    def name(self) -> str:
        """The snippet's name."""
        return self.snippet.name

    def document(self) -> dict[str, object]:
        """Give its entry in the JSON document of the command `verify`; without a diff, the reason stands for it."""
        return {
            "name": self.name,
            "status": self.status,
            "device": self.outcome.device,
            "torch": self.outcome.torch,
            "seconds": round(self.outcome.seconds, 3),
            "diff": self.diff or (self.reason.en if self.reason else ""),
        }


@dataclass(frozen=True)
class VerifyReport:
    """The verdicts, in the order of the snippets, and how many there are of each."""

    passed: int
    failed: int
    unavailable: int
    results: tuple[Verdict, ...]

    def document(self) -> dict[str, object]:
        """Give the JSON document of the command `verify`."""
        return {
            "passed": self.passed,
            "failed": self.failed,
            "unavailable": self.unavailable,
            "results": [verdict.document() for verdict in self.results],
        }


def verify(
    snippets: Iterable[Snippet],
    *,
    runner: Runner,
    device: str = "cpu",
    accept: bool = False,
    python: Path | None = None,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, int, Verdict], None] | None = None,
) -> VerifyReport:
    """Run the snippets one after another on a device and judge each. Raises UnknownDevice, UnknownInterpreter.

    With `accept`, an output that is the first or not the recorded one is recorded, if the run ended as it should.
    `progress` is told after each: how many are done, of how many, and the verdict.
    """
    chosen = tuple(snippets)
    results: list[Verdict] = []
    for snippet in chosen:
        outcome = _run(runner, RunRequest(snippet, device=device, python=python))
        verdict = judge(snippet, outcome, tolerance=tolerance)
        results.append(_accepted(verdict, device) if accept else verdict)
        if progress is not None:
            progress(len(results), len(chosen), results[-1])
    return _report(tuple(results))


def printed(outcome: Outcome, *, raises: str | None) -> str:
    """Give what a run printed as it is recorded: standard output, and the exception it was meant to end with."""
    if raises is None:
        return outcome.stdout
    name, message = exceptions_in(outcome.output)[-1]
    lead = outcome.stdout if outcome.stdout.endswith("\n") or not outcome.stdout else outcome.stdout + "\n"
    return f"{lead}{name}: {message}\n" if message else f"{lead}{name}\n"


def _run(runner: Runner, request: RunRequest) -> Outcome:
    run = runner.start(request, output=lambda _: None, finished=lambda _: None)
    try:
        return run.wait()
    except BaseException:
        run.stop()
        raise


def judge(snippet: Snippet, outcome: Outcome, *, tolerance: float = TOLERANCE) -> Verdict:
    """Hold how a run ended and what it printed against what the snippet promises."""
    if outcome.status != "passed":
        status: Literal["unavailable", "failed"] = "unavailable" if outcome.status == "unavailable" else "failed"
        return Verdict(snippet, status, outcome, Sentence(outcome.sentence("en"), outcome.sentence("zh")))
    expected = choose(snippet.recorded, outcome.device)
    if expected is None:
        return Verdict(snippet, "failed", outcome, _NOTHING_RECORDED)
    wanted = _FRAMES.sub("", expected) if snippet.raises else expected
    comparison = compare(wanted, printed(outcome, raises=snippet.raises), tolerance=tolerance)
    if comparison.same:
        return Verdict(snippet, "passed", outcome)
    return Verdict(snippet, "failed", outcome, _DIFFERS, comparison.diff)


def _accepted(verdict: Verdict, device: str) -> Verdict:
    if verdict.outcome.status != "passed" or verdict.status == "passed":
        return verdict
    snippet = verdict.snippet
    now = printed(verdict.outcome, raises=snippet.raises)
    text = renewed(choose(snippet.recorded, device) or "", now)
    if snippet.path is not None:
        try:
            _replace(recorded_path(snippet.path, _variant(snippet, device)), text)
        except OSError as error:
            return Verdict(snippet, "failed", verdict.outcome, _not_written(snippet.path, error), verdict.diff)
    return Verdict(snippet, "passed", verdict.outcome, _ACCEPTED, accepted=text)


def _variant(snippet: Snippet, device: str) -> str:
    """Keep what the CPU prints as the common output; another kind of device gets its own once it differs."""
    kind = device.partition(":")[0]
    common = kind not in snippet.recorded and (kind == "cpu" or "" not in snippet.recorded)
    return "" if common else kind


def _replace(path: Path, text: str) -> None:
    """Write the file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _not_written(path: Path, error: OSError) -> Sentence:
    return Sentence(
        f"The output cannot be recorded beside {path}: {error.strerror}.",
        f"无法在 {path} 旁边记录输出：{error.strerror}。",
    )


def _report(results: tuple[Verdict, ...]) -> VerifyReport:
    passed, failed = (sum(verdict.status == status for verdict in results) for status in ("passed", "failed"))
    return VerifyReport(passed, failed, len(results) - passed - failed, results)
