"""What a run proves: whether it printed what is recorded, and which line of the cell it failed on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.opening import lines_hidden
from snippets.form import Snippet
from snippets.outcome import Outcome
from snippets.verdict import judge

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)


@dataclass(frozen=True)
class Judged:
    """`as_recorded` is None where nothing is recorded; `failed_line` counts from 1 in the code that is shown."""

    as_recorded: bool | None
    failed_line: int | None


def judged(snippet: Snippet, outcome: Outcome) -> Judged:
    """Hold a run against what its snippet promises."""
    recorded = bool(snippet.recorded) and outcome.status == "passed"
    return Judged(judge(snippet, outcome).status == "passed" if recorded else None, failed_line(snippet, outcome))


def failed_line(snippet: Snippet, outcome: Outcome) -> int | None:
    """Return the last line of the snippet's own code in the traceback that ended the run."""
    if outcome.status != "failed":
        return None
    lines = [int(line) for file, line in _FRAME.findall(outcome.output) if _is_own(file, snippet)]
    if not lines:
        return None
    hidden = lines_hidden(snippet.code) if snippet.path is not None else 0
    return max(1, lines[-1] - hidden)


def _is_own(file: str, snippet: Snippet) -> bool:
    name = re.split(r"[/\\]", file)[-1]
    return (
        name == snippet.path.name if snippet.path is not None else "site-packages" not in file and name.endswith(".py")
    )
