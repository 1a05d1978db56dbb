"""Lines of several processes: each with its rank in a colour, and what many say alike said once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.reader.terminal import Gap, TerminalLine
from kb.lazy_regex import expression
from snippets.running.run_progress import stretches

# How a line of a rank begins: as people print it, and as torch and torchrun do.
_PREFIX = expression(r"((?:\x1b\[[0-9;]*m)*)(?:\[(?:rank ?|default)(\d{1,4})\]:?|rank (\d{1,4}):) ?")
_COLOURS = (36, 35, 32, 33, 34, 96, 95, 92, 94)  # of a terminal, without red: that means failure
_REACH = 64  # lines within which one is looked for that says the same


@dataclass(eq=False)
class _Said:
    """A line, and the ranks that have said it."""

    line: TerminalLine
    text: str
    ranks: list[int]


def by_rank(lines: Sequence[TerminalLine | Gap], *, folded: bool) -> tuple[list[TerminalLine | Gap], int]:
    """Return the lines with their ranks in colour; `folded`, those of several ranks once, and how many that saved.

    What one rank says keeps its order.
    """
    shown: list[TerminalLine | Gap] = []
    block: list[_Said] = []
    saved = 0
    for line in lines:
        said = _said(line) if isinstance(line, TerminalLine) else None
        if said is None:
            shown += _worded(block)
            block = []
            shown.append(line)
        elif not (folded and _joined(block, said)):
            block.append(said)
        else:
            saved += 1
    return [*shown, *_worded(block)], saved


def _said(line: TerminalLine) -> _Said | None:
    if "rank" not in line.raw[:40] and "default" not in line.raw[:40]:
        return None
    match = _PREFIX.match(line.raw)
    if match is None or line.piece or "\r" in line.raw:
        return None
    return _Said(line, match[1] + line.raw[match.end() :], [int(match[2] or match[3])])


def _joined(block: list[_Said], new: _Said) -> bool:
    """Add the rank to an earlier line that says the same; say whether there is one.

    What the rank alone has said since then moves before that line: between ranks no order is meant.
    """
    if new.line.open or not new.text.strip():
        return False
    (rank,) = new.ranks
    found, own = None, []
    for index in range(len(block) - 1, max(-1, len(block) - 1 - _REACH), -1):
        said = block[index]
        if said.ranks == new.ranks:
            own.append(index)
        elif rank in said.ranks:
            break
        elif said.text == new.text and said.line.stream == new.line.stream and not said.line.open:
            found = index
    if found is None:
        return False
    block[found].ranks.append(rank)
    moved = [block[index] for index in reversed(own) if index > found]
    rest = [said for said in block[found:] if said not in moved]
    block[found:] = [*moved, *rest]
    return True


def _worded(block: Iterable[_Said]) -> list[TerminalLine]:
    return [_line(said.line, said.text, tuple(sorted(said.ranks))) for said in block]


@lru_cache(4096)
def _line(line: TerminalLine, text: str, ranks: tuple[int, ...]) -> TerminalLine:
    """Return a line with its ranks before it, in a colour where it is one."""
    colour = _COLOURS[ranks[0] % len(_COLOURS)] if len(ranks) == 1 else 1
    name = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {stretches(ranks)}"
    after = 39 if len(ranks) == 1 else 22
    return replace(line, raw=f"\x1b[{colour}m[{name}]\x1b[{after}m {text}")
