"""The options of the commands: those that several share, then those of runs and of `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Vault = Annotated[Path | None, typer.Option("--vault", metavar="DIR", help="The folder of notes [your own].")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Temp = Annotated[bool, typer.Option("--temp", help="Use throw-away settings and data.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks and the log.")]
Limit = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most so many.")]
Note = Annotated[str, typer.Argument(metavar="NOTE", help="Its path, name or title.")]

Device = Annotated[str, typer.Option("--device", metavar="ID", help="cpu, cuda:0, or several as cuda:0,1.")]
EveryDevice = Annotated[str, typer.Option("--device", metavar="ID", help="cpu, cuda:0, cuda:0,1, or all.")]
Python = Annotated[Path | None, typer.Option("--python", metavar="EXE", help="The interpreter [this one].")]
Timeout = Annotated[float | None, typer.Option("--timeout", min=0.001, metavar="S", help="Seconds.")]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="That one process computes with.")]
Variables = Annotated[list[str] | None, typer.Option("--env", metavar="K=V", help="A variable; repeatable.")]
Blocking = Annotated[bool, typer.Option("--blocking", help="CUDA_LAUNCH_BLOCKING=1: errors at their line.")]
Isolate = Annotated[
    bool | None, typer.Option("--isolate/--no-isolate", help="Run inside bubblewrap [code of a vault, where it works].")
]
Repeat = Annotated[int, typer.Option("--repeat", min=1, help="So many fresh runs, one after another.")]

Accept = Annotated[bool, typer.Option("--accept", help="Record what is printed now as right.")]
Stamp = Annotated[bool, typer.Option("--stamp", help="Write the day into each note of which all is proven.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="At the same time [as the machine bears].")]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a report as JUnit.")]
Strict = Annotated[bool, typer.Option("--strict", help="What cannot run here is a failure too.")]

Compare = Annotated[tuple[str, str] | None, typer.Option("--compare", metavar="RUN RUN", help="Two by their id.")]
Pin = Annotated[str | None, typer.Option("--pin", metavar="RUN", help="Record its output as what its snippet prints.")]
