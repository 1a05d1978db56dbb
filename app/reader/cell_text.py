"""The texts of a cell's bar and body as plain values, which `cell_view` writes into the document."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from app.i18n import Translator
from app.reader.cell_state import CellState, Program
from app.reader.terminal import Gap, TerminalLine, by_rank
from kb.lazy_regex import expression
from snippets.results.outcome import Lack
from snippets.running.run_progress import StalledProcess

Tone = Literal["ink", "dim", "good", "warn", "bad", "accent", "button", "stop", "link"]
_KIB = 1024
_COARSE = 10  # from here on sizes have no decimals
_MINUTE = 60
_FRAME = expression(r'(?:\[ranks? [^\]]*\])?\s*File "(?P<file>[^"]+)", (?P<place>line (?P<line>\d{1,7}))(?:, in |$)')
_FRAME_REACH = 200  # characters within which a traceback line has its file name
_TIMES, _STATE, _SIDE_ACTIONS, NAME = 1, 2, 3, 4  # the order in which pieces leave a narrow bar; the name is elided


@dataclass(frozen=True)
class TonedText:
    """A few words in one tone; with an action ("run", "open:PATH" ...) a link."""

    text: str
    tone: Tone = "dim"
    action: str = ""
    yields: int = 0  # rank, from 1, at which it leaves a narrow bar; 0 stays
    brief: str = ""  # the text that stays when it yields


@dataclass(frozen=True)
class OutputFigure:
    """A picture that the run wrote."""

    path: Path
    ruled: bool = False  # below a hairline
    version: int = 0  # how often it was overwritten


@dataclass(frozen=True)
class Remark:
    """A line of Torchleaf's own words in the body, below a hairline if `ruled`."""

    pieces: tuple[TonedText, ...]
    ruled: bool = False


@dataclass(frozen=True)
class TracebackLine:
    """A line of a traceback in three parts; the middle one links to a line of the code."""

    stream: str
    parts: tuple[str, str, str]
    action: str


@dataclass(frozen=True)
class InputLine:
    """The place of the input field of a run that waits for a line."""


Entry = TerminalLine | TracebackLine | OutputFigure | Remark | InputLine


def actions(state: CellState, device: str, words: Translator) -> tuple[TonedText, ...]:
    """Return the buttons at the left end of the bar."""
    run = TonedText(words("▶ 运行", "▶ Run"), "button", "run")
    stop = TonedText(words("■ 停止", "■ Stop"), "stop", "stop")
    return (
        stop if state.running else run,
        TonedText(f"{state.running_on if state.running else state.device or device}\u00a0▾", "ink", "device"),
        _copy(state, words),
        TonedText(words("编辑", "edit"), "ink", "edit", yields=_SIDE_ACTIONS),
    )


def facts(state: CellState, words: Translator) -> tuple[TonedText, ...]:
    """Return the right end of the bar: name, status, and time and memory."""
    pieces = [TonedText(state.name, yields=NAME)] if state.name else []
    if stands := _standing(state, words):
        pieces.append(stands)
    if took := _took(state, words):
        pieces.append(TonedText(took, yields=_TIMES))
    return tuple(pieces)


def _copy(state: CellState, words: Translator) -> TonedText:
    """Return the copy button, which says for a moment that the code was copied, and meanwhile does not yield."""
    if state.copied == "code":
        return TonedText(words("已复制", "copied"), "good", "copy")
    return TonedText(words("复制", "copy"), "ink", "copy", yields=_SIDE_ACTIONS)


def body(state: CellState, words: Translator) -> Sequence[Entry]:
    """Return the entries below the code; none if there is no output."""
    entries: list[Entry] = []
    output = state.output
    if output is not None and not output.empty:
        if not state.ran:
            entries.append(Remark((TonedText(_origin(state, words)),)))
        lines = output.lines(folded=not state.unfolded, live=state.running)
        told, saved = by_rank(lines, folded=not state.apart)
        entries += [_gap(x, output.total, words) if isinstance(x, Gap) else linked(x, state.program) for x in told]
        if saved or state.apart:
            entries.append(_of_ranks(state, saved, words))
        if state.unfolded and any(isinstance(line, TerminalLine) and line.number for line in lines):
            entries.append(Remark((TonedText(words("收起", "fold"), "link", "fold"),)))
    elif state.running and not state.midway.waits:
        entries.append(Remark((TonedText(words("等待输出…", "waiting for output…")),)))
    if not state.ran and state.earlier is None and state.pictured:
        entries = entries or [Remark((TonedText(_origin(state, words)),))]
        entries += [OutputFigure(path) for path in state.pictured]
    if state.running:
        entries += _midway(state, words)
    if state.ran or state.earlier is not None:
        entries += _results(state, words)
    if entries and isinstance(entries[0], Remark | OutputFigure):
        entries[0] = replace(entries[0], ruled=False)  # the edge of the code already separates it
    return entries


