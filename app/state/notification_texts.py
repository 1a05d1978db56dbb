"""What the workspace tells of, worded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.runs.active_runs import TrustRequest
from app.widgets.notification import Notification, NotificationAction
from kb.notes.language import split_name
from kb.vault.shipped_notes import UpdatedNotes

_REACH = ("它不在隔离中运行，能访问你的文件和网络。", " It is not isolated: it can reach your files and the network.")
_NAMED = 3  # notes in a notice


def trust_asked(ask: TrustRequest, allow: Callable[[], object], *, isolated: bool) -> Notification:
    """Ask whether code of a vault may run."""
    reach = ("", "") if isolated else _REACH
    return Notification(
        f"“{ask.root.name}”不是随程序附带的笔记库。要允许运行其中的代码吗？只问这一次。{reach[0]}",
        f'"{ask.root.name}" did not come with this program. May code in it run? This is asked once.{reach[1]}',
        "asked", (NotificationAction("允许并运行", "Allow and run", allow),), topic="trust",
    )  # fmt: skip


def vault_first() -> Notification:
    """Tell that something has to wait until there is a vault."""
    return Notification(
        "请先决定笔记放在哪里。", "Choose first where your notes are kept.", topic="vault first", passing=True,
    )  # fmt: skip


def settings_broken(aside: Path) -> Notification:
    """Tell that a settings file could not be read, and where it is kept."""
    return Notification(
        f"设置文件已损坏，已改用默认设置；原文件保留在 {aside}。",
        f"A settings file was broken; the defaults are used and the file is kept as {aside}.", topic="settings",
    )  # fmt: skip


def index_rebuilt() -> Notification:
    """Tell that the index was of no more use, and is whole again."""
    return Notification(
        "搜索索引无法再用，已重新建立；笔记没有受到影响。",
        "The search index could not be used any more and has been built anew; no note was touched.", topic="rebuilt",
    )  # fmt: skip


def notes_renewed(did: UpdatedNotes) -> Notification:
    """Tell which notes that come with the program are others now, and which were left because they were edited."""
    updated, added, left = (_notes(paths) for paths in (did.updated, did.added, did.left))
    counts = ((updated, f"更新 {len(updated)} 篇", f"{len(updated)} updated"),
              (added, f"新增 {len(added)} 篇", f"{len(added)} new"))  # fmt: skip
    zh = "，".join(words for notes, words, _ in counts if notes)
    en = ", ".join(words for notes, _, words in counts if notes)
    kept = _left(left) if left else ("", "")
    return Notification(
        f"随程序附带的笔记有了新版本{f'：{zh}' if zh else ''}。{kept[0]}",
        f"The notes that come with the program are newer{f': {en}' if en else ''}.{kept[1]}", topic="renewed",
    )  # fmt: skip


def _left(notes: tuple[str, ...]) -> tuple[str, str]:
    more, names = len(notes) > _NAMED, notes[:_NAMED]
    stay = "you edited is left as it is" if len(notes) == 1 else "you edited are left as they are"
    return (f"你改过的 {len(notes)} 篇保持原样：{'、'.join(names)}{' 等' * more}。",
            f" {len(notes)} that {stay}: {', '.join(names)}{', …' * more}.")  # fmt: skip


def _notes(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(split_name(path)[0] for path in paths))
