"""The search index of a vault, brought up to date: which files changed, and what of them is searched."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from kb import segments
from kb.errors import IndexFailed, NoteMissing, NotText, OutsideVault, VaultMissing
from kb.facets import facets, looks
from kb.found import IndexReport, Progress
from kb.lines import split_lines
from kb.locks import held
from kb.note import Note, hash_of, parse
from kb.places import make_private
from kb.sections import Section
from kb.snapshot import Snapshot
from kb.sounds import spelled
from kb.tree import Skipped, is_ignored, is_note_name, read_regular
from kb.vault import Vault
from kb.wording import Pieces, pieces_of

PATIENCE = 600.0  # seconds to wait for another process that writes this index
STEPS = (200, 1000, 4000, 10_000)  # sections written between two commits: the first soon, so that search has something
LONGEST = 200_000  # characters of a section that are kept for the excerpt


def update_index(
    vault: Vault,
    folder: Path,
    *,
    rebuild: bool = False,
    paths: Iterable[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Bring the index in `folder` up to date with the vault, or with the notes at `paths` (files or folders of it).

    Every file is compared by its content. A damaged or outdated index is built anew. `rebuild` reads every note
    again, while the old index goes on answering. Raises VaultMissing, with the index as it was, and IndexFailed
    where the folder cannot be written or another process keeps it for ten minutes.
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
            # While nobody else can write: what is counted would be deleted otherwise by a quick second indexing.
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
    """Make an index where there is none or no sound one; return why one was thrown away.

    A saved note shall not wait until all of a large index was read: that is for when the whole vault is looked at.
    """
    if not segments.exists(folder):
        segments.create(folder, place)
        return None
    try:
        segments.verify(folder, thorough=thorough)
        with contextlib.closing(Snapshot(segments.open_leaves(folder))):
            return None
    except segments.Damaged as damage:
        reason = damage.en
    except Exception as error:  # noqa: BLE001 - a damaged index raises almost anything
        reason = f"it cannot be read ({type(error).__name__})"
    segments.create(folder, place)
    return reason


@dataclass
class _Update:
    """One bringing up to date; the lock is held."""

    vault: Vault
    folder: Path
    place: str
    progress: Callable[[Progress], None]
    again: bool
    known: dict[str, str] = field(default_factory=dict)  # path to hash
    counts: dict[str, int] = field(default_factory=lambda: {"added": 0, "updated": 0, "removed": 0})
    skipped: list[Skipped] = field(default_factory=list)
    whole: bool = True  # whether all files are looked at; a saved note should not wait for large segments
    writer: segments.SectionWriter | None = None
    pending: int = 0
    steps: int = 0
    sections: int = 0

    def run(self, paths: list[str] | None) -> None:
        """Look at all files, or at those of `paths`."""
        self.whole = paths is None
        with contextlib.closing(Snapshot(segments.open_leaves(self.folder))) as snapshot:
            self.known = snapshot.files()
        try:
            wanted, gone = self._wanted(paths)
            for done, path in enumerate(wanted):
                self.progress(Progress(done, len(wanted)))
                self._look(path)
                self._step()
            for path in gone:
                self._remove(path)
            self._commit(last=True)
        except BaseException:
            if self.writer is not None:
                self.writer.cancel()
            raise
        self.progress(Progress(len(wanted), len(wanted)))

    def _wanted(self, paths: list[str] | None) -> tuple[list[str], list[str]]:
        """Return the files to look at, and the known ones that are gone."""
        if paths is None:
            files, known = list(self.vault.files()), list(self.known)
            self.skipped += self.vault.skipped()
        else:
            files, known = self._asked(set(paths)), [path for path in self.known if _under(path, set(paths))]
        if segments.place_of(self.folder) != self.place and next(self.vault.files(), None) is None:
            return [], []  # the empty folder where a disk is mounted at other times
        present = set(files)
        return files, [path for path in known if path not in present]

    def _asked(self, paths: set[str]) -> list[str]:
        """Return the notes at some paths, without a walk through the vault unless one is a folder."""
        everything = self.vault.files()  # or VaultMissing
        places = {path: self.vault.root / path for path in paths if not any(map(is_ignored, path.split("/")))}
        if any(place.is_dir() for place in places.values()):
            return [path for path in everything if _under(path, paths)]
        return sorted(path for path, place in places.items() if is_note_name(place.name) and place.is_file())

    def _look(self, path: str) -> None:
        try:
            place = self.vault.inside(path)
            data = read_regular(place, path)
            if not self.again and self.known.get(path) == hash_of(data):
                return
            note, modified = parse(path, data), _time_of(place)
        except (NoteMissing, OutsideVault):
            self._remove(path)
        except NotText as error:
            self.skipped.append(Skipped(path, str(error)))
            self._remove(path)
        except OSError as error:  # it may be readable again later: what is known of it stays
            self.skipped.append(Skipped(path, f"it cannot be read: {error.strerror or error}"))
        else:
            self._put(note, modified)

    def _put(self, note: Note, modified: str) -> None:
        self.counts["updated" if note.path in self.known else "added"] += 1
        writer = self._delete(note.path)
        for document in documents(note, modified):
            writer.add_document(**document)
            self.pending += 1
        self.known[note.path] = note.hash

    def _remove(self, path: str) -> None:
        if path in self.known:
            self._delete(path)
            del self.known[path]
            self.counts["removed"] += 1

    def _delete(self, path: str) -> segments.SectionWriter:
        if self.writer is None:
            self.writer = segments.writer(self.folder, self.place)
        if path in self.known:
            self.writer.delete_file(f"{self.known[path]}/{path}")
        return self.writer

    def _step(self) -> None:
        if self.pending >= STEPS[min(self.steps, len(STEPS) - 1)]:
            self._commit()
            self.steps += 1

    def _commit(self, *, last: bool = False) -> None:
        many = last and self.steps > 0  # what was written step by step is put together at the end
        writer, self.writer, self.pending = self.writer, None, 0
        if many and writer is None:
            writer = segments.writer(self.folder, self.place)
        if writer is not None:
            writer.commit(tidy=self.whole, join=STEPS[-1] if many else 0)

    def report(self, seconds: float, reason: str | None) -> IndexReport:
        """Return what was found, by what the index now has."""
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
    """Tell whether a path is one of those asked for, or inside one."""
    parts = path.split("/")
    return any("/".join(parts[:end]) in asked for end in range(1, len(parts) + 1))


def _time_of(place: Path) -> str:
    """Return when a file was written, in ISO 8601 and the user's own time, to the second; "" where nobody can say."""
    try:
        return datetime.fromtimestamp(place.stat().st_mtime).isoformat(timespec="seconds")  # noqa: DTZ006
    except (OSError, OverflowError, ValueError):  # it is gone again, or a date that no calendar has
        return ""


