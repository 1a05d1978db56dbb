"""Verdicts on the claims of snippets, and the report of several verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from snippets.errors import Sentence
from snippets.model.catalog import Problem
from snippets.model.snippet import Snippet
from snippets.results.expected_output import claim, evidence
from snippets.results.outcome import Outcome, unavailable
from snippets.results.output_comparison import TOLERANCE, OutputDiff, compare, line_by_line

DIFFERS = Sentence("The output is not the recorded one.", "输出与记录的不同。")
ACCEPTED = Sentence("This output is recorded now.", "已记录这次的输出。")
NOTHING_RECORDED = Sentence(
    "No output is recorded yet; `verify --accept` records this one.",
    "尚无记录的输出；用 verify --accept 可记录这次的输出。",
)


@dataclass(frozen=True)
class Verdict:
    """The result of verifying one snippet on one device."""

    snippet: Snippet
    status: Literal["passed", "failed", "unavailable"]
    outcome: Outcome
    reason: Sentence | None = None  # None if the output is the recorded one
    diff: str = ""
    accepted: str | None = None  # the newly recorded output; the caller writes that of a fence

    @property
    def name(self) -> str:
        """The snippet's name."""
        return self.snippet.name

    def document(self) -> dict[str, object]:
        """Return its entry in the JSON document of the command `verify`, with the reason if there is no diff."""
        return {
            "name": self.name,
            "status": self.status,
            "device": self.outcome.device,
            "isolated": self.outcome.isolated,
            "torch": self.outcome.torch,
            "seconds": round(self.outcome.seconds, 3),
            "diff": self.diff or (self.reason.en if self.reason else ""),
        }


@dataclass(frozen=True)
class VerifyReport:
    """The verdicts, in the order of the snippets, and their numbers."""

    passed: int
    failed: int
    unavailable: int
    results: tuple[Verdict, ...]

    @classmethod
    def of(cls, results: tuple[Verdict, ...]) -> VerifyReport:
        """Return the report of these verdicts."""
        passed, failed = (sum(verdict.status == status for verdict in results) for status in ("passed", "failed"))
        return cls(passed, failed, len(results) - passed - failed, results)

    @property
    def proves_nothing(self) -> bool:
        """Whether there are snippets and none of them could be run here."""
        return bool(self.results) and self.unavailable == len(self.results)

    def document(self) -> dict[str, object]:
        """Return the JSON document of the command `verify`."""
        return {
            "passed": self.passed,
            "failed": self.failed,
            "unavailable": self.unavailable,
            "results": [verdict.document() for verdict in self.results],
        }


def judge(snippet: Snippet, outcome: Outcome, *, tolerance: float = TOLERANCE) -> Verdict:
    """Return the verdict on how a run ended and what it printed."""
    if outcome.status != "passed":
        status: Literal["unavailable", "failed"] = "unavailable" if outcome.status == "unavailable" else "failed"
        return Verdict(snippet, status, outcome, Sentence(outcome.sentence("en"), outcome.sentence("zh")))
    expected = claim(snippet, outcome.device)
    if expected is None:
        return Verdict(snippet, "failed", outcome, NOTHING_RECORDED)
    comparison = compare(expected, _evidence(snippet, outcome), tolerance=tolerance)
    if comparison.same:
        return Verdict(snippet, "passed", outcome)
    return Verdict(snippet, "failed", outcome, DIFFERS, comparison.diff)


def difference(snippet: Snippet, outcome: Outcome) -> OutputDiff:
    """Return the diff of the recorded output for the device of a run and what the run printed."""
    return line_by_line(claim(snippet, outcome.device) or "", _evidence(snippet, outcome))


def unreadable(problem: Problem) -> Verdict:
    """Return the verdict on a snippet that cannot be read: it failed, with the error as the reason."""
    blank = Snippet(
        name=problem.name,
        code="",
        path=problem.path,
        title={"zh": problem.name, "en": problem.name},
        devices=("any",),
        needs_gpus=0,
        timeout=0.0,
        raises=None,
        session=None,
        args=(),
        recorded={},
        origin=problem.origin,
        line=problem.line,
    )
    reason = Sentence(problem.error.en, problem.error.zh)
    return Verdict(blank, "failed", unavailable(reason, device="", run_id=""), reason)


def _evidence(snippet: Snippet, outcome: Outcome) -> str:
    return evidence(outcome.stdout, output=outcome.output, raises=snippet.raises)
