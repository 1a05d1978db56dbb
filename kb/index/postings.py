"""A Whoosh codec that stores the terms of a segment and their postings as plain arrays.

A segment's documents, stored fields and deletions are Whoosh's own. The inverted part is ours: for each field its
sorted terms, for each term its documents and counts. An array is read with one call and scored by NumPy; an ordinary
Whoosh searcher reads the same files through `PostingsReader.matcher`.
"""

from __future__ import annotations

import json
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from enum import IntEnum
from functools import partial
from itertools import accumulate
from typing import IO, Any
from zlib import crc32

import numpy as np
import numpy.typing as npt
from whoosh.codec.base import TermsReader
from whoosh.codec.whoosh3 import LENGTHS_COLUMN, W3Codec, W3PerDocReader, W3PerDocWriter
from whoosh.columns import VarBytesColumn
from whoosh.fields import FieldType
from whoosh.formats import Frequency
from whoosh.matching import ListMatcher
from whoosh.reading import TermInfo, TermNotFound

from kb.index.memory_postings import NO_POSTINGS, Counts, FieldPostings, Ids, MemoryPostings
from kb.index.term_dictionary import NO_SHAPES, DiskArray, Terms, as_bytes, encoded, packed, reading

Blob = bytes | IO[bytes]
TERMS, POSTINGS = ".terms", ".postings"  # suffixes of the files
_STORED = "_stored"  # Whoosh's name
_STORED_COLUMN = VarBytesColumn(write_offsets_cutoff=0)  # otherwise the reader sums them up when it is opened
_SMALL = 4000  # bytes; smaller documents are not compressed
_BLOCK = 1 << 20  # bytes copied at once
_LEVEL = 1  # of compression: a higher one takes twice as long and saves a tenth
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_READ = json.JSONDecoder().raw_decode
_LITTLE = sys.byteorder == "little"  # the byte order of the file
_KINDS = tuple(map(np.dtype, ("u1", "u4", "u4", "u1", "u1", "u4", "u4", "u1", "u4")))
_NOWHERE = np.empty(0, np.uint32), np.empty(0, np.uint8)


class PostingsPart(IntEnum):
    """The arrays of a field in the file, in this order."""

    TEXT = 0
    BOUNDS = 1
    SHAPES = 2
    POSTS = 3
    SIEVE = 4
    STARTS = 5
    IDS = 6
    COUNTS = 7
    LENGTHS = 8


class Tokens(FieldType):  # type: ignore[misc]
    """A field whose value is a list of terms, written by `kb.index.segments.SectionWriter`."""

    def __init__(self, *, scorable: bool) -> None:
        super().__init__(Frequency(), None, scorable=scorable)


