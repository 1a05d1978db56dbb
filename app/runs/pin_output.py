"""Records the output of a past run as the expected one of its snippet."""

from __future__ import annotations

from app.notebook import vault_snippets
from kb.vault.vault import Vault
from snippets.errors import LedgerFailed
from snippets.model.snippet import Snippet
from snippets.results.ledger import Ledger, RunRow
from snippets.results.record_output import claim_from
from snippets.results.snippet_status import is_stale


def pin(vault: Vault, ledger: Ledger, run_id: str) -> Snippet:
    """Record a run's output in its note or beside its file; return the snippet. Raises KbError, SnippetError."""
    row = ledger.find(run_id)
    snippet = vault_snippets.find(vault, _name_of(vault, row))
    _refuse(row, snippet)
    text = claim_from(snippet, row.device, stdout=row.printed, output=row.output)
    vault_snippets.write_claim(vault, snippet, row.device, text)
    ledger.pin(row.run_id)
    return snippet


def _name_of(vault: Vault, row: RunRow) -> str:
    """Return the name for `vault_snippets.find`: a block of a note, a known snippet, or the file that was run."""
    return row.name if "#" in row.name or row.name in vault_snippets.library(vault).snippets else row.origin


def _refuse(row: RunRow, snippet: Snippet) -> None:
    """Raise LedgerFailed if the output of a run cannot become the recorded one."""
    if row.status != "passed":
        raise LedgerFailed(
            f"The run {row.run_id} did not pass ({row.status}); only a run that passed can be pinned.",
            f"运行 {row.run_id} 没有正常结束（{row.status}）；只能固定正常结束的运行。",
        )
    if is_stale(row, snippet):
        raise LedgerFailed(
            f"{row.name} was changed since the run {row.run_id}; run it again, then pin the new run.",
            f"{row.name} 在运行 {row.run_id} 之后有改动；请重新运行，再固定。",
        )
    if row.output_cut:
        raise LedgerFailed(
            f"{row.output_cut:,} bytes of the run {row.run_id} were not kept, so its output is incomplete.",
            f"运行 {row.run_id} 有 {row.output_cut:,} 字节没有保留，输出不完整。",
        )
