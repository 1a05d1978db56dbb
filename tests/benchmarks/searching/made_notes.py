"""Notes made up from a fixed seed, with about as many different words, names and characters as real ones have."""

from __future__ import annotations

import bisect
import itertools
import random
from pathlib import Path

_FIRST = [*"bcdfghklmnprstvw", "br", "st", "tr", "ch", "sh", "pl", "gr"]
_LAST = ["a", "e", "i", "o", "u", "ar", "en", "il", "on", "us", "er", "at"]
_WORDS = 30_000
_CHARACTERS = 3_500
_PAIRS = 40_000
_NAMES = 20_000
_FRESH = 0.3  # share of the names in code that stand in one note alone, as those of variables and files do


class Language:
    """Draws words and pairs of characters, each the rarer the later it was made, as in any language."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)
        self._words = list(dict.fromkeys(self._word() for _ in range(_WORDS)))
        letters = [chr(number) for number in self._luck.sample(range(0x4E00, 0x9FA5), _CHARACTERS)]
        weights = _falling(len(letters))
        self._pairs = ["".join(self._some(letters, weights, 2)) for _ in range(_PAIRS)]
        self._names = [self._name() for _ in range(_NAMES)]
        self._falling = {len(pool): _falling(len(pool)) for pool in (self._words, self._pairs, self._names)}

    def _word(self) -> str:
        count = self._luck.choice((1, 2, 2, 2, 3, 3, 4))
        return "".join(self._luck.choice(_FIRST) + self._luck.choice(_LAST) for _ in range(count))

    def _name(self) -> str:
        one, two, three = self._luck.choices(self._words, k=3)
        return self._luck.choice(
            (f"{one}.{two}_{three}", f"{one}_{two}", f"{one.title()}{two.title()}", f"{one}.{two}")
        )

    def _some(self, pool: list[str], weights: list[float], count: int) -> list[str]:
        return [pool[bisect.bisect_left(weights, self._luck.random())] for _ in range(count)]

    def words(self, count: int) -> str:
        """Return words with spaces between."""
        return " ".join(self._some(self._words, self._falling[len(self._words)], count))

    def han(self, count: int) -> str:
        """Return Chinese, twice as many characters as asked for, with marks between."""
        found = self._some(self._pairs, self._falling[len(self._pairs)], count)
        return "，".join("".join(found[at : at + 6]) for at in range(0, count, 6))

    def code(self, count: int) -> list[str]:
        """Return names as code has them, some of them never seen before."""
        known = self._some(self._names, self._falling[len(self._names)], count)
        return [f"{name}_{self._luck.randrange(10**6)}" if self._luck.random() < _FRESH else name for name in known]


def _falling(count: int) -> list[float]:
    """Return sums of weights up to each place, for drawing: the weight of a place falls as in Zipf's law."""
    sums = list(itertools.accumulate(1 / (rank + 3) for rank in range(count)))
    return [one / sums[-1] for one in sums]


def _section(language: Language, number: int) -> str:
    names = language.code(8)
    block = "\n".join(f"{left} = {right}({number})" for left, right in itertools.pairwise(names[:5]))
    return (
        f"## {language.words(2)} {language.han(2)}\n\n"
        f"{language.words(30)}, `{names[5]}` {language.words(20)} **{names[6]}**.\n\n"
        f"{language.han(36)}。[{language.words(1)}](note{number % 97:05}.md)\n\n"
        f"```python\n{block}\n```\n"
    )


def make_notes(root: Path, sections: int) -> None:
    """Write notes of ten sections each."""
    language = Language(11)
    for number in range(sections // 10):
        parts = [_section(language, number) for _ in range(10)]
        (root / f"note{number:05}.md").write_text("\n".join(parts), encoding="utf-8")
