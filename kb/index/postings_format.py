"""The file format of the inverted part of a segment: for each field a row of arrays, each read with one call."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import IO, Any

import numpy as np

from kb.index.memory_postings import MemoryPostings
from kb.index.term_dictionary import as_bytes, packed

Blob = bytes | IO[bytes]
TERMS, POSTINGS = ".terms", ".postings"  # suffixes of the files


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
