"""The sorted terms of a field on disk: one blob of bytes, decoded a term at a time."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

Shapes = npt.NDArray[np.uint32]
NO_SHAPES: Shapes = np.zeros(0, np.uint32)
_SIEVED = 8  # minimum bits of the sieve for each term
_APART = 32  # distance between posts, in terms
_OFTEN = 40  # pieces read before everything is
_AFTER_ALL = _BETWEEN = b"\xff"  # larger than any byte of UTF-8


Held = TypeVar("Held", bytes, npt.NDArray[np.uint32])


def _letters() -> npt.NDArray[np.uint32]:
    """Return a bit for each byte: one per letter and identifier character, one for the rest; uint32, (256,)."""
    bits = np.full(256, 1 << 31, np.uint32)
    bits[0] = 0
    for place, char in enumerate(b"abcdefghijklmnopqrstuvwxyz_.0"):
        bits[char] = 1 << place
    bits[ord("0") : ord("9") + 1] = bits[ord("0")]
    return bits


_BITS = _letters()


def reading(file: Any) -> Callable[[int, int], bytes]:
    """Return a function that reads a number of bytes (fewer at the end) at an offset of an open file."""
    if not hasattr(os, "pread"):
        get: Callable[[int, int], bytes] = file.get
        return get
    number = file.fileno()
    return lambda place, length: os.pread(number, length, place)  # one system call, no buffering


class DiskArray(Generic[Held]):
    """Bytes or numbers in a file, read piece by piece on demand, or as a whole after many reads.

    So opening an index loads nothing that the first query does not need, and later queries need not read again.
    """

    def __init__(self, size: int, read: Callable[[int, int], Held]) -> None:
        """Read with `read(start, stop)`, which returns the items from `start` to `stop` - 1."""
        self._size = size
        self._read: Callable[[int, int], Held] = read
        self._cuts = 0
        self._whole: Held | None = None

    @classmethod
    def held(cls, whole: Held) -> Self:
        """Return an array that is in memory already."""
        return cls(len(whole), lambda start, stop: whole[start:stop])

    def __len__(self) -> int:
        """Return how many there are."""
        return self._size

    @property
    def whole(self) -> Held:
        """All items."""
        if self._whole is None:
            self._whole = self._read(0, self._size)
        return self._whole

    def cut(self, start: int, stop: int) -> Held:
        """Return the items from `start` to `stop` - 1."""
        if self._whole is None:
            self._cuts += 1
            if self._cuts <= _OFTEN:
                return self._read(start, stop)
        piece: Held = self.whole[start:stop]
        return piece


class Terms(Sequence[str]):
    """Terms sorted by code point, which is the order of their bytes."""

    def __init__(
        self,
        blob: bytes | DiskArray[bytes],
        bounds: npt.NDArray[np.uint32] | DiskArray[npt.NDArray[np.uint32]],
        posts: bytes | None = None,
        sieve: bytes = b"",
    ) -> None:
        """Take the results of `packed`; without `posts` they are computed, without a `sieve` any term may exist."""
        self._text = DiskArray.held(blob) if isinstance(blob, bytes) else blob
        self._bounds = DiskArray.held(bounds) if isinstance(bounds, np.ndarray) else bounds
        self._size = len(self._bounds) - 1
        if self._size < 0 or int(self._bounds.cut(self._size, self._size + 1)[0]) != len(self._text):
            raise ValueError("the terms are not as long as they were")
        self._kept = posts
        self._sieve = sieve
        self._shift = 33 - (8 * len(sieve)).bit_length()
        if len(sieve) & (len(sieve) - 1):
            raise ValueError("the sieve of the terms is not as long as it was")
        self._looked = 0
        self._all: tuple[bytes, memoryview] | None = None  # text and bounds, after many lookups

    @property
    def bounds(self) -> npt.NDArray[np.uint32]:
        """Where each term begins in the text, and where the last one ends; uint32, shape (terms + 1,)."""
        return self._bounds.whole

    def _read(self) -> tuple[bytes, memoryview] | None:
        """Return text and bounds, None while reading pieces is faster."""
        if self._all is None:
            self._looked += 1
            if self._looked > _OFTEN:
                # Single numbers are read faster from a memoryview.
                self._all = self._text.whole, np.ascontiguousarray(self._bounds.whole).data
        return self._all

    def __len__(self) -> int:
        """Return how many there are."""
        return self._size

    def __getitem__(self, at: Any) -> Any:
        """Return one term, or several in a row."""
        if isinstance(at, slice):
            low, high, _ = at.indices(self._size)
            return [one.decode("utf-8", "surrogatepass") for one in self.raws(low, high)]
        if not 0 <= at < self._size:
            raise IndexError(at)
        return self.raw(at).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        """Yield all, in order."""
        return iter(self[:])

    def raw(self, at: int) -> bytes:
        """Return a term in UTF-8."""
        read = self._read()
        if read is None:
            return self.raws(at, at + 1)[0]
        text, starts = read
        return text[starts[at] : starts[at + 1]]

    def raws(self, low: int, high: int) -> list[bytes]:
        """Return the terms `low` to `high` - 1 in UTF-8."""
        bounds = self._bounds.cut(low, high + 1).tolist() if low < high else []
        text, first = (self._text.cut(bounds[0], bounds[-1]), bounds[0]) if bounds else (b"", 0)
        return [text[start - first : stop - first] for start, stop in pairwise(bounds)]

    def sizes(self, low: int, high: int) -> npt.NDArray[np.uint32]:
        """Return the bytes of each of the terms `low` to `high` - 1; uint32, shape (high - low,)."""
        bounds = self._bounds.cut(low, high + 1)
        return bounds[1:] - bounds[:-1]

    def text(self, low: int, high: int) -> str:
        """Return the terms `low` to `high` - 1 concatenated."""
        (start,), (stop,) = self._bounds.cut(low, low + 1), self._bounds.cut(high, high + 1)
        return self._text.cut(int(start), int(stop)).decode("utf-8", "surrogatepass")

    def may_have(self, term: bytes, total: int | None = None) -> bool:
        """Return False for most words that are not terms, quickly; `total` is the CRC-32 of the word if known."""
        if not self._sieve:
            return True
        # The highest bits differ most between similar words.
        mark = (crc32(term) if total is None else total) >> self._shift
        return bool(self._sieve[mark >> 3] >> (mark & 7) & 1)

    def place(self, term: bytes, low: int = 0) -> int:
        """Return the number of the first term that is not less, from `low` on."""
        near = bisect_left(self._posts, term)  # the first post that is not less
        first, last = max(low, _APART * (near - 1)), min(_APART * near, self._size)
        if first >= last:
            return first
        read = self._read()
        if read is None:
            return first + bisect_left(self.raws(first, last), term)
        text, starts = read
        while first < last:  # like `bisect_left` with a key, without calling a function each time
            middle = (first + last) // 2
            if text[starts[middle] : starts[middle + 1]] < term:
                first = middle + 1
            else:
                last = middle
        return first

    @cached_property
    def _posts(self) -> list[bytes]:
        """Every 32nd term; searching among these first is many times faster."""
        if self._kept:
            return self._kept.split(_BETWEEN)
        return [self.raw(at) for at in range(0, self._size, _APART)]

    def find(self, term: str) -> int | None:
        """Return the number of a term, None if it does not exist."""
        raw = encoded(term)
        return self.place_of(raw, crc32(raw))

    def place_of(self, raw: bytes, total: int) -> int | None:
        """Return the number of a term given in UTF-8, with its CRC-32; None if it does not exist."""
        if not self.may_have(raw, total):
            return None
        at = self.place(raw)
        return at if at < self._size and self.raw(at) == raw else None

    def span(self, start: str, stop: str | None = None) -> tuple[int, int]:
        """Return the range of terms from `start` up to, not including, `stop`, by default those with that prefix."""
        raw = encoded(start)
        low = self.place(raw)
        if stop is None and (low == self._size or not self.raw(low).startswith(raw)):  # as for most words
            return low, low
        return low, self.place(raw + _AFTER_ALL if stop is None else encoded(stop), low)


NO_TERMS = Terms(b"", np.zeros(1, np.uint32))


def encoded(text: str) -> bytes:
    """Return a term as bytes, as in the file."""
    return text.encode("utf-8", "surrogatepass")


def as_bytes(values: npt.NDArray[Any]) -> bytes:
    """Return numbers as little-endian bytes, as in the file."""
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()


def packed(raw: Sequence[bytes]) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return the arrays of sorted terms in the file: text, bounds, shapes, posts, sieve."""
    bounds = np.zeros(len(raw) + 1, np.uint32)
    np.cumsum(np.fromiter(map(len, raw), np.int64, len(raw)), out=bounds[1:])
    blob = b"".join(raw)
    return blob, as_bytes(bounds), as_bytes(shapes(blob, bounds)), joined(posts(raw)), sieve(raw)


