"""Running from the command line: output streams as it comes; after a Ctrl-C, leaving the runner ends the whole tree."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from app.cli.console import remark
from kb.files.paths import VaultPaths, make_private
from snippets.results.ledger import Ledger
from snippets.results.outcome import Outcome
from snippets.running.run_variables import offer_for
from snippets.running.runner import OutputChunk, Runner, RunRequest


@contextlib.contextmanager
def open_ledger(places: VaultPaths) -> Iterator[Ledger]:
    """Open the record of a vault's runs. Where it cannot be used, that is said, and all goes on without it."""
    with contextlib.suppress(OSError):  # the ledger itself says why
        make_private(places.ledger.parent)
    with contextlib.closing(Ledger(places.ledger)) as ledger:
        if ledger.problem:
            remark(str(ledger.problem))
        yield ledger


@contextlib.contextmanager
def open_runner(places: VaultPaths) -> Iterator[Runner]:
    """Give a runner whose runs are recorded; leaving ends whatever still runs."""
    with open_ledger(places) as ledger, contextlib.closing(Runner(runs_folder=places.runs, ledger=ledger)) as runner:
        yield runner


def run_each(request: RunRequest, places: VaultPaths, *, repeat: int, quiet: bool) -> tuple[Outcome, ...]:
    """Run a snippet `repeat` times, each in a fresh process, and say how each ended."""
    with open_runner(places) as runner:
        if repeat > 1:
            runner.warm_up(request.python, isolate=request.isolate)
        return tuple(run_once(runner, request, quiet=quiet) for _ in range(repeat))


class Printer:
    """Hands on what a run prints. Where it cannot be written the run goes on all the same, to its end."""

    def __init__(self) -> None:
        self.trouble: OSError | None = None  # why it could not be written; a reader that has gone is no trouble

    def take(self, chunk: OutputChunk) -> None:
        """Print a piece at once."""
        stream = sys.stderr if chunk.stream == "stderr" else sys.stdout
        try:
            stream.write(chunk.text)
            stream.flush()
        except BrokenPipeError:
            pass
        except OSError as error:
            self.trouble = error


def run_once(runner: Runner, request: RunRequest, *, quiet: bool) -> Outcome:
    """Run a snippet and say how it ended."""
    printer = Printer()
    outcome = runner.start(request, output=_ignore if quiet else printer.take, finished=_ignore).wait()
    if printer.trouble:
        remark(f"What it printed could not all be written here: {printer.trouble.strerror}; `runs --json` has it.")
    if not quiet:
        remark(outcome.sentence("en"))
        if offer := offer_for(outcome.output, environment=request.environment, device=request.device):
            remark(f"{offer.reason.en} (--blocking)")
        for artifact in outcome.artifacts:
            remark(f"{artifact.kind}: {artifact.path}")
    return outcome


def _ignore(_: object) -> None:
    """Take what is not wanted."""
