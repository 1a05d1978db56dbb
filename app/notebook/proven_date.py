"""Writes `proven:` with the date into the front matter of notes whose claims have all been verified."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from app.notebook import vault_snippets
from kb.errors import KbError
from kb.notes.frontmatter import with_values
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault
from snippets.model.snippet import Snippet
from snippets.verification.verify import VerifyReport


@dataclass(frozen=True)
class ProvenDates:
    """Paths of the stamped notes, and the errors for notes that could not be read or written."""

    notes: tuple[str, ...]
    problems: tuple[KbError, ...]


def stamp(vault: Vault, report: VerifyReport, day: dt.date) -> ProvenDates:
    """Write the day of a report into each note that it proves, in all languages or none.

    A note is proven if it has claims and each, as it is now, has passed. A claim that could not run here, or whose
    output was only just accepted, has not. Nothing else in a note is changed.
    """
    proven = {v.name: v.snippet for v in report.results if v.status == "passed" and v.accepted is None}
    stamped: list[str] = []
    problems: list[KbError] = []
    files = vault_snippets.library(vault)
    for entry in vault.entries() if proven else ():
        try:
            stock = vault_snippets.stock_of(vault, next(iter(entry.paths.values())), files=files)
            if _holds(stock, proven):
                stamped += _stamped(vault, entry, day)
        except KbError as error:
            problems.append(error)
    return ProvenDates(tuple(stamped), tuple(problems))


def _stamped(vault: Vault, entry: NoteEntry, day: dt.date) -> list[str]:
    before = [vault.read(path) for path in entry.paths.values()]
    texts = [with_values(note.text, {"proven": day}) for note in before]
    for note, text in zip(before, texts, strict=True):
        if note.meta.proven != day:
            vault.save(note.path, text, expected_hash=note.hash)
    return [note.path for note in before]


def _holds(stock: vault_snippets.SnippetIndex, proven: Mapping[str, Snippet]) -> bool:
    if stock.problems or not stock.claims:
        return False
    return all(claim.name in proven and _same(claim, proven[claim.name]) for claim in stock.claims)


def _same(claim: Snippet, proven: Snippet) -> bool:
    """Return whether code and recorded output of a claim are those that were proven."""
    return (claim.code, claim.recorded) == (proven.code, proven.recorded)
