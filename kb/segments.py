"""The Whoosh index of a vault on disk: its schema, how it is written step by step, and how damage is noticed.

Opening a Whoosh index unpickles what lies there. So a folder is opened only after the check sums that were written
with it were found right, and only the folder in the user's cache is ever handed in.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from whoosh.fields import STORED, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC, FileIndex, clean_files
from whoosh.writing import SegmentWriter

from kb.pool import Pool
from kb.postings import ArrayCodec, PostingsReader, Tokens

STAMP = "6"  # to be raised whenever what is indexed, or how, changes: an index with another stamp is built anew
SCORED = ("heading", "trail", "body")
NAME = "notes"
LOCK = "writer.lock"
_SUMS = "sums.json"
_SIZES = (1, 40, 200, 1000)  # sections: segments between two of these are of one size, and joined when they get many
_MANY = 6


class Damaged(Exception):
    """The index cannot be used; the argument is the reason, as the end of a sentence, in English and Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en, zh)
        self.en = en
        self.zh = zh


def _schema() -> Schema:
    fields: dict[str, Any] = {name: Tokens(scorable=True) for name in SCORED}
    fields |= {
        name: Tokens(scorable=False) for name in ("alias", "code", "facet", "file", "lang", "modified", "sound", "tag")
    }
    stored = ("path", "title", "line", "anchor", "language", "note", "above", "text")
    return Schema(**fields, **{name: STORED() for name in stored})


