"""The Whoosh index of a vault on disk: its schema, how it is written step by step, and how damage is noticed.

Opening a Whoosh index unpickles what lies there. So a folder is opened only after the check sums that were written
with it were found right, and only the folder in the user's cache is ever handed in.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from whoosh.fields import STORED, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC, clean_files

from kb.index.checksums import SUMS, replace_file, sheet_of, sum_of, sum_of_file, sums_of
from kb.index.memory_postings import MemoryPostings
from kb.index.postings import ArrayCodec, PostingsReader, Tokens
from kb.index.postings_format import write_pool
from kb.index.segment_merge import merge_documents, merge_postings, sources, to_merge

STAMP = "7"  # to be raised whenever what is indexed, or how, changes: an index with another stamp is built anew
SCORED = ("heading", "trail", "body")
NAME = "notes"
LOCK = "writer.lock"
_CONTENTS = TOC._pattern(NAME)  # noqa: SLF001 - no public name for what the files of a table of contents are called


class IndexDamaged(Exception):
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

    def temp_storage(self, name: str | None = None) -> Any:
        """Return a folder for files that are gone at the end."""
        inner = _Storage(Path(self.folder, name or NAME)).create()
        inner._written = self._written  # noqa: SLF001 - they are closed together
        return inner

    def close_all(self) -> None:
        """Close what was left open."""
        while self._written:
            with contextlib.suppress(OSError):  # as when it is the full disk again
                self._written.pop().close()
        shutil.rmtree(Path(self.folder, f"{NAME}.tmp"), ignore_errors=True)


class _NewSegment:
    """The files of a segment while they are written."""

    def __init__(self, folder: Path) -> None:
        self.storage = _Storage(folder)
        codec = ArrayCodec()
        self.segment = codec.new_segment(self.storage, NAME)
        self.documents = codec.per_document_writer(self.storage, self.segment)

    def end(self, documents: int, write_postings: Callable[[], None]) -> Any:
        """Write all, and return what the table of contents says of the segment."""
        self.documents.close()
        self.segment.set_doc_count(documents)
        write_postings()
        self.storage.close_all()
        return self.segment

    def cancel(self) -> None:
        """Let go of it; what lies of it on disk goes with the next commit."""
        self.storage.close_all()


class SegmentWriter:
    """Writes one segment, from fields whose terms are given as lists or texts."""

    def __init__(self, folder: Path) -> None:
        self._new = _NewSegment(folder)
        self._pool = MemoryPostings()
        self._kinds = {name: (field.indexed, field.scorable) for name, field in _schema().items()}
        self.size = 0

    def add_document(self, **fields: Any) -> None:
        """Add a section; a field that is indexed takes its terms as a list, or the text that they are in."""
        documents = self._new.documents
        documents.start_doc(self.size)
        for name, value in fields.items():
            indexed, scorable = self._kinds[name]
            if not indexed:
                documents.add_field(name, None, value, 0)
            elif value:
                add = self._pool.add_text if isinstance(value, str) else self._pool.add_terms
                added = add(name, self.size, value)
                if scorable:
                    documents.add_field(name, None, None, added)
        documents.finish_doc()
        self.size += 1

    def end(self) -> Any:
        """Write the segment, and return what the table of contents says of it."""
        storage, segment = self._new.storage, self._new.segment
        return self._new.end(self.size, lambda: write_pool(storage, segment, self._pool))

    def cancel(self) -> None:
        """Give up, without writing."""
        self._new.cancel()


class SectionWriter:
    """Writes the next state of an index: sections that come, files that go, and segments that others wrote."""

    def __init__(self, folder: Path, place: str) -> None:
        toc = _contents(folder)
        self._folder = folder
        self._place = place
        self._schema, self._segments, self._generation = toc.schema, list(toc.segments), toc.generation + 1
        self._storage = _Storage(folder)
        self._readers: dict[str, PostingsReader] = {}
        self._added: SegmentWriter | None = None

    def add_document(self, **fields: Any) -> None:
        """Add a section (see `SegmentWriter`)."""
        if self._added is None:
            self._added = SegmentWriter(self._folder)
        self._added.add_document(**fields)

    def adopt(self, folder: Path, segment: Any) -> None:
        """Take over a segment that was written into a folder beside the index's own files."""
        for name in segment.list_files(FileStorage(str(folder))):
            (folder / name).replace(self._folder / name)
        self._segments.append(segment)

    def delete_file(self, term: str) -> int:
        """Mark the sections of a file as deleted; return how many."""
        deleted = 0
        for segment in self._segments:
            name = segment.segment_id()
            if name not in self._readers:
                self._readers[name] = PostingsReader(self._storage, segment)
            for document in self._readers[name].postings("file", term)[0].tolist():
                deleted += not segment.is_deleted(document)
                segment.delete_document(document)
        return deleted

    def commit(self, *, tidy: bool = True, join: int = 0) -> None:
        """Make everything since the last commit visible, all at once; where that fails, nothing of it.

        `tidy`: there is time to take out the deleted sections of large segments, too. Segments of fewer than `join`
        sections become one: each takes its time in every search.
        """
        try:
            if self._added is not None:
                self._segments.append(self._added.end())
            self._commit_toc(self._joined(tidy=tidy, join=join))
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Give up what was not committed, without writing; what lies of it on disk goes with the next commit."""
        if self._added is not None:
            self._added.cancel()
        for reader in self._readers.values():
            reader.close()
        self._storage.close_all()

    def _joined(self, *, tidy: bool, join: int) -> list[Any]:
        """Return the segments that there are from now on, small and half-deleted ones put together into one."""
        alive = [segment for segment in self._segments if segment.doc_count()]
        chosen = to_merge(alive, tidy=tidy, join=join)
        return [*([self._merged(chosen)] if chosen else []), *(segment for segment in alive if segment not in chosen)]

    def _merged(self, chosen: list[Any]) -> Any:
        """Put segments together into a new one."""
        new = _NewSegment(self._folder)
        codec = ArrayCodec()
        with contextlib.ExitStack() as opened:
            opened.callback(new.cancel)
            found = []
            for segment in chosen:
                postings = opened.enter_context(contextlib.closing(PostingsReader(self._storage, segment)))
                documents = codec.per_document_reader(self._storage, segment)
                opened.callback(documents.close)
                found.append((postings, documents, segment))
            merged = sources(found)
            count = merge_documents(new.documents, merged, SCORED)
            return new.end(count, lambda: merge_postings(new.storage, new.segment, merged, self._scratch))

    def _scratch(self) -> IO[bytes]:
        return TemporaryFile(dir=self._folder)

    def _commit_toc(self, segments: list[Any]) -> None:
        folder = self._folder
        name, packed = _packed(TOC(self._schema, segments, self._generation))
        sums = sums_of(folder)
        before = sums.get(str(self._generation - 1), {})
        files = [file for segment in segments for file in segment.list_files(self._storage)]
        now = {file: before.get(file) or sum_of_file(folder / file) for file in files}
        now[name] = sum_of(packed)
        kept = {str(self._generation - 1): before, str(self._generation): now}
        replace_file(folder / SUMS, json.dumps({"stamp": STAMP, "place": self._place, "sums": kept}).encode())
        replace_file(folder / name, packed)
        clean_files(self._storage, NAME, self._generation, segments)


def _packed(toc: TOC) -> tuple[str, bytes]:
    memory = RamStorage()
    toc.write(memory, NAME)
    ((name, data),) = memory.files.items()
    return name, data


def place_of(folder: Path) -> str | None:
    """Return what was noted of the vault when it was last indexed."""
    place = sheet_of(folder).get("place")
    return place if isinstance(place, str) else None


def _generation(folder: str | Path) -> int:
    """Return the number of the newest table of contents, -1 where there is none; every search asks for it."""
    try:
        contents = map(_CONTENTS.fullmatch, os.listdir(folder))  # noqa: PTH208 - ten times as quick
    except OSError:
        return -1
    return max([int(found[1]) for found in contents if found], default=-1)


def exists(folder: Path) -> bool:
    """Tell whether there is an index, sound or not."""
    return folder.is_dir() and (_generation(folder) >= 0 or (folder / SUMS).exists())


def verify(folder: Path, *, thorough: bool = True) -> None:
    """Compare every file of the index with its check sum, or, not `thorough`, the large ones with their size; Damaged.

    What is unpickled is always compared with its sum.
    """
    _checked_stamp(folder)
    for name, expected in _expected(folder, _generation(folder)).items():
        try:
            whole = thorough or name.endswith(".toc")
            found = sum_of_file(folder / name) if whole else [(folder / name).stat().st_size, expected[1]]
        except OSError:
            raise _missing(name) from None
        if found != expected:
            raise _harmed(name)


def _checked_stamp(folder: Path) -> None:
    if sheet_of(folder).get("stamp") != STAMP:
        raise IndexDamaged("it was made by another version of the program", "它由另一版本的程序建立")


def _expected(folder: Path, generation: int) -> dict[str, list[int]]:
    sums = sums_of(folder).get(str(generation))
    if not sums:
        raise IndexDamaged("its table of contents is missing", "它的目录文件丢失")
    return sums


def _missing(name: str) -> IndexDamaged:
    return IndexDamaged(f"its file {name} is missing", f"它的文件 {name} 丢失")


def _harmed(name: str) -> IndexDamaged:
    return IndexDamaged(f"its file {name} is damaged", f"它的文件 {name} 已损坏")


def _contents(folder: Path) -> TOC:
    """Read the newest table of contents, which unpickles it, after its sum was found right; or Damaged."""
    generation = _generation(folder)
    name = TOC._filename(NAME, generation)  # noqa: SLF001 - no public name for it
    data = (folder / name).read_bytes()
    if _expected(folder, generation).get(name) != sum_of(data):
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
    sheet = {"stamp": STAMP, "place": place, "sums": {"0": {name: sum_of(packed)}}}
    replace_file(folder / SUMS, json.dumps(sheet).encode())
    replace_file(folder / name, packed)


def writer(folder: Path, place: str) -> SectionWriter:
    """Return a writer of the folder's index; the caller holds the lock and commits or cancels."""
    return SectionWriter(folder, place)


@dataclass(frozen=True)
class OpenSegment:
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
    place = str(folder)
    for _ in range(3):  # it may be replaced between the two looks
        try:
            name = TOC._filename(NAME, _generation(place))  # noqa: SLF001
            state = os.stat(f"{place}/{name}")  # noqa: PTH116 - every search looks here
        except OSError:
            continue
        return name, state.st_ino, state.st_mtime_ns
    return None


def open_leaves(folder: Path, reuse: Iterable[OpenSegment] = ()) -> list[OpenSegment]:
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


def _leaf(storage: FileStorage, segment: Any) -> OpenSegment:
    codec = segment.codec()
    with contextlib.ExitStack() as opened:
        postings = opened.enter_context(contextlib.closing(codec.terms_reader(storage, segment)))
        documents = codec.per_document_reader(storage, segment)
        opened.pop_all()
    return OpenSegment(segment.segment_id(), postings, documents, segment.doc_count_all(), frozenset())
