"""How long a run takes to its first output and to its end, beside `python file.py` of the same file.

Both are measured by turns, so that a busy machine slows both. The runner has done one run before it is measured, as in
the window, where the first run of a session starts the supervisor.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from snippets.catalog import LIBRARY
from snippets.form import read_snippet
from snippets.outcome import Outcome
from snippets.runner import OutputChunk, Runner, RunRequest

PLAIN = 'print("hello")\n'
TENSOR = "import torch\n\nprint(torch.arange(6).view(2, 3).sum(dim=0))\n"


@dataclass(frozen=True)
class Times:
    """Seconds from the start of a run."""

    first: float
    end: float


def by_runner(runner: Runner, path: Path) -> Times:
    """Run a file as the window does, on the CPU."""
    first: list[float] = []
    ended: list[float] = []

    def output(_: OutputChunk) -> None:
        first.append(time.perf_counter())

    def finished(_: Outcome) -> None:
        ended.append(time.perf_counter())

    snippet = read_snippet(path)
    start = time.perf_counter()
    outcome = runner.start(RunRequest(snippet), output=output, finished=finished).wait()
    if outcome.status != "passed":
        sys.exit(f"{path.name}: {outcome.status}\n{outcome.output}")
    return Times(first[0] - start, ended[0] - start)


def by_python(path: Path) -> Times:
    """Run a file as a terminal does, on the CPU."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": ""}
    start = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([sys.executable, "-u", path], stdout=subprocess.PIPE, env=environment, cwd=folder) as run,
    ):
        assert run.stdout is not None
        run.stdout.read(1)
        first = time.perf_counter()
        run.stdout.read()
        if run.wait():
            sys.exit(f"{path.name}: exit code {run.returncode}")
        return Times(first - start, time.perf_counter() - start)


def row(name: str, ours: list[Times], plain: list[Times]) -> str:
    """Word the medians of one file: milliseconds, and the runner's share of what python takes."""
    cells = []
    for moment in ("first", "end"):
        runner, python = (statistics.median(getattr(each, moment) for each in times) for times in (ours, plain))
        cells.append(f"{1000 * runner:9.0f} {1000 * python:9.0f} {runner / python:7.2f}")
    return f"{name:14}{' '.join(cells)}   of {len(ours)}"


def main() -> None:
    """Measure three files and print a line for each."""
    with tempfile.TemporaryDirectory() as folder:
        written = {"no torch": PLAIN, "a tensor": TENSOR}
        for name, code in written.items():
            (Path(folder) / f"{name.replace(' ', '_')}.py").write_text(code, encoding="utf-8")
        files = [(name, Path(folder) / f"{name.replace(' ', '_')}.py", 5) for name in written]
        files.append(("DDP, 2 ranks", LIBRARY / "ddp_spawn.py", 3))
        print("medians in ms                first output                        end")
        print(f"{'':14}{'runner':>9} {'python':>9} {'ratio':>7} {'runner':>9} {'python':>9} {'ratio':>7}")
        with Runner(runs_folder=Path(folder) / "runs") as runner:
            for name, path, rounds in files:
                by_runner(runner, path)  # the supervisor is up, the files of torch are in memory
                pairs = [(by_runner(runner, path), by_python(path)) for _ in range(rounds)]
                print(row(name, [ours for ours, _ in pairs], [plain for _, plain in pairs]), flush=True)


if __name__ == "__main__":
    main()
