"""A stretch of time for a piece of work, after which it is broken off: in the main thread, where the system has alarms.

It breaks off Python, and not a regular expression that does not come to an end; for that the process has to be killed.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator


class TimeOver(BaseException):
    """The time for a piece of work is over. Not an Exception, so that nothing on the way takes it for its own."""


if sys.platform == "win32":  # pragma: no cover

    @contextlib.contextmanager
    def at_most(_seconds: float) -> Iterator[None]:
        """Let the block take its time: there is no alarm."""
        yield

else:

    @contextlib.contextmanager
    def at_most(seconds: float) -> Iterator[None]:
        """Break the block off with TimeOver after so many seconds."""
        before = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _ring(_signal: int, _frame: object) -> None:
        raise TimeOver
