"""What was opened lately in a vault, note by section: kept with the state of the window, and pruned of what is gone."""

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

MOST = 12
EACH = 3  # sections of one note
_BETWEEN = "\t"  # path, anchor and heading in the file of the state; neither of the last two holds one


@dataclass(frozen=True)
class Recent:
    """A place that was opened: a note, or a section of it with the heading that it had."""

    path: str
    anchor: str = ""
    heading: str = ""


def read(kept: str) -> Recent:
    """Return what a line of the state stands for; one of an older version is a path alone."""
    path, *rest = kept.rsplit(_BETWEEN, 2)
    return Recent(path, *rest) if len(rest) == 2 else Recent(kept)  # noqa: PLR2004


def visited(before: Sequence[str], note: OpenNote) -> tuple[str, ...]:
    """Return what is kept once a note has been opened at its place, the newest first."""
    now = Recent(note.place.path, note.place.anchor, _heading(note))
    counts: dict[str, int] = {}
    kept: list[str] = []
    for one in (now, *map(read, before)):
        counts[one.path] = counts.get(one.path, 0) + 1
        if (one is now or (one.path, one.anchor) != (now.path, now.anchor)) and counts[one.path] <= EACH + 1:
            kept.append(_BETWEEN.join((one.path, one.anchor, one.heading)))
    return tuple(kept[:MOST])


def follow(memory: SettingsStore, moves: Mapping[str, str]) -> None:
    """Remember files that were moved by the paths that they have now: the open one, those in tabs, the recent ones."""
    state = memory.state
    lines = (line.replace(path, moves.get(path, path), 1) for line in state.recent for path in (read(line).path,))
    tabs = tuple(dict.fromkeys(moves.get(tab, tab) for tab in state.tabs))  # a file that is gone may have had the name
    memory.set_state(
        note=moves.get(state.note, state.note), tabs=tabs if len(tabs) > 1 else (), recent=tuple(lines)
    )  # fmt: skip


def prune(
    memory: SettingsStore,
    vault: Vault,
    entries: Iterable[NoteEntry],
    *,
    door: GuiExecutor,
    still: Callable[[], bool],
    told: Callable[[], object],
) -> None:
    """Forget what is gone from a vault with these entries, if it is `still` the one that is open.

    So do tabs, but for the one in view; `told` is called then. An empty folder may be a disk that is not there:
    nothing is gone from it.
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
                told()

    if paths and kept:
        door.run(lambda: gone(kept, vault, paths), forget, lambda _: None)


def gone(kept: Iterable[str], vault: Vault, paths: frozenset[str]) -> frozenset[str]:
    """Return which of them are no more in a vault that has notes at `paths`; it reads files, so off the GUI thread."""
    return frozenset(line for line in kept if not _is_there(read(line), vault, paths))


def rows(kept: Iterable[str], entries: Sequence[NoteEntry], language: str) -> tuple[Row, ...]:
    """Return the rows of what is still there; a note that was opened in both languages is there once."""
    by_path = {path: entry for entry in entries for path in entry.paths.values()}
    found: dict[tuple[str, str], Row] = {}
    for one in map(read, kept):
        if (entry := by_path.get(one.path)) is not None:
            title = title_of(entry, language)
            heading = "" if one.heading in entry.titles.values() else one.heading  # the title is not said twice
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
        return True  # it cannot be read now, which says nothing about the section
