"""How a run stands while it goes on: whether it waits for a line, and which of its ranks are silent, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from snippets.errors import Sentence

_SHOWN = 4  # places that a sentence names


@dataclass(frozen=True)
class StalledProcess:
    """A process and where it is; `rank` is None for one that is the only one."""

    rank: int | None
    seconds: float  # for which it has said nothing
    function: str  # the innermost; empty where it is the line of the program itself
    line: int | None  # of the program, from 1; None where that is not known
    stack: tuple[str, ...] = ()  # a line for each function, from the innermost out

    @property
    def place(self) -> Sentence | None:
        """Say where it is; None where nobody knows."""
        if self.line is None:
            return Sentence(f"in {self.function}", f"停在 {self.function}") if self.function else None
        if not self.function:
            return Sentence(f"at line {self.line}", f"停在第 {self.line} 行")
        return Sentence(
            f"in {self.function} at line {self.line}", f"停在 {self.function}（第 {self.line} 行）"
        )  # fmt: skip


@dataclass(frozen=True)
class RunProgress:
    """What there is to say of a run that goes on."""

    waits: bool = False  # for a line of input
    secret: bool = False  # that line is a password, not to be shown
    silent: tuple[StalledProcess, ...] = ()


def midway_of(report: Mapping[str, Any]) -> RunProgress:
    """Make the value of a supervisor's report."""
    silent = tuple(map(stuck_of, report["silent"]))
    return RunProgress(waits=bool(report["waits"]), secret=bool(report.get("secret")), silent=silent)


def stuck_of(told: Mapping[str, Any]) -> StalledProcess:
    """Make the value of what a report says of one process."""
    stack = tuple(f"{function}  {file}:{line}" for file, line, function in told["stack"])
    return StalledProcess(told["rank"], float(told["seconds"]), str(told["function"]), told["line"], stack)


def last_seen(stood: Iterable[StalledProcess]) -> Sentence | None:
    """Say where the processes of a run were when its time was over, those in one place together."""
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
    """Name ranks in few words: rank 3, ranks 0-3, ranks 0, 2; for none of them the one process there is."""
    if not ranks:
        return Sentence("it", "它")
    text = stretches(ranks)
    return Sentence(f"rank {text}" if len(ranks) == 1 else f"each of ranks {text}", f"rank {text} ")


def stretches(numbers: Iterable[int]) -> str:
    """Write numbers with neighbours together: 0-3, 6."""
    parts: list[list[int]] = []
    ordered = sorted(set(numbers))
    for before, number in pairwise([ordered[0] - 2, *ordered] if ordered else []):
        if number == before + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)
