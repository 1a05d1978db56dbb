"""Corrects a query that is not spelled like the notes: Chinese typed in pinyin, or with wrong characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from kb.analysis.pinyin import plain, splits
from kb.analysis.tokens import Word
from kb.index.snapshot import Snapshot
from kb.search import chinese_correction
from kb.search.bigram_counts import BigramCounts
from kb.search.char_index import CharIndex
from kb.search.chinese_correction import ChineseCorrector
from kb.search.pinyin_search import PinyinMatch, PinyinSearch
from kb.search.query import Weighed

HEARD = 0.8  # weight of Chinese relative to the typed letters
MENDED = 0.8  # weight of a corrected pair relative to the typed one
_LEAST = 0.3  # minimum factor of it for less likely spellings
_OFTEN = 20  # times more sections must have the Chinese, if it matches several known words
_STRETCH = 8  # words that may be one run of pinyin
_FEW = 2000  # less than one in so many sections is too few, unless it is in a heading

Terms = tuple[tuple[str, float], ...]


@dataclass
class CorrectedQuery:
    """The words that are meant.

    `corrected` maps wrong words to right ones, `heard` typed pinyin to all Chinese that it may mean, `otherwise` the
    same for words that the notes also have. `beside` maps a pair that was not typed to its search terms with their
    weights.
    """

    words: list[Weighed] = field(default_factory=list)
    corrected: dict[str, str] = field(default_factory=dict)
    heard: dict[str, tuple[str, ...]] = field(default_factory=dict)
    otherwise: dict[str, tuple[str, ...]] = field(default_factory=dict)
    beside: dict[str, Terms] = field(default_factory=dict)
    joins: bool = False  # the last word was pinyin and may be joined with the next


@dataclass(frozen=True)
class Vocabulary:
    """How many sections have a word (`often`), or a word that begins with it (`longer`).

    `meant` returns how many sections have the word that an unknown one is most likely a typo of.
    """

    often: Callable[[str], int]
    longer: Callable[[str], int]
    meant: Callable[[str], int]
    chinese: chinese_correction.PairVocabulary


class QueryCorrector:
    """Corrects with the vocabulary of one snapshot. Not thread-safe."""

    def __init__(self, snapshot: Snapshot, known: Vocabulary) -> None:
        """Look up nothing yet."""
        self._few = snapshot.sections // _FEW
        self._known = known
        pairs = BigramCounts(snapshot)
        voices = CharIndex(pairs)
        self._hearing = PinyinSearch(snapshot, pairs, voices, known.often)
        self._mender = ChineseCorrector(pairs, voices, known.chinese)

    def of(self, words: Sequence[Weighed], *, typing: bool, spoken: bool = True) -> CorrectedQuery:
        """Return the correction of some words; `typing`: the last may be incomplete. Not `spoken`: none is pinyin."""
        result = CorrectedQuery()
        at = 0
        while at < len(words):
            if words[at].word.han:
                result.joins = False
                result.words.append(self._mend(words[at], result))
                at += 1
            elif spoken:
                at = self._hear(words, at, result, typing=typing)
            else:
                result.words.append(words[at])
                at += 1
        return result

    def _mend(self, one: Weighed, result: CorrectedQuery) -> Weighed:
        parts = one.word.parts
        mended = self._mender.mend(one.word.term)
        if mended is None:
            return one
        result.corrected |= dict(mended.slips)
        now = _pairs(mended.text)
        for old, new in zip(parts, now, strict=True):
            if old != new:
                known = self._known.often(old)
                result.beside[new] = ((old, 1.0), (new, MENDED)) if known else ((new, 1.0),)
        return replace(one, word=replace(one.word, term=mended.text, parts=now))

    def _hear(self, words: Sequence[Weighed], at: int, result: CorrectedQuery, *, typing: bool) -> int:
        """Take the longest run of words that is pinyin, or the first word as it is; return where it ends."""
        for end in range(self._end(words, at), at, -1):
            stretch = words[at:end]
            typed, goes_on = [plain(one.word.term) for one in stretch], typing and end == len(words)
            if len(typed) > 1 and not (all(map(splits, typed[:-1])) and splits(typed[-1], begun=goes_on)):
                continue
            often = self._often(stretch, typing=goes_on)
            said = self._said(typed, often, typing=goes_on)
            if said is not None and often and len(stretch) == 1:
                result.otherwise[words[at].word.term] = tuple(way for way, _ in said.ways)
            elif said is not None:
                self._take(stretch, said, result)
                return end
        result.words.append(words[at])
        result.joins = False
        return at + 1

    def _end(self, words: Sequence[Weighed], at: int) -> int:
        """Return where the words end that may be pinyin."""
        end = at
        while end < min(at + _STRETCH, len(words)) and _is_plain(words[end].word):
            end += 1
        return end

    def _often(self, stretch: Sequence[Weighed], *, typing: bool) -> int:
        """Return how many sections have the rarest of some words."""
        often = [self._known.often(one.word.term) for one in stretch]
        if typing:
            often[-1] = max(often[-1], self._known.longer(stretch[-1].word.term))
        return min(often)

    def _said(self, typed: Sequence[str], often: int, *, typing: bool) -> PinyinMatch | None:
        """Return the Chinese that typed words may mean, None if none; `often` sections have the rarest word."""
        if often and len(typed) == 1 and not splits(typed[0], begun=typing):
            return None  # a known word is not read as initials
        said = self._hearing.headed("".join(typed), typing=typing)
        if said is not None:
            return said if said.often >= often * (1 if len(typed) == 1 else _OFTEN) else None
        if often or (len(typed) > 1 and any(len(splits(word, begun=True)[0]) > 1 for word in typed)):
            return None
        said = self._hearing.anywhere("".join(typed), typing=typing)
        enough = max(1, self._few, self._known.meant(typed[0]) if len(typed) == 1 else 0)
        return said if said is not None and said.often >= enough else None

    def _take(self, stretch: Sequence[Weighed], said: PinyinMatch, result: CorrectedQuery) -> None:
        first, last = stretch[0].word, stretch[-1].word
        ways = [way for way, _ in said.ways]
        result.heard[" ".join(one.word.term for one in stretch)] = tuple(ways)
        weight = max(one.weight for one in stretch)
        typed = [one.word.term for one in stretch]
        for at, pair in enumerate(_pairs(ways[0])):
            literal = typed[at * len(typed) // (len(ways[0]) - 1)]
            terms = dict(self._sounding(said, at))
            if self._known.often(literal):
                terms[literal] = 1.0
            result.beside[pair] = tuple(terms.items())
        text, start = ways[0], first.start
        if result.joins and self._known.often(result.words[-1].word.term[-1] + text[0]):
            before = result.words.pop()
            text, start = before.word.term + text, before.word.start
            weight = max(weight, before.weight)
        for one in self._words(text):
            result.words.append(Weighed(Word(one, _pairs(one), han=True, start=start, end=last.end), weight))
        result.joins = True

    def _sounding(self, said: PinyinMatch, at: int) -> Iterator[tuple[str, float]]:
        """Yield the pairs at an offset of all spellings, the likeliest last."""
        for way, number in reversed(said.ways):
            if at + 1 < len(way):
                yield way[at : at + 2], HEARD * max(_LEAST, (number / max(said.often, number)) ** 0.5)

    def _words(self, text: str) -> list[str]:
        """Split a text where two adjacent characters are not adjacent in the notes."""
        words = [text[0]]
        for first, second in pairwise(text):
            if self._known.often(first + second) or len(words[-1]) < 2:  # noqa: PLR2004 - a word has two characters
                words[-1] += second
            else:
                words.append(second)
        return words


def _pairs(text: str) -> tuple[str, ...]:
    return tuple(map("".join, pairwise(text))) or (text,)


def _is_plain(word: Word) -> bool:
    """Return whether a word may be pinyin: only letters, without marks except ü."""
    return not word.han and word.term.isalpha() and len(plain(word.term)) == len(word.term)
