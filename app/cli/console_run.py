"""Running from the command line: output streams as it comes; after a Ctrl-C, leaving the runner ends the whole tree."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType

from app.cli.console import remark
from kb.files.paths import VaultPaths, make_private
from snippets.results.ledger import Ledger
from snippets.results.outcome import Outcome
from snippets.running.run_variables import offer_for
from snippets.running.runner import OutputChunk, Runner, RunRequest

AGAIN_SECONDS = 0.3  # after which a Ctrl-C that nobody has heard comes once more


class _Key:
    """Ctrl-C."""

    unheard = False


_key = _Key()


def install_handler() -> None:
    """Have a Ctrl-C raise KeyboardInterrupt, and again until somebody handles it or `heard` is called."""
    signal.signal(signal.SIGINT, _interrupt)
    sys.unraisablehook = _say_unless_interrupted
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _remind)


def acknowledge() -> None:
    """Have no Ctrl-C come once more."""
    _key.unheard = False
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def behind(error: BaseException | None) -> bool:
    """Tell whether a Ctrl-C is what an error comes from: what is interrupted may make an error of its own of it."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or behind(error.__cause__) or behind(error.__context__)
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, whether or not it will get anywhere."""
    del number, frame
    _key.unheard = True
    _again()
    raise KeyboardInterrupt


def _remind(number: int, frame: FrameType | None) -> None:
    """Raise it again, unless it was heard, or what goes on is the clearing up that the first one caused."""
    del number, frame
    if _key.unheard:
        _again()
        if not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise KeyboardInterrupt


def _again() -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


def _say_unless_interrupted(what: sys.UnraisableHookArgs) -> None:
    """Say what went wrong in a callback. A Ctrl-C did not: it comes again."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)


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
