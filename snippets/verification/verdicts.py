"""What became of a snippet's claim: a verdict, many of them in a report, and how they are told."""

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

    @classmethod
    def of(cls, results: tuple[Verdict, ...]) -> VerifyReport:
        """Count."""
        passed, failed = (sum(verdict.status == status for verdict in results) for status in ("passed", "failed"))
        return cls(passed, failed, len(results) - passed - failed, results)

    @property
    def proves_nothing(self) -> bool:
        """Whether there was something to verify and nothing of it could be run here."""
        return bool(self.results) and self.unavailable == len(self.results)

    def document(self) -> dict[str, object]:
        """Give the JSON document of the command `verify`."""
        return {
            "passed": self.passed,
            "failed": self.failed,
            "unavailable": self.unavailable,
            "results": [verdict.document() for verdict in self.results],
        }


def judge(snippet: Snippet, outcome: Outcome, *, tolerance: float = TOLERANCE) -> Verdict:
    """Hold how a run ended and what it printed against what the snippet promises."""
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
    """Lay what a run printed over what is recorded for its device, line by line; all is new where nothing is."""
    return line_by_line(claim(snippet, outcome.device) or "", _evidence(snippet, outcome))


def unreadable(problem: Problem) -> Verdict:
    """Give the verdict on a snippet that cannot even be read: it has failed, and the sentence says why."""
    blank = Snippet(
        name=problem.name, code="", path=problem.path, title={"zh": problem.name, "en": problem.name}, devices=("any",),
        needs_gpus=0, timeout=0.0, raises=None, session=None, args=(), recorded={}, origin=problem.origin,
        line=problem.line,
    )  # fmt: skip
    reason = Sentence(problem.error.en, problem.error.zh)
    return Verdict(blank, "failed", unavailable(reason, device="", run_id=""), reason)


def _evidence(snippet: Snippet, outcome: Outcome) -> str:
    return evidence(outcome.stdout, output=outcome.output, raises=snippet.raises)
