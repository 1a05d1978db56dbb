"""Texts of the notifications that the workspace sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.runs.active_runs import TrustRequest
from app.widgets.notification import Notification, NotificationAction
from kb.notes.language import split_name
from kb.vault.shipped_notes import UpdatedNotes
from snippets.results.outcome import NOT_ISOLATED

_NAMED = 3  # notes named in a notification


def trust_asked(ask: TrustRequest, allow: Callable[[], object], *, isolated: bool) -> Notification:
    """Ask whether code of a vault may run; `allow` is called on consent."""
    zh, en = _reach(isolated=isolated)
    name = ask.root.name
    return Notification(
        f"“{name}”不是随程序附带的笔记库。要允许运行其中的代码吗？只问这一次。{zh}",
        f'"{name}" was not shipped with this program. Allow it to run code? You will not be asked again.{en}',
        "asked",
        (NotificationAction("允许并运行", "Allow and run", allow),),
        topic="trust",
    )


def code_asked(allow: Callable[[], object], allow_all: Callable[[], object], *, isolated: bool) -> Notification:
    """Ask whether new or changed code of a trusted vault may run; `allow_all` is to ask no more."""
    zh, en = _reach(isolated=isolated)
    return Notification(
        f"这段代码不是在这里写的：它来自导入，或在你允许此笔记库之后被其他程序改动过。要运行吗？{zh}",
        "This code was not written here: it was imported, or another program changed it since you allowed the vault."
        f" Run it?{en}",
        "asked",
        (
            NotificationAction("运行", "Run it", allow),
            NotificationAction("此笔记库不再询问", "Never ask in this vault", allow_all),
        ),
        topic="trust",
    )


def vault_first() -> Notification:
    """Return the notification that a command needs a vault first."""
    zh, en = "请先决定笔记放在哪里。", "Choose first where your notes are kept."
    return Notification(zh, en, topic="vault first", passing=True)


def settings_broken(aside: Path) -> Notification:
    """Return the notification that a settings file was unreadable and is kept as `aside`."""
    zh = f"设置文件已损坏，已改用默认设置；原文件保留在 {aside}。"
    en = f"A settings file was broken; the defaults are used and the file is kept as {aside}."
    return Notification(zh, en, topic="settings")


def index_rebuilt() -> Notification:
    """Return the notification that the index was damaged and has been rebuilt."""
    zh = "搜索索引无法再用，已重新建立；笔记没有受到影响。"
    en = "The search index was damaged and has been rebuilt; your notes were not touched."
    return Notification(zh, en, topic="rebuilt")


def notes_renewed(did: UpdatedNotes) -> Notification:
    """Return the notification that names the shipped notes updated or added, and the edited ones kept."""
    updated, added, left = (_notes(paths) for paths in (did.updated, did.added, did.left))
    counts = (
        (updated, f"更新 {len(updated)} 篇", f"{len(updated)} updated"),
        (added, f"新增 {len(added)} 篇", f"{len(added)} new"),
    )
    zh = "，".join(words for notes, words, _ in counts if notes)
    en = ", ".join(words for notes, _, words in counts if notes)
    kept = _left(left) if left else ("", "")
    return Notification(
        f"随程序附带的笔记有了新版本{f'：{zh}' if zh else ''}。{kept[0]}",
        f"The notes shipped with the program were updated{f': {en}' if en else ''}.{kept[1]}",
        topic="renewed",
    )


def _reach(*, isolated: bool) -> tuple[str, str]:
    """Return what to add to a question about code that would not be isolated."""
    return ("", "") if isolated else (f"{NOT_ISOLATED.zh}。", f" It is {NOT_ISOLATED.en}.")


def _left(notes: tuple[str, ...]) -> tuple[str, str]:
    more, names, count = len(notes) > _NAMED, notes[:_NAMED], len(notes)
    kept = "was kept as it is" if count == 1 else "were kept as they are"
    zh = f"你改过的 {count} 篇保持原样：{'、'.join(names)}{' 等' * more}。"
    return zh, f" {count} that you edited {kept}: {', '.join(names)}{', …' * more}."


def _notes(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(split_name(path)[0] for path in paths))