def linked(line: TerminalLine, program: Program) -> TerminalLine | TracebackLine:
    """Return a line of a traceback with a link to the code if it names the cell's own file; else the line.

    Only the name of that file is shown, not the folder of the run.
    """
    if not program.name or 'File "' not in line.raw[:_FRAME_REACH]:
        return line
    text = "".join(run.text for run in line.runs)
    match = _FRAME.match(text)
    if match is None or re.split(r"[/\\]", match["file"])[-1] != program.name:
        return line
    number = int(match["line"]) - program.hidden
    if number <= 0:
        return line
    before = f"{text[: match.start('file')]}{program.name}{text[match.end('file') : match.start('place')]}"
    place = text[match.start("place") : match.end("place")].replace(match["line"], str(number))
    return TracebackLine(line.stream, (before, place, text[match.end("place") :]), f"line:{number}")


def _origin(state: CellState, words: Translator) -> str:
    """Return the source of an output that no run of this session has printed."""
    if state.earlier is None:
        return words("已录", "recorded")
    return words(f"上次运行 · {state.earlier.when}", f"last run · {state.earlier.when}")


def _of_ranks(state: CellState, saved: int, words: Translator) -> Remark:
    if state.apart:
        return Remark((TonedText(words("合并各 rank 相同的行", "merge equal lines of ranks"), "link", "alike"),))
    merged = words(
        f"合并了 {saved:,} 行相同的输出", f"{saved:,} equal {'line' if saved == 1 else 'lines'} of ranks merged"
    )
    return Remark((TonedText(merged), TonedText(words("逐行显示", "show all"), "link", "apart")))


def _midway(state: CellState, words: Translator) -> Iterator[Entry]:
    """Yield the input line of a run that waits for one, and the silent ranks with their position in the code."""
    if state.midway.waits:
        yield InputLine()
    since = max(0.0, time.monotonic() - state.midway_at)
    for index, one in enumerate(state.midway.silent):
        yield _stuck(one, since, state.program, words, ruled=index == 0)
        if state.stacks:
            yield from (Remark((TonedText(f"    {step}"),)) for step in one.stack)
    if any(one.stack for one in state.midway.silent):
        label = words("收起调用栈", "hide the stacks") if state.stacks else words("显示调用栈", "show the stacks")
        yield Remark((TonedText(label, "link", "stacks"),))


def _stuck(one: StalledProcess, since: float, program: Program, words: Translator, *, ruled: bool) -> Remark:
    seconds = one.seconds + since
    said = words(
        f"rank {one.rank} 已 {seconds:.0f} 秒没有输出", f"rank {one.rank} has printed nothing for {seconds:.0f} s"
    )
    if one.function:
        said += words(f"，停在 {one.function}", f"; stopped in {one.function}")
    pieces = [TonedText(said, "warn")]
    if one.line is not None and one.line > program.hidden:
        number = one.line - program.hidden
        pieces.append(TonedText(words(f"第 {number} 行", f"line {number}"), "link", f"line:{number}"))
    return Remark(tuple(pieces), ruled=ruled)


def size_in_words(size: int) -> str:
    """Return a size in bytes as B, KiB, MiB or GiB."""
    amount, units = float(size), iter(("B", "KiB", "MiB"))
    for unit in units:
        if amount < _KIB:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= _COARSE else f"{amount:.1f} {unit}"
        amount /= _KIB
    return f"{amount:.1f} GiB"


