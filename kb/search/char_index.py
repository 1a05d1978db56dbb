"""The Chinese characters of a snapshot by reading and shape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from kb.analysis.confusables import lookalikes
from kb.analysis.pinyin import near, readings
from kb.search.bigram_counts import BigramCounts

UNUSUAL = 0.01  # likelihood of a reading that is not the usual one
_NEAR = 0.3  # of a similar sound
_ALIKE = 0.4  # of a similar shape
_BOTH = 4.0  # of a similar shape and sound


class CharIndex:
    """Indexes all characters at the first lookup, which takes some 20 ms. Not thread-safe."""

    def __init__(self, pairs: BigramCounts) -> None:
        """Index nothing yet."""
        self._pairs = pairs
        self._meant: dict[str, Mapping[str, float]] = {}

    @cached_property
    def saying(self) -> Mapping[str, Mapping[str, float]]:
        """The characters by each syllable they may be read as, each with a likelihood."""
        found: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for character in self._pairs.characters:
            for at, one in enumerate(readings(character)):
                for way in (one, one.replace("v", "u")):
                    found[way].setdefault(character, UNUSUAL if at else 1.0)
        return found

    @cached_property
    def _nearly(self) -> Mapping[str, frozenset[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for syllable, characters in self.saying.items():
            found[near(syllable)].update(one for one, likely in characters.items() if likely == 1)
        return {syllable: frozenset(characters) for syllable, characters in found.items()}

    def meant(self, character: str) -> Mapping[str, float]:
        """Return the characters that may be meant by one of similar sound or shape, each with a likelihood."""
        known = self._meant.get(character)
        if known is None:
            said = readings(character)
            found = dict.fromkeys(self._nearly.get(near(said[0]), ()) if said else (), _NEAR)
            found |= dict.fromkeys(lookalikes(character) & self._pairs.characters, _ALIKE)
            for one in said:
                same = (other for other, likely in self.saying.get(one, {}).items() if likely == 1)
                found |= {other: _BOTH if found.get(other) == _ALIKE else 1.0 for other in same}
            found.pop(character, None)
            known = self._meant[character] = found
        return known
