"""The Chinese of many documents at once: its characters and pairs, counted by NumPy as `kb.tokens.terms` has them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
_END = "\0"  # after each stretch
_BITS = np.uint64(21)  # of a character's number


class Stretches:
    """Collects stretches of Chinese with the documents that they stand in."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._documents = array("I")
        self._sizes = array("I")
        self.characters = 0

    def add(self, document: int, stretches: Sequence[str]) -> int:
        """Add the stretches of a document; return how many terms they have."""
        text = _END.join((*stretches, ""))
        self._texts.append(text)
        self._documents.append(document)
        self._sizes.append(len(text))
        self.characters += len(text)
        return 2 * len(text) - 3 * len(stretches)  # each has a pair less than characters, and an end

    def counted(self) -> tuple[list[bytes], npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
        """Return the terms; and, for each term in each document, its place among them, the document, how often."""
        codes = np.frombuffer("".join(self._texts).encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
        owners = np.repeat(np.arange(len(self._sizes), dtype=np.uint64), self._sizes)
        single = codes > 0
        paired = single[:-1] & single[1:]  # an end stands between two documents
        singles, pairs = codes << _BITS, codes[:-1] << _BITS | codes[1:]
        # Sorted by term, which is the order of the characters' numbers, then by document.
        used, places = np.unique(np.concatenate((singles[single], pairs[paired])), return_inverse=True)
        keys = places.astype(np.uint64) << np.uint64(32) | np.concatenate((owners[single], owners[:-1][paired]))
        keys, times = np.unique(keys, return_counts=True)
        documents = np.frombuffer(self._documents, np.uint32)[(keys & np.uint64(0xFFFFFFFF)).astype(np.int64)]
        return _spelled(used), (keys >> np.uint64(32)).astype(np.int64), documents, times


def _spelled(used: Keys) -> list[bytes]:
    """Return the terms of sorted numbers, in UTF-8."""
    both = np.stack((used >> _BITS, used & np.uint64((1 << 21) - 1), np.full_like(used, ord("\n"))), axis=1)
    codes = both.reshape(-1).astype("<u4")
    text = codes[codes > 0].tobytes().decode("utf-32-le", "surrogatepass")
    return text.encode("utf-8", "surrogatepass").split(b"\n")[:-1]
