"""Ctrl-C, repeated until it takes effect: Python loses one that arrives in a callback or just before a wait for a lock.

A module of its own, as it is loaded before everything else: it imports nothing of ours.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

AGAIN_SECONDS = 0.3  # between a Ctrl-C that nothing has handled and its repetition


class _Pending:
    """Whether a Ctrl-C has not been handled yet."""

    value = False


def install_handler() -> None:
    """Make Ctrl-C raise KeyboardInterrupt, and raise it again until `acknowledge` is called."""
    signal.signal(signal.SIGINT, _interrupt)
    sys.unraisablehook = _report_unraisable
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _remind)


def acknowledge() -> None:
    """Stop repeating the last Ctrl-C."""
    _Pending.value = False
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def behind(error: BaseException | None) -> bool:
    """Return whether a Ctrl-C caused an error: interrupted code may raise an error of its own."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or behind(error.__cause__) or behind(error.__context__)
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, which may get lost on its way."""
    del number, frame
    _Pending.value = True
    _repeat_later()
    raise KeyboardInterrupt


def _remind(number: int, frame: FrameType | None) -> None:
    """Raise it again, unless it was handled, or the clean-up that the first one caused is running."""
    del number, frame
    if _Pending.value:
        _repeat_later()
        if not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise KeyboardInterrupt


def _repeat_later() -> None:
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


def _report_unraisable(what: sys.UnraisableHookArgs) -> None:
    """Report an error of a callback, except for a Ctrl-C, which comes again."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)
