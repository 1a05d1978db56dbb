"""Recently opened notes and sections of a vault, kept in the vault's state without deleted ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.executor import GuiExecutor
from app.notebook.note_loader import OpenNote
from app.state.settings import SettingsStore
from app.state.tree_model import title_of
from app.widgets.list_delegates import Row
from kb.errors import KbError
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault

MOST = 12  # entries
EACH = 3  # sections of one note
_BETWEEN = "\t"  # separates path, anchor and heading in the state; anchor and heading contain none


@dataclass(frozen=True)
class Recent:
    """An opened note, or a section of it with its heading at that time."""

    path: str
    anchor: str = ""
    heading: str = ""


def read(kept: str) -> Recent:
    """Parse a line of the state; older versions wrote only the path."""
    path, *rest = kept.rsplit(_BETWEEN, 2)
    return Recent(path, *rest) if len(rest) == 2 else Recent(kept)  # noqa: PLR2004


def visited(before: Sequence[str], note: OpenNote) -> tuple[str, ...]:
    """Return the lines to keep after a note was opened, newest first."""
    now = Recent(note.place.path, note.place.anchor, _heading(note))
    counts: dict[str, int] = {}
    kept: list[str] = []
    for one in (now, *map(read, before)):
        counts[one.path] = counts.get(one.path, 0) + 1
        if (one is now or (one.path, one.anchor) != (now.path, now.anchor)) and counts[one.path] <= EACH + 1:
            kept.append(_BETWEEN.join((one.path, one.anchor, one.heading)))
    return tuple(kept[:MOST])


def follow(memory: SettingsStore, moves: Mapping[str, str]) -> None:
    """Replace the paths of moved files in the state: open note, tabs and recent notes."""
    state = memory.state
    lines = (line.replace(path, moves.get(path, path), 1) for line in state.recent for path in (read(line).path,))
    tabs = tuple(dict.fromkeys(moves.get(tab, tab) for tab in state.tabs))  # a deleted file may have had the new name
    tabs = tabs if len(tabs) > 1 else ()
    memory.set_state(note=moves.get(state.note, state.note), tabs=tabs, recent=tuple(lines))


def prune(
    memory: SettingsStore,
    vault: Vault,
    entries: Iterable[NoteEntry],
    *,
    executor: GuiExecutor,
    still: Callable[[], bool],
    tabs_changed: Callable[[], object],
) -> None:
    """Remove deleted notes and sections from the recent ones and the tabs, if the vault is `still` open.

    The tab in view stays. `tabs_changed` is called if a tab was removed. Without entries nothing is removed:
    the folder may be on a disk that is not mounted.
    """
    kept = (*memory.state.recent, *memory.state.tabs)
    paths = frozenset(path for entry in entries for path in entry.paths.values())

    def forget(lost: frozenset[str]) -> None:
        if lost and still():
            state = memory.state
            tabs = tuple(tab for tab in state.tabs if tab not in lost or tab == state.note)
            recent = tuple(line for line in state.recent if line not in lost)
            memory.set_state(recent=recent, tabs=tabs if len(tabs) > 1 else ())
            if tabs != state.tabs:
                tabs_changed()

    if paths and kept:
        executor.run(lambda: gone(kept, vault, paths), forget, lambda _: None)


def gone(kept: Iterable[str], vault: Vault, paths: frozenset[str]) -> frozenset[str]:
    """Return the lines whose note is not among `paths` or has lost the section. Reads files: not on the GUI thread."""
    return frozenset(line for line in kept if not _is_there(read(line), vault, paths))


def rows(kept: Iterable[str], entries: Sequence[NoteEntry], language: str) -> tuple[Row, ...]:
    """Return a row for each line whose note exists; a note opened in both languages gets one row."""
    by_path = {path: entry for entry in entries for path in entry.paths.values()}
    found: dict[tuple[str, str], Row] = {}
    for one in map(read, kept):
        if (entry := by_path.get(one.path)) is not None:
            title = title_of(entry, language)
            heading = "" if one.heading in entry.titles.values() else one.heading  # else the title would be shown twice
            above = [*entry.folder.split("/"), title] if heading else entry.folder.split("/")
            place = " / ".join(part for part in above if part)
            row = Row(heading or title, place, "", "", "", (), one.path, one.anchor, 0)
            found.setdefault((entry.key, heading or title), row)
    return tuple(found.values())


def _heading(note: OpenNote) -> str:
    sections = (section for page in note.pages.values() for section in page.sections)
    return next((s.heading for s in sections if s.anchor == note.place.anchor and s.anchor), "").replace(_BETWEEN, " ")


def _is_there(recent: Recent, vault: Vault, paths: frozenset[str]) -> bool:
    if recent.path not in paths:
        return False
    if not recent.anchor:
        return True
    try:
        return any(section.anchor == recent.anchor for section in vault.read(recent.path).sections)
    except KbError:
        return True  # unreadable now: the section may exist
