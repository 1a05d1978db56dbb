"""Fenced code: language, options, code, recorded output."""

from __future__ import annotations

import pytest

from kb.markdown.fences import MOST_HIGHLIGHTED, fences, highlighted_lines

NOTE = """\
# Gather

```python id=row timeout=5 title="a b"
print(1)

print('é')
```

```output
1
```

Text.

~~~py
x = 1
~~~

words between

```output
2
```

```
plain
```

```Python3
y
"""


def test_the_fences_of_a_note() -> None:
    """Each has its language, options, code, lines and name; only what directly follows is its output."""
    row, output, second, stray, plain, third = fences(NOTE)
    assert (row.lang, row.id, row.runnable) == ("python", "row", True)
    assert row.options == {"id": "row", "timeout": "5", "title": "a b"}
    assert row.info == 'python id=row timeout=5 title="a b"'
    assert row.code == "print(1)\n\nprint('é')\n"
    assert (row.line, row.end_line) == (3, 7)
    assert (row.output, row.output_lines) == ("1\n", (9, 11))
    assert (output.lang, output.runnable, output.id) == ("output", False, "")
    assert (second.id, second.output, second.code) == ("block2", None, "x = 1\n")
    assert stray.code == "2\n"
    assert (plain.lang, plain.code) == ("", "plain\n")
    assert (third.lang, third.id, third.code, third.end_line) == ("python3", "block3", "y\n", 30)


@pytest.mark.parametrize(
    ("info", "lang", "options"),
    [
        ("python", "python", {}),
        ("{python id=x}", "python", {"id": "x"}),
        ("{.python #x}", "python", {"id": "x"}),
        ("python {id='a b' device=cuda:0}", "python", {"id": "a b", "device": "cuda:0"}),
        ("Python  raises=ValueError extra", "python", {"raises": "ValueError"}),
        ('python id=""', "python", {"id": ""}),
        ("id=x", "", {"id": "x"}),
        ("c++", "c++", {}),
        ("python id=x #y", "python", {"id": "x"}),
        ("python title=显存", "python", {"title": "显存"}),
        ("{}", "", {}),
    ],
)
def test_the_line_that_opens_a_fence(info: str, lang: str, options: dict[str, str]) -> None:
    """All common ways to write language and options are understood."""
    (fence,) = fences(f"```{info}\n```\n")
    assert (fence.lang, fence.options, fence.code) == (lang, options, "")


def test_an_empty_id_falls_back_to_the_number() -> None:
    """Every Python fence can be named."""
    assert [fence.id for fence in fences('```python id=""\n```\n```py\n```\n')] == ["block1", "block2"]


def test_no_two_fences_have_one_name() -> None:
    """A name that is taken, by a fence above or by a number, is given with a number of its own."""
    text = "".join(f"```python {info}\n```\n" for info in ("id=a", "id=a", "id=a-2", "id=block5", "", "id=a"))
    names = [fence.id for fence in fences(text)]
    assert len(set(names)) == len(names) == 6
    assert names[:2] == ["a", "a-2"]
    assert names[3] == "block5"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- a\n\n  ```python\n  if x:\n      y\n\n  z\n  ```\n", "if x:\n    y\n\nz\n"),
        ("1. a\n\n\t```python\n\tif x:\n\t\ty\n\t```\n", "if x:\n    y\n"),
        ("- ```python\n  x\n  ```\n", "x\n"),
        ("- a\n\n  ```python\nx\n y\n  ```\n", "x\ny\n"),
        ("> ```python\n> if x:\n>     y\n>\n>z\n> ```\n", "if x:\n    y\n\nz\n"),
        ("> > ```python\n> > x\n> y\n", "x\ny\n"),
        ("```python\n\tx\n```\n", "\tx\n"),
    ],
)
def test_code_is_set_free_of_lists_and_quotes(text: str, code: str) -> None:
    """The columns and marks of what the fence stands in are no part of the code."""
    assert fences(text)[0].code == code


def test_output_in_a_quote_belongs_to_its_code() -> None:
    """An empty line of the quote between them is as good as a blank one."""
    assert fences("> ```python\n> x\n> ```\n>\n> ```output\n> 1\n> ```\n")[0].output == "1\n"


def test_front_matter_holds_no_fences() -> None:
    """Not even where its text looks like one."""
    assert fences("---\na: |\n```python\n---\nb\n", 5) == ()


def test_line_ends_do_not_reach_the_code() -> None:
    """Code is run with line feeds, whatever the note has."""
    assert fences("```python\r\nx\r\ny\r\n```\r\n")[0].code == "x\ny\n"


@pytest.mark.parametrize(
    ("info", "lines"),
    [
        ("python {2,4-6}", (2, 4, 5, 6)),
        ("python {1}", (1,)),
        ('python hl_lines="2 4"', (2, 4)),
        ("python hl_lines='3-4'", (3, 4)),
        ("python hl_lines=5", (5,)),
        ("python {0}", ()),
        ("python {5-3}", ()),
        ("python {#id .class}", ()),
        ("python id=a2", ()),
        ("{.python}", ()),
    ],
)
def test_lines_are_highlighted_in_several_ways(info: str, lines: tuple[int, ...]) -> None:
    """In braces, or as a list under a name."""
    assert highlighted_lines(info) == lines


def test_an_endless_span_of_highlighted_lines_is_cut() -> None:
    """Nobody marks a million lines."""
    assert len(highlighted_lines("python {1-999999}")) <= MOST_HIGHLIGHTED
