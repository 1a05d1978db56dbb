"""The Whoosh index of a vault on disk: its schema, how it is written step by step, and how damage is noticed.

Opening a Whoosh index unpickles what lies there. So a folder is opened only after the check sums that were written
with it were found right, and only the folder in the user's cache is ever handed in.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from whoosh.fields import STORED, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC, FileIndex, clean_files
from whoosh.reading import SegmentReader
from whoosh.writing import SegmentWriter

from kb.postings import ArrayCodec, Pool, PostingsReader, Tokens

STAMP = "1"  # to be raised whenever what is indexed, or how, changes: an index with another stamp is built anew
SCORED = ("heading", "trail", "body")
NAME = "notes"
LOCK = "writer.lock"
_SUMS = "sums.json"
_SMALL = 1000  # sections; smaller segments are joined when they get many
_MANY = 6


class Damaged(Exception):
    """The index cannot be used; the argument is the reason, as the end of a sentence, in English and Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en, zh)
        self.en = en
        self.zh = zh


def _schema() -> Schema:
    fields: dict[str, Any] = {name: Tokens(scorable=True) for name in SCORED}
    fields |= {name: Tokens(scorable=False) for name in ("file", "lang", "tag")}
    stored = ("path", "title", "line", "anchor", "language", "note", "above", "text")
    return Schema(**fields, **{name: STORED() for name in stored})


class SectionWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, for fields whose terms are given as lists, with check sums beside what it writes."""

    def __init__(self, index: FileIndex, place: str) -> None:
        super().__init__(index, codec=ArrayCodec(), compound=False, _lk=False)  # the caller holds our own lock
        self.pool = Pool()
        self._place = place
        self._readers: dict[str, PostingsReader] = {}

    def add_document(self, **fields: Any) -> None:
        """Add a section; a field that is indexed takes its terms as a list."""
        self.perdocwriter.start_doc(self.docnum)
        for name in sorted(fields):
            field, value = self.schema[name], fields[name]
            if not field.indexed:
                self.perdocwriter.add_field(name, field, value, 0)
            elif value:
                self.pool.add_terms(name, self.docnum, value)
                self.perdocwriter.add_field(name, field, None, len(value) if field.scorable else 0)
        self.perdocwriter.finish_doc()
        self._added = True
        self.docnum += 1

    def delete_file(self, term: str) -> int:
        """Mark the sections of a file as deleted; return how many."""
        deleted = 0
        for segment in self.segments:
            name = segment.segment_id()
            if name not in self._readers:
                self._readers[name] = PostingsReader(self.storage, segment)
            for document in self._readers[name].postings("file", term)[0].tolist():
                deleted += not segment.is_deleted(document)
                segment.delete_document(document)
        return deleted

    def add_postings_to_pool(self, reader: SegmentReader, startdoc: int, docmap: Mapping[int, int] | None) -> None:
        """Take over the postings of a segment, without its deleted documents."""
        moved = np.full(reader.doc_count_all(), -1, np.int64)
        if docmap is None:
            moved[:] = np.arange(len(moved)) + startdoc
        else:
            moved[list(docmap)] = list(docmap.values())
        postings = PostingsReader(self.storage, reader.segment())
        for name in postings.indexed_field_names():
            ids, counts = postings.all_postings(name)
            self.pool.add_field(name, postings.field(name), moved[ids], counts)
        postings.close()

    def commit(self, **_: Any) -> None:
        """Make everything since the last commit visible, all at once; where that fails, nothing of it."""
        try:
            super().commit(mergetype=_merge)
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Give up what was not committed, without writing; what lies of it on disk goes with the next commit."""
        self.perdocwriter._cols._temp.file.close()  # noqa: SLF001 - Whoosh's own way would first write it all
        self._finish()

    def _flush_segment(self) -> None:
        self.newsegment.set_doc_count(self.docnum)
        super()._flush_segment()

    def _finish(self) -> None:
        for reader in self._readers.values():
            reader.close()
        with contextlib.suppress(OSError):
            super()._finish()

    def _commit_toc(self, segments: list[Any]) -> None:
        folder = Path(self.storage.folder)
        name, packed = _packed(TOC(self.schema, segments, self.generation))
        sums = _load_sums(folder)
        before = sums.get(str(self.generation - 1), {})
        files = [file for segment in segments for file in segment.list_files(self.storage)]
        now = {file: before.get(file) or _sum((folder / file).read_bytes()) for file in files}
        now[name] = _sum(packed)
        kept = {str(self.generation - 1): before, str(self.generation): now}
        _replace(folder / _SUMS, json.dumps({"stamp": STAMP, "place": self._place, "sums": kept}).encode())
        _replace(folder / name, packed)
        clean_files(self.storage, self.indexname, self.generation, segments)


def _merge(writer: SectionWriter, segments: list[Any]) -> list[Any]:
    """Join small and half-deleted segments into the one being written; return those that stay."""
    alive = [segment for segment in segments if segment.doc_count()]
    small = [segment for segment in alive if segment.doc_count() < _SMALL]
    worn = [segment for segment in alive if 2 * segment.doc_count() < segment.doc_count_all()]
    joined = {*worn, *(small if len(small) > _MANY else [])}
    for segment in alive:
        if segment in joined:
            reader = SegmentReader(writer.storage, writer.schema, segment)
            writer.add_reader(reader)
            reader.close()
    return [segment for segment in alive if segment not in joined]


