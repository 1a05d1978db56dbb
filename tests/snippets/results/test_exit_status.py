"""Exit codes, signals and last words in words."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.results.exit_status import exceptions_in, explain

TRACEBACK = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
    raise ValueError("no such row")
ValueError: no such row
"""
SPAWNED = """Traceback (most recent call last):
  File "a.py", line 9, in <module>
    mp.spawn(work, nprocs=2)
torch.multiprocessing.spawn.ProcessRaisedException: 

-- Process 0 terminated with the following error:
Traceback (most recent call last):
  File "a.py", line 5, in work
    raise RuntimeError("rank 0")
RuntimeError: rank 0
"""  # noqa: W291 - as torch prints it


def reason(exit_code: int, stderr: str = "", lang: str = "en", raises: str | None = None) -> str:
    """Return the sentence of an end, empty without one."""
    found = explain(exit_code, stderr=stderr, raises=raises).reason
    return found.in_language(lang) if found else ""


@pytest.mark.parametrize("number", sorted(signal.valid_signals()))
def test_every_signal_has_words(number: int) -> None:
    """Each signal is named and explained in both languages, and counts as killed."""
    assert explain(-number, stderr="").status == "killed"
    assert "SIG" in reason(-number)
    assert "SIG" in reason(-number, lang="zh")
    assert reason(-number) != reason(-number, lang="zh")


def test_the_common_signals_have_words_of_their_own() -> None:
    """A crash, a lack of memory and an abort have different sentences."""
    words = {reason(-int(number)) for number in signal.Signals if number.name not in {"SIGRTMIN", "SIGRTMAX"}}
    assert "out of memory" in reason(-signal.SIGKILL)
    assert "segmentation" in reason(-signal.SIGSEGV)
    assert len(words) > 20


def test_a_signal_that_nobody_knows() -> None:
    """A number beyond all signals still gives a sentence."""
    assert "signal 99" in reason(-99)


@given(st.integers(1, 255))
def test_every_exit_code_has_words(exit_code: int) -> None:
    """Each code fails, and its sentence names it in both languages."""
    assert explain(exit_code, stderr="").status == "failed"
    assert f"Exit code {exit_code}:" in reason(exit_code)
    assert f"退出码 {exit_code}：" in reason(exit_code, lang="zh")


def test_codes_with_a_meaning() -> None:
    """Wrong usage, a program not found, a signal inside a shell, and Windows' codes are explained."""
    assert "wrong usage" in reason(2)
    assert "not found" in reason(127)
    assert "SIGKILL" in reason(137)
    assert "0xc0000005: native code" in reason(0xC0000005)


def test_success_needs_no_words() -> None:
    """Exit code 0 passes without a reason."""
    assert explain(0, stderr="a warning") == explain(0, stderr="")
    assert explain(0, stderr="").status == "passed"


def test_the_exception_is_named() -> None:
    """Exit code 1 after a traceback tells the exception and its message."""
    assert reason(1, TRACEBACK) == "It ended with ValueError: no such row"
    assert reason(1, TRACEBACK, "zh") == "因异常结束：ValueError: no such row"


def test_a_long_message_is_shortened() -> None:
    """A sentence stays a sentence."""
    assert len(reason(1, TRACEBACK.replace("such", "such" * 500))) < 450


def test_the_exception_of_a_rank_is_the_reason() -> None:
    """Of what mp.spawn raises, the exception inside the process is the news."""
    assert exceptions_in(SPAWNED)[-1] == ("RuntimeError", "rank 0")
    assert reason(1, SPAWNED) == "It ended with RuntimeError: rank 0"


def test_a_rank_in_front_of_each_line_is_left_out() -> None:
    """torch writes [rank0]: before each line of a traceback once there is a process group."""
    assert exceptions_in("".join(f"[rank12]: {line}\n" for line in TRACEBACK.splitlines())) == exceptions_in(TRACEBACK)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import json; json.loads('{')", "json.decoder.JSONDecodeError: "),
        ("x = (", "SyntaxError: "),
        ("raise SystemError", "SystemError"),
        ("class 错误(Exception): pass\nraise 错误('坏了')", "错误: 坏了"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError('k')", "KeyError: 'k'"),
        ("raise ExceptionGroup('many', [ValueError(1), TypeError(2)])", ""),
        ("assert False", "AssertionError"),
    ],
)
def test_real_tracebacks_are_understood(code: str, expected: str) -> None:
    """What this Python prints at the end of a traceback is found, whatever its form."""
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert reason(done.returncode, done.stderr).startswith(f"It ended with {expected}"), done.stderr


@pytest.mark.parametrize(
    ("exit_code", "stderr", "raises", "status"),
    [
        (1, TRACEBACK, "ValueError", "passed"),
        (1, TRACEBACK.replace("\nValueError", "\na.b.ValueError"), "ValueError", "passed"),
        (1, TRACEBACK.replace("\nValueError", "\na.b.ValueError"), "a.b.ValueError", "passed"),
        (1, TRACEBACK, "TypeError", "failed"),
        (1, SPAWNED, "RuntimeError", "passed"),
        (1, SPAWNED, "ProcessRaisedException", "passed"),
        (0, "", "ValueError", "failed"),
        (0, TRACEBACK, "ValueError", "failed"),  # printed, caught and not raised
        (3, "", "ValueError", "failed"),
        (-11, TRACEBACK, "ValueError", "killed"),
    ],
)
def test_an_exception_that_is_meant(exit_code: int, stderr: str, raises: str, status: str) -> None:
    """The one exception that a snippet announces passes, anything else does not, and the reason tells what came."""
    ending = explain(exit_code, stderr=stderr, raises=raises)
    assert ending.status == status
    assert (ending.reason is None) == (status == "passed")


@pytest.mark.parametrize(
    ("sign", "hint"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "smaller batch"),
        ("torch.AcceleratorError: CUDA error: device-side assert triggered", "CUDA_LAUNCH_BLOCKING"),
        ("EOFError: EOF when reading a line", "was at an end"),
    ],
)
def test_what_to_do_is_said_where_it_is_known(sign: str, hint: str) -> None:
    """Errors that people meet often come with what to do, as a sentence of its own."""
    stderr = TRACEBACK.replace("ValueError: no such row", sign)
    assert hint in reason(1, stderr)
    assert reason(1, stderr, "zh").endswith("。")


@given(st.text())
def test_any_last_words_are_borne(stderr: str) -> None:
    """Any last output of a program gets a status."""
    assert explain(1, stderr=stderr).status == "failed"
