"""Which Chinese characters stand side by side in the notes of a snapshot, and in how many sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kb.index.snapshot import Snapshot

_FIELDS = ("heading", "body")
_CHINESE = ("\u3400", "\ua000")
_KEPT = 500  # characters whose neighbours are kept at hand

Keys = npt.NDArray[np.uint32]  # of a pair: the numbers of both characters, 16 bits each


class BigramCounts:
    """The pairs of one snapshot, collected when the first is asked for. Not for several threads at once."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Look nothing up yet."""
        self._snapshot = snapshot
        self.after = lru_cache(maxsize=_KEPT)(self._after)
        self.before = lru_cache(maxsize=_KEPT)(self._before)

    def _after(self, character: str) -> Mapping[str, int]:
        """Return what stands right after a character, and how often: headings and texts that have it are counted."""
        keys, numbers = self._all
        code = ord(character) << 16
        low, high = np.searchsorted(keys, (code, code | 0xFFFF)) if code < 1 << 32 else (0, 0)
        return _counted(keys[low:high] & 0xFFFF, numbers[low:high])

    def _before(self, character: str) -> Mapping[str, int]:
        """Return what stands right before a character, and how often."""
        keys, numbers = self._all
        found = np.flatnonzero((keys & 0xFFFF) == ord(character))
        return _counted(keys[found] >> 16, numbers[found])

    def often(self, pair: str) -> int:
        """Return how often two characters stand side by side."""
        return self.after(pair[0]).get(pair[1], 0)

    def least(self, text: str) -> int:
        """Return how often the rarest pair of a text is there; 0 where it has no pair."""
        return min((self.often(first + second) for first, second in pairwise(text)), default=0)

    @cached_property
    def characters(self) -> frozenset[str]:
        """All Chinese characters that stand in a pair."""
        keys, _ = self._all
        seen = np.zeros(1 << 16, bool)
        seen[keys >> 16] = seen[keys & 0xFFFF] = True
        first, end = map(ord, _CHINESE)
        return frozenset(map(chr, (np.flatnonzero(seen[first:end]) + first).tolist()))

    @cached_property
    def _all(self) -> tuple[Keys, Keys]:
        found = list(self._collected())
        keys = np.concatenate([keys for keys, _ in found]) if found else np.empty(0, np.uint32)
        numbers = np.concatenate([numbers for _, numbers in found]) if found else keys
        order = np.argsort(keys, kind="stable")  # quick: it is a few sorted stretches
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=np.uint32(0)))  # no pair has the number 0
        return keys[first], np.add.reduceat(numbers[order], first) if len(first) else numbers

    def _collected(self) -> Iterator[tuple[Keys, Keys]]:
        for leaf in self._snapshot.leaves:
            for field in _FIELDS:
                postings = leaf.postings.field(field)
                low, high = postings.terms.span(*_CHINESE)
                if low == high:
                    continue
                sizes = np.diff(postings.terms.bounds[low : high + 1])
                # A character has three bytes here; one beyond the first plane has four, and such a pair is left out.
                pairs = np.flatnonzero(sizes == 6)  # noqa: PLR2004
                codes = np.frombuffer(postings.terms.text(low, high).encode("utf-32-le"), np.uint32)
                starts = np.cumsum(np.where(sizes > 4, 2, 1))[pairs] - 2  # noqa: PLR2004
                yield codes[starts] << 16 | codes[starts + 1], postings.sizes(low, high)[pairs]


def _counted(codes: npt.NDArray[Any], numbers: Keys) -> Mapping[str, int]:
    return dict(zip(map(chr, codes.tolist()), numbers.tolist(), strict=True))
