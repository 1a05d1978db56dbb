"""What was typed or pasted, read as a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.query import MOST_WORDS, REST, Filters, Query, read

PIECES = ["a", "冻", '"', "-", "lang:", ":", "Error:", "File", ".cu:1", "\n", "\\"]


def spelled(query: Query) -> list[str]:
    """The words of a query."""
    return [one.word.term for one in query.words]


def test_plain_words() -> None:
    """Words in any script are words; the last may still grow."""
    query = read("DataParallel 多卡")
    assert spelled(query) == ["dataparallel", "多卡"]
    assert query.typing
    assert not query.error
    assert not read("gather ").typing


def test_phrases_exclusions_and_filters() -> None:
    """Quotes bind, a minus leaves out, a filter narrows; none of it is searched as a word, but for the phrase."""
    query = read('freeze "batch norm" -dropout lang:ZH path:notes/a title:"save model" tag:cuda')
    assert spelled(query) == ["freeze", "batch", "norm"]
    assert query.phrases == ("batch norm",)
    assert query.without == ("dropout",)
    assert query.filters == Filters(lang=("zh",), path=("notes/a",), title=("save model",), tag=("cuda",))
    assert not query.typing
    assert read("freeze -dropout batch").typing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('say "hello', ["say", "hello"]),
        ('"', []),
        ("-", []),
        ("--nproc_per_node 2", ["--nproc_per_node".strip("-"), "2"]),
        ("pip install -U torch", ["pip", "install", "u", "torch"]),
        ("-dropout", ["dropout"]),
        ("lang:zh", ["lang", "zh"]),
        ("lang:", ["lang"]),
        ("-lang:zh gather", ["lang", "zh", "gather"]),
        ('a"b c"', ["a", "b", "c"]),
        ("x\0y", ["x", "y"]),
        ("std::vector a:b", ["std", "vector", "a", "b"]),
        ("， 。 ！", []),
    ],
)
def test_what_is_not_well_formed_is_plain_words(text: str, expected: list[str]) -> None:
    """No query is wrong."""
    assert spelled(read(text)) == expected


def test_an_error_message_is_read_as_one() -> None:
    """The exception line weighs most; folders, line numbers, addresses and thread numbers are set aside."""
    query = read(
        'Traceback (most recent call last):\n  File "/home/me/train.py", line 88, in <module>\n    loss.backward()\n'
        "RuntimeError: CUDA error: device-side assert triggered at 0x7f12ab\nCUDA kernel errors might be asynchronous"
    )
    weights = {one.word.term: one.weight for one in query.words}
    assert query.error
    assert weights["triggered"] == weights["runtimeerror"] == 1
    assert weights["loss.backward"] == weights["asynchronous"] == REST
    assert not {"home", "me", "88", "train", "0x7f12ab", "line", "module"} & set(weights)


def test_a_name_of_an_exception_alone_is_a_word() -> None:
    """Only what an exception says is read as a message; one that is still being typed may grow."""
    assert not read("freeze layers ValueError").error
    assert read("ValueError: optimizer got an emp").typing
    assert not read("ValueError: optimizer got an empty\nlist").typing
    last = read("Traceback (most recent call last):\n  x = input()\nKeyboardInterrupt")
    assert {one.word.term: one.weight for one in last.words}["keyboardinterrupt"] == 1


def test_a_failed_assertion_is_an_error_too() -> None:
    """The file's name stays, its folders and the numbers go."""
    query = read('/work/aten/src/IndexKernel.cu:92: block: [7,0,0] Assertion `i < n && "index out of bounds"` failed.')
    assert query.error
    assert "indexkernel.cu" in spelled(query)
    assert not {"aten", "92", "7", "0", "work"} & set(spelled(query))


def test_an_endless_query_is_cut() -> None:
    """A pasted book costs no more than a page."""
    assert len(read("word%d " * 5000 % tuple(range(5000))).words) == MOST_WORDS
    assert len(read("ValueError: " + " ".join(map(str, range(9000, 30000)))).words) <= MOST_WORDS


@given(st.text(st.characters()) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_anything_can_be_read(text: str) -> None:
    """Reading never raises and keeps to its bounds."""
    query = read(text)
    assert len(query.words) <= MOST_WORDS
    assert all(one.word.term for one in query.words)