class _Storage(FileStorage):  # type: ignore[misc]
    """A folder that knows what is written in it, so that no file stays open where writing fails."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._written: list[Any] = []

    def create_file(self, name: str, **options: Any) -> Any:
        """Make a file and return it for writing."""
        made = super().create_file(name, **options)
        self._written.append(made.file)
        return made

    def let_go(self) -> None:
        """Close what was left open."""
        while self._written:
            with contextlib.suppress(OSError):  # as when it is the full disk again
                self._written.pop().close()


class SectionWriter(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, for fields whose terms are given as lists, with check sums beside what it writes."""

    def __init__(self, index: FileIndex, place: str) -> None:
        super().__init__(index, codec=ArrayCodec(), compound=False, _lk=False)  # the caller holds our own lock
        self.pool = Pool()
        self._kinds = {name: (field.indexed, field.scorable) for name, field in self.schema.items()}
        self._place = place
        self._readers: dict[str, PostingsReader] = {}

    def add_document(self, **fields: Any) -> None:
        """Add a section; a field that is indexed takes its terms as a list, or the text that they are in."""
        self.perdocwriter.start_doc(self.docnum)
        for name, value in fields.items():
            indexed, scorable = self._kinds[name]
            if not indexed:
                self.perdocwriter.add_field(name, None, value, 0)
            elif value:
                add = self.pool.add_text if isinstance(value, str) else self.pool.add_terms
                added = add(name, self.docnum, value)
                if scorable:
                    self.perdocwriter.add_field(name, None, None, added)
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

    def take(self, segment: Any) -> None:
        """Take over the documents of a segment that count, as they lie there."""
        postings = PostingsReader(self.storage, segment)
        documents = self.codec.per_document_reader(self.storage, segment)
        alive = [number for number in range(segment.doc_count_all()) if not segment.is_deleted(number)]
        moved = np.full(segment.doc_count_all(), -1, np.int64)
        moved[alive] = np.arange(self.docnum, self.docnum + len(alive))
        lengths = {name: postings.lengths(name).tolist() for name in postings.indexed_field_names() if name in SCORED}
        for number in alive:
            at = int(moved[number])
            self.perdocwriter.copy_doc(
                at, documents.packed(number), {name: found[number] for name, found in lengths.items()}
            )
        for name in postings.indexed_field_names():
            ids, counts = postings.all_postings(name)
            self.pool.add_field(name, postings.field(name), moved[ids], counts)
        self.docnum += len(alive)
        self._added = True
        documents.close()
        postings.close()

    def commit(self, *, tidy: bool = True, join: int = 0, **_: Any) -> None:
        """Make everything since the last commit visible, all at once; where that fails, nothing of it.

        `tidy`: there is time to take out the deleted sections of large segments, too. Segments of fewer than `join`
        sections become one: each takes its time in every search.
        """
        try:
            super().commit(mergetype=partial(_merge, tidy=tidy, join=join))
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Give up what was not committed, without writing; what lies of it on disk goes with the next commit."""
        with contextlib.suppress(OSError):
            self.perdocwriter._cols._temp.file.close()  # noqa: SLF001 - Whoosh's own way would first write it all
        self._finish()

    def _flush_segment(self) -> None:
        self.newsegment.set_doc_count(self.docnum)
        super()._flush_segment()

    def _finish(self) -> None:
        for reader in self._readers.values():
            reader.close()
        self.storage.let_go()
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


def _merge(writer: SectionWriter, segments: list[Any], *, tidy: bool, join: int) -> list[Any]:
    """Join small and half-deleted segments into the one being written; return those that stay.

    Segments are joined with those of their size, when there are many, so that few sections are copied often.
    """
    alive = [segment for segment in segments if segment.doc_count()]
    joined = {segment for segment in alive if tidy and 2 * segment.doc_count() < segment.doc_count_all()}
    joined.update(segment for segment in alive if segment.doc_count() < join)
    for least, most in pairwise(_SIZES):
        alike = [segment for segment in alive if least <= segment.doc_count() < most]
        if len(alike) > _MANY:
            joined.update(alike)
    for segment in alive:
        if segment in joined:
            writer.take(segment)
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
    """Compare every file of the index with its check sum, or, not `thorough`, the large ones with their size; Damaged.

    What is unpickled is always compared with its sum.
    """
    _checked_stamp(folder)
    for name, expected in _expected(folder, _generation(folder)).items():
        try:
            whole = thorough or name.endswith(".toc")
            found = _sum((folder / name).read_bytes()) if whole else [(folder / name).stat().st_size, expected[1]]
        except OSError:
            raise _missing(name) from None
        if found != expected:
            raise _harmed(name)


def _checked_stamp(folder: Path) -> None:
    if _sheet(folder).get("stamp") != STAMP:
        raise Damaged("it was made by another version of the program", "它由另一版本的程序建立")


def _expected(folder: Path, generation: int) -> dict[str, list[int]]:
    sums = _load_sums(folder).get(str(generation))
    if not sums:
        raise Damaged("its table of contents is missing", "它的目录文件丢失")
    return sums


def _missing(name: str) -> Damaged:
    return Damaged(f"its file {name} is missing", f"它的文件 {name} 丢失")


def _harmed(name: str) -> Damaged:
    return Damaged(f"its file {name} is damaged", f"它的文件 {name} 已损坏")


def _contents(folder: Path) -> TOC:
    """Read the newest table of contents, which unpickles it, after its sum was found right; or Damaged."""
    generation = _generation(folder)
    name = TOC._filename(NAME, generation)  # noqa: SLF001 - no public name for it
    data = (folder / name).read_bytes()
    if _expected(folder, generation).get(name) != _sum(data):
        raise _harmed(name)
    memory = RamStorage()
    memory.files[name] = data  # what was looked at, whatever lies there by now
    return TOC.read(memory, NAME, generation)


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
    return SectionWriter(FileIndex(_Storage(folder), indexname=NAME), place)


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
    _checked_stamp(folder)
    storage = FileStorage(str(folder))
    known = {leaf.name: leaf for leaf in reuse}
    with contextlib.ExitStack() as opened:
        leaves = []
        for segment in _contents(folder).segments:
            leaf = known.get(segment.segment_id())
            if leaf is None:
                leaf = _leaf(storage, segment)
                opened.callback(leaf.close)
            leaves.append(replace(leaf, deleted=frozenset(segment.deleted_docs())))
        opened.pop_all()
    return leaves


def _leaf(storage: FileStorage, segment: Any) -> Leaf:
    codec = segment.codec()
    with contextlib.ExitStack() as opened:
        postings = opened.enter_context(contextlib.closing(codec.terms_reader(storage, segment)))
        documents = codec.per_document_reader(storage, segment)
        opened.pop_all()
    return Leaf(segment.segment_id(), postings, documents, segment.doc_count_all(), frozenset())
