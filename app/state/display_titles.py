"""What an entry of the vault is called, and how long ago something was, in the language of the interface."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from app.i18n import Translator
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
