"""Counts adjacent Chinese characters in the notes of a snapshot, by section."""

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
_KEPT = 500  # characters whose neighbours are cached

Keys = npt.NDArray[np.uint32]  # of pairs: two code points of 16 bits each; shape (n,)


class BigramCounts:
    """The pairs of one snapshot, collected at the first lookup. Not thread-safe."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Collect nothing yet."""
        self._snapshot = snapshot
        self.after = lru_cache(maxsize=_KEPT)(self._after)
        self.before = lru_cache(maxsize=_KEPT)(self._before)

    def _after(self, character: str) -> Mapping[str, int]:
        """Return the characters that follow a character, each with how many headings and texts have the pair."""
        keys, numbers = self._all
        code = ord(character) << 16
        low, high = np.searchsorted(keys, (code, code | 0xFFFF)) if code < 1 << 32 else (0, 0)
        return _counted(keys[low:high] & 0xFFFF, numbers[low:high])

    def _before(self, character: str) -> Mapping[str, int]:
        """Return the characters that precede a character, each with how many headings and texts have the pair."""
        keys, numbers = self._all
        found = np.flatnonzero((keys & 0xFFFF) == ord(character))
        return _counted(keys[found] >> 16, numbers[found])

    def often(self, pair: str) -> int:
        """Return how many headings and texts have a pair of adjacent characters."""
        return self.after(pair[0]).get(pair[1], 0)

    def least(self, text: str) -> int:
        """Return the count of the rarest pair of a text; 0 if it has no pair."""
        return min((self.often(first + second) for first, second in pairwise(text)), default=0)

    @cached_property
    def characters(self) -> frozenset[str]:
        """All Chinese characters that are part of a pair."""
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
        order = np.argsort(keys, kind="stable")  # fast: a few sorted runs
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=np.uint32(0)))  # no pair has the key 0
        return keys[first], np.add.reduceat(numbers[order], first) if len(first) else numbers

    def _collected(self) -> Iterator[tuple[Keys, Keys]]:
        for leaf in self._snapshot.leaves:
            for field in _FIELDS:
                postings = leaf.postings.field(field)
                low, high = postings.terms.span(*_CHINESE)
                if low == high:
                    continue
                sizes = np.diff(postings.terms.bounds[low : high + 1])
                # A character has three bytes here. Pairs with one beyond the BMP, which has four, are left out.
                pairs = np.flatnonzero(sizes == 6)  # noqa: PLR2004
                codes = np.frombuffer(postings.terms.text(low, high).encode("utf-32-le"), np.uint32)
                starts = np.cumsum(np.where(sizes > 4, 2, 1))[pairs] - 2  # noqa: PLR2004
                yield codes[starts] << 16 | codes[starts + 1], postings.sizes(low, high)[pairs]


def _counted(codes: npt.NDArray[Any], numbers: Keys) -> Mapping[str, int]:
    return dict(zip(map(chr, codes.tolist()), numbers.tolist(), strict=True))
