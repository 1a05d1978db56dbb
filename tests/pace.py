"""How fast this machine is at the moment: what must be quick is held to its bound on any machine, a busy one too."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator

_QUIET = 0.0085  # seconds that the piece of work takes on the machine that the bounds were set on, while it is idle
_TIMES = 3


def slowness(clock: Callable[[], float] = time.perf_counter) -> float:
    """Say how many times longer work takes now than on that machine; at least 1.

    The clock is that of the wall, which other programs slow down, or `time.thread_time`, which only counts work.
    """
    began = clock()
    for _ in range(_TIMES):
        _work()
    return max(1.0, (clock() - began) / _TIMES / _QUIET)


@contextlib.contextmanager
def within(seconds: float, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Fail if the block takes longer than so many seconds would be on a quiet machine."""
    before = slowness(clock)
    began = clock()
    yield
    took = clock() - began
    if took >= seconds:
        allowed = seconds * max(before, slowness(clock))
        assert took < allowed, f"{took:.3f} s, where {seconds} s are {allowed:.3f} s at the pace of this machine"


def thinking_within(seconds: float) -> contextlib.AbstractContextManager[None]:
    """Fail if this thread works longer than so many seconds in the block; what other programs do takes none of them."""
    return within(seconds, time.thread_time)


def _work() -> int:
    words: dict[str, int] = {}
    for number in range(20_000):
        word = f"{number % 97}-{number}"
        words[word] = words.get(word, 0) + len(word)
    return sum(len(re.findall(r"\d+", word)) for word in list(words)[:5_000])
