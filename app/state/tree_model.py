"""The notes of a vault as a tree of two levels: folders, and the notes in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.i18n import Translator
from app.state.vault_scanner import NoteFacts
from kb.notes.note_listing import NoteEntry

_NOW = 10.0  # seconds
_STEPS = ((60, "秒", "s"), (60, "分钟", "min"), (24, "小时", "h"), (10_000, "天", "d"))


def title_of(entry: NoteEntry, language: str) -> str:
    """Return an entry's title in the language where it has one."""
    return entry.titles.get(language) or next(iter(entry.titles.values()), "") or entry.name


def ago(seconds: float, words: Translator) -> str:
    """Return how long ago something was, in the largest unit that fits."""
    amount = max(0.0, seconds)
    if amount < _NOW:
        return words("刚刚", "just now")
    for size, zh, en in _STEPS:
        if amount < size:
            return words(f"{amount:.0f} {zh}前", f"{amount:.0f} {en} ago")
        amount /= size
    return ""


def seconds_since(moment: str) -> float:
    """Return how many seconds ago a moment in ISO 8601 was."""
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()


def folder_title(entry: NoteEntry, entries: Iterable[NoteEntry], side: str) -> str:
    """Return what the folder of a note is called: the title of its index among `entries`, or else its path.

    For the index itself it is the folder above, as its own title would be said twice.
    """
    index = f"{entry.folder}/index"
    if entry.key == index:
        return entry.folder.rpartition("/")[0].replace("/", " / ")
    own = next((one for one in entries if one.key == index), None)
    return title_of(own, side) if own is not None and entry.folder else entry.folder.replace("/", " / ")


AnyIndex = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1  # Entry, None for a folder
SIGN_ROLE = Qt.ItemDataRole.UserRole + 2  # (status, count)
_DRAGGED = "application/x-torchleaf-note"
SIGN_WORDS = {
    "passed": ("通过", "passed"),
    "failed": ("失败", "failed"),
    "stale": ("待重跑", "stale"),
    "never": ("未运行", "not run"),
    "unavailable": ("此处不可用", "unavailable here"),
}


@dataclass(frozen=True)
class Folder:
    """A folder with its caption and the notes that lie in it directly."""

    path: str
    captions: tuple[str, ...]  # in Chinese and English where both are known
    entries: tuple[NoteEntry, ...]
    own: NoteEntry | None = None  # the folder's own note, index: the caption leads to it


