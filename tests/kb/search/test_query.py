"""What was typed or pasted, read as a query."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.search.filters import Filter
from kb.search.query import MOST_WORDS, REST, Query, parts, read, read_message, reworded, with_filter, without
from kb.search.query_tokens import MOST_WAYS

PIECES = [
    "a",
    "冻",
    '"',
    "“",
    "”",
    "「",
    "-",
    "-b",
    "lang:",
    "lang:zh",
    "标签：",
    "modified:>2026",
    ":",
    "OR",
    "|",
    "tag:a,b",
    "Error:",
    "ValueError: x",
    "File",
    ".cu:1",
    "\n",
    "\\",
    "   ",
]
QUERIES = st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join) | st.lists(st.sampled_from(PIECES)).map("".join)
WHITE = "".join(char for char in map(chr, range(0x3001)) if char.isspace())


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
    query = read('freeze "batch norm" -dropout lang:ZH path:notes/a title:"save model" -tag:cuda -"no grad"')
    assert spelled(query) == ["freeze", "batch", "norm"]
    assert (query.phrases, query.without, query.without_phrases) == (("batch norm",), ("dropout",), ("no grad",))
    assert query.filters == (
        Filter("lang", ("zh",)),
        Filter("path", ("notes/a",)),
        Filter("title", ("save model",)),
        Filter("tag", ("cuda",), negated=True),
    )
    assert not query.typing
    assert read("freeze -dropout batch").typing


def test_a_filter_alone_asks_for_what_passes_it() -> None:
    """It is no word; one that is being typed may grow."""
    query = read("标签：训练，多卡")
    assert (spelled(query), query.asks, query.ways) == ([], True, (query,))
    assert query.filters == (Filter("tag", ("训练", "多卡"), growing=True),)
    assert read("标签：训练，多卡 ").filters == (Filter("tag", ("训练", "多卡")),)
    assert not read("  ").asks


def test_alternatives_are_ways_to_meet_a_query() -> None:
    """OR binds tighter than what stands side by side; each way is a query of its own, and words are those of all."""
    query = read('freeze OR "no grad" model -tag:x | lang:zh')
    assert [way.text for way in query.ways] == ["freeze model", "freeze model", "no grad model", "no grad model"]
    assert [way.phrases for way in query.ways] == [(), (), ("no grad",), ("no grad",)]
    assert [one.filters[0].name for one in query.ways] == ["tag", "lang"] * 2
    assert spelled(query) == ["freeze", "no", "grad", "model"]
    assert [way.typing for way in read("a OR b").ways] == [False, True]
    assert [way.filters for way in read("tag:a OR tag:b").ways] == [read("tag:a,b").filters]
    assert len(read("gather OR -scatter").ways) == 1, "a way that asks for nothing is none"


def test_there_are_not_endlessly_many_ways() -> None:
    """What would go beyond the bound is read as words."""
    query = read(" ".join(["a OR b"] * 40))
    assert MOST_WAYS / 2 < len(query.ways) <= MOST_WAYS
    assert "or" in spelled(query)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('say "hello', ["say", "hello"]),
        ('"', []),
        ("-", []),
        ("--nproc_per_node 2", ["--nproc_per_node".strip("-"), "2"]),
        ("pip install -U torch", ["pip", "install", "u", "torch"]),
        ("-dropout", ["dropout"]),
        ("lang:xx", ["lang", "xx"]),
        ("modified:soon a", ["modified", "soon", "a"]),
        ("status:", ["status"]),
        ("OR gather", ["or", "gather"]),
        ("gather OR", ["gather", "or"]),
        ("gather OR OR a", ["gather", "or", "or", "a"]),
        ("| gather |", ["gather"]),
        ('title:"save', ["title", "save"]),
        ('-dropout -"no grad"', ["dropout", "no", "grad"]),
        ("squeeze -1 -10", ["squeeze", "1", "10"]),
        ("foo:bar -foo:baz", ["foo", "bar"]),
        ("lang:", ["lang"]),
        ("-lang:zh gather", ["gather"]),
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


def test_filters_go_with_a_pasted_message() -> None:
    """What stands before it is still a filter; what stands in it is not."""
    query = read("lang:zh RuntimeError: no such tag:x -y OR z")
    assert query.error
    assert query.filters == (Filter("lang", ("zh",)),)
    assert {"tag", "x", "y", "z"} <= set(spelled(query))


def test_the_name_of_an_exception_is_one_word() -> None:
    """Neither its module nor what it is made of is looked for."""
    query = read("torch.cuda.OutOfMemoryError: CUDA out of memory")
    assert query.words[0].word.term == "outofmemoryerror"
    assert query.words[0].word.parts == ()


def test_what_a_run_printed_is_read_from_its_end() -> None:
    """However much came before, the error at the end counts; without one there is nothing to read."""
    query = read_message("epoch 1\n" * 5000 + "ValueError: too many channels")
    assert query is not None
    assert spelled(query)[:4] == ["valueerror", "too", "many", "channels"]
    assert read_message("all is well\n") is None
    assert {"valueerror", "channels"} <= set(spelled(read("epoch 1\n" * 5000 + "ValueError: too many channels")))


def test_parts_say_what_was_understood() -> None:
    """Each piece has its place in the text, the canonical name of its filter, and its value without quotes."""
    text = '标签：训练 freeze OR “no grad” -dropout -lang:zh modified:soon "x'
    assert [(one.kind, one.name, one.value, one.understood) for one in parts(text)] == [
        ("filter", "tag", "训练", True),
        ("word", "", "freeze", True),
        ("or", "", "OR", True),
        ("phrase", "", "no grad", True),
        ("not", "", "dropout", True),
        ("not", "lang", "zh", True),
        ("filter", "modified", "soon", False),
        ("phrase", "", '"x', False),
    ]
    assert [text[one.start : one.end] for one in parts(text)][:4] == ["标签：训练", "freeze", "OR", "“no grad”"]
    message = "lang:zh RuntimeError: CUDA error\n at x "
    assert [message[one.start : one.end] for one in parts(message)] == ["lang:zh", "RuntimeError: CUDA error\n at x"]


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("lang:zh freeze", 0, "freeze"),
        ("freeze lang:zh", 1, "freeze "),
        ("a -b c", 1, "a c"),
        ("tag:a OR tag:b x", 0, "tag:b x"),
        ("tag:a OR tag:b x", 2, "tag:a x"),
        ("tag:a OR tag:b x", 1, "tag:a tag:b x"),
        ("a OR b OR c", 2, "a OR c"),
    ],
)
def test_a_part_can_be_taken_out(text: str, gone: int, left: str) -> None:
    """With it goes an OR that would join nothing any more."""
    assert without(text, parts(text)[gone]) == left


def test_words_can_be_changed_and_nothing_else() -> None:
    """Neither filters nor phrases, nor what is left out."""
    text = 'gahter tag:gahter "gahter" -gahter OR x'
    assert reworded(text, lambda word: word.replace("gahter", "gather")) == 'gather tag:gahter "gahter" -gahter OR x'


def test_a_filter_can_be_put_in() -> None:
    """It stands first, once, in quotes where it needs them; a message stays one."""
    assert with_filter("freeze", "tag", "cuda") == "tag:cuda freeze"
    assert with_filter("tag:cuda freeze", "tag", "CUDA") == "tag:cuda freeze"
    assert with_filter("", "title", 'deep "learning"') == 'title:"deep learning" '
    assert with_filter("OR freeze", "lang", "zh") == "lang:zh freeze"
    assert read(with_filter("RuntimeError: x", "lang", "zh")).error


@given(QUERIES)
def test_parts_cover_the_text_in_order(text: str) -> None:
    """Between them there is nothing but white space."""
    at = 0
    for part in parts(text):
        assert at <= part.start < part.end
        assert not text[at : part.start].strip("\0" + WHITE)
        at = part.end
    assert not text[at:].strip("\0" + WHITE)


@given(QUERIES, st.sampled_from(["tag", "lang", "path"]), st.sampled_from(["zh", "en", "混合 精度", "a,b"]))
def test_a_filter_put_in_can_be_taken_out(text: str, name: str, value: str) -> None:
    """What was put in is there as it was meant, and nothing else has changed when it is gone."""
    assume(name != "lang" or value in {"zh", "en"})
    assume(not any(one.name == name for one in parts(text)) and (not parts(text) or parts(text)[0].kind != "or"))
    asked = with_filter(text, name, value)
    part = parts(asked)[0]
    assert (part.kind, part.name, part.value, part.understood) == ("filter", name, value, True)
    assert without(asked, part) == text.lstrip()


@given(QUERIES)
def test_each_part_can_be_taken_out(text: str) -> None:
    """Taking out never raises and makes the query shorter."""
    for part in parts(text):
        assert len(without(text, part)) < len(text)


@given(QUERIES)
def test_reading_is_quick(text: str) -> None:
    """A twentieth of a second for anything."""
    taken: list[float] = []
    while len(taken) < 3 and min(taken, default=1.0) >= 0.05:  # what else the machine does is not what is measured
        started = time.thread_time()
        read(text * 50)
        taken.append(time.thread_time() - started)
    assert min(taken) < 0.05


@given(st.text(st.characters()) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_anything_can_be_read(text: str) -> None:
    """Reading never raises and keeps to its bounds."""
    query = read(text)
    assert len(query.words) <= MOST_WORDS
    assert all(one.word.term for one in query.words)
