"""Tests of a run's output as lines in bounded memory, and of their styles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reader.ansi import PLAIN, Style, read_line, style_after, visible
from app.reader.terminal import Gap, Terminal, TerminalLine
from tests.pace import thinking_within


def text_of(line: TerminalLine) -> str:
    return "".join(run.text for run in line.runs)


def shown(terminal: Terminal, *, folded: bool = False) -> list[str]:
    return [text_of(line) if isinstance(line, TerminalLine) else "..." for line in terminal.lines(folded=folded)]


def test_lines_may_arrive_in_parts() -> None:
    """A line that arrives in parts is one line, and an unfinished line is shown, too."""
    terminal = Terminal()
    for part in ("al", "pha\nbe", "ta"):
        terminal.feed("stdout", part)
    assert shown(terminal) == ["alpha", "beta"]
    terminal.feed("stdout", "\n")
    assert shown(terminal) == ["alpha", "beta"]
    assert terminal.total == 2


def test_carriage_return_redraws_one_line() -> None:
    """A progress bar takes one line however often it is redrawn, also if a part ends within a line end."""
    terminal = Terminal()
    for step in range(50_000):
        terminal.feed("stderr", f"\r{step:6d} of 50000")
    assert shown(terminal) == [" 49999 of 50000"]
    terminal.feed("stderr", "\r")
    terminal.feed("stderr", "\n")
    assert shown(terminal) == [" 49999 of 50000"]
    assert terminal.total == 1


def test_streams_are_independent() -> None:
    """A progress line on standard error stays whole while standard output prints lines."""
    terminal = Terminal()
    terminal.feed("stderr", "50%")
    terminal.feed("stdout", "a line\n")
    terminal.feed("stderr", "\r60%")
    assert shown(terminal) == ["a line", "60%"]


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("abc\rX", "Xbc"),
        ("abc\b\bX", "aXc"),
        ("abc\r\x1b[K", ""),
        ("abc\x1b[2K\rde", "de"),
        ("abcdef\r\x1b[3CX", "abcXef"),
        ("abc\x1b[2GX", "aXc"),
        ("abc\x1b[1DX", "abX"),
        ("abc\x1b[1K", ""),
        ("a\tb", "a       b"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bplain", "plain"),
        ("\x1b[999999999999Cfar", " far"),
        ("a\x00b\x07", "a␀b␇"),
        ("x\u202egnp.exe", "x‹U+202E›gnp.exe"),
        ("\ufdd0\ufffc\x9b", "\ufffd\ufffd\ufffd"),
        ("\ud800", "\ufffd"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
    ],
)
def test_control_characters(raw: str, seen: str) -> None:
    """Cursor movements within the line are obeyed, colours removed, all other controls made visible."""
    assert "".join(run.text for run in read_line(raw)) == seen


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", Style(foreground=1)),
        ("1;3;4;92", Style(foreground=10, bold=True, italic=True, underline=True)),
        ("38;5;9", Style(foreground=9)),
        ("38;5;196", Style(foreground="#ff0000")),
        ("38;5;255", Style(foreground="#eeeeee")),
        ("48;2;1;2;300", Style(background="#0102ff")),
        ("38;2;1", PLAIN),
        ("2;7", Style(faint=True, inverse=True)),
        ("41", Style(background=1)),
        ("103", Style(background=11)),
        ("31;0", PLAIN),
        ("31;39", PLAIN),
        ("77", PLAIN),
    ],
)
def test_colours(codes: str, style: Style) -> None:
    """Colours and weights of terminals are applied; unknown codes change nothing."""
    assert style_after(f"\x1b[{codes}mtext", PLAIN) == style
    assert [run.style for run in read_line(f"\x1b[{codes}mtext")] == [style]


def test_colour_lasts_over_lines() -> None:
    """A colour lasts until it is reset, also over line ends and parts."""
    terminal = Terminal()
    terminal.feed("stdout", "\x1b[3")
    terminal.feed("stdout", "1mred\nstill\x1b[0m no")
    red, still = terminal.lines(folded=False)
    assert isinstance(red, TerminalLine)
    assert isinstance(still, TerminalLine)
    assert [run.style.foreground for run in red.runs] == [1]
    assert [run.style.foreground for run in still.runs] == [1, None]


@given(st.lists(st.text(st.sampled_from("ab \n\r\x1b[m1;é中"), max_size=40), max_size=30), st.integers(1, 9))
def test_parts_make_no_difference(chunks: list[str], keep: int) -> None:
    """However the text is divided, the lines are the same; nothing is lost without being counted."""
    parts, whole = Terminal(head=keep, tail=keep), Terminal(head=keep, tail=keep)
    for chunk in chunks:
        parts.feed("stdout", chunk)
    whole.feed("stdout", "".join(chunks))
    for terminal in (parts, whole):
        terminal.end()
    assert shown(parts) == shown(whole)
    kept = sum(isinstance(line, TerminalLine) for line in parts.lines(folded=False))
    assert kept + parts.cut_lines == parts.total == whole.total


def test_exact_count_of_what_is_hidden() -> None:
    """Of a million lines the first and last are kept, and the gap is exact in lines and characters."""
    terminal = Terminal(head=3, tail=4)
    text = "".join(f"{number}\n" for number in range(1_000_000))
    for start in range(0, len(text), 300_000):
        terminal.feed("stdout", text[start : start + 300_000])
    lines = terminal.lines(folded=False)
    assert shown(terminal) == ["0", "1", "2", "...", "999996", "999997", "999998", "999999"]
    kept = sum(len(line.raw) + 1 for line in lines if isinstance(line, TerminalLine))
    assert lines[3] == Gap(999_993, len(text) - kept, 999_993)
    assert terminal.total == 1_000_000


def test_endless_line_is_bounded() -> None:
    """A line without an end takes bounded memory; its characters are counted, its escape sequences stay whole."""
    terminal = Terminal(head=2, tail=10)
    for _ in range(300):
        terminal.feed("stdout", "\x1b[31mx" * 20_000)
    terminal.feed("stdout", "\nlast\n")
    lines = terminal.lines(folded=False)
    assert sum(len(line.raw) for line in lines if isinstance(line, TerminalLine)) < 100_000
    assert all(set(text_of(line)) <= set("xlast") for line in lines if isinstance(line, TerminalLine))
    assert terminal.total == 2


def test_a_flood_is_processed_faster_than_pipes_deliver_it() -> None:
    """A hundred megabytes take about a second, because only what can be kept is processed."""
    terminal = Terminal()
    chunk = ("x" * 80 + "\n") * 12_000
    with thinking_within(5):
        for _ in range(100):
            terminal.feed("stdout", chunk)
    assert terminal.total == 1_200_000


def test_folding() -> None:
    """A long output shows its beginning, its end and the size of the gap; a short one is whole."""
    terminal = Terminal()
    terminal.feed("stdout", "".join(f"{number}\n" for number in range(100)))
    folded = terminal.lines(folded=True)
    gaps = [line for line in folded if isinstance(line, Gap)]
    assert gaps == [Gap(100 - (len(folded) - 1), gaps[0].characters, 0)]
    assert shown(terminal, folded=True)[0] == "0"
    assert shown(terminal, folded=True)[-1] == "99"
    short = Terminal()
    short.feed("stdout", "a\nb\n")
    assert shown(short, folded=True) == ["a", "b"]


def test_live_output_stays_cheap() -> None:
    """During the run, an unfolded output shows no more than can be written in a moment."""
    terminal = Terminal()
    terminal.feed("stdout", ("y" * 3000 + "\n") * 700)
    live = terminal.lines(folded=False, live=True)
    assert sum(len(line.raw) for line in live[500:] if isinstance(line, TerminalLine)) < 40_000


def test_plain_text() -> None:
    """The kept output is available as text."""
    terminal = Terminal(head=1, tail=1)
    assert terminal.empty
    terminal.feed("stdout", "\x1b[1ma\x1b[0m\nb\nc\n")
    assert terminal.plain_text() == "a\n...\nc"
    assert not terminal.empty


def test_visible_leaves_text_alone() -> None:
    """Ordinary text in any script is unchanged."""
    assert visible("训练 Ωmega 🙂 é") == "训练 Ωmega 🙂 é"


def test_nested_progress_bars() -> None:
    """Each keeps its line, however often it is redrawn and wherever the text is divided; a finished bar makes room."""
    parts = ["\router:   0%"]
    for epoch in range(1, 4):
        parts.append("\n\rinner:   0%\x1b[A")
        parts += [f"\n\rinner: {step:3}%\x1b[A" for step in range(25, 101, 25)]
        parts += ["\n\r            \r\x1b[A", f"\router: {33 * epoch:3}%"]
    for size in (1, 3, 7, 1000):
        terminal = Terminal()
        text = "".join(parts)
        halfway = text.index("\n\rinner: 100%")
        for start in range(0, halfway, size):
            terminal.feed("stderr", text[start : min(halfway, start + size)])
        assert shown(terminal) == ["outer:   0%", "inner:  75%"]
        terminal.feed("stdout", "epoch 1\n")
        for start in range(halfway, len(text), size):
            terminal.feed("stderr", text[start : start + size])
        terminal.feed("stderr", "\n")
        assert [line for line in shown(terminal) if line] == ["epoch 1", "outer:  99%"]
        terminal.feed("stderr", "done\n")
        terminal.end()
        assert [line for line in shown(terminal) if line] == ["epoch 1", "outer:  99%", "done"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\nb\n\x1b[2Ax", ["x", "b"]),
        ("a\nb\n\x1b[99Ax\ny\nz\n", ["x", "y", "z"]),
        ("\x1b[Aa", ["a"]),
        ("a\nb\x1b[1F\x1b[Kc", ["c", "b"]),
        ("a\nb\x1b[Ac", ["c", "b"]),
        ("\x1b[31ma\nb\x1b[A\nc", ["a", "c"]),
    ],
)
def test_cursor_up(text: str, seen: list[str]) -> None:
    """An ended line is rewritten; above the first line there is nothing."""
    terminal = Terminal()
    terminal.feed("stdout", text)
    assert shown(terminal) == seen
    terminal.end()
    assert shown(terminal) == seen
    assert terminal.total == len(seen)


def test_a_flood_with_progress_bars() -> None:
    """The lines below stay, and everything is counted; the cursor does not move up to an endless line."""
    terminal = Terminal()
    terminal.feed("stdout", "a\nb\x1b[A" + "c" + "\nd\x1b[A")
    terminal.feed("stdout", "\n" + "x\n" * 100_000)
    assert terminal.total == terminal.cut_lines + len(terminal.lines(folded=False)) - 1
    terminal = Terminal()
    terminal.feed("stdout", "y" * 9000 + "\nb\x1b[Ac")
    assert shown(terminal)[-1] in ("c", "bc")


@given(
    st.lists(st.sampled_from(["a", "bb", "\n", "\x1b[A", "\x1b[3A", "\r", "\x1b[K", "\x1b[1m", "c" * 50]), max_size=40)
)
def test_parts_with_cursor_up_make_no_difference(parts: list[str]) -> None:
    """In one part or many, the lines are the same, and the count is right."""
    whole, parted = Terminal(), Terminal()
    whole.feed("stdout", "".join(parts))
    for part in parts:
        parted.feed("stdout", part)
    for terminal in (whole, parted):
        terminal.end()
    assert "".join(shown(whole)) == "".join(shown(parted))
    assert whole.total == parted.total
