"""炬页 Torchleaf: where the program begins: the window by a short way, every other command by `cli.command_line`."""

# What is not needed for what was asked is not imported: a start must be quick. An old Python imports nothing of ours.
# Before the signal is set, a Ctrl-C shows a traceback, so nothing else is imported until then, not even __future__.
# ruff: noqa: E402, PLC0415

import signal
import sys

_ADVICE = "run `make setup`, then `.venv/bin/python main.py ...` (README.md has the way without make)"

if sys.version_info < (3, 11):  # noqa: UP036 - of a checkout any Python is tried; this file is read by 3.8, too
    sys.stderr.write(f"Python 3.11 or newer is needed, and this is {sys.version.split()[0]}: {_ADVICE}.\n")
    raise SystemExit(2)

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C while all else is imported: no traceback

import gc
import os

from app.cli import interrupt
from app.cli.console import remark, say_json, speak_utf8
from app.startup.gui_launch import gui_arguments
from torchleaf import INSTALLED

FAILED, USAGE, INTERRUPTED = 1, 2, 130
_COMPLETION = "_TORCHLEAF_COMPLETE"  # the variable by which a shell asks what a line can go on with


def main(arguments: list[str]) -> int:
    """Carry out a command line and return its exit code."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            interrupt.install_handler()
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
    interrupt.acknowledge()
    if code == INTERRUPTED:  # typer makes this of a Ctrl-C
        return _failed("Interrupted.", INTERRUPTED, arguments)
    _flush()
    return int(code or 0)


def _carry_out(arguments: list[str]) -> int | str | None:
    """Open the window where no more than that is asked; the way by typer takes a quarter of a start.

    What is not understood here, and a window that cannot be loaded, is for the command line to tell of.
    """
    if _COMPLETION not in os.environ and (asked := gui_arguments(arguments)) is not None:
        try:
            window = asked.loaded()
        except ImportError:
            gc.enable()
        else:
            return window()
    try:
        from app.cli.command_line import carry_out
    except (ImportError, AttributeError) as error:  # no library, or another version of one
        if "--debug" in arguments:
            raise
        return _failed(_unfit(error), USAGE, arguments)
    return carry_out(arguments)


def _unfit(error: Exception) -> str:
    advice = "install torchleaf again" if INSTALLED else _ADVICE
    return f"The libraries of Torchleaf cannot be loaded by {sys.executable} ({error}): {advice}."


def _told(error: Exception, arguments: list[str]) -> int:
    """Say what went wrong and return the exit code; with --debug the error goes on, traceback and all."""
    if interrupt.behind(error):
        return INTERRUPTED
    from app.cli.exit_codes import sentence, wrong_usage

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


def _flush() -> None:
    """Write what is left; a full disk was told of before, and must not change the exit code to Python's 120."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _say_no_more()


def _say_no_more() -> None:
    """Let what is still to be written to standard output go nowhere: nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program() -> None:
    """Start the program; what `python main.py` and the command torchleaf do."""
    speak_utf8()
    code = main(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what remains is over in a moment
    raise SystemExit(code)


if __name__ == "__main__":
    run_program()
