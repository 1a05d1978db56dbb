"""From the words of a query to the terms of the index: parts, word forms, what a prefix can become, corrections."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
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
CORRECTED = 0.8
_RARE = 2  # a word in so few sections may be somebody's slip
_OFTEN = 10  # times more sections have what was meant
_CLOSE_FROM = 4  # letters from which on one slip is forgiven
_TWO_FROM = 7  # letters from which on two slips are
_LATIN = re.compile(r"[a-z_][a-z0-9_.]*", re.IGNORECASE)


@dataclass(frozen=True)
class Expansion:
    """The units of a query, what each word was corrected to, and what prefixes became."""

    units: tuple[Unit, ...]
    corrected: tuple[tuple[str, str], ...]
    completed: tuple[tuple[str, tuple[str, ...]], ...]


class Expander:
    """Expands queries by the vocabulary of one snapshot."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._known_slips: dict[str, tuple[str, ...]] = {}

    def expand(self, query: Query) -> Expansion:
        """Return the units of a query's words."""
        units: list[Unit] = []
        corrected: dict[str, str] = {}
        completed: dict[str, tuple[str, ...]] = {}
        for at, one in enumerate(query.words):
            last = query.typing and at == len(query.words) - 1 and not query.error
            if one.word.han:
                units += self._han(one)
            else:
                units += self._latin(one, last, corrected, completed)
        return Expansion(tuple(units), tuple(corrected.items()), tuple(completed.items()))

    def _han(self, one: Weighed) -> Iterator[Unit]:
        parts = one.word.parts
        weight = one.weight * (len(parts) + 1) / (2 * len(parts))
        for pair in parts:
            yield Unit(((pair, 1.0),), weight)

    def _latin(
        self, one: Weighed, last: bool, corrected: dict[str, str], completed: dict[str, tuple[str, ...]]
    ) -> Iterator[Unit]:
        word = one.word
        terms = dict(self._forms(word.term))
        frequency = self._scorer.frequency(word.term)
        if last and (longer := self._longer(word.term)):
            completed[word.term] = longer
            for term in longer:
                terms.setdefault(term, LONGER if frequency else 1.0)
        if len(terms) == (0 if not frequency else 1) or not terms:
            pass
        if not terms or (frequency <= _RARE and not (last and len(terms) > 1)):
            for term in self._meant(word.term, frequency):
                terms.setdefault(term, CORRECTED)
                corrected.setdefault(word.term, term)
        if terms:
            yield Unit(tuple(terms.items()), one.weight)
        yield from self._parts(word, one.weight * (PART if terms else 1.0), last and not terms, corrected, completed)
        if not terms and not word.parts:
            yield Unit(((word.term, 1.0),), one.weight)  # found nowhere, but it was asked for

    def _parts(
        self, word: Word, weight: float, last: bool, corrected: dict[str, str], completed: dict[str, tuple[str, ...]]
    ) -> Iterator[Unit]:
        for at, part in enumerate(word.parts):
            one = Weighed(Word(part, (), han=False, start=0, end=0), weight)
            if weight >= 1 or self._scorer.frequency(part):
                yield from self._latin(one, last and at == len(word.parts) - 1, corrected, completed)

    def _forms(self, term: str) -> Iterator[tuple[str, float]]:
        """Yield the word, if known, and its plural or singular."""
        if self._scorer.frequency(term):
            yield term, 1.0
        if term.isascii() and term.isalpha() and len(term) > 3:  # noqa: PLR2004
            other = term[:-1] if term.endswith("s") else term + "s"
            if self._scorer.frequency(other):
                yield other, FORM

    def _longer(self, prefix: str) -> tuple[str, ...]:
        """Return the most frequent terms that a prefix begins."""
        if len(prefix) < 2:  # noqa: PLR2004 - one letter begins half of all words
            return ()
        found: dict[str, int] = defaultdict(int)
        for field in ("heading", "body"):
            for term, number in self._scorer.snapshot.expand(field, prefix, DOZEN + 1):
                found[term] += number
        found.pop(prefix, None)
        return tuple(sorted(found, key=lambda term: -found[term])[:DOZEN])

    def _meant(self, word: str, frequency: int) -> tuple[str, ...]:
        """Return the known words that an unknown one is most likely a slip of."""
        slips = 2 if len(word) >= _TWO_FROM else 1 if len(word) >= _CLOSE_FROM else 0
        if not slips or not _LATIN.fullmatch(word):
            return ()
        if word not in self._known_slips:
            self._known_slips[word] = tuple(self._close(word, frequency, slips))
        return self._known_slips[word]

    def _close(self, word: str, frequency: int, slips: int) -> list[str]:
        found = []
        for length in range(len(word) - slips, len(word) + slips + 1):
            choices = self._by_length.get(length, [])
            found += process.extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=20)
        near = [(distance, -self._scorer.frequency(term), term) for term, distance, _ in found if distance]
        wanted = max(1, _OFTEN * frequency)
        near = sorted(one for one in near if -one[1] >= wanted)
        return [term for distance, _, term in near if distance == near[0][0]][:3]

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        result: dict[int, list[str]] = defaultdict(list)
        known: set[str] = set()
        for field in ("heading", "body"):
            known.update(self._scorer.snapshot.vocabulary(field, "_", "{"))
        for term in known:
            if not term.isdigit():
                result[len(term)].append(term)
        return result
