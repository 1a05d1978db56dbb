"""Which signs come in pairs: what typing one adds, and what it puts around words that are selected."""

from __future__ import annotations

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
# Chinese signs are typed through an input method, which gives the closing one by itself where it has to be typed.
_CHINESE = {"（": "）", "「": "」", "『": "』", "【": "】", "《": "》", "〈": "〉", "“": "”", "‘": "’"}
_QUOTES = {'"': '"', "'": "'"}
_MARKERS = {mark: mark for mark in "*_`~$"}
_CLOSES = frozenset((*_BRACKETS.values(), *_CHINESE.values()))
_BEFORE = _CLOSES | frozenset(".,;:!?。，、；：！？\"'`")  # what may follow a pair that is opened


def closing(char: str, before: str, after: str, *, code: bool) -> str:
    """Return what belongs behind a sign that was typed between two texts; nothing where one sign is meant alone."""
    if after and not after[0].isspace() and after[0] not in _BEFORE:
        return ""
    if before.endswith("\\"):
        return ""
    if char == "`":
        return "" if code or before.endswith("`") or after.startswith("`") else "`"
    if char in _QUOTES:
        return char if _opens(char, before, code=code) and not after.startswith(char) else ""
    return _BRACKETS.get(char) or ("" if code else _CHINESE.get(char, ""))


def around(char: str, selected: str, *, code: bool) -> tuple[str, str] | None:
    """Return what goes before and behind a selection over which a sign is typed; None where it takes its place."""
    if char in _MARKERS:
        return None if code or "\n" in selected or not selected.strip() else (char, char)
    closes = _BRACKETS.get(char) or _CHINESE.get(char) or _QUOTES.get(char)
    return (char, closes) if closes else None


def _opens(quote: str, before: str, *, code: bool) -> bool:
    """Tell whether a straight quote begins something: one that follows a letter is an apostrophe, or an end."""
    if before.endswith(quote) or (quote == "'" and not code):
        return False
    last = before[-1:]
    return not last or last.isspace() or last in "([{=,:+（「『【《" or (code and last in "frbuFRBU" and _lone(before))


def _lone(before: str) -> bool:
    """Tell whether the last letter is a word of its own, as before a string of Python."""
    return not before[-2:-1].isalnum()
