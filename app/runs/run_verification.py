"""What a run proves: whether it printed what is recorded, and which line of the cell it failed on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.notebook.note_loader import lines_hidden
from app.reader.cell_state import Program
from kb.lazy_regex import expression
from snippets.model.snippet import Snippet
from snippets.results.outcome import Outcome
from snippets.running.run_request import code_name
from snippets.verification.verdicts import judge

_FRAME = expression(r'^\s*File "([^"]+)", line (\d+)', re.MULTILINE)


@dataclass(frozen=True)
class RunVerdict:
    """`as_recorded` is None where nothing is recorded; `failed_line` counts from 1 in the code that is shown."""

    as_recorded: bool | None
    failed_line: int | None


def verify_run(snippet: Snippet, outcome: Outcome) -> RunVerdict:
    """Hold a run against what its snippet promises."""
    recorded = bool(snippet.recorded) and outcome.status == "passed"
    return RunVerdict(judge(snippet, outcome).status == "passed" if recorded else None, failed_line(snippet, outcome))


def failed_line(snippet: Snippet, outcome: Outcome) -> int | None:
    """Return the last line of the snippet's own code in the traceback that ended the run."""
    if outcome.status != "failed":
        return None
    program = program_of(snippet)
    lines = [int(line) for file, line in _FRAME.findall(outcome.output) if re.split(r"[/\\]", file)[-1] == program.name]
    return max(1, lines[-1] - program.hidden) if lines else None


def program_of(snippet: Snippet) -> Program:
    """Return the file that a snippet runs as, by which a traceback is told to be of its own code."""
    if snippet.path is not None:
        return Program(snippet.path.name, lines_hidden(snippet.code))
    return Program(code_name(snippet.name))
