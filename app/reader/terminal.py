"""A run's output as it streams, in bounded memory: its head, its tail and the exact size of the gap between.

Lines of several ranks (processes of one run) are coloured, and equal ones merged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from app.reader.ansi import PLAIN, Style, StyledRun, read_line, style_after
from kb.lazy_regex import expression
from snippets.running.run_progress import stretches

# The prefix of a rank's line: as people print it, and as torch and torchrun do.
_PREFIX = expression(r"((?:\x1b\[[0-9;]*m)*)(?:\[(?:rank ?|default)(\d{1,4})\]:?|rank (\d{1,4}):) ?")
_COLOURS = (36, 35, 32, 33, 34, 96, 95, 92, 94)  # terminal colours without red, which means failure
_REACH = 64  # lines among which an equal one is looked for
HEAD, TAIL = 500, 1500  # lines kept from the beginning and from the end
TAIL_CHARS = 256 * 1024
LIVE_TAIL, LIVE_CHARS = 400, 32_000  # lines and characters shown unfolded during the run
PIECE = 4000  # characters at which an endless line is broken
FOLD_HEAD, FOLD_TAIL, FOLD_CHARS = 8, 24, 12_000  # lines and characters of a folded output
_BIG = 64 * 1024  # characters; of a longer piece of output only what can be kept is processed
_REDRAWN = 16 * 1024  # characters of its past that a progress line keeps
_UP = expression(r"\x1b\[(\d{0,3})[AF]")
_STEP = expression(rf"\n|{_UP.pattern}")
_MOST_BARS = 64  # lines that the cursor may move up


@dataclass(frozen=True)
class TerminalLine:
    """A line of output, or a piece of an endless line; `number` counts from 0 over all streams."""

    number: int
    piece: int
    stream: str
    raw: str
    style: Style
    open: bool = False  # not ended yet

    @cached_property
    def runs(self) -> tuple[StyledRun, ...]:
        """The line as styled text."""
        return read_line(self.raw, self.style)


@dataclass(frozen=True)
class Gap:
    """The hidden part between two lines; `cut` of its lines are no longer in memory."""

    lines: int
    characters: int
    cut: int


class Terminal:
    """Takes output of any size and returns the lines to show, in bounded memory."""

    def __init__(self, *, head: int = HEAD, tail: int = TAIL) -> None:
        """Keep `head` lines of the beginning and `tail` lines of the end."""
        self._head: list[TerminalLine] = []
        self._tail: deque[TerminalLine] = deque()
        self._limits = (head, tail)
        self._open: dict[str, TerminalLine] = {}
        self._below: dict[str, list[TerminalLine]] = {}  # lines below the open one, after the cursor moved up
        self._tail_chars = 0
        self.total = 0  # number of ended lines
        self.cut_lines = 0
        self.cut_characters = 0

    @property
    def empty(self) -> bool:
        """Whether there is no output at all."""
        return not (self.total or self._head or self._tail or any(line.raw for line in self._open.values()))

    def feed(self, stream: str, text: str) -> None:
        """Take output of a stream; a line may arrive in any number of parts."""
        started = self._open.pop(stream, None)
        style = started.style if started else PLAIN
        data = (started.raw if started else "") + text
        piece = started.piece if started else 0
        held = "\r" if data.endswith("\r") else ""  # it may be the first half of a line end
        data = (data[: len(data) - len(held)]).replace("\r\n", "\n") if "\r" in data else data
        if len(data) > _BIG:
            self._leave_below(stream)
            data, style, piece = self._skip_to_tail(stream, data, style, piece)
        if stream in self._below or _UP.search(data):
            data, style, piece = self._go_about(stream, data, style, piece)
        *ended, rest = data.split("\n")
        for raw in ended:
            style = self._add(stream, raw, style, piece)
            self.total += 1
            piece = 0
        self._keep_open(stream, rest + held, style, piece)

    def end(self) -> None:
        """End the output: open lines become complete."""
        for stream, line in list(self._open.items()):
            if line.raw or line.piece:
                self._add(stream, line.raw, line.style, line.piece)
                self.total += 1
            self._leave_below(stream)
        self._open.clear()

    def lines(self, *, folded: bool, live: bool = False) -> Sequence[TerminalLine | Gap]:
        """Return the lines to show with at most one gap; of `live` output fewer, so that showing it stays cheap."""
        last = (one for stream, line in self._open.items() for one in (line, *self._below.get(stream, ())))
        tail = [*self._tail, *(line for line in last if line.raw)]
        if folded and len(self._head) + len(tail) > FOLD_HEAD + FOLD_TAIL + 4:
            return self._folded([*self._head, *tail], FOLD_HEAD, FOLD_TAIL, FOLD_CHARS)
        if live and (len(tail) > LIVE_TAIL or self._tail_chars > LIVE_CHARS):
            return self._folded([*self._head, *tail], len(self._head), LIVE_TAIL, LIVE_CHARS)
        gap = [Gap(self.cut_lines, self.cut_characters, self.cut_lines)] if self.cut_characters else []
        return [*self._head, *gap, *tail]

    def plain_text(self) -> str:
        """Return the kept output as text, with a line of dots for the gap."""
        lines = (
            "".join(run.text for run in x.runs) if isinstance(x, TerminalLine) else "..."
            for x in self.lines(folded=False)
        )
        return "\n".join(lines)

    def _folded(self, kept: list[TerminalLine], head: int, tail: int, most: int) -> Sequence[TerminalLine | Gap]:
        """Hide what is between the first `head` and the last `tail` lines, which keep at most `most` characters."""
        start = max(head, len(kept) - tail)
        room = most - sum(len(line.raw) for line in kept[start:])
        while room < 0 and start < len(kept) - 1:
            room += len(kept[start].raw)
            start += 1
        middle = kept[head:start]
        hidden = sum(1 for line in middle if line.piece == 0)
        characters = sum(len(line.raw) + 1 for line in middle)
        gap = Gap(hidden + self.cut_lines, characters + self.cut_characters, self.cut_lines)
        return [*kept[:head], gap, *kept[start:]]

    def _go_about(self, stream: str, data: str, style: Style, piece: int) -> tuple[str, Style, int]:
        """Take text that moves the cursor up to ended lines, as nested progress bars do; return the open line.

        A line that the cursor moves to is written from its beginning.
        """
        below = self._below.pop(stream, [])
        raw, start = "", 0
        for step in _STEP.finditer(data):
            raw, start = raw + data[start : step.start()], step.end()
            if step[0] == "\n":
                style = self._add(stream, raw, style, piece)
                self.total += 1
                raw, style, piece = (f"{below[0].raw}\r", below[0].style, 0) if below else ("", style, 0)
                below = below[1:]
                continue
            for _ in range(min(max(1, int(step[1] or 1)), _MOST_BARS)):
                if piece or (above := self._taken_back(stream)) is None:
                    break
                below.insert(0, TerminalLine(self.total, 0, stream, _latest(raw, style)[0], style, open=True))
                raw, style = f"{above.raw}\r", above.style
        if below:
            self._below[stream] = below[:_MOST_BARS]
        return raw + data[start:], style, piece

    def _taken_back(self, stream: str) -> TerminalLine | None:
        """Remove and return the last line of a stream; None if it is too far up, or a piece of a long line."""
        kept = self._tail or self._head
        for index in range(len(kept) - 1, max(-1, len(kept) - 1 - _MOST_BARS), -1):
            line = kept[index]
            if line.stream == stream:
                if line.piece:
                    return None
                del kept[index]
                self._tail_chars -= len(line.raw) if kept is self._tail else 0
                self.total -= 1
                return line
        return None

    def _leave_below(self, stream: str) -> None:
        """Store the lines below the open one where they are."""
        for line in self._below.pop(stream, ()):
            if line.raw:
                self._add(stream, line.raw, line.style, 0)
                self.total += 1

    def _add(self, stream: str, raw: str, style: Style, piece: int) -> Style:
        """Store a line, in pieces if it is very long, and return the style after it."""
        raw, style = _latest(raw, style)
        start = 0
        while len(raw) - start > PIECE and "\r" not in raw:
            stop = _break_of(raw, start)
            self._store(TerminalLine(self.total, piece, stream, raw[start:stop], style))
            style = style_after(raw[start:stop], style)
            start, piece = stop, piece + 1
        self._store(TerminalLine(self.total, piece, stream, raw[start:], style))
        return style_after(raw[start:], style)

    def _store(self, line: TerminalLine) -> None:
        head, tail = self._limits
        if len(self._head) < head and not self._tail:
            self._head.append(line)
            return
        self._tail.append(line)
        self._tail_chars += len(line.raw)
        while len(self._tail) > tail or (self._tail_chars > TAIL_CHARS and len(self._tail) > 1):
            self._drop(self._tail.popleft())

    def _drop(self, line: TerminalLine) -> None:
        self._tail_chars -= len(line.raw)
        self.cut_lines += line.piece == 0
        self.cut_characters += len(line.raw) + 1

    def _keep_open(self, stream: str, raw: str, style: Style, piece: int) -> None:
        raw, style = _latest(raw, style)
        if len(raw) > PIECE and "\r" not in raw:
            count = (len(raw) - 1) // PIECE
            start = 0
            for _ in range(count):
                stop = _break_of(raw, start)
                style = self._add(stream, raw[start:stop], style, piece)
                start, piece = stop, piece + 1
            raw = raw[start:]
        elif len(raw) > _REDRAWN:
            style, piece, raw = self._add(stream, raw, style, piece), piece + len(raw) // PIECE + 1, ""
        if raw or piece or style != PLAIN or stream in self._below:
            self._open[stream] = TerminalLine(self.total, piece, stream, raw, style, open=True)

    def _skip_to_tail(self, stream: str, data: str, style: Style, piece: int) -> tuple[str, Style, int]:
        """Fill the head, then count and drop what could not be kept anyway; return the rest."""
        start = 0
        while len(self._head) < self._limits[0] and (stop := data.find("\n", start)) >= 0:
            style = self._add(stream, data[start:stop], style, piece)
            start, piece = stop + 1, 0
            self.total += 1
        newline = data.rfind("\n", start, max(start, len(data) - TAIL_CHARS))
        before = len(data)
        for _ in range(self._limits[1] + 1):
            before = data.rfind("\n", start, before)
            if before < 0:
                break
        newline = max(newline, before)
        if newline < 0:
            return self._skip_within_line(stream, data[start:], style, piece)
        skipped = data.count("\n", start, newline + 1)
        for line in self._tail:
            self._drop(line)
        self._tail.clear()
        self.total += skipped
        self.cut_lines += skipped - (piece > 0)
        self.cut_characters += newline + 1 - start
        return data[newline + 1 :], style_after(data[max(start, newline - 4096) : newline], style), 0

    def _skip_within_line(self, stream: str, data: str, style: Style, piece: int) -> tuple[str, Style, int]:
        """Drop the middle of an endless line, up to its end."""
        end = data.find("\n")
        middle = (len(data) if end < 0 else end) - TAIL_CHARS
        if middle <= PIECE:
            return data, style, piece
        style = self._add(stream, data[:PIECE], style, piece)
        self.cut_characters += middle - PIECE
        return data[middle:], style, piece + 2


def _latest(raw: str, style: Style) -> tuple[str, Style]:
    """Drop what a progress line has overwritten many times."""
    if len(raw) <= _REDRAWN or "\r" not in raw[-_REDRAWN:]:
        return raw, style
    cut = raw.index("\r", len(raw) - _REDRAWN)
    return raw[cut:], style_after(raw[:cut], style)


def _break_of(raw: str, start: int) -> int:
    """Return where to break an endless line: not inside an escape sequence."""
    escape = raw.rfind("\x1b", start + PIECE - 32, start + PIECE)
    return escape if escape > start else start + PIECE


def by_rank(lines: Sequence[TerminalLine | Gap], *, folded: bool) -> tuple[list[TerminalLine | Gap], int]:
    """Return the lines with coloured ranks, and the number of lines that merging saved.

    With `folded`, equal lines of several ranks are merged. The lines of one rank keep their order.
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


@dataclass(eq=False)
class _Said:
    """A line, and the ranks that printed it."""

    line: TerminalLine
    text: str
    ranks: list[int]


def _said(line: TerminalLine) -> _Said | None:
    if "rank" not in line.raw[:40] and "default" not in line.raw[:40]:
        return None
    match = _PREFIX.match(line.raw)
    if match is None or line.piece or "\r" in line.raw:
        return None
    return _Said(line, match[1] + line.raw[match.end() :], [int(match[2] or match[3])])


def _joined(block: list[_Said], new: _Said) -> bool:
    """Add the rank to an earlier equal line; return whether there is one.

    Later lines of this rank alone move before that line: the order between ranks has no meaning.
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
    """Return a line with its ranks as a prefix, coloured if it is one rank."""
    colour = _COLOURS[ranks[0] % len(_COLOURS)] if len(ranks) == 1 else 1
    name = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {stretches(ranks)}"
    after = 39 if len(ranks) == 1 else 22
    return replace(line, raw=f"\x1b[{colour}m[{name}]\x1b[{after}m {text}")
