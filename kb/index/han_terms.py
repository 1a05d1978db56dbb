"""Counts the Chinese terms of many documents at once with NumPy; they equal those of `tokens.terms`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
_END = "\0"  # after each run
_MOST = 1 << 22  # documents that are counted at once, at most
_FIRST, _SECOND = np.uint64(43), np.uint64(22)  # bit offsets of the code points of a pair, 21 bits each


class HanTerms:
    """Collects runs of Chinese and their documents."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._documents = array("I")
        self._sizes = array("I")
        self.characters = 0

    def add(self, document: int, stretches: Sequence[str]) -> int:
        """Add the runs of a document; return how many terms they have."""
        text = _END.join((*stretches, ""))
        self._texts.append(text)
        self._documents.append(document)
        self._sizes.append(len(text))
        self.characters += len(text)
        return 2 * len(text) - 3 * len(stretches)  # a run has one pair fewer than characters, and an end mark

    def counted(self) -> tuple[list[bytes], npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the sorted terms in UTF-8, and three arrays with one entry for each term and document.

        They are the term's number (int64), the document (uint32) and the count (int64); shape (n,) each, sorted by
        term, then by document.
        """
        codes = np.frombuffer("".join(self._texts).encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
        owners = np.repeat(np.arange(len(self._sizes), dtype=np.uint64), self._sizes)
        single = codes > 0
        paired = single[:-1] & single[1:]  # an end mark separates documents
        first = codes << _FIRST | owners
        keys = np.concatenate((first[single], (first[:-1] | codes[1:] << _SECOND)[paired]))
        # Sorted by term, which is the order of the characters' numbers, then by document.
        keys, times = np.unique(keys, return_counts=True)
        terms = keys >> _SECOND
        begun = np.diff(terms, prepend=np.uint64(0)) > 0
        documents = np.frombuffer(self._documents, np.uint32)[(keys & np.uint64(_MOST - 1)).astype(np.int64)]
        return _spelled(terms[begun]), np.cumsum(begun) - 1, documents, times


def _spelled(used: Keys) -> list[bytes]:
    """Return the terms of sorted keys (uint64, shape (n,)) in UTF-8."""
    second = used & np.uint64((1 << 21) - 1)
    both = np.stack((used >> np.uint64(21), second, np.full_like(used, ord("\n"))), axis=1)
    codes = both.reshape(-1).astype("<u4")
    text = codes[codes > 0].tobytes().decode("utf-32-le", "surrogatepass")
    return text.encode("utf-8", "surrogatepass").split(b"\n")[:-1]
