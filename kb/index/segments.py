"""The Whoosh index of a vault on disk: its schema, writing it step by step, and detecting damage.

Opening a Whoosh index unpickles its files. So a folder is opened only after its checksums were verified, and only the
folder in the user's cache is ever passed in.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from whoosh.fields import STORED, Schema
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC, clean_files

from kb.files.atomic import replace_derived
from kb.files.tree import read_own
from kb.index.checksums import SUMS, sheet_of, sum_of, sum_of_file, sums_of
from kb.index.memory_postings import MemoryPostings
from kb.index.postings import ArrayCodec, PostingsReader, Tokens, write_pool
from kb.index.segment_merge import merge_documents, merge_postings, sources, to_merge

STAMP = "7"  # increment whenever what is indexed, or how, changes: an index with another stamp is rebuilt
SCORED = ("heading", "trail", "body")
NAME = "notes"
LOCK = "writer.lock"
_CONTENTS = TOC._pattern(NAME)  # noqa: SLF001 - no public name for the file names of tables of contents


class IndexDamaged(Exception):
    """The index cannot be used; the arguments are the reason, as the end of a sentence, in English and Chinese."""

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
    """A folder that tracks the files being written, so that none stays open after an error."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._written: list[Any] = []

    def create_file(self, name: str, **options: Any) -> Any:
        """Create a file and return it for writing."""
        made = super().create_file(name, **options)
        self._written.append(made.file)
        return made

    def temp_storage(self, name: str | None = None) -> Any:
        """Return a folder for temporary files."""
        inner = _Storage(Path(self.folder, name or NAME)).create()
        inner._written = self._written  # noqa: SLF001 - they are closed together
        return inner

    def close_all(self) -> None:
        """Close the files that were left open."""
        while self._written:
            with contextlib.suppress(OSError):  # such as a full disk
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
        """Write everything, and return the segment's entry for the table of contents."""
        self.documents.close()
        self.segment.set_doc_count(documents)
        write_postings()
        self.storage.close_all()
        return self.segment

    def cancel(self) -> None:
        """Close the files; the next commit deletes them."""
        self.storage.close_all()


class SegmentWriter:
    """Writes one segment from documents whose terms are given as lists or texts."""

    def __init__(self, folder: Path) -> None:
        self._new = _NewSegment(folder)
        self._pool = MemoryPostings()
        self._kinds = {name: (field.indexed, field.scorable) for name, field in _schema().items()}
        self.size = 0

    def add_document(self, **fields: Any) -> None:
        """Add a section; the value of an indexed field is a list of terms or a text."""
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
        """Write the segment, and return its entry for the table of contents."""
        storage, segment = self._new.storage, self._new.segment
        return self._new.end(self.size, lambda: write_pool(storage, segment, self._pool))

    def cancel(self) -> None:
        """Discard the segment without writing."""
        self._new.cancel()


class SectionWriter:
    """Writes the next state of an index: new sections, deleted files, and segments written elsewhere."""

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
        """Take over a segment that was written into another folder."""
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
        """Make everything since the last commit visible, all or nothing.

        `tidy`: there is time to purge the deleted sections of large segments, too. Segments of fewer than `join`
        sections are merged: each segment costs time in every search.
        """
        try:
            if self._added is not None:
                self._segments.append(self._added.end())
            self._commit_toc(self._joined(tidy=tidy, join=join))
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Discard what was not committed, without writing; the next commit deletes its files."""
        if self._added is not None:
            self._added.cancel()
        for reader in self._readers.values():
            reader.close()
        self._storage.close_all()

    def _joined(self, *, tidy: bool, join: int) -> list[Any]:
        """Return the segments of the next commit, with small and half-deleted ones merged."""
        alive = [segment for segment in self._segments if segment.doc_count()]
        chosen = to_merge(alive, tidy=tidy, join=join)
        return [*([self._merged(chosen)] if chosen else []), *(segment for segment in alive if segment not in chosen)]

    def _merged(self, chosen: list[Any]) -> Any:
        """Merge segments into a new one."""
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
        replace_derived(folder / SUMS, json.dumps({"stamp": STAMP, "place": self._place, "sums": kept}).encode())
        replace_derived(folder / name, packed)
        clean_files(self._storage, NAME, self._generation, segments)


def _packed(toc: TOC) -> tuple[str, bytes]:
    memory = RamStorage()
    toc.write(memory, NAME)
    ((name, data),) = memory.files.items()
    return name, data


def place_of(folder: Path) -> str | None:
    """Return the identity of the vault's folder when it was last indexed."""
    place = sheet_of(folder).get("place")
    return place if isinstance(place, str) else None


