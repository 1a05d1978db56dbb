"""A section's Markdown as plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.lines import scan
from kb.markdown.plain_text import SectionText, section_text
from kb.markdown.sections import sections


def read(markdown: str) -> SectionText:
    """Return the text of a note's last section."""
    scanned = scan(markdown)
    return section_text(scanned, sections(markdown, scanned=scanned)[-1])


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## Save\n\nUse **bold** and `torch.save()`.", "Use bold and torch.save()."),
        ("Save\n----\n\ntext", "text"),
        ("#\nx", "x"),
        ("# A\n- [x] done\n* two\n1. three\n> quoted", "done\ntwo\nthree\nquoted"),
        ('# A\n[label](https://x.example/a_(b) "t") ![alt](i.png) [[note|shown]] [[other]]', "label alt shown other"),
        ("# A\n| a | b |\n|---|---|\n| c | d |", "a b\nc d"),
        (
            "# A\n```python\nx_ = a * b  # [no](link)\n```\nafter *that* 这是*重点*的",
            "x_ = a * b # [no](link)\nafter that 这是重点的",
        ),
        (
            "# A\n==marked== ~~struck~~ a == b, x==1 and y==2, `==code==`",
            "marked struck a == b, x==1 and y==2, ==code==",
        ),
        ("# A\n- ```python\n  x_ = 1\n  ```\n- *b*", "x_ = 1\nb"),
        ("# A\n~~~\n```\n~~~\n*a*", "```\na"),
        ("# A\nscatter_ and __init__ and 2*3*4 <br> <b>x</b> a < b", "scatter_ and init and 2*3*4 x a < b"),
    ],
)
def test_marks_go_words_stay(markdown: str, text: str) -> None:
    """What a reader sees is what is searched; code keeps every sign."""
    assert read(markdown).text == text


def test_text_before_the_first_heading_keeps_its_first_line() -> None:
    """Only a heading is left out."""
    assert read("first\n\nsecond").text == "first\nsecond"


@given(st.text(st.sampled_from("#*_`~[]()<>!|- \n\tab中"), max_size=400))
def test_any_markdown_can_be_read(markdown: str) -> None:
    """No text is too odd."""
    read(markdown)


@pytest.mark.parametrize(
    "piece", ["[", "](", "<a ", "*", "`", "|", "\n", "[a](", "<!--", "__a", "==a", "~~a`", "==`a` "]
)
def test_storms_of_marks_take_no_time(piece: str) -> None:
    """Hostile notes do not stop the indexing."""
    read(piece * (200_000 // len(piece)))
