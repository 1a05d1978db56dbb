"""Tree model of a vault's notes, two levels deep (folders and their notes), and the texts it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.i18n import Translator
from app.state.vault_scanner import NoteFacts
from kb.notes.note_listing import NoteEntry

AnyIndex = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1  # NoteEntry, None for a folder without an index note
SIGN_ROLE = Qt.ItemDataRole.UserRole + 2  # (status, count)
SIGN_WORDS = {
    "passed": ("通过", "passed"),
    "failed": ("失败", "failed"),
    "stale": ("待重跑", "stale"),
    "never": ("未运行", "not run"),
    "unavailable": ("此处不可用", "unavailable here"),
}
_DRAGGED = "application/x-torchleaf-note"
_NOW = 10.0  # seconds shown as "just now"
_UNITS = ((60, "秒", "s"), (60, "分钟", "min"), (24, "小时", "h"), (10_000, "天", "d"))  # size in the unit before


def title_of(entry: NoteEntry, language: str) -> str:
    """Return an entry's title in this language if it has one, else in another, else its name."""
    return entry.titles.get(language) or next(iter(entry.titles.values()), "") or entry.name


def ago(seconds: float, words: Translator) -> str:
    """Return "3 h ago" or the like, in the largest unit that fits; negative `seconds` count as 0."""
    amount = max(0.0, seconds)
    if amount < _NOW:
        return words("刚刚", "just now")
    for size, zh, en in _UNITS:
        if amount < size:
            return words(f"{amount:.0f} {zh}前", f"{amount:.0f} {en} ago")
        amount /= size
    return ""


def seconds_since(moment: str) -> float:
    """Return the seconds since a moment in ISO 8601 with a time zone."""
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()


def folder_title(entry: NoteEntry, entries: Iterable[NoteEntry], side: str) -> str:
    """Return the name of a note's folder: the title of its index note among `entries`, else its path.

    For an index note it is the path of the parent folder, because its own title is already shown.
    """
    index = f"{entry.folder}/index"
    if entry.key == index:
        return entry.folder.rpartition("/")[0].replace("/", " / ")
    own = next((one for one in entries if one.key == index), None)
    return title_of(own, side) if own is not None and entry.folder else entry.folder.replace("/", " / ")


@dataclass(frozen=True)
class Folder:
    """A folder with its captions and the notes directly in it."""

    path: str
    captions: tuple[str, ...]  # Chinese first; one if the other is unknown
    entries: tuple[NoteEntry, ...]
    own: NoteEntry | None = None  # the folder's index note, opened by its caption


class TreeModel(QAbstractItemModel):
    """Folders on the first level, notes on the second; notes at the root of the vault come first."""

    dragged = Signal(str, str)  # key of a note, path of the folder it was dropped on

    def __init__(self, words: Translator, facts: Mapping[str, NoteFacts], parent: QObject) -> None:
        """Start empty; `facts`, by entry key, is read when a row is painted."""
        super().__init__(parent)
        self._words = words
        self._facts = facts
        self.folders: tuple[Folder, ...] = ()
        self._places: dict[str, tuple[int, int]] = {}  # by key of a note: row of its folder, row in it

    def set_entries(self, entries: Sequence[NoteEntry], *, tag: str = "") -> None:
        """Show these notes, or only those with the tag."""
        self.beginResetModel()
        self.folders = folders_of(entries, tag)
        self._places = {
            one.key: (row, at) for row, folder in enumerate(self.folders) for at, one in enumerate(folder.entries)
        }
        self.endResetModel()

    def set_facts(self, facts: Mapping[str, NoteFacts]) -> None:
        """Read the facts of notes from this mapping from now on."""
        self._facts = facts

    def find(self, key: str) -> QModelIndex:
        """Return the index of the note with this key; invalid if it is not shown."""
        if (place := self._places.get(key)) is not None:
            return self.createIndex(place[1], 0, place[0] + 1)
        own = (row for row, folder in enumerate(self.folders) if folder.own is not None and folder.own.key == key)
        return self.index(row, 0) if (row := next(own, None)) is not None else QModelIndex()

    def folder_of(self, index: AnyIndex) -> str:
        """Return the path of the folder at this index, or of the folder of its note; "" for the root."""
        row = index.internalId() - 1 if index.internalId() else index.row()
        return self.folders[row].path if index.isValid() else ""

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Allow dragging notes, and dropping them on a folder or between its notes."""
        plain = super().flags(index) | Qt.ItemFlag.ItemIsDropEnabled
        return plain | Qt.ItemFlag.ItemIsDragEnabled if self._entry(index) is not None else plain

    def mimeTypes(self) -> list[str]:
        """Return the MIME type of a dragged note."""
        return [_DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the key of the dragged note as MIME data."""
        data = QMimeData()
        entries = [entry for index in indexes if (entry := self._entry(index)) is not None]
        if entries:
            data.setData(_DRAGGED, entries[0].key.encode())
        return data

    def supportedDropActions(self) -> Qt.DropAction:
        """Allow moving only."""
        return Qt.DropAction.MoveAction

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: AnyIndex) -> bool:
        """Emit `dragged` and return False: the rows change when the files have moved, so Qt must remove none."""
        if action == Qt.DropAction.MoveAction and data.hasFormat(_DRAGGED):
            # Between two captions there is no parent: take the folder of the row above.
            index = parent if parent.isValid() else self.index(max(row - 1, 0), max(0, column))
            self.dragged.emit(bytes(data.data(_DRAGGED).data()).decode(), self.folder_of(index))
        return False

    def update_titles(self, keys: frozenset[str]) -> None:
        """Repaint the signs of these notes, one signal each: for a range, a view measures all its rows."""
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
        """Return the number of folders, or of notes in a folder."""
        if not parent.isValid():
            return len(self.folders)
        return 0 if parent.internalId() else len(self.folders[parent.row()].entries)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: ARG002, B008 - Qt's own
        """Return 1."""
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a caption or title, the entry, its sign, or tooltip and accessible text."""
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
            return self._tooltip(entry)
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

    def _tooltip(self, entry: NoteEntry) -> str:
        status, count = self._sign(entry)
        titles = " / ".join(dict.fromkeys(entry.titles.values())) or entry.name
        if not status:
            return titles
        return f"{titles}\n{self._words('代码片段', 'Snippets')}: {count} {self._words(*SIGN_WORDS[status])}"


def folders_of(entries: Sequence[NoteEntry], tag: str = "") -> tuple[Folder, ...]:
    """Group notes by folder, sorted by path, with a tag if one is given; index notes give folders their captions."""
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
    """Return each tag with its number of notes, most frequent first."""
    counts: dict[str, int] = {}
    for entry in entries:
        for tag in entry.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _captions(path: str, own: NoteEntry | None) -> tuple[str, ...]:
    """Return the folder's title in each language, Chinese first as on a two-column page; else its path."""
    if own is not None:
        sides = [own.titles[side] for side in ("zh", "en", "") if side in own.titles]
        return tuple(dict.fromkeys(sides))
    return (path.replace("/", " / "),) if path else ()
