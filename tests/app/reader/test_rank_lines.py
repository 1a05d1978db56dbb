"""Tests of output lines of several ranks: nothing is lost, each rank keeps its order, equal lines are merged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from app.reader.ansi import PLAIN
from app.reader.cell_state import Program
from app.reader.cell_text import TracebackLine, linked
from app.reader.terminal import Gap, TerminalLine, by_rank


def lines_of(*texts: str) -> list[TerminalLine | Gap]:
    return [TerminalLine(number, 0, "stdout", text, PLAIN) for number, text in enumerate(texts)]


def shown(lines: Sequence[TerminalLine | Gap], *, folded: bool = True) -> list[str]:
    told, _ = by_rank(lines, folded=folded)
    return ["".join(run.text for run in line.runs) if isinstance(line, TerminalLine) else "..." for line in told]


def test_equal_lines_are_merged() -> None:
    """In any order of arrival; a line of one rank alone comes before the later lines of all."""
    lines = lines_of(*(f"[rank {rank}] {text}" for rank in (1, 0) for text in ("hello", f"shard {rank}", "done")))
    assert shown(lines) == ["[ranks 0-1] hello", "[rank 1] shard 1", "[rank 0] shard 0", "[ranks 0-1] done"]
    assert by_rank(lines, folded=True)[1] == 2
    assert shown(lines, folded=False) == [line.raw for line in lines if isinstance(line, TerminalLine)]


def test_each_rank_has_a_colour() -> None:
    """Each rank has its own colour, not that of failures; the rest of the line keeps its own colours."""
    told, _ = by_rank(lines_of("[rank 0] \x1b[31mred", "[rank1]: b", "rank 2: c", "[default3]:d"), folded=True)
    first = [line.runs for line in told if isinstance(line, TerminalLine)]
    assert [runs[0].text for runs in first] == ["[rank 0]", "[rank 1]", "[rank 2]", "[rank 3]"]
    assert len({runs[0].style.foreground for runs in first}) == 4
    assert all(runs[0].style.foreground not in {1, 9} for runs in first)
    assert first[0][-1].style.foreground == 1


def test_other_lines_are_left_as_they_are() -> None:
    """Prose about ranks, redrawn progress lines and gaps stay unchanged, and nothing is merged across them."""
    lines: list[TerminalLine | Gap] = [
        *lines_of("the rank 0 is 1", "ranking 3: x", "rank 0", "[rank 0] a", "between", "[rank 1] a"),
        *lines_of("[rank 1] 5%\r[rank 1] 6%"),
        Gap(1, 2, 3),
        *lines_of("[rank 0] 6%"),
    ]
    assert shown(lines)[:6] == ["the rank 0 is 1", "ranking 3: x", "rank 0", "[rank 0] a", "between", "[rank 1] a"]
    assert shown(lines)[7:] == ["...", "[rank 0] 6%"]


def test_unfinished_and_empty_lines_are_not_merged() -> None:
    """An unfinished line may still become different; merging empty ones would save nothing."""
    open_line = TerminalLine(1, 0, "stdout", "[rank 1] a", PLAIN, open=True)
    assert shown([*lines_of("[rank 0] a"), open_line]) == ["[rank 0] a", "[rank 1] a"]
    assert shown(lines_of("[rank 0] ", "[rank 1] ")) == ["[rank 0] ", "[rank 1] "]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), max_size=40))
def test_nothing_is_lost_and_each_rank_keeps_its_order(said: list[tuple[int, str]]) -> None:
    """Whatever is merged, the lines of each rank can be read in their original order."""
    lines = lines_of(*(f"[rank {rank}] {text}" for rank, text in said))
    read: dict[int, list[str]] = {rank: [] for rank in range(4)}
    for text in shown(lines):
        match = re.fullmatch(r"\[ranks? ([\d, -]+)\] (.)", text)
        assert match is not None
        for stretch in match[1].split(", "):
            first, _, last = stretch.partition("-")
            for rank in range(int(first), int(last or first) + 1):
                read[rank].append(match[2])
    assert read == {rank: [text for one, text in said if one == rank] for rank in range(4)}


def test_a_traceback_line_links_to_the_code() -> None:
    """Only for the cell's own file, minus its hidden lines; also after the prefix of a rank."""
    program = Program("note.py", 10)
    (line,) = lines_of('  File "/home/me/.cache/runs/1/code/note.py", line 12, in work')
    assert isinstance(line, TerminalLine)
    found = linked(line, program)
    assert isinstance(found, TracebackLine)
    assert (found.parts, found.action) == (('  File "note.py", ', "line 2", ", in work"), "line:2")
    (ranked,), _ = by_rank(lines_of('[rank1]:   File "/x/note.py", line 13'), folded=True)
    assert isinstance(ranked, TerminalLine)
    led = linked(ranked, program)
    assert isinstance(led, TracebackLine)
    assert led.parts == ('[rank 1]   File "note.py", ', "line 3", "")
    for other in ('  File "/x/other.py", line 12, in f', '  File "/x/note.py", line 3, in f', 'File "note.py"', "text"):
        (line,) = lines_of(other)
        assert isinstance(line, TerminalLine)
        assert linked(line, program) is line
    assert linked(line, Program()) is line
