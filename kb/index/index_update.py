"""Brings the search index of a vault up to date: finds changed files and indexes them."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kb.errors import IndexFailed, VaultMissing
from kb.files.locks import held
from kb.files.paths import make_private
from kb.files.tree import Skipped, is_ignored, is_note_name
from kb.index import segments
from kb.index.document_extraction import DocumentExtractor, ExtractedNote
from kb.index.index_worker import IndexedBatch, IndexWorker
from kb.index.snapshot import Snapshot
from kb.results import IndexReport, Progress
from kb.vault.vault import Vault

PATIENCE = 600.0  # seconds to wait for another process that writes this index
STEPS = (200, 1000, 2500)  # sections between two commits: the first commit is early, so that search finds something
SMALL = 10_000  # sections; smaller segments are merged at the end of a long update
_WORTH = 4  # segments up to this many times the sections written are merged with them
MANY = 150  # files that justify a second process, which takes 0.4 s to start
CHANGED = 20  # changed files after which it is started, if the index knows some already


def update_index(
    vault: Vault,
    folder: Path,
    *,
    rebuild: bool = False,
    paths: Iterable[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Bring the index in `folder` up to date with the vault, or with the notes at `paths` (files or folders of it).

    Files are compared by content. A damaged or outdated index is rebuilt. `rebuild` reads every note again, while the
    old index keeps answering. Raises VaultMissing, with the index unchanged, and IndexFailed if the folder cannot be
    written or another process holds the lock for ten minutes.
    """
    started = time.perf_counter()
    place = _place(vault.root)
    with _sentences(folder):
        make_private(folder)
        with held(folder / segments.LOCK, patience=PATIENCE) as taken:
            if not taken:
                raise _busy(folder)
            reason = _ensure(folder, place, thorough=paths is None)
            whole = rebuild or reason is not None or paths is None
            update = _Update(vault, folder, place, progress or _ignore, again=rebuild)
            update.run(None if whole else list(paths or ()))
            # Under the lock: otherwise another update could delete the files that are counted.
            return update.report(time.perf_counter() - started, reason)


def _ignore(_: Progress) -> None:
    pass


