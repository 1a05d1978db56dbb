"""Builds the outcome of a run from the last report of its supervisor."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.exit_status import ExitStatus, explain
from snippets.results.expected_output import bears_out
from snippets.results.gpu_check import check_gpu
from snippets.results.missing_modules import RAISED, before_traceback, lack_of, missing_module
from snippets.results.outcome import Artifact, Outcome, Status, unavailable
from snippets.results.run_output import kept_output
from snippets.running.run_progress import last_seen, stuck_of
from snippets.running.run_request import PreparedRun

_IMAGES = frozenset({".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
_SHELL_SIGNAL = 128  # bubblewrap, like a shell, adds it to the number of a signal
_MIB = 1 << 20
_COARSE = 10  # units; larger numbers are shown without decimals
_OVER = {
    "memory": (
        "It held more than the {} of memory that it may take; use smaller batches, or allow it more.",
        "占用内存超过了允许的 {}；请减小批量，或放宽限制。",
    ),
    "disk": (
        "It wrote more than the {} that it may, or filled the disk; what it wrote was removed.",
        "写入超过了允许的 {}，或写满了磁盘；写入的内容已删除。",
    ),
    "processes": (
        "It had more than the {} processes that it may have at once.",
        "同时运行的进程超过了允许的 {} 个。",
    ),
}


def artifact_at(path: Path, size: int, *, is_copy: bool) -> Artifact:
    """Return a file of a run as a value; `size` in bytes.

    Only a copy counts as an image: the run could replace its own file before it is shown.
    """
    return Artifact(path, "image" if is_copy and path.suffix.lower() in _IMAGES else "file", size)


def conclude(prepared: PreparedRun, report: dict[str, Any], kept: bytes, artifacts: tuple[Artifact, ...]) -> Outcome:
    """Return the outcome that the last report describes; `kept` are the records of the output."""
    output = kept_output(report["head"], kept, report["cut"])
    exit_code = _unwrapped(report["exit_code"]) if report["wrapped"] else report["exit_code"]
    status, reason = _judge(prepared, report, exit_code, output.stderr)
    status, reason = check_gpu(status, reason, device=prepared.request.device, stderr=output.stderr)
    if status == "unavailable" and reason:
        return unavailable(
            reason, device=prepared.request.device, run_id=prepared.run_id, torch=prepared.interpreter.torch
        )
    ended = Outcome(
        status=status,
        exit_code=exit_code,
        reason_en=reason.en if reason else None,
        reason_zh=reason.zh if reason else None,
        seconds=report["seconds"],
        first_output_seconds=report["first_output_seconds"],
        device=prepared.request.device,
        torch=prepared.interpreter.torch,
        output=output.both,
        artifacts=artifacts,
        run_id=prepared.run_id,
        peak_rss_mb=report["peak_rss"] / _MIB,
        cut_bytes=report["cut"],
        stdout=output.stdout,
        ended_processes=report["ended"],
        isolated=prepared.request.isolate,
    )
    return (
        _without_module(ended, output.stderr, prepared, Path(report["program"])) if report["why"] == "exit" else ended
    )


def _without_module(ended: Outcome, stderr: str, prepared: PreparedRun, program: Path) -> Outcome:
    """Correct the outcome of a run that only shows that its Python lacks a module."""
    snippet, interpreter = prepared.request.snippet, prepared.interpreter
    if ended.status == "passed" and (snippet.raises != RAISED or _as_claimed(snippet, ended)):
        return ended
    module = missing_module(snippet, stderr, program=program, interpreter=interpreter)
    if module is None:
        return ended
    lack = lack_of(module, interpreter)
    return replace(
        ended,
        status="unavailable",
        reason_en=lack.reason.en,
        reason_zh=lack.reason.zh,
        lack=lack,
        output=before_traceback(ended.output, stderr),
    )


def _as_claimed(snippet: Snippet, ended: Outcome) -> bool:
    return bears_out(snippet, ended.device, stdout=ended.stdout, output=ended.output) is not False


def _judge(
    prepared: PreparedRun, report: dict[str, Any], exit_code: int | None, stderr: str
) -> tuple[Status, Sentence | None]:
    why = report["why"]
    if why == "exit" and exit_code is not None:
        ending: ExitStatus = explain(exit_code, stderr=stderr, raises=prepared.request.snippet.raises)
        return ending.status, ending.reason
    if why == "timeout":
        limit = prepared.request.limit() or 0.0
        en = f"It took longer than the {limit:g} s it may take; allow more with timeout, or make it shorter."
        zh = f"超过了允许的 {limit:g} 秒；可用 timeout 放宽，或缩短代码。"
        seen = last_seen(map(stuck_of, report["stood"]))
        return "timeout", Sentence(f"{en} {seen.en}", f"{zh}{seen.zh}") if seen else Sentence(en, zh)
    if why == "unstarted":
        error = report["error"]
        return "unavailable", Sentence(f"It could not be started: {error}.", f"无法启动：{error}。")
    if why == "killed":
        en = "The supervisor of the run was killed, perhaps by the snippet itself; what was left of the run was ended."
        return "killed", Sentence(en, "运行监督进程被终止（可能是代码自己所为）；剩余进程已全部结束。")
    ended = _ended(report)
    if why in _OVER:
        en, zh = _OVER[why]
        most = str(report["limit"]) if why == "processes" else _bytes(report["limit"])
        return "killed", Sentence(f"{en.format(most)} {ended.en}", f"{zh.format(most)}{ended.zh}")
    return "stopped", ended


def _ended(report: dict[str, Any]) -> Sentence:
    """Return a sentence about the processes that were ended and the memory that this freed."""
    count, memory = int(report["ended"]), int(report["returned"])
    en = "1 process" if count == 1 else f"{count} processes"
    if not memory:
        return Sentence(f"{en} ended.", f"结束了 {count} 个进程。")
    return Sentence(f"{en} ended, {_bytes(memory)} returned.", f"结束了 {count} 个进程，归还 {_bytes(memory)} 内存。")


def _bytes(count: int) -> str:
    """Return a number of bytes in decimal units."""
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}" if count < _COARSE * size else f"{count / size:.0f} {unit}"
    return f"{count} B"


def _unwrapped(exit_code: int | None) -> int | None:
    """Return the exit code that bubblewrap translated, a signal as a negative number."""
    if exit_code is not None and exit_code > _SHELL_SIGNAL and exit_code - _SHELL_SIGNAL in set(signal.valid_signals()):
        return _SHELL_SIGNAL - exit_code
    return exit_code