def _generation(folder: str | Path) -> int:
    """Return the number of the newest table of contents, -1 if there is none; every search calls this."""
    try:
        contents = map(_CONTENTS.fullmatch, os.listdir(folder))  # noqa: PTH208 - ten times as quick
    except OSError:
        return -1
    return max([int(found[1]) for found in contents if found], default=-1)


def exists(folder: Path) -> bool:
    """Return whether there is an index, intact or not."""
    return folder.is_dir() and (_generation(folder) >= 0 or (folder / SUMS).exists())


def verify(folder: Path, *, thorough: bool = True) -> None:
    """Compare every file of the index with its checksum. Raises IndexDamaged.

    Not `thorough`, only the sizes of large files are compared; what is unpickled is always compared by checksum.
    """
    _checked_stamp(folder)
    for name, expected in _expected(folder, _generation(folder)).items():
        _check_size(folder, name, expected[0])  # first: a file of another size may be endless
        if thorough or name.endswith(".toc"):
            try:
                found = sum_of_file(folder / name)
            except OSError:
                raise _missing(name) from None
            if found != expected:
                raise _harmed(name)


def _check_size(folder: Path, name: str, expected: int) -> None:
    """Raise IndexDamaged unless it is a plain file of that size: opening a pipe would block."""
    try:
        found = (folder / name).stat()
    except OSError:
        raise _missing(name) from None
    if not stat.S_ISREG(found.st_mode) or found.st_size != expected:
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
    """Verify the newest table of contents and unpickle it. Raises IndexDamaged."""
    generation = _generation(folder)
    name = TOC._filename(NAME, generation)  # noqa: SLF001 - no public name for it
    expected = _expected(folder, generation).get(name)
    try:
        data = read_own(folder / name, most=expected[0] if expected else 0)
    except OSError:
        raise _harmed(name) from None
    if expected != sum_of(data):
        raise _harmed(name)
    memory = RamStorage()
    memory.files[name] = data  # the verified bytes, whatever the file has now
    return TOC.read(memory, NAME, generation)


def create(folder: Path, place: str) -> None:
    """Empty the folder, except for the lock, and create an index without sections."""
    for old in folder.iterdir():
        if old.name == LOCK:
            continue
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink()
    name, packed = _packed(TOC(_schema(), [], 0))
    sheet = {"stamp": STAMP, "place": place, "sums": {"0": {name: sum_of(packed)}}}
    replace_derived(folder / SUMS, json.dumps(sheet).encode())
    replace_derived(folder / name, packed)


def writer(folder: Path, place: str) -> SectionWriter:
    """Return a writer of the folder's index; the caller holds the lock and commits or cancels."""
    return SectionWriter(folder, place)


@dataclass(frozen=True)
class OpenSegment:
    """An open segment. `deleted` has the numbers of its deleted documents."""

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
    """Return a value that changes whenever the index does (its newest table of contents); None without an index."""
    place = str(folder)
    for _ in range(3):  # it may be replaced between the two calls
        try:
            name = TOC._filename(NAME, _generation(place))  # noqa: SLF001
            state = os.stat(f"{place}/{name}")  # noqa: PTH116 - every search looks here
        except OSError:
            continue
        return name, state.st_ino, state.st_mtime_ns
    return None


def open_leaves(folder: Path, reuse: Iterable[OpenSegment] = ()) -> list[OpenSegment]:
    """Open the segments of an index, reusing open ones with their current deletions.

    Raises almost any exception if the index is damaged, FileNotFoundError if a writer replaced it meanwhile.
    """
    _checked_stamp(folder)
    storage = FileStorage(str(folder))
    known = {leaf.name: leaf for leaf in reuse}
    with contextlib.ExitStack() as opened:
        leaves = []
        contents = _contents(folder)
        sums = sums_of(folder).get(str(contents.generation), {})
        for segment in contents.segments:
            leaf = known.get(segment.segment_id())
            if leaf is None:
                for name in segment.list_files(storage):
                    _check_size(folder, name, sums[name][0])
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
