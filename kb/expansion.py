"""From the words of a query to the terms of the index: parts, word forms, what a prefix can become, corrections."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.query import Query, Weighed
from kb.scoring import Scorer, Unit
from kb.tokens import Word

DOZEN = 12  # terms that a prefix is expanded to
PART = 0.4  # weight of a part of an identifier beside the whole
FORM = 0.7  # weight of another form of the same English word
LONGER = 0.5  # weight of the longer terms that a known word begins
CORRECTED = 0.8  # weight of what an unknown word was a slip of
_RARE = 2  # a word in so few sections may be somebody's slip
_OFTEN = 10  # times more sections have what was meant
_CLOSE_FROM = 4  # letters from which on one slip is forgiven
_TWO_FROM = 7  # letters from which on two slips are
_LATIN = re.compile(r"[a-z_][a-z0-9_.]*")


@dataclass
class Expansion:
    """The units of a query, what each word was corrected to, and what the word being typed may become."""

    units: list[Unit] = field(default_factory=list)
    corrected: dict[str, str] = field(default_factory=dict)
    completed: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Expander:
    """Expands queries by the vocabulary of one snapshot."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._slips: dict[str, tuple[str, ...]] = {}

    def expand(self, query: Query) -> Expansion:
        """Return the units of a query's words."""
        result = Expansion()
        for at, one in enumerate(query.words):
            typing = query.typing and at == len(query.words) - 1
            if one.word.han:
                result.units += _pairs(one)
            else:
                self._latin(one, result, typing=typing)
        return result

    def _latin(self, one: Weighed, result: Expansion, *, typing: bool) -> None:
        word = one.word
        frequency = self._scorer.frequency(word.term)
        terms = {word.term: 1.0} if frequency else {}
        longer = self._longer(word.term) if typing else ()
        if longer:
            result.completed[word.term] = longer
            terms |= dict.fromkeys(longer, LONGER if frequency else 1.0)
        else:
            terms |= dict.fromkeys(self._forms(word.term), FORM)
        if not longer and (not terms or frequency <= _RARE):
            for term in self._meant(word.term, frequency):
                terms.setdefault(term, CORRECTED)
                result.corrected.setdefault(word.term, term)
        if terms or not word.parts:  # a word found nowhere counts all the same: it was asked for
            result.units.append(Unit(tuple((terms or {word.term: 1.0}).items()), one.weight))
        self._parts(
            replace(one, weight=one.weight * (PART if terms else 1.0)), result, found=bool(terms), typing=typing
        )

    def _parts(self, one: Weighed, result: Expansion, *, found: bool, typing: bool) -> None:
        """Add the parts of an identifier; those not known only where the whole is not known either."""
        parts = one.word.parts
        for part in parts:
            if found and not self._scorer.frequency(part):
                continue
            word = Word(part, (), han=False, start=one.word.start, end=one.word.end)
            self._latin(Weighed(word, one.weight), result, typing=typing and not found and part == parts[-1])

    def _forms(self, term: str) -> Iterator[str]:
        """Yield the plural or singular of an English word, if known."""
        if term.isascii() and term.isalpha() and len(term) >= _CLOSE_FROM:
            other = term[:-1] if term.endswith("s") else term + "s"
            if self._scorer.frequency(other):
                yield other

    def _longer(self, prefix: str) -> tuple[str, ...]:
        """Return the most frequent terms that a prefix begins, without itself."""
        if len(prefix) < 2:  # noqa: PLR2004 - one letter begins half of all words
            return ()
        found: dict[str, int] = defaultdict(int)
        for name in ("heading", "body"):
            for term, number in self._scorer.snapshot.expand(name, prefix, DOZEN + 1):
                found[term] += number
        found.pop(prefix, None)
        return tuple(sorted(found, key=lambda term: -found[term])[:DOZEN])

    def _meant(self, word: str, frequency: int) -> tuple[str, ...]:
        """Return the known words that an unknown or rare one is most likely a slip of."""
        slips = (len(word) >= _CLOSE_FROM) + (len(word) >= _TWO_FROM)
        if not slips or not _LATIN.fullmatch(word):
            return ()
        if word not in self._slips:
            self._slips[word] = self._close(word, slips, max(1, _OFTEN * frequency))
        return self._slips[word]

    def _close(self, word: str, slips: int, wanted: int) -> tuple[str, ...]:
        found: list[tuple[str, float, int]] = []
        for length in range(len(word) - slips, len(word) + slips + 1):
            choices = self._by_length.get(length, [])
            # Its types name only one way round of a scorer.
            found += process.extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=20)  # type: ignore[call-overload]
        near = sorted(
            (distance, -number, term)
            for term, distance, _ in found
            if distance and (number := self._scorer.frequency(term)) >= wanted
        )
        return tuple(term for distance, _, term in near if distance == near[0][0])[:3]

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        """The Latin terms, by how many letters they have."""
        result: dict[int, list[str]] = defaultdict(list)
        for term in self._scorer.snapshot.vocabulary(("heading", "body"), "_", "{"):
            result[len(term)].append(term)
        return result


def _pairs(one: Weighed) -> Iterator[Unit]:
    """Yield the pairs of a run of Chinese, which together weigh about as much as the words in it would."""
    parts = one.word.parts
    weight = one.weight * (len(parts) + 1) / (2 * len(parts))
    for pair in parts:
        yield Unit(((pair, 1.0),), weight)
