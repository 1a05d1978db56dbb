"""A Ctrl-C that is heard: Python loses one that comes in a callback, or the moment before it waits for a lock."""

from __future__ import annotations

import signal
import sys
from types import FrameType

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