def documents(note: Note, modified: str = "") -> Iterator[dict[str, object]]:
    """Yield what the index holds of each section of a note that was written at a time."""
    lines = split_lines(note.text)
    for section, holds in zip(note.sections, facets(note), strict=True):
        written = "\n".join(lines[section.line - 1 : section.end_line])
        pieces = pieces_of(written, headed=section.level > 0)
        if pieces.text or section.level or len(note.sections) == 1:
            yield {
                **_document(note, section, pieces),
                "facet": [*holds, *looks(pieces.written)],
                "modified": [modified] if modified else [],
            }


def _document(note: Note, section: Section, pieces: Pieces) -> dict[str, object]:
    above = section.trail if note.title in section.trail[:1] else (note.title, *section.trail)
    # What names the whole note is spelled once.
    named = (note.title, *note.meta.tags, *note.meta.aliases) if section in note.sections[:2] else ()
    stem = re.sub(r"\.[^./]+$", "", note.path)
    return {
        "file": [f"{note.hash}/{note.path}"],
        "lang": [note.lang],
        "tag": [tag.lower() for tag in note.meta.tags],
        "alias": [f"{alias}\t{note.title}" for alias in note.meta.aliases],
        "heading": section.heading,
        "sound": list(dict.fromkeys(spelled("\n".join((section.heading, *named))))),
        "trail": " / ".join((*above, *note.meta.tags, *note.meta.aliases, stem)),
        "body": f"{pieces.prose}\n{pieces.blocks}",
        "code": " ".join({*pieces.blocks.split(), *pieces.inline.split()}),  # how often does not matter
        "path": note.path,
        "title": section.heading,
        "line": section.line,
        "anchor": section.anchor,
        "language": note.lang,
        "note": note.title,
        "above": section.trail,
        "text": pieces.text[:LONGEST],
    }
