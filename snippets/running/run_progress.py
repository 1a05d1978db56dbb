"""The progress of an active run: whether it waits for a line, and which ranks are silent, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from snippets.errors import Sentence

_SHOWN = 4  # places that a sentence names


@dataclass(frozen=True)
class StalledProcess:
    """A process and where it is; `rank` is None if it is the only one."""

    rank: int | None
    seconds: float  # without output
    function: str  # the innermost; empty at a line of the program itself
    line: int | None  # of the program, from 1; None if it is not known
    stack: tuple[str, ...] = ()  # a line for each function, innermost first

    @property
    def place(self) -> Sentence | None:
        """Where it is; None if it is not known."""
        if self.line is None:
            return Sentence(f"in {self.function}", f"停在 {self.function}") if self.function else None
        if not self.function:
            return Sentence(f"at line {self.line}", f"停在第 {self.line} 行")
        return Sentence(f"in {self.function} at line {self.line}", f"停在 {self.function}（第 {self.line} 行）")


@dataclass(frozen=True)
class RunProgress:
    """The progress of an active run."""

    waits: bool = False  # for a line of input
    secret: bool = False  # the line is a password
    silent: tuple[StalledProcess, ...] = ()


def midway_of(report: Mapping[str, Any]) -> RunProgress:
    """Return a report of the supervisor as a value."""
    silent = tuple(map(stuck_of, report["silent"]))
    return RunProgress(waits=bool(report["waits"]), secret=bool(report.get("secret")), silent=silent)


def stuck_of(told: Mapping[str, Any]) -> StalledProcess:
    """Return one process of a report as a value."""
    stack = tuple(f"{function}  {file}:{line}" for file, line, function in told["stack"])
    return StalledProcess(told["rank"], float(told["seconds"]), str(told["function"]), told["line"], stack)


def last_seen(stood: Iterable[StalledProcess]) -> Sentence | None:
    """Return a sentence about where the processes of a run were at its time limit; None if it is not known."""
    places: dict[tuple[str, str], list[int]] = {}
    for one in stood:
        if one.place is not None:
            places.setdefault((one.place.en, one.place.zh), [])
            if one.rank is not None:
                places[one.place.en, one.place.zh].append(one.rank)
    if not places:
        return None
    told = list(places.items())[:_SHOWN]
    en = "; ".join(f"{ranks_in_words(ranks).en} was {place}" for (place, _), ranks in told)
    zh = "；".join(f"{ranks_in_words(ranks).zh}{place}" for (_, place), ranks in told)
    return Sentence(f"At the end {en}.", f"结束时{zh}。")


def ranks_in_words(ranks: Sequence[int]) -> Sentence:
    """Return words for ranks: rank 3, ranks 0-3, ranks 0, 2; "it" without ranks."""
    if not ranks:
        return Sentence("it", "它")
    text = stretches(ranks)
    return Sentence(f"rank {text}" if len(ranks) == 1 else f"each of ranks {text}", f"rank {text} ")


def stretches(numbers: Iterable[int]) -> str:
    """Return numbers as ranges: 0-3, 6."""
    parts: list[list[int]] = []
    ordered = sorted(set(numbers))
    for before, number in pairwise([ordered[0] - 2, *ordered] if ordered else []):
        if number == before + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)
