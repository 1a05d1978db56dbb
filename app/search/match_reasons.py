"""The reasons why a section was found, in the interface language; none if they are obvious."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.i18n import Translator
from kb.analysis.glossary import shipped
from kb.analysis.pinyin import plain, splits
from kb.analysis.tokens import HAN
from kb.lazy_regex import expression

_MOST = 3  # reasons for a hit
_WORDS = 6  # of a reason
_SIGN = expression(" [→=] ")


def reasons(whys: Iterable[str], query: str, words: Translator) -> str:
    """Return the reasons of a hit in one line; empty if the typed words are visible in it.

    If something was corrected or translated, that is the reason, and the places of the words are left out.
    """
    told = list(whys)
    told = [why for why in told if _SIGN.search(why)] or told
    return " · ".join(reason for why in told[:_MOST] if (reason := worded(why, query, words)))


def worded(why: str, query: str, words: Translator) -> str:
    """Return one reason in the interface language; empty if it is obvious: the typed words are in that place."""
    if sign := _SIGN.search(why):
        return words(f"已改正：{why}", f"corrected: {why}") if "→" in sign[0] else _same(why, words)
    place, colon, found = why.partition(": ")
    if not colon:
        return why
    typed = query.casefold()
    if all(word.casefold() in typed for word in found.split()):
        return ""
    places = {
        "heading": words("标题", "heading"),
        "text": words("正文", "text"),
        "above": words("上级标题", "headings above"),
    }
    return f"{places.get(place, place)}{words('：', ': ')}{' '.join(found.split()[:_WORDS])}"


def _same(why: str, words: Translator) -> str:
    typed, _, meant = why.partition(" = ")
    if _is_pinyin(typed, meant):
        return words(f"按拼音：{typed} = {meant}", f"by pinyin: {typed} = {meant}")
    return words(f"对应：{why}", f"via {why}")


def _is_pinyin(typed: str, meant: str) -> bool:
    """Return whether Chinese was found by its sound: enough syllables or initials, and not a synonym.

    Looking up the readings would be exact, but takes a twentieth of a second to load.
    """
    letters, characters = plain(typed), len(re.findall(rf"[{HAN}]", meant))
    if not letters or not characters or not typed.isascii() or shipped().has(typed):
        return False
    ways = splits(letters, begun=True)
    return len(letters) <= characters or any(len(way) <= characters for way in ways)
