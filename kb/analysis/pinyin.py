"""Pinyin, whole, in part and by initials, for finding Chinese with a Latin keyboard.

There are two sources, both of pypinyin: its phrases give the reading of a character in a word, for indexing; its plain
list of readings loads much faster and is enough if any reading will do. Both are read from its files: the package
itself would take thirty megabytes more in each indexing process.
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from kb.analysis.char_folding import simplified
from kb.analysis.tokens import fold
from kb.lazy_regex import expression

LONGEST = 6  # characters of Chinese that one term spells
_WAYS = 8  # ways to split typed letters that are followed
_TYPED = 48  # letters that are split at most
_SYLLABLE = 6  # letters of a syllable at most
_PARTICLES = frozenset("的了着过和与及或是在之地得把被")  # no term begins with them
_RUN = expression("[\u3400-\u4dbf\u4e00-\u9fff]+")
_FINALS = {
    "": "a ai an ang ao e en er o ou",
    "b": "a ai an ang ao ei en eng i ian iao ie in ing o u",
    "p": "a ai an ang ao ei en eng i ian iao ie in ing o ou u",
    "m": "a ai an ang ao e ei en eng i ian iao ie in ing iu o ou u",
    "f": "a an ang ei en eng o ou u",
    "d": "a ai an ang ao e ei en eng i ia ian iao ie ing iu ong ou u uan ui un uo",
    "t": "a ai an ang ao e eng i ian iao ie ing ong ou u uan ui un uo",
    "n": "a ai an ang ao e ei en eng i ian iang iao ie in ing iu ong ou u uan ue uo v ve",
    "l": "a ai an ang ao e ei eng i ia ian iang iao ie in ing iu ong ou u uan ue un uo v ve",
    "g": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "k": "a ai an ang ao e en eng ong ou u ua uai uan uang ui un uo",
    "h": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "j": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "q": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "x": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "zh": "a ai an ang ao e en eng i ong ou u ua uai uan uang ui un uo",
    "ch": "a ai an ang ao e en eng i ong ou u uai uan uang ui un uo",
    "sh": "a ai an ang ao e ei en eng i ou u ua uai uan uang ui un uo",
    "r": "an ang ao e en eng i ong ou u uan ui un uo",
    "z": "a ai an ang ao e ei en eng i ong ou u uan ui un uo",
    "c": "a ai an ang ao e en eng i ong ou u uan ui un uo",
    "s": "a ai an ang ao e en eng i ong ou u uan ui un uo",
    "y": "a an ang ao e i in ing o ong ou u uan ue un",
    "w": "a ai an ang ei en eng o u",
}
SYLLABLES = frozenset(initial + final for initial, finals in _FINALS.items() for final in finals.split())
_BEGUN = frozenset(syllable[:end] for syllable in SYLLABLES for end in range(1, len(syllable) + 1))
_NEAR = expression(r"^(?:([zcs])h|n)|(?<=[aei]n)g$")


def plain(typed: str) -> str:
    """Return typed pinyin normalized for comparison: lower case, no tones, ü as v."""
    low = typed.lower()
    if low.isascii() and low.isalpha():
        return low
    letters = unicodedata.normalize("NFD", low).replace("u\u0308", "v")
    return "".join(letter for letter in letters if "a" <= letter <= "z")


@lru_cache(maxsize=16384)
def readings(character: str) -> tuple[str, ...]:
    """Return every reading of a character, the usual one first; empty if it is not Chinese."""
    return tuple(dict.fromkeys(filter(None, map(plain, _listed().get(str(ord(character)), "").split(",")))))


@cache
def _listed() -> dict[str, str]:
    listed: dict[str, str] = json.loads(_file("pinyin_dict.json"))
    return listed


@cache
def _phrases() -> tuple[list[str], dict[str, str]]:
    """Return all phrases in order, and the pinyin of each, with a space between characters."""
    said = {
        phrase: " ".join([ways[0] for ways in each]) for phrase, each in json.loads(_file("phrases_dict.json")).items()
    }
    return sorted(said), said


def _file(name: str) -> bytes:
    spec = find_spec("pypinyin")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], name).read_bytes()


def near(syllable: str) -> str:
    """Return a syllable with often confused sounds merged: zh and z, ch and c, sh and s, n and l, ng and n."""
    return _NEAR.sub(lambda match: match[1] or ("l" if match[0] == "n" else ""), syllable)


@lru_cache(maxsize=1024)
def splits(typed: str, *, begun: bool = False) -> tuple[tuple[str, ...], ...]:
    """Return the ways to split letters into syllables, fewest first; the last may be incomplete if `begun`."""
    if len(typed) > _TYPED:
        return ()
    ways: list[list[tuple[str, ...]]] = [[()]]
    for end in range(1, len(typed) + 1):
        known = _BEGUN if begun and end == len(typed) else SYLLABLES
        found = [
            (*way, syllable)
            for start in range(max(0, end - _SYLLABLE), end)
            if (syllable := typed[start:end]) in known
            for way in ways[start]
        ]
        ways.append(sorted(found, key=len)[:_WAYS])
        if not any(ways[-_SYLLABLE:]):  # no syllable ends here or later
            return ()
    return tuple(way for way in ways[-1] if way)


def spelled(text: str) -> list[str]:
    """Return the terms by which the Chinese of a heading is found in pinyin.

    Up to six characters are spelled from each character on: "hunhejingdu 3242混合精度" by pinyin, where the digits are
    the lengths of the syllables, and "hhjd 混合精度" by initials.
    """
    return [term for run in _RUN.findall(fold(text)) for term in _spelled(run)]


@lru_cache(maxsize=4096)
def _spelled(run: str) -> tuple[str, ...]:
    said = [one for word in _cut(run) for one in _said_in(word)]
    written = simplified(run)
    return tuple(
        term
        for start in range(len(run) - 1)
        if written[start] not in _PARTICLES
        for term in _terms(said[start : start + LONGEST], written[start : start + LONGEST])
    )


def _cut(run: str) -> Iterator[str]:
    """Split Chinese into the longest known phrases, as pypinyin does, and single characters."""
    phrases, said = _phrases()
    start = 0
    while start < len(run):
        end = best = start + 1
        while end < len(run) and _begins(phrases, run[start : end + 1]):
            end += 1
            best = end if run[start:end] in said else best
        yield run[start:best]
        start = best


def _begins(phrases: list[str], piece: str) -> bool:
    at = bisect_left(phrases, piece)
    return at < len(phrases) and phrases[at].startswith(piece)


@lru_cache(maxsize=16384)
def _said_in(word: str) -> tuple[str, ...]:
    """Return the reading of each character in a word."""
    phrase = _phrases()[1].get(word)
    if phrase is not None:
        return tuple(map(plain, phrase.split(" ")))
    return tuple(plain(_listed().get(str(ord(one)), "").split(",")[0]) for one in word)


def _terms(said: list[str], written: str) -> Iterator[str]:
    if not all(said):  # a character without a reading cannot be typed
        end = said.index("")
        said, written = said[:end], written[:end]
    if len(said) > 1:
        joined = "".join(said)
        lengths = "".join(str(len(one)) for one in said)
        yield f"{joined} {lengths}{written}"
        if "v" in joined:  # both are typed
            yield f"{joined.replace('v', 'u')} {lengths}{written}"
        yield f"{''.join(one[0] for one in said)} {written}"


def matched_prefix(term: str, typed: str) -> tuple[str, bool]:
    """Return the characters of a term of `spelled` that were typed, and whether the last was typed completely.

    At least the first two characters are returned.
    """
    written = term[term.index(" ") + 1 :]
    if not written[0].isdigit():
        return written[: len(typed)], True
    count, rest = len(written) // 2, len(typed)
    for at in range(count):
        rest -= int(written[at])
        if rest <= 0:
            return written[count : count + max(2, at + 1)], at > 0 and rest == 0
    return written[count:], False


def fits(typed: str, text: str) -> bool:
    """Return whether a text has Chinese that matches typed pinyin, initials, or both mixed, in any reading."""
    wanted = plain(typed)
    if len(wanted) < 2 or len(wanted) != len(typed.replace("'", "")):  # noqa: PLR2004 - one letter matches too much
        return False
    chinese = "".join(_RUN.findall(fold(text)))  # other characters are not typed
    return any(_said(wanted, chinese[at:]) for at in range(len(chinese)))


def _said(wanted: str, run: str) -> bool:
    """Return whether a run of Chinese begins with the typed letters."""
    places = {0}  # numbers of letters that the characters so far may spell
    for character in run:
        ends = set()
        for way in _ways(character):
            for place in places:
                if way.startswith(wanted[place:]):
                    return True
                if wanted.startswith(way, place):
                    ends.add(place + len(way))
        places = ends
    return False


@lru_cache(maxsize=4096)
def _ways(character: str) -> frozenset[str]:
    """Return the letters that may be typed for a character."""
    return frozenset(way for one in readings(character) for way in (one, one.replace("v", "u"), one[0]))
