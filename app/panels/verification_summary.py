"""How far the code of a note is proven, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.i18n import Translator
from app.notebook.note_loader import OpenNote
from app.runs.run_controller import RunController
from app.state.display_titles import ago, seconds_since
from snippets.model.snippet import Snippet


@dataclass(frozen=True)
class VerificationSummary:
    """The sentence, the role of its colour in the theme, and when that was."""

    sentence: str
    colour: str
    when: str


def proof_of(
    note: OpenNote, shown: Sequence[Snippet], runs: RunController, words: Translator
) -> VerificationSummary | None:
    """Sum up the states of the cells that are shown; None for a note without any."""
    if not shown:
        return None
    states = runs.known.get(runs.page_key(note), {})
    counts = Counter(state.status for state in states.values())
    total, passed = len(shown), counts["passed"]
    last = max((state.last for state in states.values() if state.last), key=lambda row: row.started, default=None)
    parts = [words(f"{total} 段中 {passed} 段通过", f"{passed} of {total}")]
    if last is not None:
        parts += [f"torch {'.'.join(last.torch.split('.')[:2])}"] if last.torch else []
        parts.append(last.device)
    colour = "bad" if counts["failed"] else "good" if passed == total else "warn" if passed else "dim"
    when = ago(seconds_since(last.started), words) if last is not None else words("还没有运行过", "not run yet")
    return VerificationSummary(" · ".join(parts), colour, when)
