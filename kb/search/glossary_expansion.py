"""Finds the concepts in a query, longest name first, and their other names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from kb.analysis.glossary import LONGEST, Glossary, OtherForm, atoms
from kb.analysis.stopwords import EMPTY, is_stopword
from kb.analysis.tokens import normalized, words
from kb.search.query import Weighed
from kb.search.scoring import Alternative, Concept, Unit

OTHER = 0.7  # weight of another name relative to what was typed
EXACT = 0.5  # factor of it if the name of something in code was typed
_SHARED = 0.5  # exponent of a name's share in what it may mean
_LOOKED_AT = 96  # words and characters of a query that are looked up
_MOST = 400  # words and characters of a query that are searched
_NAMES = 12  # other names of one concept that are searched
_KEPT = 2000  # names whose search terms are cached
_DEEP = 3  # levels of names within names

Node = Unit | Concept
Order = tuple[tuple[str, ...], ...]  # of each concept its names in lower case


@dataclass(frozen=True)
class _Atom:
    """A Chinese character of a query, or a piece of a Latin word; `first` and `last`: it begins or ends its word."""

    text: str
    word: int
    at: int
    first: bool
    last: bool


class GlossaryExpander:
    """Expands queries by a glossary."""

    def __init__(self, glossary: Glossary, known: Callable[[str], Mapping[str, float]]) -> None:
        """Expand by `glossary`; `known` returns the terms that match a word with their weights, {} if none occurs."""
        self._glossary = glossary
        self._known = known
        self._units: OrderedDict[str, tuple[Unit, ...]] = OrderedDict()

    def read(
        self, query: Sequence[Weighed], leaves: Callable[[int], Sequence[Node]], *, named: bool = True
    ) -> tuple[tuple[Node, ...], Order]:
        """Return the concepts of a query, and their names in the order in which they were typed.

        `leaves` returns the search terms of the Latin word with a number. Not `named`, nothing has other names.
        """
        reading = _Reading(self if named else None, query, leaves)
        return reading.nodes(), tuple(reading.order)

    def others(self, form: Sequence[str]) -> tuple[OtherForm, ...]:
        """Return the other names of the concept with this name."""
        return self._glossary.others(form)

    def alternative(self, typed: str, other: OtherForm, *, exact: bool) -> Alternative | None:
        """Return the search terms of another name than the one typed, None if it does not occur in any section.

        `exact`: the name of something in code was typed, which hardly means anything else.
        """
        units = self._searched_by(other.text)
        weight = OTHER * other.share**_SHARED * (EXACT if exact else 1)
        return Alternative(typed, other.text, units, weight) if units else None

    def _searched_by(self, name: str) -> tuple[Unit, ...]:
        """Return the search terms of a name, empty if some part of it does not occur."""
        if name not in self._units:
            found = [self._known(term) for word in words(name) for term in (word.parts if word.han else (word.term,))]
            self._units[name] = tuple(Unit(tuple(terms.items())) for terms in found) if all(found) else ()
            if len(self._units) > _KEPT:
                self._units.popitem(last=False)
        return self._units[name]


class _Reading:
    """The state of reading one query."""

    def __init__(
        self, concepts: GlossaryExpander | None, query: Sequence[Weighed], leaves: Callable[[int], Sequence[Node]]
    ) -> None:
        self._concepts = concepts
        self._query = query
        self._leaves = leaves
        self._atoms = list(islice(_atoms(query), _MOST))
        self.order: list[tuple[str, ...]] = []
        self._plain = False  # whether the last entry of `order` has no other name

    def nodes(self) -> tuple[Node, ...]:
        return tuple(self._within(0, len(self._atoms), whole=True))

    def _within(self, start: int, stop: int, *, whole: bool, depth: int = 0) -> Iterator[Node]:
        """Yield the concepts and units of a range of atoms; not `whole`, names are shorter than the range."""
        at = start
        while at < stop:
            end, others = self._name(at, stop, shorter=not whole and at == start) if depth < _DEEP else (at, ())
            if whole:
                self._note(at, max(end, at + 1), others)
            if others:
                parts = tuple(self._within(at, end, whole=False, depth=depth + 1))
                yield Concept(parts, others)
            else:
                end = at + 1
                yield from self._leaf(at)
            if end < stop and self._joined(end):
                yield self._pair(end - 1)
            at = end

    def _name(self, at: int, stop: int, *, shorter: bool) -> tuple[int, tuple[Alternative, ...]]:
        """Return the end of the longest name that begins at an atom, and its other names."""
        if self._concepts is None or at >= _LOOKED_AT or not self._atoms[at].first:
            return at, ()
        for end in range(min(stop - shorter, at + LONGEST), at, -1):
            if not self._ends(at, end):
                continue
            found = self._concepts.others([one.text for one in self._atoms[at:end]])
            typed = self._typed(at, end) if found else ""
            exact = self._atoms[at].word == self._atoms[end - 1].word and self._is_code(at)
            made = [one for other in found if (one := self._concepts.alternative(typed, other, exact=exact))]
            if made:
                return end, tuple(sorted(made, key=lambda one: -one.weight)[:_NAMES])
        return at, ()

    def _note(self, at: int, end: int, others: Sequence[Alternative]) -> None:
        """Append the names of a range of atoms to the order; within a run of Chinese, merge with the last entry."""
        atom = self._atoms[at]
        han = self._query[atom.word].word.han
        if others:
            self.order.append((self._typed(at, end), *(normalized(one.text) for one in others)))
        elif not han and atom.at == 0 and self._query[atom.word].weight >= 1:
            self.order.append((self._query[atom.word].word.term,))
        elif han and not (at and self._joined(at) and self._plain):
            self.order.append((atom.text,))
        elif han:
            self.order[-1] = (self.order[-1][0] + atom.text,)
        self._plain = not others

    def _typed(self, at: int, end: int) -> str:
        first, last = self._atoms[at], self._atoms[end - 1]
        whole = [self._query[number].word.term for number in range(first.word, last.word + 1)]
        if self._query[last.word].word.han:
            whole[-1] = whole[-1][: last.at + 1]
        if self._query[first.word].word.han:
            whole[0] = whole[0][first.at :]
        return " ".join(whole)

    def _ends(self, at: int, end: int) -> bool:
        last = self._atoms[end - 1]
        alone = end - at == 1 and self._query[last.word].word.han and len(self._query[last.word].word.term) > 1
        return last.last and not alone  # a single character inside a run is hardly a word

    def _is_code(self, at: int) -> bool:
        word = self._query[self._atoms[at].word].word
        return not word.han and bool(word.parts)

    def _joined(self, at: int) -> bool:
        """Return whether an atom and the one before it are adjacent in a run of Chinese."""
        return self._atoms[at].word == self._atoms[at - 1].word and self._query[self._atoms[at].word].word.han

    def _leaf(self, at: int) -> Sequence[Node]:
        atom = self._atoms[at]
        one = self._query[atom.word]
        if one.word.han:
            return (Unit(((atom.text, 1.0),), one.weight),) if len(one.word.term) == 1 else ()
        return self._leaves(atom.word) if atom.at == 0 else ()

    def _pair(self, at: int) -> Unit:
        one = self._query[self._atoms[at].word]
        count = len(one.word.parts)
        # The pairs of a run together weigh about as much as its words would.
        pair = self._atoms[at].text + self._atoms[at + 1].text
        weight = one.weight * (EMPTY if count > 1 and is_stopword(pair) else 1)
        return Unit(((pair, 1.0),), weight * (count + 1) / (2 * count))


def _atoms(query: Sequence[Weighed]) -> Iterator[_Atom]:
    for number, one in enumerate(query):
        if one.word.han:
            for at, character in enumerate(one.word.term):
                yield _Atom(character, number, at, first=True, last=True)
        else:
            pieces = atoms(one.word.term) or (one.word.term,)
            for at, piece in enumerate(pieces):
                yield _Atom(piece, number, at, first=at == 0, last=at == len(pieces) - 1)
