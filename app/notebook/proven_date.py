"""Stamping notes: the day goes into the front matter of those of which every claim has just been proven."""

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
    """The notes that bear the day now, by path, and why others could not be read or written."""

    notes: tuple[str, ...]
    problems: tuple[KbError, ...]


def stamp(vault: Vault, report: VerifyReport, day: dt.date) -> ProvenDates:
    """Write the day on which a report was made into each note that it proves, both languages or neither.

    A note is proven where it claims something and each claim, as it stands now, has passed; what could not run here
    or has only just been recorded is no proof. All else in a note stays as it is.
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
    """Tell whether a claim is still the one that was proven."""
    return (claim.code, claim.recorded) == (proven.code, proven.recorded)
