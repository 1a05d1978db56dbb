"""What the editor says about the text and its file, in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kb.errors import KbError, SaveFailed
from kb.notes.note import Note

Kind: TypeAlias = Literal["saved", "unsaved", "saving", "failed", "conflict", "gone", "locked"]
MANY = 3  # failures in a row after which the sign stays until a save succeeds


@dataclass(frozen=True)
class SaveState:
    """Where the text stands. `error` is why it could not be saved or edited, `failures` how often in a row."""

    kind: Kind
    error: Exception | None = None
    failures: int = 0

    @property
    def lasting(self) -> bool:
        """Whether the failure is to be shown where nobody overlooks it."""
        return self.failures >= MANY

    @property
    def safe(self) -> bool:
        """Whether the file holds the text."""
        return self.kind in ("saved", "locked")

    def words(self) -> tuple[str, str]:
        """Return the state in a word or two, in Chinese and in English."""
        return {
            "saved": ("已保存", "Saved"),
            "unsaved": ("待保存", "Edited"),
            "saving": ("正在保存", "Saving"),
            "failed": ("未保存", "Not saved"),
            "conflict": ("两个版本", "Two versions"),
            "gone": ("文件已不在", "File is gone"),
            "locked": ("只读", "Read-only"),
        }[self.kind]

    def reason(self) -> tuple[str, str]:
        """Return why, in Chinese and in English; empty where there is nothing to explain."""
        if isinstance(self.error, SaveFailed):
            return self.error.reason_zh, self.error.reason
        if isinstance(self.error, KbError):
            return self.error.zh, self.error.en
        return (str(self.error), str(self.error)) if self.error else ("", "")


def reason_to_lock(note: Note, *, longest: int) -> Exception | None:
    """Return why a note cannot be edited, None if it can; `longest` is in characters."""
    if not note.form.lossless:
        return KbError(
            "some bytes of this file are no text in its encoding, and would be lost by saving it",
            "文件中有些字节不符合它的编码，保存会丢失这些内容",
        )
    if len(note.text) > longest:
        return KbError(
            f"with {len(note.text) // 1_000_000} million characters the note is too large to be edited here",
            f"这篇笔记有 {len(note.text) // 1_000_000} 百万字符，过长，不能在此编辑",
        )
    return None