@contextlib.contextmanager
def _sentences(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise IndexFailed(
            f"The search index in {folder} cannot be written ({reason}); notes can still be read and edited.",
            f"无法写入 {folder} 中的搜索索引（{reason}）；笔记仍可阅读和编辑。",
        ) from error


def _busy(folder: Path) -> IndexFailed:
    return IndexFailed(
        f"Another program has been writing the search index in {folder} for ten minutes; close it and try again.",
        f"另一程序写入 {folder} 中的搜索索引已达十分钟；请关闭它后重试。",
    )


def _place(root: Path) -> str:
    try:
        state = root.stat()
    except OSError as error:
        raise VaultMissing(root) from error
    return f"{state.st_dev}:{state.st_ino}"


def _ensure(folder: Path, place: str, *, thorough: bool) -> str | None:
    """Create an index if there is none or it is damaged; return why an old one was thrown away, else None.

    Not `thorough`, large files are not read: a saved note must not wait for that.
    """
    if not segments.exists(folder):
        segments.create(folder, place)
        return None
    try:
        segments.verify(folder, thorough=thorough)
        with contextlib.closing(Snapshot(segments.open_leaves(folder))):
            return None
    except segments.IndexDamaged as damage:
        reason = damage.en
    except Exception as error:  # noqa: BLE001 - a damaged index raises almost anything
        reason = f"it cannot be read ({type(error).__name__})"
    segments.create(folder, place)
    return reason


@dataclass
class _Update:
    """One update of the index, under its lock."""

    vault: Vault
    folder: Path
    place: str
    progress: Callable[[Progress], None]
    again: bool
    known: dict[str, str] = field(default_factory=dict)  # path to hash
    counts: dict[str, int] = field(default_factory=lambda: {"added": 0, "updated": 0, "removed": 0})
    skipped: list[Skipped] = field(default_factory=list)
    whole: bool = True  # all files are looked at, so there is time to merge large segments
    writer: segments.SectionWriter | None = None
    committed: int = 0  # the extractor's size at the last commit
    steps: int = 0
    sections: int = 0  # that were added

    def __post_init__(self) -> None:
        self.gathering = DocumentExtractor(self.vault, self._add)

    def run(self, paths: list[str] | None) -> None:
        """Index all files, or those of `paths`."""
        self.whole = paths is None
        with contextlib.closing(Snapshot(segments.open_leaves(self.folder))) as snapshot:
            self.known = snapshot.files()
        try:
            wanted, gone = self._wanted(paths)
            with IndexWorker(self.vault.root, self.folder, most=STEPS[-1]) as colleague:
                self._look_at(wanted, colleague)
                for path in gone:
                    self._remove(path)
                self._commit(colleague, last=True)
        except BaseException:
            if self.writer is not None:
                self.writer.cancel()
            raise
        self.progress(Progress(len(wanted), len(wanted)))

    def _wanted(self, paths: list[str] | None) -> tuple[list[str], list[str]]:
        """Return the files to look at, and the known ones that no longer exist."""
        if paths is None:
            files, known = list(self.vault.files()), list(self.known)
            self.skipped += self.vault.skipped()
        else:
            files, known = self._asked(set(paths)), [path for path in self.known if _under(path, set(paths))]
        if segments.place_of(self.folder) != self.place and next(self.vault.files(), None) is None:
            return [], []  # an empty mount point: the disk is not mounted
        present = set(files)
        return files, [path for path in known if path not in present]

    def _asked(self, paths: set[str]) -> list[str]:
        """Return the notes at some paths; the vault is walked only if one is a folder."""
        everything = self.vault.files()  # or VaultMissing
        places = {path: self.vault.root / path for path in paths if not any(map(is_ignored, path.split("/")))}
        if any(place.is_dir() for place in places.values()):
            return [path for path in everything if _under(path, paths)]
        return sorted(path for path, place in places.items() if is_note_name(place.name) and place.is_file())

    def _look_at(self, wanted: list[str], colleague: IndexWorker) -> None:
        """Index files; if there are many, a second process takes some of them."""
        waiting = deque(wanted)
        while waiting or colleague.busy:
            if not colleague.started and self._worth_two(len(waiting)):
                colleague.start()
            colleague.share(waiting, self._hashes)
            self.progress(Progress(len(wanted) - len(waiting) - colleague.ahead, len(wanted)))
            if waiting:
                path = waiting.popleft()
                self._take(self.gathering.extract(path, self._hashes.get(path)))
                if self._pending >= STEPS[min(self.steps, len(STEPS) - 1)]:
                    self._commit(colleague)
            elif self._pending:
                self._commit(colleague)
            elif colleague.busy:
                colleague.wait(waiting)

    def _worth_two(self, files: int) -> bool:
        changed = self.counts["added"] + self.counts["updated"]
        return files >= MANY and (self.again or not self.known or changed >= CHANGED)

    @property
    def _hashes(self) -> dict[str, str]:
        """The hashes of files that need not be read again if unchanged, by path."""
        return {} if self.again else self.known

    @property
    def _pending(self) -> int:
        return self.gathering.size - self.committed

    def _add(self, **document: object) -> None:
        self._writing().add_document(**document)
        self.sections += 1

    def _take(self, looked: ExtractedNote) -> None:
        """Record the result of extracting a file."""
        if looked.skipped:
            self.skipped.append(Skipped(looked.path, looked.skipped))
        if looked.gone:
            self._remove(looked.path)
        elif looked.hash:
            self.counts["updated" if looked.path in self.known else "added"] += 1
            self._delete(looked.path)
            self.known[looked.path] = looked.hash

    def _remove(self, path: str) -> None:
        if path in self.known:
            self._delete(path)
            del self.known[path]
            self.counts["removed"] += 1

    def _delete(self, path: str) -> None:
        """Delete the committed sections of a file; sections added since stay."""
        if path in self.known:
            self._writing().delete_file(f"{self.known[path]}/{path}")

    def _writing(self) -> segments.SectionWriter:
        if self.writer is None:
            self.writer = segments.writer(self.folder, self.place)
        return self.writer

    def _commit(self, colleague: IndexWorker, *, last: bool = False) -> None:
        """Commit what both processes have added; the last commit also merges small segments."""
        for handed in colleague.handed():
            self._adopt(handed)
        if last and self.steps:
            self._writing()
        writer, self.writer, self.committed = self.writer, None, self.gathering.size
        if writer is not None:
            writer.commit(tidy=self.whole, join=max(SMALL, _WORTH * self.sections) if last and self.steps else 0)
            self.steps += 1

    def _adopt(self, handed: IndexedBatch) -> None:
        for looked in handed.looked:
            self._take(looked)
        if handed.segment is not None:
            self._writing().adopt(handed.folder, handed.segment)
            self.sections += handed.segment.doc_count_all()
            self.steps += 1

    def report(self, seconds: float, reason: str | None) -> IndexReport:
        """Return the report of this update, with totals counted in the index."""
        with contextlib.closing(Snapshot(segments.open_leaves(self.folder))) as snapshot:
            return IndexReport(
                notes=len(snapshot.files()),
                sections=snapshot.sections,
                **self.counts,
                skipped=tuple(self.skipped),
                seconds=seconds,
                rebuilt=reason,
            )


def _under(path: str, asked: set[str]) -> bool:
    """Return whether a path is one of those asked for, or inside one."""
    parts = path.split("/")
    return any("/".join(parts[:end]) in asked for end in range(1, len(parts) + 1))
