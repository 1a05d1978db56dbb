"""How the Whoosh index lies on disk: a codec that keeps the terms of a segment and their postings as plain arrays.

A segment's documents, stored fields and deletions are Whoosh's own. What is ours is the inverted side: for each
field its sorted terms, for each term the documents that have it and how often. Arrays are read with one call and
scored by NumPy; an ordinary Whoosh searcher reads the same files through `PostingsReader.matcher`.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.codec.base import FieldWriter, TermsReader
from whoosh.codec.whoosh3 import W3Codec
from whoosh.fields import FieldType
from whoosh.formats import Frequency
from whoosh.matching import ListMatcher
from whoosh.reading import TermInfo, TermNotFound

Ids = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.uint8]
_MOST = 255  # occurrences of a term in a section that are told apart
_TERMS, _POSTINGS = ".terms", ".postings"


class Tokens(FieldType):  # type: ignore[misc]
    """A field whose value is a list of terms, written by `kb.segments.SectionWriter`."""

    def __init__(self, *, scorable: bool) -> None:
        super().__init__(Frequency(), None, scorable=scorable)


@dataclass(frozen=True)
class FieldPostings:
    """One field of one segment. The documents of term i are `ids[starts[i]:starts[i + 1]]`, and so their counts."""

    terms: list[str]
    starts: npt.NDArray[np.uint32]
    lengths: npt.NDArray[np.uint32]


NO_POSTINGS = FieldPostings([], np.zeros(1, np.uint32), np.zeros(0, np.uint32))


class Pool:
    """Collects the postings of a segment that is being written."""

    def __init__(self) -> None:
        self._numbers: dict[str, defaultdict[str, int]] = {}
        self._tokens: dict[str, array[int]] = {}
        self._docs: dict[str, tuple[array[int], array[int]]] = {}
        self._merged: dict[str, list[tuple[npt.NDArray[np.uint32], Ids, Counts]]] = {}

    def add_terms(self, field: str, document: int, terms: Sequence[str]) -> None:
        """Add the terms of a document, each as often as it occurs."""
        numbers, tokens = self._field(field)
        tokens.extend(map(numbers.__getitem__, terms))
        documents, lengths = self._docs[field]
        documents.append(document)
        lengths.append(len(terms))

    def add_field(self, field: str, merged: FieldPostings, ids: npt.NDArray[np.int64], counts: Counts) -> None:
        """Add what another segment has in a field; `ids` are the documents' numbers here, -1 for those left out."""
        owners = np.repeat(np.arange(len(merged.terms)), np.diff(merged.starts))[ids >= 0]
        used, owners = np.unique(owners, return_inverse=True)
        numbers, _ = self._field(field)
        here = np.fromiter((numbers[merged.terms[at]] for at in used.tolist()), np.uint32, len(used))
        self._merged[field].append((here[owners], ids[ids >= 0].astype(np.uint32), counts[ids >= 0]))

    def _field(self, field: str) -> tuple[defaultdict[str, int], array[int]]:
        if field not in self._numbers:
            self._numbers[field] = defaultdict(count().__next__)
            self._tokens[field] = array("I")
            self._docs[field] = (array("I"), array("I"))
            self._merged[field] = []
        return self._numbers[field], self._tokens[field]

    def iter_postings(self) -> Pool:
        """Return what the field writer takes: all of it at once."""
        return self

    def cleanup(self) -> None:
        """Let go of everything."""
        self.__init__()  # type: ignore[misc]

    def fields(self) -> list[str]:
        """Return the names of the fields that have postings, sorted."""
        return sorted(self._numbers)

    def sorted_postings(self, field: str) -> tuple[list[str], npt.NDArray[np.uint32], Ids, Counts]:
        """Return the terms in order, where the postings of each start, and all postings."""
        numbers = self._numbers[field]
        terms = sorted(numbers)
        rank = np.empty(len(terms), np.uint64)
        rank[np.fromiter(map(numbers.__getitem__, terms), np.int64, len(terms))] = np.arange(
            len(terms), dtype=np.uint64
        )
        keys, counts = self._counted(field, rank)
        for where, ids, merged_counts in self._merged[field]:
            keys = np.concatenate((keys, rank[where] << np.uint64(32) | ids))
            counts = np.concatenate((counts, merged_counts))
        if self._merged[field]:
            order = np.argsort(keys)
            keys, counts = keys[order], counts[order]
        owners = (keys >> np.uint64(32)).astype(np.int64)
        starts = np.searchsorted(owners, np.arange(len(terms) + 1)).astype(np.uint32)
        return terms, starts, (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32), counts

    def _counted(self, field: str, rank: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], Counts]:
        tokens = np.frombuffer(self._tokens[field], np.uint32)
        documents, lengths = (np.frombuffer(one, np.uint32) for one in self._docs[field])
        keys = rank[tokens] << np.uint64(32)
        keys |= np.repeat(documents, lengths)
        keys, times = np.unique(keys, return_counts=True)
        return keys, np.minimum(times, _MOST).astype(np.uint8)


