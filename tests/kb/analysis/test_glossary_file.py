"""The glossary that comes with the program: what must hold for every line of it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from kb.analysis.glossary import LONGEST, SHIPPED, atoms, shipped, things
from kb.analysis.tokens import HAN, normalized, terms

_HAN = re.compile(f"[{HAN}]")
# Words that stand in so many sentences that bringing the other language in for them would only add noise.
_STOP_EN = (
    "a an and are as at be by can do for from get has have how if in is it its new no not of off on one or problem set "
    "so than that the then there this to two use used using was way what when where which who why will with you your"
)
_STOP_ZH = (
    "的 是 在 和 了 有 不 为 把 被 与 或 到 中 上 下 一个 这个 那个 如何 怎么 怎样 什么 为什么 问题 使用 可以 方法 情况"
)
_STOP = frozenset(f"{_STOP_EN} {_STOP_ZH}".split())
_ALONE = frozenset("层秩熵轴")  # single characters that mean one thing in these notes


def _lines() -> list[str]:
    return SHIPPED.read_text(encoding="utf-8").splitlines()


def _sides(line: str) -> tuple[list[str], list[str]]:
    chinese, english = line.split(" = ")
    return chinese.split(", "), english.split(", ")


def _things() -> list[tuple[list[str], list[str]]]:
    return [_sides(line) for line in _lines() if line and not line.startswith("#")]


def _forms() -> list[str]:
    return [form for chinese, english in _things() for form in chinese + english]


def test_each_line_is_a_comment_a_thing_or_blank() -> None:
    """A thing has exactly one sign between its languages, a comment names a domain, blank lines come one at a time."""
    lines = _lines()
    for number, line in enumerate(lines, 1):
        assert line == line.strip(), f"line {number}: {line!r}"
        assert not line or line.startswith("# ") or line.count(" = ") == line.count("=") == 1, (
            f"line {number}: {line!r}"
        )
    assert all(one or other for one, other in pairwise(lines)), "two blank lines"
    assert len(_things()) >= 600


def test_the_program_reads_every_line_whole() -> None:
    """What the search knows are these things with these forms, none left out for its length, each leading to others."""
    assert [set(forms) for forms in things("\n".join(_lines()))] == [{*zh, *en} for zh, en in _things()]
    for chinese, english in _things():
        assert all(0 < len(atoms(form)) <= LONGEST for form in chinese + english), (chinese, english)
        for form in (chinese[0], english[0]):
            others = {other.text for other in shipped().others(atoms(form))}
            assert others & {*chinese, *english} - {form}, form


def test_no_form_is_empty_or_untidy() -> None:
    """A form has something to be found by, no blanks at its ends, and no full-width sign a reader would not type."""
    for form in _forms():
        assert terms(form), form
        assert form == form.strip(), form
        assert "  " not in form, form
        assert not re.search("[，＝、；：。（）]", form), form


def test_chinese_stands_left_and_the_rest_right() -> None:
    """Every form on the left has Chinese in it, and none on the right has."""
    for chinese, english in _things():
        assert all(_HAN.search(form) for form in chinese), chinese
        assert not any(_HAN.search(form) for form in english), english


def test_no_line_stands_twice_and_no_line_repeats_a_form() -> None:
    """Letter case aside, a line names a form once, and no two lines have the same Chinese or the same English."""
    lefts = Counter(tuple(sorted(chinese)) for chinese, _ in _things())
    rights = Counter(tuple(sorted(form.lower() for form in english)) for _, english in _things())
    assert [side for side, times in (lefts | rights).items() if times > 1] == []
    for chinese, english in _things():
        forms = [form.lower() for form in chinese + english]
        assert len(forms) == len(set(forms)), forms


def test_a_form_on_two_lines_is_rare() -> None:
    """Only a form that truly means two things stands twice; none stands three times."""
    times = Counter(form.lower() for form in _forms())
    assert [form for form, count in times.items() if count > 2] == []
    assert sum(count > 1 for count in times.values()) <= len(times) // 50


def test_no_form_is_a_word_of_every_sentence() -> None:
    """Stop words would bring the other language into every query, so would most single characters and letters."""
    for form in _forms():
        assert form.lower() not in _STOP, form
        assert len(form) > 1 or form in _ALONE, form


def test_domains_are_named_once() -> None:
    """Each comment that opens a domain stands once, and something stands under each."""
    blocks = SHIPPED.read_text(encoding="utf-8").split("\n\n")
    names = [block.splitlines()[0] for block in blocks]
    assert all(name.startswith("# ") for name in names)
    assert len(names) == len(set(names))
    assert all(" = " in block.splitlines()[1] for block in blocks[1:])


def test_it_is_written_as_words_are_compared() -> None:
    """Simplified and half-width: the first search of a session need not load the table of traditional characters."""
    things = [line for line in SHIPPED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert [line for line in things if normalized(line) != line.lower()] == []
