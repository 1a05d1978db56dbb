"""Starts the installed program: what the command torchleaf and `python -m torchleaf` do."""

# The program is imported once its folder is the first that Python looks in.
# ruff: noqa: PLC0415

from __future__ import annotations

import signal
import sys

from torchleaf import HOME


def run() -> None:
    """Start the program, whatever other packages named app, kb, snippets or main there are.

    Its worker processes are given the same path; a run of a snippet is not.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C while all else is imported: no traceback
    sys.path.insert(0, str(HOME))
    from main import run_program

    run_program()


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):  # Python 3.10 has no such flag, and main says that it is too old
        del sys.path[0]  # the folder that `python -m` is started in: it may be a vault, and no library is taken from it
    run()