class PostingsWriter(FieldWriter):  # type: ignore[misc]
    """Writes the inverted side of a segment from a pool."""

    def __init__(self, storage: Any, segment: Any) -> None:
        self._storage = storage
        self._segment = segment
        self.is_closed = False

    def add_postings(self, _schema: Any, _lengths: Any, pool: Pool) -> None:
        """Write all fields of the pool."""
        header: dict[str, list[int]] = {}
        with self._segment.create_file(self._storage, _POSTINGS) as file:
            for field in pool.fields():
                terms, starts, ids, counts = pool.sorted_postings(field)
                lengths = np.bincount(ids, counts, minlength=self._segment.doc_count_all()).astype(np.uint32)
                blobs = [
                    "\0".join(terms).encode("utf-8", "surrogatepass"),
                    *(_bytes(one) for one in (starts, lengths, ids, counts)),
                ]
                header[field] = [file.tell(), *map(len, blobs)]
                for blob in blobs:
                    file.write(blob)
        with self._segment.create_file(self._storage, _TERMS) as file:
            file.write(json.dumps(header).encode())

    def close(self) -> None:
        """Say that nothing more comes."""
        self.is_closed = True


def _bytes(values: npt.NDArray[Any]) -> bytes:
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()


class PostingsReader(TermsReader):  # type: ignore[misc]
    """Reads the inverted side of a segment; not for several threads at once."""

    def __init__(self, storage: Any, segment: Any) -> None:
        with segment.open_file(storage, _TERMS) as file:
            self._header: Mapping[str, list[int]] = json.loads(file.read())
        size = storage.file_length(segment.make_filename(_POSTINGS))
        if size != sum(sum(sizes) for _, *sizes in self._header.values()):
            raise ValueError("the postings are not as long as they were")
        self._file = segment.open_file(storage, _POSTINGS)
        self._fields: dict[str, FieldPostings] = {}

    def field(self, name: str) -> FieldPostings:
        """Return the terms of a field, none where no document has it."""
        if name not in self._header:
            return NO_POSTINGS
        if name not in self._fields:
            at, size, *_ = self._header[name]
            blob = self._file.get(at, size).decode("utf-8", "surrogatepass")
            self._fields[name] = FieldPostings(
                blob.split("\0"), self._array(name, 1, np.uint32), self._array(name, 2, np.uint32)
            )
        return self._fields[name]

    def _array(
        self, name: str, blob: int, kind: type[Any], start: int = 0, stop: int | None = None
    ) -> npt.NDArray[Any]:
        at, *sizes = self._header[name]
        width = np.dtype(kind).itemsize
        offset = at + sum(sizes[:blob]) + start * width
        length = sizes[blob] if stop is None else (stop - start) * width
        return np.frombuffer(self._file.get(offset, length), np.dtype(kind).newbyteorder("<"))

    def postings(self, field: str, term: str) -> tuple[Ids, Counts]:
        """Return the documents of a term and how often each has it."""
        found = self.field(field)
        at = bisect_left(found.terms, term)
        if at == len(found.terms) or found.terms[at] != term:
            return np.empty(0, np.uint32), np.empty(0, np.uint8)
        span = int(found.starts[at]), int(found.starts[at + 1])
        return self._array(field, 3, np.uint32, *span), self._array(field, 4, np.uint8, *span)

    def all_postings(self, field: str) -> tuple[Ids, Counts]:
        """Return the postings of all terms of a field, one term after another."""
        return self._array(field, 3, np.uint32), self._array(field, 4, np.uint8)

    # What follows is what Whoosh's own readers and searchers ask for.

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return bool(len(self.postings(term[0], term[1].decode())[0]))

    def indexed_field_names(self) -> Iterable[str]:
        """Return the names of the fields."""
        return self._header.keys()

    def terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield all fields and terms in order."""
        for field in self._header:
            yield from self.terms_from(field, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the terms of a field from one on."""
        found = self.field(fieldname)
        for term in found.terms[bisect_left(found.terms, prefix.decode()) :]:
            yield fieldname, term.encode()

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield the terms of a field from one on, each with its figures."""
        for field, term in self.terms_from(fieldname, prefix):
            yield (field, term), self.term_info(field, term)

    def items(self) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield all terms, each with its figures."""
        for field in self._header:
            yield from self.items_from(field, b"")

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        """Return the figures of a term; TermNotFound."""
        ids, counts = self.postings(fieldname, text.decode())
        if not len(ids):
            raise TermNotFound(f"{fieldname}:{text!r}")
        lengths = self.field(fieldname).lengths[ids]
        return TermInfo(
            float(counts.sum()), len(ids), int(lengths.min()), int(lengths.max()), int(counts.max()), ids[0], ids[-1]
        )

    def frequency(self, fieldname: str, text: bytes) -> float:
        """Return how often a term occurs."""
        return float(self.postings(fieldname, text.decode())[1].sum())

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        """Return how many documents have a term."""
        return len(self.postings(fieldname, text.decode())[0])

    def matcher(self, fieldname: str, tbytes: bytes, format_: Any, scorer: Any = None) -> ListMatcher:
        """Return Whoosh's matcher of a term; TermNotFound."""
        info = self.term_info(fieldname, tbytes)
        ids, counts = self.postings(fieldname, tbytes.decode())
        return ListMatcher(
            ids.tolist(), counts.tolist(), format=format_, scorer=scorer, term=(fieldname, tbytes), terminfo=info
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ArrayCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec, with postings as arrays."""

    length_stats = False  # the writer has the lengths itself

    def field_writer(self, storage: Any, segment: Any) -> PostingsWriter:
        """Return the writer of a segment's postings."""
        return PostingsWriter(storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> PostingsReader:
        """Return the reader of a segment's postings."""
        return PostingsReader(storage, segment)
