"""炬页 Torchleaf: where the program begins: the window by a short way, every other command by `app.cli.commandline`."""

# What is not needed for what was asked is not imported: a start must be quick. Before the signal is set, a Ctrl-C shows
# a traceback, so nothing else is imported until then, not even __future__.
# ruff: noqa: PLC0415

import signal

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C while all else is imported: no traceback

import gc
import os
import sys

from app.cli import interrupting
from app.cli.console import remark, say_json, speak_utf8
from app.starting import window_asked

FAILED, INTERRUPTED = 1, 130


def main(arguments: list[str]) -> int:
    """Carry out a command line and return its exit code."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            interrupting.listen()
        code = _carry_out(arguments)
    except SystemExit as asked:
        code = asked.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        _say_no_more()
        return FAILED
    except Exception as error:  # noqa: BLE001 - said, or raised again
        code = _told(error, arguments)
    interrupting.heard()
    if code == INTERRUPTED:  # typer makes this of a Ctrl-C
        return _failed("Interrupted.", INTERRUPTED, arguments)
    return int(code or 0)


def _carry_out(arguments: list[str]) -> int | str | None:
    """Open the window where no more than that is asked; the way by typer takes a quarter of a start.

    What is not understood here, and a window that cannot be loaded, is for the command line to tell of.
    """
    if (asked := window_asked(arguments)) is not None:
        try:
            window = asked.loaded()
        except ImportError:
            gc.enable()
        else:
            return window()
    from app.cli.commandline import carry_out

    return carry_out(arguments)


def _told(error: Exception, arguments: list[str]) -> int:
    """Say what went wrong and return the exit code; with --debug the error goes on, traceback and all."""
    if interrupting.behind(error):
        return INTERRUPTED
    from app.cli.mistakes import sentence, wrong_usage

    if "--debug" in arguments and not wrong_usage(error):
        raise error
    return _failed(*sentence(error), arguments)


def _failed(sentence: str, code: int, arguments: list[str]) -> int:
    if "--json" in arguments:
        try:
            say_json({"error": sentence})
        except OSError:  # a full disk
            _say_no_more()
    remark(" ".join(sentence.split()))
    return code


def _say_no_more() -> None:
    """Let what is still to be written to standard output go nowhere: nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program() -> None:
    """Start the program; what `python main.py` and the command torchleaf do."""
    if getattr(sys, "frozen", False):  # a program made of one file is started anew for its workers
        import multiprocessing

        multiprocessing.freeze_support()
    speak_utf8()
    code = main(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what remains is over in a moment
    raise SystemExit(code)


if __name__ == "__main__":
    run_program()
