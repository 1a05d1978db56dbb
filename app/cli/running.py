"""Running and verifying from the command line: output streams as it comes, Ctrl-C stops the whole tree."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from app.cli.console import remark
from kb.places import VaultPlaces, make_private
from snippets.ledger import Ledger
from snippets.outcome import Outcome
from snippets.runner import OutputChunk, Runner, RunRequest


@contextlib.contextmanager
def open_ledger(places: VaultPlaces) -> Iterator[Ledger]:
    """Open the record of a vault's runs."""
    make_private(places.ledger.parent)
    with contextlib.closing(Ledger(places.ledger)) as ledger:
        yield ledger


@contextlib.contextmanager
def open_runner(places: VaultPlaces) -> Iterator[Runner]:
    """Give a runner whose runs are recorded; leaving ends whatever still runs."""
    with open_ledger(places) as ledger, contextlib.closing(Runner(runs_folder=places.runs, ledger=ledger)) as runner:
        yield runner


def run_each(request: RunRequest, places: VaultPlaces, *, repeat: int, quiet: bool) -> tuple[Outcome, ...]:
    """Run a snippet `repeat` times, each in a fresh process, and say how each ended."""
    with open_runner(places) as runner:
        return tuple(_run(runner, request, quiet=quiet) for _ in range(repeat))


def _run(runner: Runner, request: RunRequest, *, quiet: bool) -> Outcome:
    run = runner.start(request, output=_ignore if quiet else _print_chunk, finished=_ignore)
    try:
        outcome = run.wait()
    except KeyboardInterrupt:
        run.stop()
        run.wait()
        raise
    if not quiet:
        remark(outcome.sentence("en"))
        for artifact in outcome.artifacts:
            remark(f"{artifact.kind}: {artifact.path}")
    return outcome


def _print_chunk(chunk: OutputChunk) -> None:
    stream = sys.stderr if chunk.stream == "stderr" else sys.stdout
    with contextlib.suppress(BrokenPipeError):  # the reader has gone; the run goes on to its end
        stream.write(chunk.text)
        stream.flush()


def _ignore(_: object) -> None:
    """Take what is not wanted."""