def time_in_words(seconds: float, words: Translator) -> str:
    """Return a duration: 14 ms, 3.2 s, 2 min 05 s."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return words(f"{minutes} 分 {rest:02d} 秒", f"{minutes} min {rest:02d} s")


def _standing(state: CellState, words: Translator) -> TonedText | None:
    if state.running:
        minutes, seconds = divmod(int(time.monotonic() - state.began), 60)
        clock = f"{minutes:02d}:{seconds:02d}"
        return TonedText(words(f"运行中 {clock}", f"running {clock}"), "accent", yields=_STATE, brief=clock)
    status = state.outcome.status if state.outcome else state.standing
    if status == "passed" and state.outcome:
        return _passed(state.as_recorded, words)
    known: dict[str, tuple[str, str, Tone]] = {
        "passed": ("✓ 与记录一致", "✓ as recorded", "good"),
        "stale": ("◔ 已过时", "◔ stale", "warn"),
        "failed": ("✗ 失败", "✗ failed", "bad"),
        "timeout": ("✗ 超时", "✗ timed out", "bad"),
        "killed": ("✗ 被终止", "✗ killed", "bad"),
        "stopped": ("■ 已停止", "■ stopped", "dim"),
        "interrupted": ("✗ 被中断", "✗ interrupted", "warn"),
        "unavailable": ("– 此处不可用", "– not available here", "dim"),
        "running": ("运行中", "running", "accent"),
    }
    if status not in known:
        return None
    zh, en, tone = known[status]
    return _signed(words(zh, en), tone)


def _passed(as_recorded: bool | None, words: Translator) -> TonedText:  # noqa: FBT001 - None: not compared
    if as_recorded is None:
        return _signed(words("✓ 通过", "✓ passed"), "good")
    if as_recorded:
        return _signed(words("✓ 与记录一致", "✓ as recorded"), "good")
    return replace(_signed(words("≠ 与记录不同", "≠ not as recorded"), "warn"), action="differs")


def _signed(text: str, tone: Tone) -> TonedText:
    """Return a status that keeps only its sign in a narrow bar."""
    return TonedText(text, tone, yields=_STATE, brief=text.split(" ", maxsplit=1)[0])


def _took(state: CellState, words: Translator) -> str:
    outcome = state.outcome
    if state.running or outcome is None or outcome.status == "unavailable":
        return "" if state.running else state.detail
    parts = []
    if outcome.first_output_seconds is not None:
        first = time_in_words(outcome.first_output_seconds, words)
        parts.append(words(f"首次输出 {first}", f"first output {first}"))
    parts.append(time_in_words(outcome.seconds, words))
    if outcome.peak_rss_mb is not None:
        parts.append(size_in_words(round(outcome.peak_rss_mb * _KIB * _KIB)))
    return " · ".join(parts)


def _gap(gap: Gap, total: int, words: Translator) -> Remark:
    hidden = words(f"⋯ 隐去 {gap.lines:,} 行", f"⋯ {gap.lines:,} lines hidden")
    if not gap.lines:
        hidden = words(f"⋯ 隐去 {gap.characters:,} 个字符", f"⋯ {gap.characters:,} characters hidden")
    pieces = [TonedText(hidden)]
    if gap.lines > gap.cut or gap.lines == 0 != gap.characters:
        shown = total - gap.cut
        everything = words(f"展开全部 {total:,} 行", f"show all {total:,} lines")
        most = words(f"展开留存的 {shown:,} 行", f"show the {shown:,} lines kept")
        pieces.append(TonedText(most if gap.cut else everything, "link", "unfold"))
    if gap.cut or (gap.characters and not gap.lines):
        pieces.append(TonedText(words("打开完整日志", "open all"), "link", "log"))
    return Remark(tuple(pieces))


def _results(state: CellState, words: Translator) -> Iterator[Entry]:
    """Yield the pictures, the files and, at the end, the outcome as a sentence."""
    for index, path in enumerate(state.figures):
        yield OutputFigure(path, ruled=index == 0, version=state.versions.get(path, 0))
    for index, (path, size) in enumerate(state.files):
        detail = f"  {size_in_words(size)}" if size is not None else ""
        pieces = (TonedText(path.name, "link", f"open:{path}"), TonedText(detail))
        yield Remark(pieces, ruled=index == 0)
    outcome = state.outcome
    if outcome is None and state.earlier is not None and (ended := state.earlier.ended):
        yield Remark((TonedText(words(ended.zh, ended.en)),), ruled=True)
    if outcome is not None and (outcome.status != "passed" or outcome.reason_en):
        tone: Tone = "bad" if outcome.status in {"failed", "timeout", "killed"} else "dim"
        yield Remark((TonedText(outcome.sentence(words.language), tone),), ruled=True)
    elif outcome is not None and state.terminal.empty and not state.figures and not state.files:
        yield Remark((TonedText(outcome.sentence(words.language)),))
    if outcome is not None and outcome.lack is not None:
        yield _ways_out(outcome.lack, state, words)
    if state.offer is not None:
        again = words("以 CUDA_LAUNCH_BLOCKING=1 再运行", "Run again with CUDA_LAUNCH_BLOCKING=1")
        yield Remark((TonedText(words(state.offer.zh, state.offer.en)),), ruled=True)
        yield Remark((TonedText(again, "link", "blocking"),))
    yield from _hints(state, words)


def _ways_out(lack: Lack, state: CellState, words: Translator) -> Remark:
    """Return the remedies for a module that is not installed."""
    pieces = [TonedText(words("选择 Python", "Choose a Python"), "link", "python")]
    if lack.install is not None:
        copied = state.copied == "command"
        copy = TonedText(words("复制安装命令", "Copy the install command"), "link", "install")
        pieces += [TonedText("·"), TonedText(words("已复制", "copied"), "good", "install") if copied else copy]
    return Remark(tuple(pieces))


def _hints(state: CellState, words: Translator) -> Iterator[Entry]:
    """Yield the sections that explain the failure, one line each."""
    if state.hints:
        yield Remark((TonedText(words("这些笔记解释了这个错误", "Notes that explain this error")),), ruled=True)
    for number, hint in enumerate(state.hints):
        yield Remark(
            (TonedText(hint.label, "link", f"hint:{number}"), *((TonedText(hint.place),) if hint.place else ()))
        )
