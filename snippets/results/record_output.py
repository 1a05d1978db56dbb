"""Recording what a snippet prints as what it is to print, beside its file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from snippets.errors import BadSnippet
from snippets.model.snippet import Snippet, picture_path, recorded_path
from snippets.results.expected_output import evidence
from snippets.results.outcome import Outcome
from snippets.results.output_comparison import choose, renewed


def claim_from(snippet: Snippet, device: str, *, stdout: str, output: str) -> str:
    """Give the text to record of a run: what it printed, with the recorded lines that still hold."""
    now = evidence(stdout, output=output, raises=snippet.raises)
    return renewed(choose(snippet.recorded, device) or "", now)


def record(snippet: Snippet, device: str, text: str) -> Path:
    """Write a claim beside the snippet's file, which it must have. Raises BadSnippet where that cannot be."""
    if snippet.path is None:
        raise ValueError(snippet.name)
    path = recorded_path(snippet.path, _variant(snippet, device))
    try:
        _replace(path, text.encode())
    except OSError as error:
        raise _not_written(snippet.path, error) from error
    return path


def record_picture(snippet: Snippet, outcome: Outcome) -> Path | None:
    """Keep the first PNG that a run has drawn beside the snippet's file, if there are both. Raises BadSnippet."""
    drawn = next((one.path for one in outcome.artifacts if one.path.suffix == ".png"), None)
    if snippet.path is None or drawn is None:
        return None
    path = picture_path(snippet.path)
    try:
        _replace(path, drawn.read_bytes())
    except OSError as error:
        raise _not_written(snippet.path, error) from error
    return path


def _variant(snippet: Snippet, device: str) -> str:
    """Keep what the CPU prints as the common output; another kind of device gets its own once it differs."""
    kind = device.partition(":")[0]
    common = kind not in snippet.recorded and (kind == "cpu" or "" not in snippet.recorded)
    return "" if common else kind


def _replace(path: Path, data: bytes) -> None:
    """Write the file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _not_written(path: Path, error: OSError) -> BadSnippet:
    return BadSnippet(
        f"The output cannot be recorded beside {path}: {error.strerror}.",
        f"无法在 {path} 旁边记录输出：{error.strerror}。",
    )
