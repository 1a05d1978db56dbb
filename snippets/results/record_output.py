"""Recording the output of a snippet as its expected output, next to its file."""

from __future__ import annotations

from pathlib import Path

from snippets.errors import BadSnippet
from snippets.model.snippet import Snippet, picture_path, recorded_path
from snippets.results.expected_output import evidence
from snippets.results.file_replacement import replace_file
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import choose, renewed


def claim_from(snippet: Snippet, device: str, *, stdout: str, output: str) -> str:
    """Return the text to record of a run: what it printed, with the recorded lines that still match."""
    now = evidence(stdout, output=output, raises=snippet.raises)
    return renewed(choose(snippet.recorded, device) or "", now)


def record(snippet: Snippet, device: str, text: str) -> Path:
    """Write the expected output next to the snippet's file. Raises BadSnippet if it cannot be written."""
    if snippet.path is None:
        raise ValueError(snippet.name)
    path = recorded_path(snippet.path, _variant(snippet, device))
    try:
        replace_file(path, text.encode(), mode=0o644)
    except OSError as error:
        raise _not_written(snippet.path, error) from error
    return path


def record_picture(snippet: Snippet, outcome: Outcome) -> Path | None:
    """Copy the first PNG of a run next to the snippet's file; None if either is missing. Raises BadSnippet."""
    drawn = next((one.path for one in outcome.artifacts if one.path.suffix == ".png"), None)
    if snippet.path is None or drawn is None:
        return None
    path = picture_path(snippet.path)
    try:
        replace_file(path, drawn.read_bytes(), mode=0o644)
    except OSError as error:
        raise _not_written(snippet.path, error) from error
    return path


def _variant(snippet: Snippet, device: str) -> str:
    """Return the kind of device to record for: "" is common to all; another kind gets its own once it differs."""
    kind = device.partition(":")[0]
    common = kind not in snippet.recorded and (kind == "cpu" or "" not in snippet.recorded)
    return "" if common else kind


def _not_written(path: Path, error: OSError) -> BadSnippet:
    return BadSnippet(
        f"The output cannot be recorded beside {path}: {error.strerror}.",
        f"无法在 {path} 旁边记录输出：{error.strerror}。",
    )