class TreeModel(QAbstractItemModel):
    """Folders on the first level, notes on the second; notes at the root come first, under the vault's own name."""

    dragged = Signal(str, str)  # a note's key, and the folder that it was dropped on

    def __init__(self, words: Translator, facts: Mapping[str, NoteFacts], parent: QObject) -> None:
        """Hold nothing; `facts` is read when a row is painted."""
        super().__init__(parent)
        self._words = words
        self._facts = facts
        self.folders: tuple[Folder, ...] = ()
        self._places: dict[str, tuple[int, int]] = {}  # of notes, by key: folder, and place in it

    def set_entries(self, entries: Sequence[NoteEntry], *, tag: str = "") -> None:
        """Show these notes, or those of them that have the tag."""
        self.beginResetModel()
        self.folders = folders_of(entries, tag)
        self._places = {
            one.key: (row, at) for row, folder in enumerate(self.folders) for at, one in enumerate(folder.entries)
        }
        self.endResetModel()

    def set_facts(self, facts: Mapping[str, NoteFacts]) -> None:
        """Read signs from here from now on."""
        self._facts = facts

    def find(self, key: str) -> QModelIndex:
        """Return where the note of this key stands."""
        if (place := self._places.get(key)) is not None:
            return self.createIndex(place[1], 0, place[0] + 1)
        own = (row for row, folder in enumerate(self.folders) if folder.own is not None and folder.own.key == key)
        return self.index(row, 0) if (row := next(own, None)) is not None else QModelIndex()

    def folder_of(self, index: AnyIndex) -> str:
        """Return the path of the folder that a row stands for or lies in; empty for the root."""
        row = index.internalId() - 1 if index.internalId() else index.row()
        return self.folders[row].path if index.isValid() else ""

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Let notes be dragged, and dropped on a folder or beside a note of it."""
        plain = super().flags(index) | Qt.ItemFlag.ItemIsDropEnabled
        return plain | Qt.ItemFlag.ItemIsDragEnabled if self._entry(index) is not None else plain

    def mimeTypes(self) -> list[str]:
        """Return the one kind of thing that is dragged here."""
        return [_DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Carry a note's key."""
        data = QMimeData()
        entries = [entry for index in indexes if (entry := self._entry(index)) is not None]
        if entries:
            data.setData(_DRAGGED, entries[0].key.encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        """Say that notes are moved, not copied."""
        return Qt.DropAction.MoveAction

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: AnyIndex) -> bool:
        """Tell where a note is to go; the rows follow when the files have moved, so none is taken out here."""
        if action == Qt.DropAction.MoveAction and data.hasFormat(_DRAGGED):
            # Between two folders' captions is no folder; after the last note of one is that one.
            index = parent if parent.isValid() else self.index(max(row - 1, 0), max(0, column))
            self.dragged.emit(bytes(data.data(_DRAGGED).data()).decode(), self.folder_of(index))
        return False

    def retell(self, keys: frozenset[str]) -> None:
        """Have the signs of these notes painted again, one by one: a view measures all the rows of a range."""
        for key in keys:
            if (place := self._places.get(key)) is not None:
                index = self.createIndex(place[1], 0, place[0] + 1)
                self.dataChanged.emit(index, index, [SIGN_ROLE])

    def index(self, row: int, column: int, parent: AnyIndex = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own
        """Return the index of a folder (internal id 0) or of a note (id of its folder's row, from 1)."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: AnyIndex = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008 - Qt's own
        """Return a note's folder."""
        within = index.internalId() if index.isValid() else 0
        return self.createIndex(within - 1, 0, 0) if within else QModelIndex()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        """Return how many folders, or notes in a folder."""
        if not parent.isValid():
            return len(self.folders)
        return 0 if parent.internalId() else len(self.folders[parent.row()].entries)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: ARG002, B008 - Qt's own
        """Return 1."""
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a caption or title, the entry, its sign, or the words of both for a screen reader."""
        entry = self._entry(index)
        if role == ENTRY_ROLE:
            return entry if entry is not None or not index.isValid() else self.folders[index.row()].own
        if entry is None:
            return self._caption(index) if role == Qt.ItemDataRole.DisplayRole and index.isValid() else None
        if role == Qt.ItemDataRole.DisplayRole:
            return title_of(entry, self._words.language)
        if role == SIGN_ROLE:
            return self._sign(entry)
        if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return self._told(entry)
        return None

    def _entry(self, index: AnyIndex) -> NoteEntry | None:
        if not index.isValid() or not index.internalId():
            return None
        return self.folders[index.internalId() - 1].entries[index.row()]

    def _caption(self, index: AnyIndex) -> str:
        captions = self.folders[index.row()].captions
        return "  ".join(captions).upper() if captions else self._words("笔记", "Notes").upper()

    def _sign(self, entry: NoteEntry) -> tuple[str, int]:
        facts = self._facts.get(entry.key)
        return facts.sign if facts else ("", 0)

    def _told(self, entry: NoteEntry) -> str:
        status, count = self._sign(entry)
        titles = " / ".join(dict.fromkeys(entry.titles.values())) or entry.name
        if not status:
            return titles
        return f"{titles}\n{self._words('代码片段', 'Snippets')}: {count} {self._words(*SIGN_WORDS[status])}"


def folders_of(entries: Sequence[NoteEntry], tag: str = "") -> tuple[Folder, ...]:
    """Group notes by folder. A folder's own note, index, gives it its caption."""
    groups: dict[str, list[NoteEntry]] = {}
    own: dict[str, NoteEntry] = {}
    for entry in entries:
        if entry.name == "index" and entry.folder:
            own[entry.folder] = entry
            if not tag:
                groups.setdefault(entry.folder, [])
        elif not tag or tag in entry.tags:
            groups.setdefault(entry.folder, []).append(entry)
    return tuple(
        Folder(path, _captions(path, own.get(path)), tuple(groups[path]), own.get(path)) for path in sorted(groups)
    )


def tags_of(entries: Sequence[NoteEntry]) -> tuple[tuple[str, int], ...]:
    """Return the tags with how many notes have each, the commonest first."""
    counts: dict[str, int] = {}
    for entry in entries:
        for tag in entry.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _captions(path: str, own: NoteEntry | None) -> tuple[str, ...]:
    """Return the folder's name in each language, Chinese first as on a page of two columns; else its path."""
    if own is not None:
        sides = [own.titles[side] for side in ("zh", "en", "") if side in own.titles]
        return tuple(dict.fromkeys(sides))
    return (path.replace("/", " / "),) if path else ()
