"""Writes into the front matter of notes whose claims have all been verified when that was, and on what.

`proven` is the date; `proven-on` names the kinds of devices, those that its code declares and that it never ran on,
and the version of torch: `cpu, not cuda, torch 2.13.0`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.notebook import vault_snippets
from kb.errors import KbError
from kb.notes.frontmatter import with_values
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault
from snippets.model.metadata import DEVICE_KINDS
from snippets.model.snippet import Snippet
from snippets.targets.devices import kind_of
from snippets.verification.verify import VerifyReport

_CPU = "cpu"


@dataclass(frozen=True)
class ProvenDates:
    """Paths of the stamped notes, and the errors for notes that could not be read or written."""

    notes: tuple[str, ...]
    problems: tuple[KbError, ...]


@dataclass(frozen=True)
class Stamp:
    """A day, a kind of device, and the version of torch, "" if no claim needed it."""

    day: dt.date
    kind: str
    torch: str


def stamp(vault: Vault, report: VerifyReport, day: dt.date) -> ProvenDates:
    """Write the day of a report, and what it ran on, into each note that it proves, in all languages or none.

    A note is proven if it has claims and each, as it is now, has passed. A claim that could not run here, or whose
    output was only just accepted, has not. On another kind of device than the CPU, only the claims that declare it
    count, and the note must be proven on the CPU already. Nothing else in a note is changed.
    """
    proven = {v.name: v.snippet for v in report.results if v.status == "passed" and v.accepted is None}
    kinds = {kind_of(v.outcome.device) for v in report.results if v.status == "passed"}
    versions = {v.outcome.torch.partition("+")[0] for v in report.results if v.outcome.torch}
    stamped: list[str] = []
    problems: list[KbError] = []
    files = vault_snippets.library(vault)
    for entry in vault.entries() if proven else ():
        try:
            stock = vault_snippets.stock_of(vault, next(iter(entry.paths.values())), files=files)
            for kind in kinds:
                if _holds(stock, proven, kind):
                    stamped += _stamped(vault, entry, stock.claims, Stamp(day, kind, max(versions, default="")))
        except KbError as error:
            problems.append(error)
    return ProvenDates(tuple(stamped), tuple(problems))


def _stamped(vault: Vault, entry: NoteEntry, claims: Iterable[Snippet], made: Stamp) -> list[str]:
    before = [vault.read(path) for path in entry.paths.values()]
    if made.kind != _CPU and any(note.meta.proven is None for note in before):
        return []
    declared = dict.fromkeys(kind for claim in claims for kind in claim.devices if kind != "any")
    stamps = [_on(note.meta.proven_on, made, declared) for note in before]
    texts = [
        with_values(note.text, {"proven": made.day, "proven-on": on}) for note, on in zip(before, stamps, strict=True)
    ]
    for note, on, text in zip(before, stamps, texts, strict=True):
        if (note.meta.proven, note.meta.proven_on) != (made.day, on):
            vault.save(note.path, text, expected_hash=note.hash)
    return [note.path for note in before]


def _on(before: str, made: Stamp, declared: Iterable[str]) -> str:
    """Return the value of `proven-on`; kinds that were proven with another version of torch are dropped."""
    version = f"torch {made.torch}" if made.torch else ""
    words = [word.strip() for word in before.split(",")]
    kept = [word for word in words if word in DEVICE_KINDS] if not version or version in words else []
    kinds = sorted({*kept, made.kind}, key=DEVICE_KINDS.index)
    return ", ".join(filter(None, (*kinds, *(f"not {kind}" for kind in declared if kind not in kinds), version)))


def _holds(stock: vault_snippets.SnippetIndex, proven: Mapping[str, Snippet], kind: str) -> bool:
    declared = [claim for claim in stock.claims if kind == _CPU or kind in claim.devices]
    if stock.problems or not declared:
        return False
    return all(claim.name in proven and _same(claim, proven[claim.name]) for claim in declared)


def _same(claim: Snippet, proven: Snippet) -> bool:
    """Return whether code and recorded output of a claim are those that were proven."""
    return (claim.code, claim.recorded) == (proven.code, proven.recorded)
