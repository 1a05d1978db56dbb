"""A row of the ledger, and the part of an output that it keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from snippets.results.outcome import Artifact

KEPT_CHARACTERS = 1 << 18  # of an output in a row; half from its beginning, half from its end


@dataclass(frozen=True)
class RunRow:
    """A recorded run. Times in seconds, memory in MiB, `started` in UTC as ISO 8601."""

    run_id: str
    name: str
    origin: str
    code_sha256: str
    interpreter: str | None
    python: str | None
    torch: str | None
    device: str
    started: str
    seconds: float | None
    first_output_seconds: float | None
    peak_rss_mb: float | None
    status: str  # as in an outcome, or "running", or "interrupted": its program ended
    exit_code: int | None
    reason_en: str | None
    reason_zh: str | None
    output: str
    output_cut: int  # bytes of the output that are not kept
    artifacts: tuple[Artifact, ...]
    cuda: str | None = None  # what its torch is built for
    driver: str | None = None  # of NVIDIA, for a run on CUDA
    peak_gpu_mb: float | None = None  # of its processes on all GPUs together, sampled
    as_recorded: bool | None = None  # None: nothing was recorded, or it did not end as it should
    recorded_sha256: str | None = None  # of the expected output; "" without one, None in an old row
    stdout: str | None = None  # if it differs from the output; None also in an old row
    asked: str | None = None  # the options besides the device, as JSON; None without any
    pinned: bool = False  # stays when old runs are removed

    @property
    def printed(self) -> str:
        """What it printed on standard output."""
        return self.output if self.stdout is None else self.stdout

    @property
    def size(self) -> int:
        """The bytes that its outputs take in the ledger."""
        return sum(len(text.encode("utf-8", "replace")) for text in (self.output, self.stdout or ""))


NAMES = tuple(field.name for field in fields(RunRow))
COLUMNS = ", ".join(NAMES)
# For lists: without the outputs, which are large and not shown there.
BRIEF = ", ".join({"output": "'' AS output", "stdout": "NULL AS stdout"}.get(name, name) for name in NAMES)


def row_of(values: Sequence[Any]) -> RunRow:
    """Return the row with these values of its columns."""
    facts = dict(zip(NAMES, values, strict=True))
    facts["artifacts"] = tuple(Artifact(Path(path), kind, size) for path, kind, size in json.loads(facts["artifacts"]))
    facts["as_recorded"] = None if facts["as_recorded"] is None else bool(facts["as_recorded"])
    facts["pinned"] = bool(facts["pinned"])
    return RunRow(**facts)


def packed(artifacts: Sequence[Artifact]) -> str:
    """Return artifacts as JSON for the ledger."""
    return json.dumps([[str(artifact.path), artifact.kind, artifact.bytes] for artifact in artifacts])


def shortened(output: str) -> tuple[str, int]:
    """Return the part of an output that is kept, and the number of bytes that are not."""
    if len(output) <= KEPT_CHARACTERS:
        return output, 0
    half = KEPT_CHARACTERS // 2
    cut = len(output[half:-half].encode("utf-8", "replace"))
    return f"{output[:half]}\n⋯ {cut:,} B ⋯\n{output[-half:]}", cut


def storable(value: object) -> object:
    """Replace lone surrogates, which file names may contain and SQLite does not accept."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
