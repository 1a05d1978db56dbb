"""How long a run takes to its first output and to its end, beside `python file.py` and a notebook of the same code.

All ways take turns, so that a busy machine slows every one of them. The runner is warmed up before, as the window does
in the background after it stands; of each way the first turn is not counted. A notebook is executed by nbclient, with a
fresh kernel each time, as a run is a fresh process each time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snippets.model.catalog import LIBRARY
from snippets.model.snippet import read_snippet
from snippets.process.isolation import isolation
from snippets.results.outcome import Outcome
from snippets.running.runner import OutputChunk, Runner, RunRequest
from snippets.running.zygote_key import HOW

PLAIN = 'print("hello")\n'
TENSOR = "import torch\n\nprint(torch.arange(6).view(2, 3).sum(dim=0))\n"
LONG = "import time\n\nimport torch\n\nprint(torch.ones(1))\ntime.sleep(60)\n"
TARGET_SECONDS = 0.05  # from click to first output


@dataclass(frozen=True)
class Times:
    """Seconds from the start of a run."""

    first: float
    end: float


Way = Callable[[Path], Times]


def by_runner(runner: Runner, path: Path, *, isolate: bool = False) -> Times:
    """Run a file as the window does, on the CPU."""
    first: list[float] = []
    ended: list[float] = []

    def output(_: OutputChunk) -> None:
        first.append(time.perf_counter())

    def finished(_: Outcome) -> None:
        ended.append(time.perf_counter())

    snippet = read_snippet(path)
    start = time.perf_counter()
    outcome = runner.start(RunRequest(snippet, isolate=isolate), output=output, finished=finished).wait()
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


def by_notebook(path: Path) -> Times:
    """Execute a notebook of one cell, with a kernel started for it."""
    import nbformat  # noqa: PLC0415 - only where nbclient is there
    from jupyter_client.manager import AsyncKernelManager  # noqa: PLC0415
    from nbclient import NotebookClient  # noqa: PLC0415

    first: list[float] = []

    class Client(NotebookClient):
        def output(self, outs: Any, msg: Any, *more: Any) -> Any:
            first.append(time.perf_counter())
            return super().output(outs, msg, *more)

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(path.read_text(encoding="utf-8"))])
    start = time.perf_counter()
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc")  # over TCP it would warn each time
    client = Client(notebook, km=manager)
    client.owns_km = True  # the kernel goes with the notebook
    client.execute()
    return Times(first[0] - start, time.perf_counter() - start)


def by_one_used_once(runner: Runner, path: Path) -> Times:
    """Run a file in a Python that was made ready for this one run, as where nothing can be forked."""
    before = os.environ.get(HOW)
    os.environ[HOW] = "once"
    try:
        runner.warm_up()
        return by_runner(runner, path)
    finally:
        del os.environ[HOW]
        if before is not None:
            os.environ[HOW] = before


def by_the_second(runner: Runner, path: Path, long: Path) -> Times:
    """Run a file while another run of the same window goes on."""
    running = threading.Event()
    run = runner.start(RunRequest(read_snippet(long)), output=lambda _: running.set(), finished=lambda _: None)
    running.wait()
    try:
        return by_runner(runner, path)
    finally:
        run.stop()
        run.wait()


def measured(ways: Mapping[str, Way], path: Path, rounds: int, *, settle: int = 1) -> dict[str, list[Times]]:
    """Take turns, and leave out the first `settle`."""
    times: dict[str, list[Times]] = {name: [] for name in ways}
    for turn in range(rounds + settle):
        for name, way in ways.items():
            taken = way(path)
            if turn >= settle:
                times[name].append(taken)
    return times


def show(title: str, times: Mapping[str, list[Times]]) -> None:
    """Print a line for each way: medians in milliseconds, and how many times as long as the first of them it took."""
    rounds = len(next(iter(times.values())))
    print(f"{title} ({rounds} turns)\n{'':26}{'first output':>14}{'ratio':>8}{'90%':>8}{'end':>10}{'ratio':>8}")
    ours = next(iter(times.values()))
    for name, taken in times.items():
        first, end = (statistics.median(getattr(each, at) for each in taken) for at in ("first", "end"))
        base, base_end = (statistics.median(getattr(each, at) for each in ours) for at in ("first", "end"))
        late = sorted(each.first for each in taken)[int(0.9 * (len(taken) - 1))]
        print(
            f"  {name:24}{1000 * first:11.0f} ms{first / base:8.1f}{1000 * late:8.0f}"
            f"{1000 * end:7.0f} ms{end / base_end:8.1f}",
            flush=True,
        )


def judge(times: Mapping[str, list[Times]]) -> None:
    """Say how the tensor's times stand to what they should be."""
    medians = {name: statistics.median(each.first for each in taken) for name, taken in times.items()}
    for name in (name for name in medians if name.startswith("forked")):
        within = "within" if medians[name] <= TARGET_SECONDS else "OVER"
        print(f"  {name}: {1000 * medians[name]:.0f} ms, {within} {1000 * TARGET_SECONDS:.0f} ms", end="")
        others = [other for other in medians if other in {"python file.py", "nbclient"}]
        print("".join(f"; {other} takes {medians[other] / medians[name]:.0f} times as long" for other in others))


def has_notebooks() -> bool:
    """Say whether nbclient and a kernel are there."""
    try:
        import ipykernel  # noqa: F401, PLC0415
        import nbclient  # noqa: F401, PLC0415
    except ImportError:
        print("nbclient or ipykernel is not installed: left out")
        return False
    return True


def main() -> None:
    """Measure three files, each in the ways that say something of it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Runner(runs_folder=Path(folder) / "runs") as cold,
        Runner(runs_folder=Path(folder) / "runs") as warm,
        Runner(runs_folder=Path(folder) / "runs") as walled,
        Runner(runs_folder=Path(folder) / "runs") as once,
    ):
        files = {name: Path(folder) / f"{name}.py" for name in ("hello", "tensor", "long")}
        for file, code in zip(files.values(), (PLAIN, TENSOR, LONG), strict=True):
            file.write_text(code, encoding="utf-8")
        began = time.perf_counter()
        warm.warm_up()
        print(f"warming up, once and in the background: {time.perf_counter() - began:.2f} s")
        warm.warm_up(count=2)
        ways: dict[str, Way] = {"forked": lambda path: by_runner(warm, path)}
        if isolation().available and walled.warm_up(isolate=True):
            ways["forked, isolated"] = lambda path: by_runner(walled, path, isolate=True)
        kinds: dict[str, Way] = {
            "forked, beside another": lambda path: by_the_second(warm, path, files["long"]),
            "ready, used once": lambda path: by_one_used_once(once, path),
        }
        plain: dict[str, Way] = {"cold": lambda path: by_runner(cold, path), "python file.py": by_python}
        notebook: dict[str, Way] = {"nbclient": by_notebook} if has_notebooks() else {}
        show("a tensor", tensor := measured({**ways, **kinds, **plain, **notebook}, files["tensor"], 7))
        judge(tensor)
        show("no torch", measured(plain, files["hello"], 7))
        show("DDP, 2 ranks", measured({**ways, **plain}, LIBRARY / "ddp_spawn.py", 1, settle=0))


if __name__ == "__main__":
    main()
