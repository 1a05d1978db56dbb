"""Compares the recorded output of a snippet with a new one.

In a recorded output, `...` inside a line stands for anything on that line, and `...` alone on a line for any number of
lines. Numbers with a point or an exponent may differ by the tolerance, and so may the spaces before them, because a
tensor's print is padded; whole numbers and words may not. Line ends, trailing spaces and final empty lines never count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

# Relative, without an absolute part: "the difference is 0.0" must remain a claim that can fail. Sums in another order
# differ by some 1e-6 in float32; a snippet that prints noise near zero writes `...` or rounds.
TOLERANCE = 1e-4

_ANY = "..."
_NUMBER = r"(?<![\w.])[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE][-+]?[0-9]))(?:[eE][-+]?[0-9]+)?(?!\.?[0-9])"
_FLOAT = re.compile(_NUMBER)
_MOST_LINES = 400  # that a diff compares and shows

_Alike = Callable[[str, str], bool]


@dataclass(frozen=True)
class Comparison:
    """Whether two outputs are the same, and if not, the lines that differ."""

    same: bool
    diff: str


@dataclass(frozen=True)
class DiffLine:
    """A line of a diff, with its number in each output, from 1; None if an output does not have it."""

    kind: Literal["kept", "removed", "added"]
    text: str
    was: int | None
    now: int | None


@dataclass(frozen=True)
class OutputDiff:
    """Two outputs line by line; `left_out` lines at the end are not compared."""

    lines: tuple[DiffLine, ...]
    left_out: int = 0

    @property
    def same(self) -> bool:
        """Whether no line is missing or new."""
        return not self.left_out and all(line.kind == "kept" for line in self.lines)


def choose(recorded: Mapping[str, str], device: str) -> str | None:
    """Return the output recorded for a device such as "cuda:0": that of its kind, else the common one, else None."""
    return recorded.get(device.partition(":")[0], recorded.get(""))


def compare(expected: str, actual: str, *, tolerance: float = TOLERANCE) -> Comparison:
    """Compare a recorded output with a new one; `tolerance` is relative, for numbers with a point or an exponent."""
    alike = _alike_within(tolerance)
    wanted, found = _lines(expected), _lines(actual)
    if _all_match(wanted, found, alike):
        return Comparison(same=True, diff="")
    return Comparison(same=False, diff="\n".join(_diff(wanted, found, alike)) + "\n")


def holds(expected: str, actual: str, *, tolerance: float = TOLERANCE) -> bool:
    """Return whether a new output matches the recorded one, without a diff."""
    return _all_match(_lines(expected), _lines(actual), _alike_within(tolerance))


def line_by_line(expected: str, actual: str, *, tolerance: float = TOLERANCE) -> OutputDiff:
    """Return the diff of a recorded output and a new one; a matching line is kept, with its new text."""
    wanted, found = _lines(expected), _lines(actual)
    blocks = _blocks(wanted[:_MOST_LINES], found[:_MOST_LINES], _alike_within(tolerance))
    return _difference(blocks, wanted, found)


def changes(before: str, after: str) -> OutputDiff:
    """Return the diff of the outputs of two runs; every character counts, and `...` has no meaning."""
    wanted, found = _lines(before), _lines(after)
    old, new = wanted[:_MOST_LINES], found[:_MOST_LINES]
    return _difference(_plain_blocks(old, new, new), wanted, found)


def renewed(expected: str, actual: str, *, tolerance: float = TOLERANCE) -> str:
    """Return the text to record instead of `expected`: the new output, with the recorded lines that still match.

    So an author's `...` survive a change elsewhere in the output.
    """
    wanted, found = _lines(expected), _lines(actual)
    if max(len(wanted), len(found)) > _MOST_LINES:
        return "".join(f"{line}\n" for line in found)
    blocks = _blocks(wanted, found, _alike_within(tolerance))
    lines = [line for block in blocks for line in (block.wanted if block.same else block.found)]
    return "".join(f"{line}\n" for line in lines)


def _alike_within(tolerance: float) -> _Alike:
    return lambda wanted, found: wanted == found or _line_matches(wanted, found, tolerance)


def _lines(text: str) -> list[str]:
    folded = text.replace("\r\n", "\n").rstrip()
    return [line.rstrip() for line in folded.split("\n")] if folded else []


def _is_any(line: str) -> bool:
    return line.strip() == _ANY


def _all_match(wanted: Sequence[str], found: Sequence[str], alike: _Alike) -> bool:
    """Match as a glob does: on a mismatch the last `...` takes one more line."""
    at = here = 0
    retry: tuple[int, int] | None = None
    while here < len(found):
        if at < len(wanted) and _is_any(wanted[at]):
            at += 1
            retry = (at, here)
        elif at < len(wanted) and alike(wanted[at], found[here]):
            at, here = at + 1, here + 1
        elif retry is None:
            return False
        else:
            retry = (retry[0], retry[1] + 1)
            at, here = retry
    return all(_is_any(line) for line in wanted[at:])


def _line_matches(wanted: str, found: str, tolerance: float) -> bool:
    """Find the pieces between the `...` in order, the first at the start and the last at the end."""
    if wanted.endswith(_ANY):
        found += " "  # the space before a last `...` was stripped if nothing followed it
    pieces = _pieces(wanted)
    start = 0
    for number, piece in enumerate(pieces):
        first, last = number == 0, number == len(pieces) - 1
        end = piece.find(found, start, only_here=first, to_the_end=last, tolerance=tolerance)
        if end is None:
            return False
        start = end
    return True


@lru_cache(maxsize=2 * _MOST_LINES)  # a diff compares each recorded line with each new one
def _pieces(wanted: str) -> tuple[_Piece, ...]:
    texts = wanted.split(_ANY)
    last = len(texts) - 1
    return tuple(_Piece.of(text, cut_before=at > 0, cut_after=at < last) for at, text in enumerate(texts))


@dataclass(frozen=True)
class _Piece:
    """A part of a line without `...`: its words as a pattern that captures the numbers, and their values."""

    pattern: re.Pattern[str]
    numbers: tuple[float, ...]

    @classmethod
    def of(cls, text: str, *, cut_before: bool, cut_after: bool) -> _Piece:
        """Parse the text; a number next to a `...` is only part of a number, so it counts as text."""
        parts: list[str] = []
        numbers: list[float] = []
        done = 0
        for match in _FLOAT.finditer(text):
            if (cut_before and match.start() == 0) or (cut_after and match.end() == len(text)):
                continue
            parts.append(re.escape(text[done : match.start()].rstrip(" \t")) + rf"[ \t]*({_NUMBER})")
            numbers.append(float(match[0]))
            done = match.end()
        return cls(re.compile("".join(parts) + re.escape(text[done:])), tuple(numbers))

    def find(self, text: str, start: int, *, only_here: bool, to_the_end: bool, tolerance: float) -> int | None:
        """Return where its first occurrence from `start` ends, or None."""
        match_at = self.pattern.fullmatch if to_the_end else self.pattern.match
        for position in (start,) if only_here else range(start, len(text) + 1):
            match = match_at(text, position)
            if match and all(
                math.isclose(float(found), wanted, rel_tol=tolerance)
                for found, wanted in zip(match.groups(), self.numbers, strict=True)
            ):
                return match.end()
        return None


def _diff(wanted: Sequence[str], found: Sequence[str], alike: _Alike) -> Iterator[str]:
    """Yield the differing lines as diff does: `-` was recorded, `+` is new, each block after its line numbers."""
    lines: list[str] = []
    for block in _blocks(wanted[:_MOST_LINES], found[:_MOST_LINES], alike):
        if not block.same:
            lines.append(f"@@ -{block.at + 1} +{block.here + 1} @@")
            lines += [*(f"-{line}" for line in block.wanted), *(f"+{line}" for line in block.found)]
    yield from lines[:_MOST_LINES]
    if not lines or len(lines) > _MOST_LINES or max(len(wanted), len(found)) > _MOST_LINES:
        yield f"@@ {len(wanted)} lines recorded, {len(found)} lines now @@"


@dataclass(frozen=True)
class _Block:
    """Recorded lines and the new lines in their place."""

    same: bool
    at: int
    here: int
    wanted: Sequence[str]
    found: Sequence[str]


def _blocks(wanted: Sequence[str], found: Sequence[str], alike: _Alike) -> Iterator[_Block]:
    # The matcher knows only equality, so each new line first takes the text of the recorded line that it matches.
    plain = [line for line in wanted if not _is_any(line)]
    known = frozenset(plain)
    renamed = [line if line in known else next((w for w in plain if alike(w, line)), line) for line in found]
    for block in _plain_blocks(wanted, renamed, found):
        yield block if block.same else replace(block, same=_all_match(block.wanted, block.found, alike))


def _plain_blocks(wanted: Sequence[str], renamed: Sequence[str], found: Sequence[str]) -> Iterator[_Block]:
    for tag, at, at_end, here, end in SequenceMatcher(None, wanted, renamed, autojunk=False).get_opcodes():
        yield _Block(tag == "equal", at, here, wanted[at:at_end], found[here:end])


def _difference(blocks: Iterable[_Block], wanted: Sequence[str], found: Sequence[str]) -> OutputDiff:
    lines = tuple(line for block in blocks for line in _lines_of(block))
    return OutputDiff(lines, sum(max(0, len(side) - _MOST_LINES) for side in (wanted, found)))


def _lines_of(block: _Block) -> Iterator[DiffLine]:
    if block.same:
        paired = len(block.wanted) == len(block.found)
        for number, text in enumerate(block.found):
            yield DiffLine("kept", text, block.at + number + 1 if paired else None, block.here + number + 1)
        return
    for number, text in enumerate(block.wanted, block.at + 1):
        yield DiffLine("removed", text, number, None)
    for number, text in enumerate(block.found, block.here + 1):
        yield DiffLine("added", text, None, number)
