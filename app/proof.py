"""How far the code of a note is proven, in one sentence."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from app.notes import OpenNote
from app.runs import CellState, Runs
from app.titles import ago
from app.words import Words


@dataclass(frozen=True)
class Proof:
    """The sentence, the role of its colour in the theme, and when that was."""

    sentence: str
    colour: str
    when: str


def proof_of(note: OpenNote, runs: Runs, words: Words) -> Proof | None:
    """Sum up the states of a note's cells; None for a note without any."""
    if not note.snippets:
        return None
    states = runs.known.get(note.entry.key, {})
    counts = Counter(state.status for state in states.values())
    total, passed = len(note.snippets), counts["passed"]
    last = newest(states)
    parts = [words(f"{total} 段中 {passed} 段通过", f"{passed} of {total}")]
    if last is not None and last.torch:
        parts.append(f"torch {last.torch.split('+')[0]}")
    if last is not None:
        parts.append(last.device)
    colour = "bad" if counts["failed"] else "good" if passed == total else "warn" if passed else "dim"
    when = ago(time.time() - last.began, words) if last is not None else words("还没有运行过", "not run yet")
    return Proof(" · ".join(parts), colour, when)
