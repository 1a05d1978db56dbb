"""Something the window has to say: a sentence in both languages and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kb.errors import KbError
from snippets.errors import SnippetError

Kind: TypeAlias = Literal["told", "asked", "failed"]


@dataclass(frozen=True)
class NotificationAction:
    """One answer to a notice: its words and what it does."""

    zh: str
    en: str
    act: Callable[[], object]


@dataclass(frozen=True)
class Notification:
    """A sentence for the strip above the page; `topic` replaces an older notice of the same topic."""

    zh: str
    en: str
    kind: Kind = "told"
    choices: tuple[NotificationAction, ...] = ()
    topic: str = ""
    passing: bool = False  # it matters for the moment only, and goes by itself


def of_error(error: Exception, *, topic: str = "") -> Notification:
    """Return what the window says of an error; ours have a sentence in both languages."""
    if isinstance(error, KbError | SnippetError):
        return Notification(error.sentence("zh"), error.sentence("en"), "failed", topic=topic)
    return Notification(f"出错了：{error}", f"Something went wrong: {error}", "failed", topic=topic)
