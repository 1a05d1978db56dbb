"""How a run ended, as a value with its own sentence, the same in the window and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from snippets.errors import Sentence

Status = Literal["passed", "failed", "timeout", "stopped", "killed", "unavailable", "interrupted"]

ISOLATED = Sentence("isolated: no network, no home folder", "已隔离：无网络，看不到主目录")
NOT_ISOLATED = Sentence("not isolated: it can reach your files and the network", "未隔离：代码能访问你的文件和网络")
_HEADLINE: dict[str, tuple[str, str]] = {
    "passed": ("Finished in {seconds}.", "已完成，用时 {seconds}。"),
    "failed": ("Failed after {seconds}.", "失败，用时 {seconds}。"),
    "timeout": ("Timed out after {seconds}.", "超时，用时 {seconds}。"),
    "stopped": ("Stopped after {seconds}.", "已停止，用时 {seconds}。"),
    "killed": ("Killed after {seconds}.", "被终止，用时 {seconds}。"),
    "unavailable": ("Not run.", "未运行。"),
    "begun": ("Not run to its end.", "没有运行到底。"),
    "interrupted": ("Interrupted after {seconds}.", "被中断，用时 {seconds}。"),
}
_COARSE = 10  # seconds; longer times have one decimal


@dataclass(frozen=True)
class Artifact:
    """A file that a run left in its scratch folder: a copy of it, or the file itself if it is large."""

    path: Path
    kind: Literal["image", "file"]
    bytes: int


@dataclass(frozen=True)
class Lack:
    """A module that a run needs and its Python does not have; `install` is the command that installs it there."""

    module: str
    python: Path
    install: str | None  # None if pip must not install there, or the package is not known

    @property
    def reason(self) -> Sentence:
        """What is missing where, and what to do."""
        en = f"{self.module} is not installed in this Python ({self.python}). Choose another Python"
        zh = f"这个 Python（{self.python}）里没有安装 {self.module}。请换一个 Python"
        if self.install is None:
            return Sentence(f"{en}.", f"{zh}。")
        return Sentence(f"{en}, or install it there: {self.install}", f"{zh}，或在其中安装：{self.install}")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one run ended. Times in seconds on the monotonic clock; memory in MiB (2**20 bytes)."""

    status: Status
    exit_code: int | None  # negative: a signal; None: it never started, or it is not known
    reason_en: str | None  # None when there is nothing to explain
    reason_zh: str | None
    seconds: float
    first_output_seconds: float | None
    device: str
    torch: str | None  # the version that the interpreter has; None without torch
    output: str  # both streams as they arrived, head and tail kept
    artifacts: tuple[Artifact, ...]
    run_id: str
    peak_rss_mb: float | None  # of all its processes together, sampled
    cut_bytes: int  # printed, but not in output
    stdout: str = ""  # standard output alone, cut like output
    ended_processes: int = 0  # processes that were ended by a signal
    peak_gpu_mb: float | None = None  # of all its processes on all GPUs together, sampled; None on other devices
    isolated: bool = False
    lack: Lack | None = None  # the missing module that made it unavailable

    def sentence(self, lang: str) -> str:
        """Return one line: how it ended and why."""
        reason = Sentence(self.reason_en or "", self.reason_zh or "").in_language(lang)
        words = Sentence(*_HEADLINE["begun" if self.begun else self.status])
        headline = words.in_language(lang).format(seconds=_seconds(self.seconds, lang))
        return headline + (f" {reason}" if lang != "zh" and reason else reason)

    @property
    def begun(self) -> bool:
        """Whether it was found unavailable after it had printed something."""
        return self.status == "unavailable" and bool(self.output)

    def document(self) -> dict[str, object]:
        """Return the JSON document of the command `run`."""
        return {
            "status": self.status,
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "first_output_seconds": None if self.first_output_seconds is None else round(self.first_output_seconds, 3),
            "device": self.device,
            "isolated": self.isolated,
            "torch": self.torch,
            "output": self.output,
            "artifacts": [{"path": str(a.path), "kind": a.kind, "bytes": a.bytes} for a in self.artifacts],
            "run_id": self.run_id,
            "peak_rss_mb": None if self.peak_rss_mb is None else round(self.peak_rss_mb, 1),
            "reason": self.reason_en,
            **({} if self.peak_gpu_mb is None else {"peak_gpu_mb": round(self.peak_gpu_mb, 1)}),
        }

    @property
    def command_exit_code(self) -> int:
        """The exit code of the command `run`: the snippet's own, 124 after a timeout, 130 if stopped."""
        fixed = {"timeout": 124, "stopped": 130, "unavailable": 1, "interrupted": 130}.get(self.status)
        if fixed is not None:
            return fixed
        code = 1 if self.exit_code is None else self.exit_code
        if code < 0:
            return 128 - code
        return code if code or self.status == "passed" else 1


def unavailable(
    reason: Sentence, *, device: str, run_id: str, torch: str | None = None, lack: Lack | None = None
) -> Outcome:
    """Return the outcome of a run that the machine, the interpreter or the device cannot do."""
    return Outcome(
        status="unavailable",
        exit_code=None,
        reason_en=reason.en,
        reason_zh=reason.zh,
        seconds=0.0,
        first_output_seconds=None,
        device=device,
        torch=torch,
        output="",
        artifacts=(),
        run_id=run_id,
        peak_rss_mb=None,
        cut_bytes=0,
        lack=lack,
    )


def _seconds(seconds: float, lang: str) -> str:
    number = f"{seconds:.2f}" if seconds < _COARSE else f"{seconds:.1f}"
    return f"{number} 秒" if lang == "zh" else f"{number} s"
