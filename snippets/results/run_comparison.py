"""Comparison of two runs: their outputs line by line, their measurements, and what else differs."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from snippets.results.ledger_row import RunRow
from snippets.results.output_comparison import OutputDiff, changes

_FACTS = ("name", "code_sha256", "interpreter", "python", "torch", "cuda", "driver", "device", "status", "exit_code")
_MEASURES = ("seconds", "first_output_seconds", "peak_rss_mb", "peak_gpu_mb")


@dataclass(frozen=True)
class Measure:
    """A measurement of both runs; None if it was not taken."""

    name: str
    first: float | None
    second: float | None

    @property
    def ratio(self) -> float | None:
        """The second value divided by the first."""
        return None if not self.first or self.second is None else self.second / self.first


@dataclass(frozen=True)
class RunComparison:
    """The comparison of two runs of the ledger."""

    first: RunRow
    second: RunRow
    difference: OutputDiff
    changed: tuple[str, ...]  # the names of the columns that differ
    measures: tuple[Measure, ...]

    def document(self) -> dict[str, object]:
        """Return the JSON document."""
        return {
            "first": self.first.run_id,
            "second": self.second.run_id,
            "same_output": self.difference.same,
            "changed": {name: [getattr(self.first, name), getattr(self.second, name)] for name in self.changed},
            "measures": {one.name: [one.first, one.second] for one in self.measures},
            "lines": [asdict(line) for line in self.difference.lines],
            "lines_left_out": self.difference.left_out,
        }


def compare_runs(first: RunRow, second: RunRow) -> RunComparison:
    """Compare two runs."""
    changed = tuple(name for name in _FACTS if getattr(first, name) != getattr(second, name))
    measures = tuple(Measure(name, getattr(first, name), getattr(second, name)) for name in _MEASURES)
    return RunComparison(first, second, changes(first.output, second.output), changed, measures)
