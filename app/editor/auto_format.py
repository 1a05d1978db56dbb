"""What Enter, Backspace, Tab and paste do in Markdown, as functions on plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.lazy_regex import expression

_ITEM = expression(
    r"(?P<indent>[ \t]*)(?P<quote>(?:>[ \t]?)*)(?P<inner>[ \t]*)"
    r"(?:(?P<bullet>[-*+])|(?P<number>\d{1,9})(?P<dot>[.)]))(?P<gap>[ \t]+)(?P<task>\[[ xX]\][ \t])?"
)
_QUOTE = expression(r"[ \t]*(?:>[ \t]?)+")
_LEADING = expression(r"[ \t]*")
_FENCE = expression(r"(?P<indent>[ \t]*)(?P<marker>`{3,}|~{3,})(?P<info>[^`]*)$")
_URL = expression(r"(?:https?|ftp)://\S+|mailto:\S+@\S+")
_STEP = 4  # columns of one indent in code


@dataclass(frozen=True)
class KeyEdit:
    """An edit at the caret: remove characters before it, insert text before it, and insert text `behind` it."""

    remove: int = 0
    insert: str = ""
    behind: str = ""


def on_enter(before: str, after: str) -> KeyEdit:
    """Return the edit of Enter in a line of prose, given the line's text before and after the caret."""
    if item := _ITEM.match(before):
        if item.end() == len(before) and not after.strip():
            return _end_list(before, item)
        return KeyEdit(insert="\n" + _next_marker(item))
    quote = _QUOTE.match(before)
    if quote and quote.end() == len(before) and not after.strip():
        return KeyEdit(remove=len(before))
    return KeyEdit(insert="\n" + (quote[0] if quote else _leading(before)))


def on_enter_in_code(before: str, *, python: bool) -> KeyEdit:
    """Return the edit of Enter in a code fence: it keeps the indent, and increases it after a colon in Python."""
    deeper = python and before.split("#", 1)[0].rstrip().endswith(":")
    return KeyEdit(insert="\n" + _leading(before) + " " * _STEP * deeper)


def on_enter_at_fence(line: str, below: str) -> KeyEdit:
    """Return the edit of Enter after the opening line of a fence: it closes the fence if nothing below does."""
    fence = _FENCE.match(line)
    if fence is None:
        return KeyEdit(insert="\n")
    marker = fence["marker"]
    others = sum(1 for text in below.split("\n") if text.lstrip(" \t>").startswith(marker))
    closing = "" if others % 2 else f"\n{fence['indent']}{marker}"
    return KeyEdit(insert="\n" + fence["indent"], behind=closing)


def on_backspace(before: str) -> KeyEdit:
    """Return the edit of Backspace after a list marker: it removes the task box first, then the whole marker."""
    item = _ITEM.match(before)
    if item is None or item.end() != len(before):
        return KeyEdit()
    return KeyEdit(remove=len(item["task"] or "") or len(before) - len(item["indent"] + item["quote"] + item["inner"]))


def indented(line: str) -> str:
    """Return the line indented by one level: the width of a list marker, else four columns."""
    return " " * _width(line) + line if line.strip() else line


def outdented(line: str) -> str:
    """Return the line with one level of indent removed."""
    if line.startswith("\t"):
        return line[1:]
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, _width(line)) :]


def indent_of(line: str) -> int:
    """Return the number of spaces and tabs at the start of a line."""
    return len(_leading(line))


def is_item(line: str) -> bool:
    """Return whether a line begins a list item."""
    return _ITEM.match(line) is not None


def spaces_to_stop(before: str) -> str:
    """Return the spaces from the caret to the next tab stop of four columns."""
    return " " * (_STEP - len(before.expandtabs(_STEP)) % _STEP)


def linked(selected: str, pasted: str) -> str | None:
    """Return the Markdown link for a web address pasted over a selection, or None."""
    address = pasted.strip()
    if not selected.strip() or "\n" in selected or _URL.fullmatch(selected.strip()) or not _URL.fullmatch(address):
        return None
    return f"[{selected}](<{address}>)" if re.search(r"[()\s]", address) else f"[{selected}]({address})"


def _end_list(before: str, item: re.Match[str]) -> KeyEdit:
    """End a list at an empty item: a nested item moves out by one level, another one becomes plain text."""
    if item["inner"] or (item["indent"] and not item["quote"]):
        return KeyEdit(remove=len(before), insert=outdented(before))
    return KeyEdit(remove=len(before) - len(item["indent"] + item["quote"]))


def _next_marker(item: re.Match[str]) -> str:
    marker = item["bullet"] or f"{int(item['number']) + 1}{item['dot']}"
    task = "[ ] " if item["task"] else ""
    return item["indent"] + item["quote"] + item["inner"] + marker + item["gap"] + task


def _width(line: str) -> int:
    item = _ITEM.match(line)
    if item is None:
        return _STEP
    return len((item["bullet"] or item["number"] + item["dot"]) + " ")


def _leading(line: str) -> str:
    found = _LEADING.match(line)
    return found[0] if found else ""