def posts(raw: Sequence[bytes], before: int = 0) -> Sequence[bytes]:
    """Return every 32nd of sorted terms; `before` terms precede them."""
    return raw[-before % _APART :: _APART]


def joined(posts: Sequence[bytes]) -> bytes:
    """Return the posts as bytes, as in the file."""
    return _BETWEEN.join(posts)


def sieve(terms: Sequence[bytes]) -> bytes:
    """Return a bit set that rules out most words that are not terms: a term's bit is chosen by its CRC-32."""
    return sieved(np.fromiter(map(crc32, terms), np.uint32, len(terms)))


def sieved(sums: npt.NDArray[np.uint32]) -> bytes:
    """Return the sieve of terms with these CRC-32 sums (uint32, shape (n,))."""
    bits = (_SIEVED * len(sums) - 1).bit_length()
    marks = np.zeros(1 << bits if len(sums) else 0, np.uint8)
    marks[sums >> np.uint32(32 - bits)] = 1
    return np.packbits(marks, bitorder="little").tobytes()


def shapes(blob: bytes, bounds: npt.NDArray[np.uint32]) -> Shapes:
    """Return the letters of each term as bits; uint32, shape (terms,).

    `bounds` has where each term begins in `blob`, and where the last one ends; uint32, shape (terms + 1,).
    """
    if len(bounds) == 1:
        return NO_SHAPES
    bits = _BITS[np.frombuffer(blob + b"\0", np.uint8)]
    return np.bitwise_or.reduceat(bits, bounds[:-1].astype(np.int64))


def resembling(word: str, slips: int, terms: Terms, found: Shapes, span: tuple[int, int]) -> Iterator[str]:
    """Yield a superset of the terms in a span within `slips` edits of an ASCII word.

    An edit changes the length by one character, at most three bytes, and adds and removes at most one letter.
    """
    low, high = span
    shape = shapes(word.encode(), np.array([0, len(word)], np.uint32))[0]
    here = found[low:high]
    sizes = terms.sizes(low, high)
    near = (sizes + slips >= len(word)) & (sizes <= len(word) + 3 * slips)
    near &= (np.bitwise_count(here & ~shape) <= slips) & (np.bitwise_count(shape & ~here) <= slips)
    for at in np.flatnonzero(near).tolist():
        yield terms.raw(low + at).decode("utf-8", "surrogatepass")
