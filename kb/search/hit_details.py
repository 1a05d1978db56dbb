"""Details of the hits: which words to mark, what was found where, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.analysis.stopwords import is_stopword
from kb.analysis.tokens import normalized, words, written
from kb.index.snapshot import StoredSection
from kb.results import Hit
from kb.search.excerpt import shown
from kb.search.query_expansion import Expansion
from kb.search.scoring import Alternative, Scorer

_SHORT = 4  # letters; shorter words must be whole words
_WORDS = 12  # words listed for each place
_OTHERS = 4  # other names listed

Marks = dict[str, float]


@dataclass(frozen=True)
class _Sought:
    """What to look for in every section: the words to mark, and the other names of what was typed."""

    marks: Marks
    expansion: Expansion
    others: Sequence[tuple[str, str, str]]  # typed name, other name, other name normalized
    apart: Mapping[str, frozenset[str]]  # by normalized other name: its words that were not typed


def hits_of(scorer: Scorer, expansion: Expansion, best: Sequence[tuple[int, float]]) -> tuple[Hit, ...]:
    """Return sections, given by number and score, as hits with the reasons why they were found."""
    others = [(other.typed, other.text, normalized(other.text)) for other in expansion.others]
    typed = {term for unit in expansion.units for term, _ in unit.terms}
    apart = {name: frozenset(one) - {*typed, name} for name, *one in map(_named, expansion.others)}
    sought = _Sought(_marks(scorer, expansion), expansion, others, apart)
    return tuple(_hit(scorer.snapshot.stored(at), score, sought) for at, score in best)


def _marks(scorer: Scorer, expansion: Expansion) -> Marks:
    """Return the words that may have matched, the longest first, each with its weight."""
    marks: Marks = {}
    units = expansion.units
    telling = [unit for unit in units if not all(is_stopword(term) for term, _ in unit.terms)]
    for unit in telling or units:  # stop words are marked only if there are no others
        for term, weight in unit.terms:
            worth = unit.weight * weight * scorer.rarity(scorer.frequency(term))
            marks[term] = max(worth, marks.get(term, 0.0))
    for run in (*expansion.runs, *(way for ways in expansion.heard.values() for way in ways)):
        if len(run) > 2:  # noqa: PLR2004 - more than one pair
            marks[run] = sum(marks.get(first + second, 0.0) for first, second in pairwise(run))
    for other in expansion.others:
        worth = other.weight * max(scorer.rarity(len(scorer.unit(unit).documents)) for unit in other.units)
        for name in _named(other):
            marks.setdefault(name, worth)
    return dict(sorted(marks.items(), key=lambda mark: (-len(mark[0]), -mark[1])))


def _named(other: Alternative) -> tuple[str, ...]:
    """Return the words that match another name: the whole name, then those of its words that are long enough."""
    apart = (word.term for word in words(other.text) if not word.han and len(word.term) >= _SHORT)
    return normalized(other.text), *apart


def _hit(stored: StoredSection, score: float, sought: _Sought) -> Hit:
    heading, text = stored.low
    marks = sought.marks
    there = _standing(text, marks)
    piece, seen = shown(stored.text, text, {word: marks[word] for word in there})
    inside, headed = _outermost(text, there, marks), _standing(heading, marks)
    if headed:
        headed = _outermost(heading, headed, marks)
        inside = [word for word in inside if word not in headed]
    known = {*headed, *inside}
    above = _standing(stored.low_above, marks)
    over = [word for word in _outermost(stored.low_above, above, marks) if word not in known] if above else above
    places = (("heading", headed), ("text", inside[:_WORDS]), ("above", over[:_WORDS]))
    why = [f"{place}: {' '.join(found)}" for place, found in places if found]
    matched = headed + [word for word in inside if word in seen]
    if sought.apart:
        # If "loss scale" is found as a name, not every "loss" of the page is a match.
        vague = {word for name, apart in sought.apart.items() if name in known for word in apart}
        matched = [word for word in matched if word not in vague]
    return Hit(
        stored.path,
        stored.heading,
        stored.line,
        stored.anchor,
        stored.lang,
        stored.note,
        stored.trail,
        round(score, 4),
        piece,
        written(matched, (stored.heading, heading), (piece, seen)),
        (*why, *_meant(sought.expansion, stored), *(_said_otherwise(sought.others, known) if sought.others else ())),
    )


def _meant(expansion: Expansion, stored: StoredSection) -> list[str]:
    """Return the corrected words and pinyin that occur in a section, as "typed → meant" and "typed = meant"."""
    if not expansion.corrected and not expansion.heard:
        return []
    heading, text = stored.low

    def occurs(word: str) -> bool:
        return word in heading or word in text

    heard = ((typed, next(filter(occurs, ways), "")) for typed, ways in expansion.heard.items())
    return [
        *(f"{wrong} → {right}" for wrong, right in expansion.corrected.items() if occurs(right)),
        *(f"{typed} = {way}" for typed, way in heard if way),
    ]


def _said_otherwise(others: Iterable[tuple[str, str, str]], found: set[str]) -> list[str]:
    """Return the concepts that a section calls by another name than the one typed, each once."""
    said: dict[str, str] = {}
    for typed, text, level in others:
        if typed not in found and level in found:
            said.setdefault(typed, f"{typed} = {text}")
    return list(said.values())[:_OTHERS]


def _standing(text: str, marks: Marks) -> list[str]:
    """Return the words that occur in a text."""
    return [word for word in marks if word in text]


def _outermost(text: str, standing: Sequence[str], marks: Marks) -> list[str]:
    """Return the words that occur in a text other than inside longer words that were found too.

    `standing` are all that occur, the longest first.
    """
    found: list[str] = []
    last = standing[-1] if standing else ""
    for word in standing:
        if (not found or word in text) and (len(word) >= _SHORT or _is_word(word, text)):
            found.append(word)
            if word is not last:
                text = text.replace(word, "\0")
    return sorted(found, key=marks.__getitem__, reverse=True) if len(found) > 1 else found


def _is_word(word: str, text: str) -> bool:
    """Return whether a short Latin word occurs as a whole word: "on" is not part of "configuration"."""
    return not word.isascii() or re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text) is not None
