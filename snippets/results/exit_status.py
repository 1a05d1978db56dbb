"""Why a process ended: a status and a sentence for its exit code or signal and its traceback."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Literal

from snippets.errors import Sentence

_SIGNALS: dict[str, tuple[str, str]] = {
    "SIGHUP": ("its terminal or session went away", "所属的终端或会话已经关闭"),
    "SIGINT": ("it was interrupted, as by Ctrl-C", "被中断（如同按下 Ctrl-C）"),
    "SIGQUIT": ("it was asked to quit with a core dump", "被要求退出并转储内存"),
    "SIGILL": (
        "it met an instruction this processor does not have; the library was built for another one",
        "遇到本机处理器不支持的指令；该库是为别的处理器编译的",
    ),
    "SIGTRAP": ("a trap or breakpoint in native code was hit", "触发了本机代码里的陷阱或断点"),
    "SIGABRT": (
        "native code gave up (abort), often a failed check in C++ or a process group left open at exit",
        "本机代码主动中止（abort），常见原因是 C++ 检查失败，或退出时进程组尚未关闭",
    ),
    "SIGBUS": (
        "memory could not be reached; a full /dev/shm does this, so use fewer workers or a larger one",
        "内存无法访问；/dev/shm 写满时会这样，请减少 worker 或加大 /dev/shm",
    ),
    "SIGFPE": (
        "an arithmetic fault in native code, such as dividing an integer by zero",
        "本机代码算术错误，例如整数除以零",
    ),
    "SIGKILL": (
        "something killed it outright; most often the system ran out of memory",
        "被强行终止；最常见的原因是系统内存不足",
    ),
    "SIGSEGV": (
        "native code touched memory that is not its own (segmentation fault)",
        "本机代码访问了不属于它的内存（段错误）",
    ),
    "SIGPIPE": ("it wrote to a pipe that nobody reads any more", "向已无人读取的管道写入"),
    "SIGALRM": ("an alarm that it had set itself went off", "它自己设定的闹钟到时"),
    "SIGTERM": ("another program asked it to end", "别的程序要求它结束"),
    "SIGSTKFLT": ("the coprocessor's stack was at fault", "协处理器栈出错"),
    "SIGXCPU": ("it used up the processor time it was allowed", "用完了允许的处理器时间"),
    "SIGXFSZ": ("a file grew beyond the size it was allowed", "文件超过了允许的大小"),
    "SIGVTALRM": ("a timer of processor time went off", "处理器时间定时器到时"),
    "SIGPROF": ("a profiling timer went off", "性能剖析定时器到时"),
    "SIGPOLL": ("an event on a file was announced and not handled", "收到文件事件但没有处理"),
    "SIGPWR": ("the power supply announced a failure", "电源报告故障"),
    "SIGSYS": ("it made a system call that is forbidden here", "调用了此处禁止的系统调用"),
    "SIGUSR1": ("it got the signal USR1 and had no answer to it", "收到信号 USR1 但没有处理"),
    "SIGUSR2": ("it got the signal USR2 and had no answer to it", "收到信号 USR2 但没有处理"),
}

_CODES: dict[int, tuple[str, str]] = {
    1: ("the code of a general failure", "表示一般性失败"),
    2: ("the code of wrong usage: its arguments or options do not fit", "表示用法错误：参数或选项不对"),
    120: ("Python could not write out its last output", "Python 未能写出最后的输出"),
    126: ("a command was found that may not be run", "找到了命令但无权执行"),
    127: ("a command was not found", "找不到命令"),
    0xC0000005: ("native code touched memory that is not its own (access violation)", "本机代码访问了不属于它的内存"),
    0xC0000017: ("there was not enough memory", "内存不足"),
    0xC000013A: ("it was interrupted, as by Ctrl-C", "被中断（如同按下 Ctrl-C）"),
    0xC00000FD: ("the stack overflowed", "栈溢出"),
    0xC0000135: ("a DLL that it needs is missing", "缺少所需的 DLL"),
    0xC0000409: ("native code gave up (abort)", "本机代码主动中止"),
}

_HINTS: tuple[tuple[str, str, str], ...] = (
    (
        "CUDA out of memory",
        "Free GPU memory: a smaller batch, `del` what is no longer needed, or end other programs on that GPU.",
        "请释放显存：减小批量、用 del 删掉不再需要的张量，或结束占用该 GPU 的其他程序。",
    ),
    (
        "device-side assert triggered",
        "The line shown may not be the one at fault; run again with CUDA_LAUNCH_BLOCKING=1, or on the CPU.",
        "所示行未必是出错的行；请设 CUDA_LAUNCH_BLOCKING=1 再运行，或改在 CPU 上运行。",
    ),
    (
        "EOFError: EOF when reading a line",
        "Its input was at an end: in the window lines can be typed; elsewhere give values as arguments or in the code.",
        "输入已经结束：在窗口中运行时可以输入；其他情况请改用参数或直接写在代码里。",
    ),
    (
        "An attempt has been made to start a new process before",
        'Put the start of the processes under `if __name__ == "__main__":`.',
        '请把启动进程的代码放到 if __name__ == "__main__": 之下。',
    ),
)

_HEADER = re.compile(r"(?P<name>[^\W\d][\w.]*)(?:: (?P<message>.*)|:?)$")
_RANK = re.compile(r"^\[rank\d+\]: ?")  # torch puts it before each line once there is a process group
_REALTIME = range(34, 65)  # those that glibc leaves to programs
_LARGEST_PLAIN = 0xFFFF  # larger codes are status codes of Windows, which are written in hexadecimal
_LAST_WORDS = 400  # characters of an exception's message in a sentence


@dataclass(frozen=True)
class ExitStatus:
    """How a process ended."""

    status: Literal["passed", "failed", "killed"]
    reason: Sentence | None


def explain(exit_code: int, *, stderr: str, raises: str | None = None) -> ExitStatus:
    """Explain the end of a process; a negative `exit_code` is a signal, `raises` the expected exception."""
    headers = exceptions_in(stderr)
    if raises is not None and exit_code >= 0:
        return _expected(raises, exit_code, headers)
    if exit_code == 0:
        return ExitStatus("passed", None)
    if exit_code < 0:
        return ExitStatus("killed", _of_signal(-exit_code, stderr))
    return ExitStatus("failed", _of_code(exit_code, headers, stderr))


def exceptions_in(stderr: str) -> tuple[tuple[str, str], ...]:
    """Return the exceptions of the tracebacks, as (dotted name, first line of the message), in order."""
    lines = [_RANK.sub("", line).removeprefix("  | ").rstrip() for line in stderr.splitlines()]
    found = []
    inside = False
    for before, line in zip(["", *lines], lines, strict=False):
        inside = inside or line.lstrip("+ ").startswith(
            ("Traceback (most recent call last)", "Exception Group Traceback")
        )
        match = _HEADER.match(line) if inside or before.startswith("    ") else None
        if match and before.startswith("  "):
            found.append((match["name"], match["message"] or ""))
            inside = False
    return tuple(found)


def _expected(raises: str, exit_code: int, headers: tuple[tuple[str, str], ...]) -> ExitStatus:
    last = headers[-1][0] if headers and exit_code else None
    wrappers = {name for name, _ in headers if name.startswith("torch.multiprocessing.spawn.")} if exit_code else set()
    if any(raises in (name, name.rpartition(".")[2]) for name in {last, *wrappers} if name):
        return ExitStatus("passed", None)
    if last is not None:
        en = f"It was meant to raise {raises}, but raised {last}."
        return ExitStatus("failed", Sentence(en, f"本应抛出 {raises}，实际抛出了 {last}。"))
    en = f"It was meant to raise {raises}, but ended with exit code {exit_code} and no exception."
    return ExitStatus("failed", Sentence(en, f"本应抛出 {raises}，却没有异常，退出码为 {exit_code}。"))


def _of_signal(number: int, stderr: str) -> Sentence:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"SIGRTMIN+{number - _REALTIME[0]}" if number in _REALTIME else f"signal {number}"
    en, zh = _SIGNALS.get(name, ("a signal it did not handle ended it", "被一个未处理的信号终止"))
    return _with_hint(Sentence(f"Ended by {name}: {en}.", f"被 {name} 终止：{zh}。"), stderr)


def _of_code(exit_code: int, headers: tuple[tuple[str, str], ...], stderr: str) -> Sentence:
    if exit_code == 1 and headers:
        name, message = headers[-1]
        words = f"{name}: {message}" if message else name
        words = words if len(words) <= _LAST_WORDS else words[: _LAST_WORDS - 1] + "…"
        return _with_hint(Sentence(f"It ended with {words}", f"因异常结束：{words}"), stderr)
    en, zh = _CODES.get(exit_code) or _of_shell(exit_code)
    shown = hex(exit_code) if exit_code > _LARGEST_PLAIN else str(exit_code)
    return _with_hint(Sentence(f"Exit code {shown}: {en}.", f"退出码 {shown}：{zh}。"), stderr)


def _of_shell(exit_code: int) -> tuple[str, str]:
    """Explain a code without a fixed meaning; above 128 it is the signal of a program that a shell started."""
    try:
        name = signal.Signals(exit_code - 128).name
    except ValueError:
        return "a code that the snippet chose itself", "由代码自己给出"
    return (
        f"a program it started was ended by {name}, or it chose this code",
        f"它启动的程序被 {name} 终止，或由代码自己给出",
    )


def _with_hint(sentence: Sentence, stderr: str) -> Sentence:
    for sign, en, zh in _HINTS:
        if sign in stderr:
            return Sentence(f"{_closed(sentence.en, '.')} {en}", f"{_closed(sentence.zh, '。')}{zh}")
    return sentence


def _closed(sentence: str, stop: str) -> str:
    return sentence if sentence.endswith((".", "。", "!", "?")) else sentence + stop
