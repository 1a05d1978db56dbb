"""What the workspace tells of, worded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.parts.notice import Choice, Notice
from app.running.cells import Ask

_REACH = ("它不在隔离中运行，能访问你的文件和网络。", " It is not isolated: it can reach your files and the network.")


def trust_asked(ask: Ask, allow: Callable[[], object], *, isolated: bool) -> Notice:
    """Ask whether code of a vault may run."""
    reach = ("", "") if isolated else _REACH
    return Notice(
        f"“{ask.root.name}”不是随程序附带的笔记库。要允许运行其中的代码吗？只问这一次。{reach[0]}",
        f"“{ask.root.name}” did not come with this program. May code in it run? This is asked once.{reach[1]}",
        "asked", (Choice("允许并运行", "Allow and run", allow),), topic="trust",
    )  # fmt: skip


def settings_broken(aside: Path) -> Notice:
    """Tell that a settings file could not be read, and where it is kept."""
    return Notice(
        f"设置文件已损坏，已改用默认设置；原文件保留在 {aside}。",
        f"A settings file was broken; the defaults are used and the file is kept as {aside}.", topic="settings",
    )  # fmt: skip


def index_rebuilt() -> Notice:
    """Tell that the index was of no more use, and is whole again."""
    return Notice(
        "搜索索引无法再用，已重新建立；笔记没有受到影响。",
        "The search index could not be used any more and has been built anew; no note was touched.", topic="rebuilt",
    )  # fmt: skip
