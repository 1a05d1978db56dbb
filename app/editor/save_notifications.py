"""The save state of a note, and the notifications about it, each with its actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from app.widgets.notification import Notification, NotificationAction
from kb.errors import KbError, SaveFailed
from kb.notes.note import Note
from kb.vault.drafts import Draft

Kind: TypeAlias = Literal["saved", "unsaved", "saving", "failed", "conflict", "gone", "locked"]
MANY = 3  # failures in a row after which a notification stays until a save succeeds


@dataclass(frozen=True)
class SaveState:
    """Whether the text is saved; `error` is why it is not or why it is read-only, `failures` how often in a row."""

    kind: Kind
    error: Exception | None = None
    failures: int = 0

    @property
    def lasting(self) -> bool:
        """Whether saving failed often enough for a notification."""
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
        """Return the error in Chinese and in English, or empty strings."""
        if isinstance(self.error, SaveFailed):
            return self.error.reason_zh, self.error.reason
        if isinstance(self.error, KbError):
            return self.error.zh, self.error.en
        return (str(self.error), str(self.error)) if self.error else ("", "")


def reason_to_lock(note: Note, *, longest: int) -> Exception | None:
    """Return why a note cannot be edited, or None; `longest` is in characters."""
    if not note.form.lossless:
        return KbError(
            "some bytes of this file are not valid in its encoding, and saving would lose them",
            "文件中有些字节不符合它的编码，保存会丢失这些内容",
        )
    if len(note.text) > longest:
        return KbError(
            f"a note of {len(note.text) // 1_000_000} million characters is too large to be edited here",
            f"这篇笔记有 {len(note.text) // 1_000_000} 百万字符，过长，不能在此编辑",
        )
    return None


Act = Callable[[], object]


def of_draft(draft: Draft, *, changed: bool, restore: Act, discard: Act, compare: Act) -> Notification:
    """Offer an unsaved text of an earlier session; `changed` says that the file was modified since."""
    when = datetime.fromtimestamp(draft.kept_at, UTC).astimezone()
    since_zh = "此后文件又被改动过。" if changed else ""
    since_en = " The file has been changed since." if changed else ""
    return Notification(
        f"上次有未保存的文本（{when:%Y-%m-%d %H:%M}）。{since_zh}选择之前不会写入文件。",
        f"There is unsaved text from {when:%Y-%m-%d %H:%M}.{since_en} Nothing is written until you choose.",
        "asked",
        (
            NotificationAction("恢复", "Restore", restore),
            NotificationAction("查看差异", "Show difference", compare),
            NotificationAction("丢弃", "Discard", discard),
        ),
        topic="draft",
    )


def of_conflict(state: SaveState, *, mine: Act, theirs: Act, both: Act, compare: Act) -> Notification:
    """Say that there are two versions of the note."""
    zh, en = state.reason()
    return Notification(
        "另一个程序改动了这篇笔记，而这里也有改动。两个版本都保留着。" + (f"（{zh}）" if zh else ""),
        "Another program changed this note, and so did you. Both versions are kept." + (f" ({en})" if en else ""),
        "asked",
        (
            NotificationAction("两者都保留", "Keep both", both),
            NotificationAction("保留我的", "Keep mine", mine),
            NotificationAction("采用对方的", "Take theirs", theirs),
            NotificationAction("查看差异", "Show difference", compare),
        ),
        topic="conflict",
    )


def of_gone(*, save_again: Act, close: Act) -> Notification:
    """Say that the file was deleted."""
    return Notification(
        "这篇笔记的文件已被其他程序删除或移走，不会自动重建。",
        "The file of this note was deleted or moved elsewhere. It is not recreated automatically.",
        "asked",
        (NotificationAction("在此重新保存", "Save again here", save_again), NotificationAction("关闭", "Close", close)),
        topic="gone",
    )


def of_failure(state: SaveState, *, retry: Act) -> Notification:
    """Say that saving keeps failing."""
    zh, en = state.reason()
    return Notification(
        f"已连续 {state.failures} 次未能保存：{zh}。文本留作草稿，仍会继续重试。",
        f"Saving has failed {state.failures} times: {en}. The text is kept as a draft, and saving will be retried.",
        "failed",
        (NotificationAction("立即重试", "Try now", retry),),
        topic="failed",
    )


def of_lock(state: SaveState) -> Notification:
    """Say why the note cannot be edited."""
    zh, en = state.reason()
    return Notification(f"只读：{zh}", f"Read-only: {en}", topic="locked")


def of_lost_draft(error: Exception) -> Notification:
    """Say that the text exists only on screen."""
    zh, en = SaveState("failed", error).reason()
    return Notification(
        f"未保存的文本无法留作草稿：{zh}。在保存成功之前请不要关闭窗口。",
        f"The unsaved text could not be kept as a draft: {en}. Keep the window open until it is saved.",
        "failed",
        topic="draft-failed",
    )
