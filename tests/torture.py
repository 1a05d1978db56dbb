"""The long tests, one after another, and a table of what they tried and what went wrong: `make torture`.

Every row is one or more tests of the suite with larger numbers. `--part 0.1` tries a tenth of them, `--only kill` the
rows with this word in their name.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.tally import COLUMNS

_EXAMPLES = re.compile(r"^ +- (\d+) passing, (\d+) failing", re.MULTILINE)
_STATISTICS = re.compile(r"^tests/\S+::\S+:$", re.MULTILINE)  # the head of the statistics of a test
_PASSED = re.compile(r"(\d+) passed")


@dataclass(frozen=True)
class Row:
    """A row of the table: tests, and the numbers that they are told by variables of the environment."""

    name: str
    tests: tuple[str, ...]
    numbers: dict[str, float] = field(default_factory=dict)
    counted: str = "tally"  # what is tried: as the tests tell, "tests", or "examples" of hypothesis


_FUZZED = (
    "kb/notes/test_frontmatter.py",
    "kb/markdown",
    "kb/rendering",
    "kb/search/test_query.py",
    "kb/search/test_search_fuzzed.py",
    "kb/vault/test_note_import.py",
    "kb/files/test_encoding.py",
    "snippets/supervisor/test_frame_protocol.py",
    "snippets/supervisor/test_transcript.py",
    "snippets/model",
    "snippets/results/test_exit_status.py",
    "app/reader/test_terminal.py",
    "app/editor/test_html_to_markdown.py",
    "app/editor/test_document_text.py",
)
ROWS = (
    Row("window killed while typing", ("e2e/test_typing_kills.py",), {"TORCHLEAF_TYPING_KILLS": 2000}),
    Row("save killed", ("kb/files/test_atomic_kills.py",), {"TORCHLEAF_KILLS": 2000}),
    Row("change of many files killed at each call", ("kb/vault/test_transaction.py",)),
    Row(
        "import killed",
        ("kb/vault/test_note_import.py::test_a_killed_import_leaves_whole_files",),
        {"TORCHLEAF_IMPORT_KILLS": 300},
    ),
    Row("indexer killed", ("kb/index/test_index_kills.py",), {"TORCHLEAF_KILLS": 300}),
    Row("ledger killed", ("snippets/results/test_ledger_schema.py",), {"TORCHLEAF_KILLS": 300}),
    Row(
        "program killed with a run going",
        ("snippets/running/test_stop.py::test_the_app_is_killed",),
        {"TORCHLEAF_RUN_KILLS": 75},
    ),
    Row("each write, sync, rename fails", ("kb/vault/test_system_faults.py",)),
    Row(
        "disk full, or read-only",
        (
            "kb/index/test_index_disk.py",
            "cli/test_bad_input.py",
            "e2e/test_index_faults.py",
            "app/editor/test_editor_on_vault.py",
            "snippets/running/test_run_limits.py",
        ),
        counted="tests",
    ),
    Row(
        "clock set",
        (
            "kb/vault/test_version_store.py::test_a_clock_that_is_set_back",
            "snippets/supervisor/test_service.py::test_time_is_monotonic",
            "snippets/supervisor/test_service.py::test_a_reader_that_halts_does_not_stop_the_clock",
        ),
        counted="tests",
    ),
    Row("actions at random", ("e2e/test_at_random.py",), {"TORCHLEAF_ACTIONS": 10_000}),
    Row("soak", ("e2e/test_soak.py",), {"TORCHLEAF_MINUTES": 30}),
    Row("two DDP ranks", ("snippets/running/test_ranks_together.py",)),
    Row(
        "wild runs",
        ("snippets/running/test_stop.py", "snippets/running/test_hostile_files.py", "cli/test_wild_runs.py"),
        counted="tests",
    ),
    Row("ways out of the sandbox", ("snippets/running/test_escapes.py",)),
    Row("fuzzing", _FUZZED, {"TORCHLEAF_EXAMPLES": 5000}, counted="examples"),
)


def main() -> int:
    """Run the chosen rows, print each when it is done, and the table at the end; return 1 if anything went wrong."""
    asked = argparse.ArgumentParser(prog="make torture", description=__doc__)
    asked.add_argument("--part", type=float, default=1.0, help="how much of the numbers is tried")
    asked.add_argument("--only", default="", help="rows with this in their name")
    chosen = asked.parse_args()
    began = time.monotonic()
    lines = []
    for row in ROWS:
        if chosen.only in row.name:
            lines.append(_line(row, chosen.part))
            _say(lines[-1])
    minutes = (time.monotonic() - began) / 60
    now = dt.datetime.now().astimezone()
    _say(f"\n{now:%Y-%m-%d}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {minutes:.0f} min\n")
    _say("\n".join((*_head(), *lines)))
    return int(any("FAILED" in line for line in lines))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _head() -> Iterator[str]:
    names = ("", *COLUMNS, "")
    yield "| " + " | ".join(names) + " |"
    yield "|---|" + "---:|" * len(COLUMNS) + "---|"


def _line(row: Row, part: float) -> str:
    with tempfile.TemporaryDirectory() as folder:
        counted = Path(folder, "tally")
        known = {**os.environ, "TORCHLEAF_TALLY": str(counted), "TORCHLEAF_THOROUGH": "1"}
        for name, number in row.numbers.items():
            known[name] = str(max(1, round(number * part)))
        tests = [f"tests/{test}" for test in row.tests]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--hypothesis-show-statistics",
            *tests,
        ]
        done = subprocess.run(command, env=known, stdout=subprocess.PIPE, text=True, check=False)
        rows = [json.loads(line) for line in counted.read_text("utf-8").splitlines()] if counted.exists() else []
    if done.returncode:
        sys.stderr.write(done.stdout)
    examples = [  # a test says it for each phase, and again for all
        max((int(passing) + int(failing) for passing, failing in _EXAMPLES.findall(part)), default=0)
        for part in _STATISTICS.split(done.stdout)[1:]
    ]
    passed = _PASSED.search(done.stdout)
    if row.counted == "examples":
        rows = [{"tried": sum(examples)}]
    elif row.counted == "tests":
        rows = [*({**one, "tried": 0} for one in rows), {"tried": int(passed[1]) if passed else 0}]
    sums = [sum(one.get(column, 0) for one in rows) for column in COLUMNS]
    ended = "" if done.returncode == 0 else "FAILED"
    return f"| {row.name} | " + " | ".join(f"{number:,}" for number in sums) + f" | {ended} |"


if __name__ == "__main__":
    sys.exit(main())
