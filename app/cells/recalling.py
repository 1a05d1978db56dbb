"""What the latest run of a snippet has left, for a window that did not see it: from the ledger, or from its log."""

from __future__ import annotations

from pathlib import Path

from app.reader.cells import Earlier
from app.rooms.titles import ago, seconds_since
from app.words import Words
from snippets.claims import code_hash
from snippets.errors import Sentence
from snippets.form import Snippet
from snippets.ledger import RunRow
from snippets.output import kept_output
from snippets.scratch import RunFolder
from snippets.supervisor.transcript import left_behind


def worth_recalling(row: RunRow | None, snippet: Snippet) -> bool:
    """Say whether the latest run of a snippet is over and was one of the code that is shown."""
    return row is not None and row.status != "running" and row.code_sha256 == code_hash(snippet)


def earlier_of(row: RunRow, runs: Path, words: Words) -> Earlier | None:
    """Return what is left of a run, `runs` being the folder that all have theirs in; None where that is nothing.

    Raises OSError.
    """
    output = row.output
    if row.status == "interrupted" and not output:
        head, data = left_behind(RunFolder(runs, row.run_id).log)
        output = kept_output(head, data, 0).both
    here = [made for made in row.artifacts if made.path.is_file()]
    figures = tuple(made.path for made in here if made.kind == "image")
    files = tuple((made.path, made.bytes) for made in here if made.kind != "image")
    if not (output.strip() or figures or files):
        return None
    told = Sentence(row.reason_en, row.reason_zh or "") if row.status != "passed" and row.reason_en else None
    return Earlier(output, figures, files, ago(seconds_since(row.started), words), told)
