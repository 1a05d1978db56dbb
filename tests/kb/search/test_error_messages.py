"""Error messages as they are pasted: what of them is looked for, and what is set aside."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.search.error_messages import is_message, message_of, repeats
from kb.search.query import QUOTED, REST, read

CHAINED = """Traceback (most recent call last):
  File "/home/me/load.py", line 3, in read
    return cache[name]
KeyError: 'weights'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py", line 2153, in load_state_dict
    raise RuntimeError(text)
RuntimeError: Error(s) in loading state_dict for Net:
\tMissing key(s) in state_dict: "module.fc.bias".
"""
TORCHRUN = """[rank1]: Traceback (most recent call last):
[rank1]:   File "/srv/train.py", line 40, in main
[rank1]: torch.distributed.DistBackendError: NCCL error: unhandled system error
E0203 04:05:06.789000 77 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 1
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-02-03_04:05:06
  host      : node17
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 7788)
  error_file: <N/A>
  traceback : To enable traceback see: https://example.org/elastic/errors.html
"""
CPP = """terminate called after throwing an instance of 'c10::Error'
  what():  CUDA error: an illegal memory access was encountered
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f0a in /usr/lib/libc10.so)
"""


def weights(text: str) -> dict[str, float]:
    """The words of a message and how much each counts."""
    query = read(text)
    assert query.error
    return {one.word.term: one.weight for one in query.words}


def said(text: str) -> set[str]:
    """The words that count most."""
    return {word for word, weight in weights(text).items() if weight == 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHAINED, {"runtimeerror", "loading", "state_dict", "missing", "key"}),
        (TORCHRUN, {"distbackenderror", "nccl", "error", "unhandled", "system"}),
        (CPP, {"cuda", "error", "illegal", "memory", "access", "encountered"}),
        ("报错 RuntimeError: CUDA error: invalid device ordinal 怎么解决", {"runtimeerror", "invalid", "ordinal"}),
        ("RuntimeError：CUDA 设备不可用", {"runtimeerror", "cuda"}),
        ("\x1b[1;31mValueError\x1b[0m: \x1b[1mbad shape\x1b[0m", {"valueerror", "bad", "shape"}),
        ("2026-02-03 04:05:06,789 ERROR worker: x\nOSError: disk full", {"oserror", "disk", "full"}),
        ("[2026-02-03T04:05:06Z] [ERROR] IndexError: out of range", {"indexerror", "range"}),
        ("  + ExceptionGroup: two\n  | TypeError: not callable", {"typeerror", "not", "callable"}),
        ("C:\\Users\\my name\\run.py:12: UserWarning: not writable", {"userwarning", "not", "writable"}),
        ("net.cpp:12:5: error: no matching function for call\nnote: candidate", {"no", "matching", "function"}),
        ("/usr/lib/libx.so: undefined symbol: _ZN3c104cuda", {"undefined", "symbol", "_zn3c104cuda"}),
        ("mat1 and mat2 shapes cannot be multiplied (32x784 and 100x10)", {"mat1", "shapes", "multiplied"}),
        ("Expected all tensors on the same device, found cuda:0 and cpu!", {"tensors", "same", "device"}),
        ("UserWarning: slow\nRuntimeError: broke\nUserWarning: later", {"runtimeerror", "broke"}),
        ("FutureWarning: old\nDeprecationWarning: older", {"deprecationwarning", "older"}),
        ("x.errors.ChildFailedError: \nnothing else", {"childfailederror"}),
    ],
)
def test_the_line_that_says_what_happened_counts_most(text: str, words: set[str]) -> None:
    """The last exception that is no warning and no wrapper, a compiler's error, or what C++ threw."""
    assert words <= said(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHAINED, {"home", "me", "load", "site", "packages", "2153", "during", "handling", "raise", "text"}),
        (TORCHRUN, {"rank1", "node17", "7788", "exitcode", "time", "host", "root", "cause", "e0203", "srv"}),
        (CPP, {"0x57", "0x7f0a", "usr", "lib"}),
        ("报错 RuntimeError: CUDA error 怎么解决", {"报错", "怎么解决"}),
        ("2026-02-03 04:05:06,789 ERROR OSError: x y", {"2026", "02", "789"}),
        ("C:\\Users\\my name\\run.py:12: UserWarning: x", {"c", "users", "my", "name", "run", "run.py", "12"}),
        (
            "ValueError: got [2, 3] and 4x5 at 0xdeadbeef, 2.00 GiB of 12 MB",
            {"2", "3", "4x5", "0xdeadbeef", "gib", "mb"},
        ),
        ("KeyError: no 3f2a9c1e77b0 in 17", {"3f2a9c1e77b0", "17"}),
    ],
)
def test_places_times_and_numbers_are_set_aside(text: str, words: set[str]) -> None:
    """They are of another machine and another day."""
    assert not words & set(weights(text))


