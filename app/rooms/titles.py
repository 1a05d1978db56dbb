"""What an entry of the vault is called, and how long ago something was, in the language of the interface."""

from __future__ import annotations

from datetime import UTC, datetime

from app.words import Words
from kb.entries import Entry

_NOW = 10.0  # seconds
_STEPS = ((60, "秒", "s"), (60, "分钟", "min"), (24, "小时", "h"), (10_000, "天", "d"))


def title_of(entry: Entry, language: str) -> str:
    """Return an entry's title in the language where it has one."""
    return entry.titles.get(language) or next(iter(entry.titles.values()), "") or entry.name


def ago(seconds: float, words: Words) -> str:
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
