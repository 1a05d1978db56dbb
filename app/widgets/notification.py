"""A notification of the window: a sentence in both languages, and the actions it offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kb.errors import KbError
from snippets.errors import SnippetError

Kind: TypeAlias = Literal["told", "asked", "failed"]


@dataclass(frozen=True)
class NotificationAction:
    """A button of a notification: its label in both languages and what it does."""

    zh: str
    en: str
    act: Callable[[], object]


@dataclass(frozen=True)
class Notification:
    """A sentence for the bar above the page; it replaces an older one of the same `topic`."""

    zh: str
    en: str
    kind: Kind = "told"
    choices: tuple[NotificationAction, ...] = ()
    topic: str = ""
    passing: bool = False  # it disappears by itself after some seconds


def of_error(error: Exception, *, topic: str = "") -> Notification:
    """Return the notification for an error; errors of `kb` and `snippets` have a sentence in both languages."""
    if isinstance(error, KbError | SnippetError):
        return Notification(error.sentence("zh"), error.sentence("en"), "failed", topic=topic)
    return Notification(f"出错了：{error}", f"Something went wrong: {error}", "failed", topic=topic)
