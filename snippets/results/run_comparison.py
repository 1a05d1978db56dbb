"""Two runs beside each other: what they printed, line by line, how long they took, what else was different."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from snippets.results.ledger_row import RunRow
from snippets.results.output_comparison import OutputDiff, changes

_FACTS = ("name", "code_sha256", "interpreter", "python", "torch", "cuda", "driver", "device", "status", "exit_code")
_MEASURES = ("seconds", "first_output_seconds", "peak_rss_mb", "peak_gpu_mb")


@dataclass(frozen=True)
class Measure:
    """One measured thing in both runs; None where it was not measured."""

    name: str
    first: float | None
    second: float | None

    @property
    def ratio(self) -> float | None:
        """How many times the second is the first."""
        return None if not self.first or self.second is None else self.second / self.first


@dataclass(frozen=True)
class RunComparison:
    """Two runs of the record beside each other."""

    first: RunRow
    second: RunRow
    difference: OutputDiff
    changed: tuple[str, ...]  # the facts about them that differ, by the names of the row
    measures: tuple[Measure, ...]

    def document(self) -> dict[str, object]:
        """Give the JSON document."""
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
    """Lay a run over another one."""
    changed = tuple(name for name in _FACTS if getattr(first, name) != getattr(second, name))
    measures = tuple(Measure(name, getattr(first, name), getattr(second, name)) for name in _MEASURES)
    return RunComparison(first, second, changes(first.output, second.output), changed, measures)
