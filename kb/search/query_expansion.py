"""Expands the words of a query to terms of the index: word forms, completions of a prefix, corrections."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from kb.analysis.glossary import Glossary
from kb.analysis.stemming import beginning, possible, real
from kb.analysis.stopwords import EMPTY, is_stopword
from kb.analysis.tokens import Word
from kb.index.segments import SCORED
from kb.search import chinese_correction
from kb.search.glossary_expansion import GlossaryExpander, Order
from kb.search.query import Query, Weighed
from kb.search.query_correction import HEARD, QueryCorrector, Terms, Vocabulary
from kb.search.scoring import Alternative, Concept, Scorer, Unit
from kb.search.spelling_correction import ONE, SpellingCorrector

DOZEN = 12  # completions of a prefix
FORM = 0.7  # weight of another form of the same English word
PART = 0.4  # weight of the parts of an identifier relative to the whole
LONGER = 0.5  # weight of longer terms with a known word as prefix
_KEPT = 2000  # words whose forms are cached

Node = Unit | Concept


@dataclass
class Expansion:
    """What a query searches for, in order, the corrections of its words, and the completions of the word being typed.

    `runs` are the runs of Chinese that are meant, `heard` maps typed pinyin to all Chinese that it may mean.
    """

    nodes: tuple[Node, ...] = ()
    order: Order = ()
    runs: tuple[str, ...] = ()
    corrected: dict[str, str] = field(default_factory=dict)
    heard: dict[str, tuple[str, ...]] = field(default_factory=dict)
    completed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def units(self) -> list[Unit]:
        """The units of what was typed."""
        return list(_units(self.nodes))

    @property
    def others(self) -> list[Alternative]:
        """The other names of what was typed."""
        return list(_others(self.nodes))


class QueryExpander:
    """Expands queries by the vocabulary of one snapshot and a glossary."""

    def __init__(self, scorer: Scorer, glossary: Glossary) -> None:
        self._scorer = scorer
        self._concepts = GlossaryExpander(glossary, self._known)
        self._spelling = SpellingCorrector(scorer, lambda word: self._is_word(word, glossary))
        self._forms: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._longer = lru_cache(maxsize=_KEPT)(self._look_longer)
        self._meaning = QueryCorrector(scorer.snapshot, self._what_is_known(glossary))

    def expand(self, query: Query) -> Expansion:
        """Return the expansion of a query."""
        result = Expansion()
        meant = self._meaning.of(_weighed(query.words), typing=query.typing, spoken=not query.error)
        result.corrected, result.heard, words = meant.corrected, meant.heard, meant.words
        nodes, result.order = self._concepts.read(
            words,
            lambda at: _spoken(
                self._latin(words[at], result, typing=query.typing and at == len(words) - 1),
                words[at].word.term,
                meant.otherwise.get(words[at].word.term, ()),
            ),
            named=not query.error,
        )
        result.nodes = tuple(_beside(nodes, meant.beside))
        result.runs = tuple(one.word.term for one in words if one.word.han)
        return result

    def _what_is_known(self, glossary: Glossary) -> Vocabulary:
        chinese = chinese_correction.PairVocabulary(lambda pair: self._scorer.term(pair).documents, glossary.has)
        return Vocabulary(self._scorer.frequency, self._begun, self._slip_of, chinese)

    def _begun(self, word: str) -> int:
        """Return how many sections have the most frequent word with this prefix."""
        return max(map(self._scorer.frequency, self._longer(word)), default=0)

    def _slip_of(self, word: str) -> int:
        """Return how many sections have the word that this one most likely misspells."""
        return max((self._scorer.frequency(right) for right, _ in self._spelling.meant(word)), default=0)

    def _latin(self, one: Weighed, result: Expansion, *, typing: bool) -> Sequence[Node]:
        """Return the search terms of a Latin word; an unknown identifier is searched by its parts."""
        parts = self._parts(one, result, typing=typing)
        # An identifier being typed hardly has two typos: "torch.perm" becomes torch.permute.
        goes_on = typing and bool(parts) and all(self._begins(part, one.word) for part in one.word.parts)
        whole = self._whole(one.word.term, one.weight, result, typing=typing, goes_on=goes_on)
        if not one.word.parts:
            return (whole or Unit(((one.word.term, 1.0),), one.weight),)
        if whole is None:
            return parts
        return (Concept((whole,), (), tuple(filter(self._stands, parts)), PART),)

    def _begins(self, part: str, word: Word) -> bool:
        """Return whether a part of an identifier is a word or, while it is being typed, the beginning of one."""
        return bool(self._known(part) or (_is_last(part, word) and self._longer(part)))

    def _stands(self, unit: Unit) -> bool:
        """Return whether any section has a term of a unit."""
        return any(self._scorer.frequency(term) for term, _ in unit.terms)

    def _parts(self, one: Weighed, result: Expansion, *, typing: bool) -> tuple[Unit, ...]:
        found = []
        for part in one.word.parts:
            unit = self._whole(part, one.weight, result, typing=typing and _is_last(part, one.word))
            found.append(unit or Unit(((part, 1.0),), one.weight))
        return tuple(found)

    def _whole(
        self, term: str, weight: float, result: Expansion, *, typing: bool, goes_on: bool = False
    ) -> Unit | None:
        """Return the search terms of a word as a whole, None if nothing like it is known."""
        terms = self._known(term)
        if typing and (longer := self._longer(term)):
            result.completed[term] = longer
            return Unit(tuple((dict.fromkeys(longer, LONGER if term in terms else 1.0) | terms).items()), weight)
        meant = self._spelling.meant(term)
        if meant and (not goes_on or meant[0][1] >= ONE):
            result.corrected.setdefault(term, meant[0][0])
            weight *= 1 if terms else meant[0][1]
            terms = {right: worth if terms else 1.0 for right, worth in meant} | terms
        return Unit(tuple(terms.items()), weight) if terms else None

    def _is_word(self, word: str, glossary: Glossary) -> bool:
        """Return whether a word that may not occur is correct: another form of it occurs, or the glossary has it."""
        return is_stopword(word) or glossary.has_word(word) or not self._known(word).keys() <= {word}

    def _known(self, term: str) -> dict[str, float]:
        """Return the terms that match a word, it and its known forms, each with its weight."""
        if term not in self._forms:
            self._forms[term] = self._look_up(term)
            if len(self._forms) > _KEPT:
                self._forms.popitem(last=False)
        return dict(self._forms[term])

    def _look_up(self, term: str) -> dict[str, float]:
        found = {term: 1.0} if self._scorer.frequency(term) else {}
        if others := possible(term):
            there = self._scorer.snapshot.among(SCORED, beginning(term), others)
            found |= dict.fromkeys(real(term, there), FORM)
        return found

    def _look_longer(self, prefix: str) -> tuple[str, ...]:
        """Return the most frequent terms with a prefix, without itself; suffixes of identifiers are terms, too."""
        if len(prefix) < 2:  # noqa: PLR2004 - one letter begins half of all words
            return ()
        found: dict[str, int] = defaultdict(int)
        for name in ("heading", "body"):
            for term, number in self._scorer.snapshot.expand(name, prefix, DOZEN + 1):
                found[term] += number
        found.pop(prefix, None)
        return tuple(sorted(found, key=lambda term: -found[term])[:DOZEN])


def _weighed(words: Sequence[Weighed]) -> Sequence[Weighed]:
    """Return the words of a query, stop words with less weight unless there are no others."""
    empty = [not one.word.han and is_stopword(one.word.term) for one in words]
    if all(empty):
        return words
    return [
        replace(one, weight=one.weight * EMPTY) if little else one for one, little in zip(words, empty, strict=True)
    ]


def _is_last(part: str, word: Word) -> bool:
    """Return whether a part of an identifier is still being typed."""
    return word.term.endswith(part)


def _units(nodes: Iterable[Node]) -> Iterator[Unit]:
    for node in nodes:
        if isinstance(node, Unit):
            yield node
        else:
            yield from _units((*node.parts, *node.pieces))


def _spoken(nodes: Sequence[Node], typed: str, ways: Iterable[str]) -> Sequence[Node]:
    """Return the search terms of a word that may also be pinyin."""
    others = tuple(
        Alternative(typed, way, tuple(Unit(((first + second, 1.0),)) for first, second in pairwise(way)), HEARD)
        for way in ways
    )
    return (Concept(tuple(nodes), others),) if others else nodes


def _beside(nodes: Iterable[Node], terms: Mapping[str, Terms]) -> Iterator[Node]:
    """Yield the nodes, with pairs that were not typed replaced by their search terms."""
    for node in nodes:
        if isinstance(node, Concept):
            yield replace(node, parts=tuple(_beside(node.parts, terms)))
        else:
            yield replace(node, terms=terms.get(node.terms[0][0], node.terms))


def _others(nodes: Iterable[Node]) -> Iterator[Alternative]:
    for node in nodes:
        if isinstance(node, Concept):
            yield from node.others
            yield from _others(node.parts)
