"""What tests of the index share: two notes, what is found of them, and what a report counts."""

from __future__ import annotations

from pathlib import Path

from kb.results import IndexReport
from kb.search.searcher import Searcher

NOTES: dict[str, str | bytes] = {
    "a/gather.md": "---\ntags: [cuda]\n---\nbefore\n\n# Gather\n\ntakes values\n\n## 冻结参数\n\nrequires_grad\n",
    "b.txt": "# Scatter\n\nputs values\n",
}


def found(folder: Path, query: str) -> list[str]:
    """Paths and headings of the hits, best first."""
    searcher = Searcher(folder, folder)
    try:
        return [f"{hit.path}#{hit.heading}" for hit in searcher.search(query).hits]
    finally:
        searcher.close()


def numbers(report: IndexReport) -> tuple[int, ...]:
    """What a report counts: notes, sections, added, updated, removed."""
    return report.notes, report.sections, report.added, report.updated, report.removed
