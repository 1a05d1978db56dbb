"""The verdict on a run: its output beside the recorded one, and the line of its own code that failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.runs.run_history import failed_line, program_of, verify_run
from snippets.model.snippet import read_snippet, snippet_from_block
from snippets.results.outcome import Outcome

TRACEBACK = """Traceback (most recent call last):
  File "/runs/1/{name}", line {line}, in <module>
  File "/usr/lib/python3/json/__init__.py", line 99, in loads
ValueError: no
"""


def test_an_output_is_compared_only_if_one_is_recorded(outcome: Callable[..., Outcome]) -> None:
    """And only if the run passed."""
    plain = snippet_from_block(name="n.md#a", code="print(1)\n", options={}, output=None, origin="n.md", line=1)
    recorded = snippet_from_block(name="n.md#a", code="print(1)\n", options={}, output="1", origin="n.md", line=1)
    assert verify_run(plain, outcome(stdout="1\n", output="1\n")).as_recorded is None
    assert verify_run(recorded, outcome(stdout="1\n", output="1\n")).as_recorded is True
    assert verify_run(recorded, outcome(stdout="2\n", output="2\n")).as_recorded is False
    assert verify_run(recorded, outcome("failed", output="")).as_recorded is None


def test_the_failed_line_is_the_last_of_the_own_code(outcome: Callable[..., Outcome]) -> None:
    """Frames of libraries are skipped; without a failure or a traceback there is no line."""
    snippet = snippet_from_block(name="n.md#a", code="x\n", options={}, output=None, origin="n.md", line=1)
    output = TRACEBACK.format(name=program_of(snippet).name, line=7)
    assert failed_line(snippet, outcome("failed", output=output)) == 7
    assert failed_line(snippet, outcome("passed", output=output)) is None
    assert failed_line(snippet, outcome("failed", output="killed\n")) is None


def test_lines_of_a_file_count_from_its_shown_code(tmp_path: Path, outcome: Callable[..., Outcome]) -> None:
    """The metadata block is not shown, so a line in it counts as the first."""
    file = tmp_path / "sum.py"
    file.write_text('# /// snippet\n# title.zh = "和"\n# title.en = "Sum"\n# ///\n\nprint(1)\nprint(2)\n', "utf-8")
    snippet = read_snippet(file)
    assert program_of(snippet).hidden == 5
    assert failed_line(snippet, outcome("failed", output=TRACEBACK.format(name="sum.py", line=7))) == 2
    assert failed_line(snippet, outcome("failed", output=TRACEBACK.format(name="sum.py", line=2))) == 1
