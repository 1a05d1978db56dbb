"""What the latest run of a snippet has left, for a window that did not see it: from the ledger, or from its log."""

from __future__ import annotations

from pathlib import Path

from app.i18n import Translator
from app.reader.cell_state import EarlierRun
from app.state.display_titles import ago, seconds_since
from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.expected_output import code_hash
from snippets.results.ledger import RunRow
from snippets.results.run_output import kept_output
from snippets.running.run_record import RunRecord


def worth_recalling(row: RunRow | None, snippet: Snippet) -> bool:
    """Say whether the latest run of a snippet is over and was one of the code that is shown."""
    return row is not None and row.status != "running" and row.code_sha256 == code_hash(snippet)


def earlier_of(row: RunRow, runs: Path, words: Translator) -> EarlierRun | None:
    """Return what is left of a run, `runs` being the folder that all have theirs in; None where that is nothing.

    Raises OSError.
    """
    output = row.output
    if row.status == "interrupted" and not output:
        head, data = RunRecord(runs, row.run_id).output()
        output = kept_output(head, data, 0).both
    here = [made for made in row.artifacts if made.path.is_file()]
    figures = tuple(made.path for made in here if made.kind == "image")
    files = tuple((made.path, made.bytes) for made in here if made.kind != "image")
    if not (output.strip() or figures or files):
        return None
    told = Sentence(row.reason_en, row.reason_zh or "") if row.status != "passed" and row.reason_en else None
    return EarlierRun(output, figures, files, ago(seconds_since(row.started), words), told)
