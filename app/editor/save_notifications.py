"""The sentences of the bar above the source, each with what can be done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from app.editor.save_state import SaveState
from app.widgets.notification import Notification, NotificationAction
from kb.vault.drafts import Draft

Act = Callable[[], object]


def of_draft(draft: Draft, *, changed: bool, restore: Act, discard: Act, compare: Act) -> Notification:
    """Offer a text that was typed and not saved; `changed` says that the file is another one since."""
    when = datetime.fromtimestamp(draft.kept_at, UTC).astimezone()
    since_zh = "此后文件又被改动过。" if changed else ""
    since_en = " The file has been changed since." if changed else ""
    return Notification(
        f"上次有未保存的文本（{when:%Y-%m-%d %H:%M}）。{since_zh}选择之前不会写入文件。",
        f"There is text of {when:%Y-%m-%d %H:%M} that was not saved.{since_en} Nothing is written until you choose.",
        "asked",
        (
            NotificationAction("恢复", "Restore", restore),
            NotificationAction("查看差异", "Show difference", compare),
            NotificationAction("丢弃", "Discard", discard),
        ),
        topic="draft",
    )


def of_conflict(state: SaveState, *, mine: Act, theirs: Act, both: Act, compare: Act) -> Notification:
    """Say that there are two versions."""
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
        "这篇笔记的文件已在别处被删除或移走。它不会被自动重新建立。",
        "The file of this note was deleted or moved elsewhere. It is not made again by itself.",
        "asked",
        (NotificationAction("在此重新保存", "Save again here", save_again), NotificationAction("关闭", "Close", close)),
        topic="gone",
    )


def of_failure(state: SaveState, *, retry: Act) -> Notification:
    """Say that saving goes on failing."""
    zh, en = state.reason()
    return Notification(
        f"已连续 {state.failures} 次未能保存：{zh}。文本留作草稿，仍会继续重试。",
        f"Saving has failed {state.failures} times: {en}. The text is kept as a draft, and saving is tried again.",
        "failed",
        (NotificationAction("立即重试", "Try now", retry),),
        topic="failed",
    )


def of_lock(state: SaveState) -> Notification:
    """Say why the note cannot be edited."""
    zh, en = state.reason()
    return Notification(f"只读：{zh}", f"Read-only: {en}", topic="locked")


def of_lost_draft(error: Exception) -> Notification:
    """Say that the text is nowhere but on the screen."""
    zh, en = SaveState("failed", error).reason()
    return Notification(
        f"未保存的文本无法留作草稿：{zh}。在保存成功之前请不要关闭窗口。",
        f"The text that is not saved could not be kept as a draft: {en}. Leave the window open until it is saved.",
        "failed",
        topic="draft-failed",
    )
