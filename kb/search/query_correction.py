"""What is meant by a query that is not spelled as the notes are: Chinese typed in pinyin, or with wrong characters."""

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

HEARD = 0.8  # weight of Chinese beside the letters as they were typed
MENDED = 0.8  # weight of a pair set right beside the one typed
_LEAST = 0.3  # share of that for what is not the likeliest that sounds so
_OFTEN = 20  # times more sections must have Chinese that sounds like several words that are known
_STRETCH = 8  # words that together may be one in pinyin
_FEW = 2000  # one in so many sections is too few to be meant where nothing of it is in a heading

Terms = tuple[tuple[str, float], ...]


@dataclass
class CorrectedQuery:
    """The words that are meant.

    `corrected` has what was wrong with what is right, `heard` what was typed in pinyin with all Chinese that it may
    be, `otherwise` the same of words that the notes have, too. `beside` has the terms, with their weights, by which a
    pair that was not typed is searched.
    """

    words: list[Weighed] = field(default_factory=list)
    corrected: dict[str, str] = field(default_factory=dict)
    heard: dict[str, tuple[str, ...]] = field(default_factory=dict)
    otherwise: dict[str, tuple[str, ...]] = field(default_factory=dict)
    beside: dict[str, Terms] = field(default_factory=dict)
    joins: bool = False  # the last word was heard, and may be one with what is heard next


@dataclass(frozen=True)
class Vocabulary:
    """What is known of words: how many sections have one (or, while it is typed, what it may become).

    `meant` tells how many sections have what an unknown word is most likely a slip of.
    """

    often: Callable[[str], int]
    longer: Callable[[str], int]
    meant: Callable[[str], int]
    chinese: chinese_correction.PairVocabulary


class QueryCorrector:
    """Understands with the vocabulary of one snapshot. Not for several threads at once."""

    def __init__(self, snapshot: Snapshot, known: Vocabulary) -> None:
        """Look nothing up yet."""
        self._few = snapshot.sections // _FEW
        self._known = known
        pairs = BigramCounts(snapshot)
        voices = CharIndex(pairs)
        self._hearing = PinyinSearch(snapshot, pairs, voices, known.often)
        self._mender = ChineseCorrector(pairs, voices, known.chinese)

    def of(self, words: Sequence[Weighed], *, typing: bool, spoken: bool = True) -> CorrectedQuery:
        """Return what is meant by some words; `typing`: the last may go on. Not `spoken`: none of them is pinyin."""
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
        """Take in the longest stretch that is pinyin from a word on, or the word as it is; return where it ends."""
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
        """Return where the words end that may be pinyin, from one on."""
        end = at
        while end < min(at + _STRETCH, len(words)) and _is_plain(words[end].word):
            end += 1
        return end

    def _often(self, stretch: Sequence[Weighed], *, typing: bool) -> int:
        """Return how many sections have that of some words, as they are typed, which the fewest have."""
        often = [self._known.often(one.word.term) for one in stretch]
        if typing:
            often[-1] = max(often[-1], self._known.longer(stretch[-1].word.term))
        return min(often)

    def _said(self, typed: Sequence[str], often: int, *, typing: bool) -> PinyinMatch | None:
        """Return what letters may mean of which so many sections have the rarest word; None: nothing but themselves."""
        if often and len(typed) == 1 and not splits(typed[0], begun=typing):
            return None  # a known word is not taken for initials
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
        """Yield the pairs at a place of all that sounds so, the likeliest last."""
        for way, number in reversed(said.ways):
            if at + 1 < len(way):
                yield way[at : at + 2], HEARD * max(_LEAST, (number / max(said.often, number)) ** 0.5)

    def _words(self, text: str) -> list[str]:
        """Cut a text where two words meet that are no neighbours in the notes."""
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
    """Tell whether a word may be pinyin: nothing but letters, none of them with a mark but ü."""
    return not word.han and word.term.isalpha() and len(plain(word.term)) == len(word.term)
