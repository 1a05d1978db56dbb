"""What is being typed that can be completed: a link to a note, a heading, a tag, a snippet's name, a term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kb.lazy_regex import expression

Kind: TypeAlias = Literal["note", "heading", "anchor", "tag", "snippet", "term"]
_WIKI = expression(r"\[\[(?P<target>[^\[\]|#\n]*)(?:#(?P<heading>[^\[\]|\n]*))?$")
_LINK = expression(r"\]\((?P<target>[^()\s#<>:]*)#(?P<anchor>[^()\s#<>]*)$")
_SNIPPET = expression(r"\]\(<?snippet:(?P<name>[^()\s<>#]*)$")
_TAG = expression(r"(?:^[ \t]*-[ \t]+|^tags[ \t]*:[ \t]*\[?|[,，][ \t]*)[\"']?(?P<tag>[^\[\]\"',，:]*)$")
_KEY = expression(r"(?P<key>[A-Za-z_]+)[ \t]*:")
_TERM = expression(r"[A-Za-z][\w+-]*(?: [A-Za-z][\w+-]*){0,2}$|[\u3400-\u9fff]{1,8}$")
_CLOSES: dict[Kind, str] = {"note": "]]", "heading": "]]", "anchor": ")", "snippet": ")"}


@dataclass(frozen=True)
class CompletionContext:
    """What is to be completed: its kind, what of it is there, and the note whose headings are meant ("" for this)."""

    kind: Kind
    typed: str
    target: str = ""
    whole: str = ""  # what is replaced where that is more than what was typed: a link to a snippet without its words

    @property
    def replaced(self) -> str:
        """What before the caret is replaced by what is chosen."""
        return self.whole or self.typed

    @property
    def closes(self) -> str:
        """What is to follow once it is chosen."""
        return _CLOSES.get(self.kind, "")


@dataclass(frozen=True)
class CompletionItem:
    """One way to go on: its words, what is told of it, what takes the place of what was typed."""

    text: str
    told: str
    insert: str


def wanted(before: str, place: str, above: Callable[[], str], *, asked: bool = False) -> CompletionContext | None:
    """Return what can be completed behind `before`, the line up to the caret.

    `place` is what the line is ("text", "front", ...), `above` gives the key that a line of front matter belongs to.
    Terms are completed where it is `asked` for.
    """
    if place == "front":
        return _tag(before, above)
    if place != "text" or before.count("`") % 2:
        return None
    return _linked(before) or (_term(before) if asked else None)


def key_of(line: str) -> str:
    """Return the key that a line of front matter begins with; nothing where it begins with none."""
    found = _KEY.match(line)
    return found["key"].lower() if found else ""


def _linked(before: str) -> CompletionContext | None:
    if found := _WIKI.search(before):
        if found["heading"] is None:
            return CompletionContext("note", found["target"])
        return CompletionContext("heading", found["heading"], found["target"])
    if found := _SNIPPET.search(before):
        return CompletionContext(
            "snippet", found["name"], whole=f"[{found[0]}" if before.endswith(f"[{found[0]}") else ""
        )
    if found := _LINK.search(before):
        return CompletionContext("anchor", found["anchor"], found["target"])
    return None


def _tag(before: str, above: Callable[[], str]) -> CompletionContext | None:
    if (key_of(before) or above()) != "tags":
        return None
    found = _TAG.search(before)
    return CompletionContext("tag", found["tag"]) if found else None


def _term(before: str) -> CompletionContext | None:
    found = _TERM.search(before)
    return CompletionContext("term", found[0]) if found else None