def _packed(toc: TOC) -> tuple[str, bytes]:
    memory = RamStorage()
    toc.write(memory, NAME)
    ((name, data),) = memory.files.items()
    return name, data


def _sum(data: bytes) -> list[int]:
    return [len(data), zlib.crc32(data)]


def _replace(path: Path, data: bytes) -> None:
    temp = path.with_suffix(".new")
    temp.write_bytes(data)
    temp.replace(path)


def _sheet(folder: Path) -> dict[str, Any]:
    try:
        sheet = json.loads((folder / _SUMS).read_bytes())
    except (OSError, ValueError):
        return {}
    return sheet if isinstance(sheet, dict) else {}


def _load_sums(folder: Path) -> dict[str, dict[str, list[int]]]:
    sums = _sheet(folder).get("sums")
    return sums if isinstance(sums, dict) else {}


def place_of(folder: Path) -> str | None:
    """Return what was noted of the vault when it was last indexed."""
    place = _sheet(folder).get("place")
    return place if isinstance(place, str) else None


def _generation(folder: Path) -> int:
    return int(TOC._latest_generation(FileStorage(str(folder)), NAME))  # noqa: SLF001 - no public name for it


def exists(folder: Path) -> bool:
    """Tell whether there is an index, sound or not."""
    return folder.is_dir() and (_generation(folder) >= 0 or (folder / _SUMS).exists())


def verify(folder: Path, *, thorough: bool = True) -> None:
    """Compare every file of the index with its check sum, or, not `thorough`, with its size; Damaged."""
    if _sheet(folder).get("stamp") != STAMP:
        raise Damaged("it was made by another version of the program", "它由另一版本的程序建立")
    generation = _generation(folder)
    sums = _load_sums(folder).get(str(generation))
    if not sums:
        raise Damaged("its table of contents is missing", "它的目录文件丢失")
    for name, expected in sums.items():
        try:
            found = _sum((folder / name).read_bytes()) if thorough else [(folder / name).stat().st_size, expected[1]]
        except OSError:
            raise Damaged(f"its file {name} is missing", f"它的文件 {name} 丢失") from None
        if found != expected:
            raise Damaged(f"its file {name} is damaged", f"它的文件 {name} 已损坏")


def create(folder: Path, place: str) -> None:
    """Empty the folder, but for the lock, and make an index without sections."""
    for old in folder.iterdir():
        if old.name == LOCK:
            continue
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink()
    name, packed = _packed(TOC(_schema(), [], 0))
    sheet = {"stamp": STAMP, "place": place, "sums": {"0": {name: _sum(packed)}}}
    _replace(folder / _SUMS, json.dumps(sheet).encode())
    _replace(folder / name, packed)


def writer(folder: Path, place: str) -> SectionWriter:
    """Return a writer of the folder's index; the caller holds the lock and commits or cancels."""
    return SectionWriter(FileIndex(FileStorage(str(folder)), indexname=NAME), place)


@dataclass(frozen=True)
class Leaf:
    """An open segment. `deleted` are the numbers of its documents that no longer count."""

    name: str
    postings: PostingsReader
    documents: Any
    size: int
    deleted: frozenset[int]

    def stored(self, document: int) -> dict[str, Any]:
        """Return the stored fields of a document."""
        fields: dict[str, Any] = self.documents.stored_fields(document)
        return fields

    def close(self) -> None:
        """Close its files."""
        self.postings.close()
        self.documents.close()


def identity(folder: Path) -> tuple[str, int, int] | None:
    """Return what changes whenever the index does: its newest table of contents. None where there is none."""
    for _ in range(3):  # it may be replaced between the two looks
        try:
            name = TOC._filename(NAME, _generation(folder))  # noqa: SLF001
            state = (folder / name).stat()
        except OSError:
            continue
        return name, state.st_ino, state.st_mtime_ns
    return None


def open_leaves(folder: Path, reuse: Iterable[Leaf] = ()) -> list[Leaf]:
    """Open the segments of an index, those already open again with their deletions of now.

    Raises almost any exception where the index is damaged, FileNotFoundError where a writer was quicker.
    """
    if _sheet(folder).get("stamp") != STAMP:
        raise Damaged("it was made by another version of the program", "它由另一版本的程序建立")
    storage = FileStorage(str(folder))
    known = {leaf.name: leaf for leaf in reuse}
    with contextlib.ExitStack() as opened:
        leaves = []
        for segment in TOC.read(storage, NAME).segments:
            leaf = known.get(segment.segment_id())
            if leaf is None:
                leaf = _leaf(storage, segment)
                opened.callback(leaf.close)
            leaves.append(replace(leaf, deleted=frozenset(segment.deleted_docs())))
        opened.pop_all()
    return leaves


def _leaf(storage: FileStorage, segment: Any) -> Leaf:
    codec = segment.codec()
    return Leaf(
        segment.segment_id(),
        codec.terms_reader(storage, segment),
        codec.per_document_reader(storage, segment),
        segment.doc_count_all(),
        frozenset(),
    )