class PostingsReader(TermsReader):  # type: ignore[misc]
    """Reads the inverted part of a segment on demand; not thread-safe."""

    def __init__(self, storage: Any, segment: Any) -> None:
        with segment.open_file(storage, TERMS) as file:
            self._header: Mapping[str, list[int]] = json.loads(file.read())
        size = storage.file_length(segment.make_filename(POSTINGS))
        if size != sum(sum(sizes) for _, *sizes in self._header.values()):
            raise ValueError("the postings are not as long as they were")
        # Offsets of the parts of each field, and the end of the last.
        self._places = {name: list(accumulate(sizes)) for name, sizes in self._header.items()}
        self._size = segment.doc_count_all()
        self._file = segment.open_file(storage, POSTINGS)
        self._read = reading(self._file)
        self._fields: dict[str, FieldPostings] = {}
        self._shapes: dict[str, npt.NDArray[np.uint32]] = {}

    def field(self, name: str) -> FieldPostings:
        """Return the terms of a field, empty if no document has it."""
        if name not in self._header:
            return NO_POSTINGS
        if name not in self._fields:
            text = DiskArray(self._header[name][1 + PostingsPart.TEXT], partial(self._bytes, name))
            bounds, starts = (self._numbers(name, part) for part in (PostingsPart.BOUNDS, PostingsPart.STARTS))
            terms = Terms(text, bounds, *(self._blob(name, part) for part in (PostingsPart.POSTS, PostingsPart.SIEVE)))
            if len(starts) != len(terms) + 1:
                raise ValueError("the terms are not as many as they were")
            self._fields[name] = FieldPostings(terms, starts)
        return self._fields[name]

    def _bytes(self, name: str, start: int, stop: int) -> bytes:
        return self._blob(name, PostingsPart.TEXT, start, stop - start)

    def _numbers(self, name: str, part: PostingsPart) -> DiskArray[npt.NDArray[np.uint32]]:
        return DiskArray(self._header[name][1 + part] // _KINDS[part].itemsize, partial(self._array, name, part))

    def forget(self, name: str) -> None:
        """Drop the cached terms of a field."""
        self._fields.pop(name, None)

    def shapes(self, name: str) -> npt.NDArray[np.uint32]:
        """Return the `kb.index.term_dictionary.shapes` of a field; uint32, shape (terms,)."""
        if name not in self._shapes:
            found = self._array(name, PostingsPart.SHAPES) if name in self._header else NO_SHAPES
            if len(found) != len(self.field(name).terms):
                raise ValueError("the shapes are not as many as the terms")
            self._shapes[name] = found
        return self._shapes[name]

    def lengths(self, name: str) -> npt.NDArray[np.uint32]:
        """Return how many terms each document has in a field; uint32, shape (documents,)."""
        found = self._array(name, PostingsPart.LENGTHS) if name in self._header else np.zeros(self._size, np.uint32)
        if len(found) != self._size:
            raise ValueError("the lengths are not as many as the documents")
        return found

    def _blob(self, name: str, part: int, start: int = 0, length: int | None = None) -> bytes:
        places = self._places[name]
        wanted = places[part + 1] - places[part] if length is None else length
        found = self._read(places[part] + start, wanted)
        if len(found) != wanted:
            raise ValueError("the postings are not as long as they were")
        return found

    def _array(self, name: str, part: int, start: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        kind = _KINDS[part]
        length = None if stop is None else (stop - start) * kind.itemsize
        found = np.frombuffer(self._blob(name, part, start * kind.itemsize, length), kind)
        return found if _LITTLE else found.byteswap()

    def postings(self, field: str, term: str) -> tuple[Ids, Counts]:
        """Return the documents of a term (uint32) and its count in each (uint8); shape (n,)."""
        found = self.field(field)
        at = found.terms.find(term)
        if at is None:
            return _NOWHERE
        return self.span(field, *found.places.cut(at, at + 2).tolist())

    def postings_in(self, fields: Iterable[str], term: str) -> Iterator[tuple[str, Ids, Counts]]:
        """Yield the field, documents and counts of a term for each of some fields that has it."""
        raw = encoded(term)
        total = crc32(raw)
        for field in fields:
            found = self._fields.get(field) or self.field(field)
            at = found.terms.place_of(raw, total)
            if at is not None:
                yield field, *self.span(field, *found.places.cut(at, at + 2).tolist())

    def frequency_of(self, field: str, term: str) -> int:
        """Return how many documents have a term, without reading its postings."""
        found = self.field(field)
        at = found.terms.find(term)
        return 0 if at is None else int(found.sizes(at, at + 1)[0])

    def span(self, field: str, start: int, stop: int) -> tuple[Ids, Counts]:
        """Return documents (uint32) and counts (uint8) of the postings `start` to `stop` - 1 of a field."""
        if start == stop:  # nothing to read, as for a field without documents
            return _NOWHERE
        ids = self._array(field, PostingsPart.IDS, start, stop)
        if np.maximum.reduce(ids) >= self._size:
            raise ValueError("there are postings of documents that are not there")
        return ids, self._array(field, PostingsPart.COUNTS, start, stop)

    def within(self, field: str, start: str, stop: str) -> Ids:
        """Return the documents of the terms from `start` to before `stop`, with duplicates; uint32, shape (n,)."""
        found = self.field(field)
        low, high = found.terms.span(start, stop)
        (start,), (stop,) = found.places.cut(low, low + 1), found.places.cut(high, high + 1)
        return self.span(field, int(start), int(stop))[0]

    def all_postings(self, field: str) -> tuple[Ids, Counts]:
        """Return documents (uint32) and counts (uint8) of all terms of a field, term by term; shape (n,)."""
        places = self.field(field).places
        return self.span(field, 0, int(places.cut(len(places) - 1, len(places))[0]))

    # The rest is the interface that Whoosh's own readers and searchers use.

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self.frequency_of(term[0], term[1].decode()) > 0

    def indexed_field_names(self) -> Iterable[str]:
        """Return the names of the fields."""
        return self._header.keys()

    def terms(self) -> Iterator[tuple[str, bytes]]:
        """Yield all fields and terms in order."""
        for field in self._header:
            yield from self.terms_from(field, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the terms of a field that are not less than `prefix`."""
        found = self.field(fieldname).terms
        for at in range(found.place(prefix), len(found)):
            yield fieldname, found.raw(at)

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield the terms of a field that are not less than `prefix`, each with its statistics."""
        for field, term in self.terms_from(fieldname, prefix):
            yield (field, term), self.term_info(field, term)

    def items(self) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        """Yield all terms, each with its statistics."""
        for field in self._header:
            yield from self.items_from(field, b"")

    def term_info(self, fieldname: str, text: bytes) -> TermInfo:
        """Return the statistics of a term. Raises TermNotFound."""
        ids, counts = self.postings(fieldname, text.decode())
        if not len(ids):
            raise TermNotFound(f"{fieldname}:{text!r}")
        lengths = self.lengths(fieldname)[ids]
        return TermInfo(
            float(counts.sum()), len(ids), int(lengths.min()), int(lengths.max()), int(counts.max()), ids[0], ids[-1]
        )

    def frequency(self, fieldname: str, text: bytes) -> float:
        """Return how often a term occurs."""
        return float(self.postings(fieldname, text.decode())[1].sum())

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        """Return how many documents have a term."""
        return self.frequency_of(fieldname, text.decode())

    def matcher(self, fieldname: str, tbytes: bytes, format_: Any, scorer: Any = None) -> ListMatcher:
        """Return Whoosh's matcher of a term. Raises TermNotFound."""
        info = self.term_info(fieldname, tbytes)
        ids, counts = self.postings(fieldname, tbytes.decode())
        return ListMatcher(
            ids.tolist(), counts.tolist(), format=format_, scorer=scorer, term=(fieldname, tbytes), terminfo=info
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def write_fields(storage: Any, segment: Any, fields: Iterable[tuple[str, list[Blob]]]) -> None:
    """Write the inverted part of a segment: for each field the arrays of `PostingsPart`, as bytes or in a file."""
    header: dict[str, list[int]] = {}
    with segment.create_file(storage, POSTINGS) as file:
        for field, blobs in fields:
            header[field] = [file.tell()]
            for blob in blobs:
                begun = file.tell()
                if isinstance(blob, bytes):
                    file.write(blob)
                else:
                    blob.seek(0)
                    shutil.copyfileobj(blob, file)
                header[field].append(file.tell() - begun)
    with segment.create_file(storage, TERMS) as file:
        file.write(json.dumps(header).encode())


def write_pool(storage: Any, segment: Any, pool: MemoryPostings) -> None:
    """Write collected postings as the inverted part of a segment."""
    write_fields(storage, segment, _fields(pool, segment.doc_count_all()))


def _fields(pool: MemoryPostings, documents: int) -> Iterator[tuple[str, list[Blob]]]:
    for field in pool.fields():
        terms, starts, ids, counts = pool.sorted_postings(field)
        lengths = np.bincount(ids, counts, minlength=documents).astype(np.uint32)
        yield field, [*packed(terms), *(as_bytes(one) for one in (starts, ids, counts, lengths))]


class DocumentsWriter(W3PerDocWriter):  # type: ignore[misc]
    """Whoosh's writer of stored fields, in JSON, which is safe to read."""

    def _create_column(self, fieldname: str, column: Any) -> None:
        super()._create_column(fieldname, _STORED_COLUMN if fieldname == _STORED else column)

    def finish_doc(self) -> None:
        """Write the stored fields of a document."""
        if self._storedfields:
            self._put(_pack(_JSON(self._storedfields).encode("utf-8", "surrogatepass")))
        self._indoc = False

    def copy_all(self, reader: DocumentsReader, alive: npt.NDArray[np.bool_], lengths: Mapping[str, int]) -> None:
        """Copy the documents of another segment that are `alive` (bool, shape (documents,)) column by column.

        `lengths` has the total number of terms for each field whose lengths are copied. One by one it would take ten
        times as long.
        """
        first: int = self._doccount  # type: ignore[has-type]  # Whoosh carries no types
        self._doccount = first + int(alive.sum())
        stored = self._get_column(_STORED)
        stored.fill(first)
        for data in reader.all_packed(alive):
            stored._dbfile.write(data)  # noqa: SLF001 - Whoosh itself can only add one by one
        for size in reader.sizes()[alive].tolist():
            stored._lengths.append(size)  # noqa: SLF001
            stored._offsets.append(stored._offset_base)  # noqa: SLF001
            stored._offset_base += size  # noqa: SLF001
        stored._count = self._doccount  # noqa: SLF001
        for name, total in lengths.items():
            if total:
                column = self._length_column(name)
                column.fill(first)
                column._dbfile.write(reader.rounded_lengths(name)[alive].tobytes())  # noqa: SLF001
                column._count = self._doccount  # noqa: SLF001
                self._fieldlengths[name] += total
        self._indoc = False

    def _length_column(self, name: str) -> Any:
        column = _length_name(name)
        if not self._has_column(column):
            self._create_column(column, LENGTHS_COLUMN)
        return self._get_column(column)

    def _put(self, packed: bytes) -> None:
        self._get_column(_STORED).add(self._docnum, packed)
        self._storedfields = None


class DocumentsReader(W3PerDocReader):  # type: ignore[misc]
    """Reads the stored fields of a segment's documents."""

    def __init__(self, storage: Any, segment: Any) -> None:
        super().__init__(storage, segment)
        # Opened now: a writer deletes the files of a replaced segment although it may still be read.
        file, *rest = self._get_column_file(_STORED)
        file.get = reading(file)
        self._colfiles[_STORED] = file, *rest

    def _column(self) -> Any:
        if _STORED not in self._readers:
            self._readers[_STORED] = self.column_reader(_STORED, _STORED_COLUMN)
        return self._readers[_STORED]

    def packed(self, document: int) -> bytes:
        """Return the stored fields of a document as the bytes in the file."""
        found: bytes = self._column()[document]
        return found

    def all_packed(self, alive: npt.NDArray[np.bool_]) -> Iterator[bytes]:
        """Yield the bytes of the documents that are `alive` (bool, shape (documents,)), without gaps."""
        if not alive.all():
            yield from map(self.packed, np.flatnonzero(alive).tolist())
            return
        file, begin, _ = self._colfiles[_STORED]
        end = int(self.sizes().sum())
        for at in range(0, end, _BLOCK):
            yield file.get(begin + at, min(_BLOCK, end - at))

    def sizes(self) -> npt.NDArray[np.int64]:
        """Return how many bytes are stored for each document; int64, shape (documents,)."""
        return np.array(self._column()._lengths, np.int64)  # noqa: SLF001

    def rounded_lengths(self, name: str) -> npt.NDArray[np.uint8]:
        """Return the terms of each document in a field, rounded by Whoosh to a byte; uint8, shape (documents,)."""
        found = np.zeros(self._doccount, np.uint8)
        if self.has_column(_length_name(name)):
            file, begin, length = self._get_column_file(_length_name(name))
            with closing(file):
                found[:length] = np.frombuffer(file.get(begin, length), np.uint8)
        return found

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        """Return the stored fields of a document by name."""
        packed = self.packed(docnum)
        text = packed if packed[:1] == b"{" else zlib.decompress(packed)
        fields: dict[str, Any] = _READ(text.decode("utf-8", "surrogatepass"))[0]
        return fields


def _length_name(field: str) -> str:
    return f"_{field}_len"  # Whoosh's name of the column


def _pack(text: bytes) -> bytes:
    return zlib.compress(text, _LEVEL) if len(text) > _SMALL else text


class ArrayCodec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with postings as arrays."""

    length_stats = False  # the writer has the lengths itself

    def per_document_writer(self, storage: Any, segment: Any) -> DocumentsWriter:
        """Return the writer of a segment's stored fields."""
        return DocumentsWriter(self, storage, segment)

    def per_document_reader(self, storage: Any, segment: Any) -> DocumentsReader:
        """Return the reader of a segment's stored fields."""
        return DocumentsReader(storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> PostingsReader:
        """Return the reader of a segment's postings."""
        return PostingsReader(storage, segment)