def test_names_in_quotes_may_be_the_users_own() -> None:
    """They count, but less; a quoted sentence is what is said."""
    found = weights("AttributeError: 'Net' object has no attribute `depth`")
    assert (found["object"], found["net"], found["depth"]) == (1, QUOTED, QUOTED)
    assert weights('AssertionError: "index out of bounds" raised')["bounds"] == 1


def test_what_came_before_counts_a_little() -> None:
    """The first exception of a chain, and the lines of code."""
    assert weights(CHAINED)["keyerror"] == REST
    assert weights(TORCHRUN)["train.py"] == REST


def test_a_colon_at_the_end_goes_on_in_the_next_line() -> None:
    """The exception line of a state dict says only in the next one what is wrong; a last line stays as it is."""
    assert message_of("RuntimeError: sizes:\n\tmismatch of fc\nelse").line == "RuntimeError: sizes: mismatch of fc"
    assert message_of("RuntimeError: sizes:").line == "RuntimeError: sizes:"


@pytest.mark.parametrize(
    "text",
    [
        "freeze layers ValueError",
        "std::Error::x",
        "torch.Size",
        "cuda:0",
        "2 GiB of memory",
        "error handling",
        "Error:",
    ],
)
def test_words_that_were_typed_are_no_message(text: str) -> None:
    """Neither the name of an exception nor a size makes one."""
    assert not is_message(text)


def test_what_a_linker_says_is_a_message() -> None:
    """The names that it lacks begin with -l, which in words that were typed would leave them out."""
    text = "/opt/conda/compiler_compat/ld: cannot find -lpthread"
    assert is_message(text)
    assert "lpthread" in said(text)
    assert not read(text).without


def test_a_message_alone_may_still_be_typed() -> None:
    """The window then completes its last word."""
    assert message_of("ValueError: too ma").alone
    assert not message_of("x = 1\nValueError: too many").alone


PIECES = [
    "Traceback (most recent call last):",
    'File "/a/b.py", line 1, in f',
    "RuntimeError: x",
    "ChildFailedError:",
    "[rank0]:",
    "\x1b[31m",
    "\x1b]",
    "what():",
    "error: ",
    "Assertion",
    "failed",
    "0x",
    "[1, ",
    "C:\\",
    "a/",
    "\n",
    "报错",
    "冻",
    "'",
    '"',
    "2026-01-01 00:00:00",
    "W0101 00:00:00 1 x:1]",
    "1" * 50,
    "a" * 50,
    ".",
    ":",
]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_can_be_read_as_a_message_soon(text: str) -> None:
    """Reading never raises and takes less than a twentieth of a second for as much as is ever read."""
    text = (text * (8000 // max(1, len(text))))[:8000]
    taken: list[float] = []
    while len(taken) < 3 and min(taken, default=1.0) >= 0.05:  # what else the machine does is not what is measured
        started = time.thread_time()
        is_message(text)
        message_of(text)
        taken.append(time.thread_time() - started)
    assert min(taken) < 0.05


def test_a_text_repeats_a_message_by_some_of_its_words_in_a_row() -> None:
    """Numbers, quotation marks and the exception's name do not count; of a short message all words are wanted."""
    message = 'Traceback (most recent call last):\n  File "a.py", line 3\nRuntimeError: stack expects each tensor of 3'
    assert repeats(message, ["no", "it says: Stack expects each 'tensor', and more"])
    assert not repeats(message, ["a RuntimeError", "each stack expects a tensor"])
    assert repeats("KeyError: 'lr'", ["the key 'lr' of a KeyError"])
    assert not repeats("KeyError: 'lr'", ["a KeyError"])
    assert not repeats("ValueError: no", [])
