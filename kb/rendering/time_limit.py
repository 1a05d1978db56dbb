"""So much work for a piece of it, after which it is broken off: in the main thread, where the system has alarms.

What counts is the work of this process, not what others keep it waiting. It breaks off Python, and not a regular
expression that does not come to an end; for that the process has to be killed.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator


class TimeLimitExceeded(BaseException):
    """The work was not done in its time. Not an Exception, so that nothing on the way takes it for its own."""


if sys.platform == "win32":  # pragma: no cover

    @contextlib.contextmanager
    def at_most(_seconds: float) -> Iterator[None]:
        """Let the block take its time: there is no alarm."""
        yield

else:

    @contextlib.contextmanager
    def at_most(seconds: float) -> Iterator[None]:
        """Break the block off with TimeLimitExceeded after so many seconds of work."""
        before = signal.signal(signal.SIGPROF, _ring)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _ring(_signal: int, _frame: object) -> None:
        raise TimeLimitExceeded
