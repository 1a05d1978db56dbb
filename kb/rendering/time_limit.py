"""Limits the CPU time of a block of Python code in the main thread, on systems with alarms.

CPU time of this process counts, not time spent waiting. The limit cannot interrupt a running regular expression; for
that the process has to be killed.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator


class TimeLimitExceeded(BaseException):
    """The limit was exceeded. Not an Exception, so that no handler on the way catches it."""


if sys.platform == "win32":  # pragma: no cover

    @contextlib.contextmanager
    def at_most(_seconds: float) -> Iterator[None]:
        """Do not limit the block: Windows has no alarm."""
        yield

else:

    @contextlib.contextmanager
    def at_most(seconds: float) -> Iterator[None]:
        """Raise TimeLimitExceeded in the block after so many seconds of CPU time."""
        before = signal.signal(signal.SIGPROF, _ring)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _ring(_signal: int, _frame: object) -> None:
        raise TimeLimitExceeded
