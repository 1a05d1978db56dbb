"""Work that takes too long is broken off, and what counts is the work."""

from __future__ import annotations

import contextlib
import signal
import sys
import time

import pytest

from kb.rendering.time_limit import TimeLimitExceeded, at_most

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm")


def test_work_that_never_ends_is_broken_off() -> None:
    """Whatever it catches."""
    began = time.process_time()
    with pytest.raises(TimeLimitExceeded):
        _work_for_ever()
    assert 0.04 < time.process_time() - began < 1


def _work_for_ever() -> None:
    with at_most(0.05):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1_000))


def test_what_is_done_in_time_is_left_alone() -> None:
    """Waiting is no work, the alarm is off afterwards, and whoever had it before has it again."""
    before = signal.getsignal(signal.SIGPROF)
    with at_most(0.02):
        time.sleep(0.06)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == before
