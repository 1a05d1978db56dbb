"""The register of the runs behind recorded outputs: which kind of device, torch, driver and day each was proven on.

It is the file `runs.json` in a folder of snippet files; `verify --stamp` adds to it where it exists. A record for a
kind of device without an entry there was never run.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from snippets.model.snippet import Snippet
from snippets.results.expected_output import claim_hash, code_hash
from snippets.targets.devices import devices, kind_of
from snippets.targets.nvidia import driver_version
from snippets.verification.verdicts import Verdict

NAME = "runs.json"


@dataclass(frozen=True)
class ProvenRun:
    """A run that printed the recorded output. `proof` is a hash of the code and the record that it stands for."""

    day: str  # ISO 8601
    python: str
    proof: str
    torch: str = ""  # "" where the interpreter has none
    device: str = ""  # name of the GPU; "" for the CPU
    driver: str = ""


Register = Mapping[str, Mapping[str, ProvenRun]]  # by name of the snippet, by kind of device


def proof(snippet: Snippet, kind: str) -> str:
    """Return a hash of a snippet's code and of its record for a kind of device."""
    return hashlib.sha256(f"{code_hash(snippet)} {claim_hash(snippet, kind)}".encode()).hexdigest()[:16]


def read_register(folder: Path) -> Register:
    """Read the register of a folder; empty without a file. Raises ValueError or KeyError if it is damaged."""
    try:
        found = json.loads((folder / NAME).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return {name: {kind: ProvenRun(**run) for kind, run in runs.items()} for name, runs in found.items()}


def proven_kinds(snippet: Snippet, register: Register) -> tuple[str, ...]:
    """Return the kinds of devices on which a snippet, as it is now, has printed its record."""
    runs = register.get(snippet.name, {})
    return tuple(kind for kind, run in runs.items() if run.proof == proof(snippet, kind))


def add_runs(folder: Path, verdicts: Iterable[Verdict], day: str) -> int:
    """Add the passed runs of files in a folder, and drop entries of files that are gone; return how many were added.

    A run whose output was only just accepted is not a proof, and is not added. Raises OSError, ValueError, KeyError.
    """
    cards = {one.id: one.name for one in devices()}
    register = {name: dict(runs) for name, runs in read_register(folder).items() if (folder / f"{name}.py").is_file()}
    added = 0
    for verdict in verdicts:
        snippet, outcome = verdict.snippet, verdict.outcome
        if verdict.status != "passed" or verdict.accepted or snippet.path is None or snippet.path.parent != folder:
            continue
        kind = kind_of(outcome.device)
        run = ProvenRun(
            day=day,
            torch=outcome.torch or "",
            python=platform.python_version(),
            proof=proof(snippet, kind),
            device="" if kind == "cpu" else cards.get(outcome.device.partition(",")[0], ""),
            driver=(driver_version() or "") if kind == "cuda" else "",
        )
        register.setdefault(snippet.name, {})[kind] = run
        added += 1
    if added:
        (folder / NAME).write_text(_written(register), "utf-8")
    return added


def _written(register: Register) -> str:
    """Return the file's text: a line for each run, in a fixed order, so that a change is a change of lines."""
    lines = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(kind)}: {json.dumps(_present(run))}" for kind, run in sorted(runs.items()))
        + "\n}"
        for name, runs in sorted(register.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _present(run: ProvenRun) -> dict[str, str]:
    return {key: value for key, value in asdict(run).items() if value}
