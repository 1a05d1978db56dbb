"""Runs from the command line: output is printed as it arrives; Ctrl-C ends the whole process tree of the run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from app.cli.console import remark
from app.cli.run_isolation import isolation_sentence
from kb.files.paths import VaultPaths, make_private
from snippets.results.ledger import Ledger
from snippets.results.outcome import Outcome
from snippets.running.run_variables import offer_for
from snippets.running.runner import OutputChunk, Runner, RunRequest


@contextlib.contextmanager
def open_ledger(places: VaultPaths) -> Iterator[Ledger]:
    """Open the ledger of a vault's runs. If it cannot be used, print why and continue without it."""
    with contextlib.suppress(OSError):  # `problem` of the ledger has the reason
        make_private(places.ledger.parent)
    with contextlib.closing(Ledger(places.ledger)) as ledger:
        if ledger.problem:
            remark(str(ledger.problem))
        yield ledger


@contextlib.contextmanager
def open_runner(places: VaultPaths) -> Iterator[Runner]:
    """Yield a runner that records its runs; active runs end with the context."""
    with open_ledger(places) as ledger, contextlib.closing(Runner(runs_folder=places.runs, ledger=ledger)) as runner:
        yield runner


def run_each(request: RunRequest, places: VaultPaths, *, repeat: int, quiet: bool) -> tuple[Outcome, ...]:
    """Run a snippet `repeat` times, each time in a fresh process, and print how each run ended."""
    with open_runner(places) as runner:
        if repeat > 1:
            runner.warm_up(request.python, isolate=request.isolate)
        return tuple(run_once(runner, request, quiet=quiet) for _ in range(repeat))


class Printer:
    """Prints the output of a run. If it cannot be written, the run continues to its end."""

    def __init__(self, heading: str) -> None:
        """Print `heading` as a remark before the first output."""
        self._heading = heading
        self.trouble: OSError | None = None  # why output could not be written; a closed pipe does not count

    def take(self, chunk: OutputChunk) -> None:
        """Print a chunk and flush."""
        self.say_heading()
        stream = sys.stderr if chunk.stream == "stderr" else sys.stdout
        try:
            stream.write(chunk.text)
            stream.flush()
        except BrokenPipeError:
            pass
        except OSError as error:
            self.trouble = error

    def say_heading(self) -> None:
        """Print the heading, unless it was printed."""
        heading, self._heading = self._heading, ""
        if heading:
            remark(heading)


def run_once(runner: Runner, request: RunRequest, *, quiet: bool) -> Outcome:
    """Run a snippet and print how it ended."""
    printer = Printer(isolation_sentence(isolated=request.isolate))
    outcome = runner.start(request, output=_ignore if quiet else printer.take, finished=_ignore).wait()
    if printer.trouble:
        remark(f"What it printed could not all be written here: {printer.trouble.strerror}; `runs --json` has it.")
    if not quiet:
        if outcome.status != "unavailable":
            printer.say_heading()
        remark(outcome.sentence("en"))
        if offer := offer_for(outcome.output, environment=request.environment, device=request.device):
            remark(f"{offer.reason.en} (--blocking)")
        for artifact in outcome.artifacts:
            name = str(artifact.path).replace("\n", "\\n")  # one line for each file
            remark(f"{artifact.kind}: {name}")
    return outcome


def _ignore(_: object) -> None:
    """Do nothing: a callback of the runner that is not needed."""
