"""Chinese characters that are confused because they look alike."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("confusables.txt")


def lookalikes(character: str) -> frozenset[str]:
    """Return the characters that look similar to one."""
    return _groups().get(character, frozenset())


@cache
def _groups() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            for character in line:
                found[character].update(line)
    return {character: frozenset(group - {character}) for character, group in found.items()}
