"""A section's Markdown as plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.plain_text import plain_text


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
        ("# A\nscatter_ and __init__ and 2*3*4 <br> <b>x</b> a < b", "scatter_ and init and 2*3*4 x a < b"),
    ],
)
def test_marks_go_words_stay(markdown: str, text: str) -> None:
    """What a reader sees is what is searched; code keeps every sign."""
    assert plain_text(markdown, headed=True) == text


def test_text_before_the_first_heading_keeps_its_first_line() -> None:
    """Only a heading is left out."""
    assert plain_text("first\n\nsecond", headed=False) == "first\nsecond"


@given(st.text(st.sampled_from("#*_`~[]()<>!|- \n\tab中"), max_size=400), st.booleans())
def test_any_markdown_can_be_read(markdown: str, headed: bool) -> None:  # noqa: FBT001
    """No text is too odd."""
    plain_text(markdown, headed=headed)


@pytest.mark.parametrize("piece", ["[", "](", "<a ", "*", "`", "|", "\n", "[a](", "<!--", "__a"])
def test_storms_of_marks_take_no_time(piece: str) -> None:
    """Hostile notes do not stop the indexing."""
    plain_text(piece * (200_000 // len(piece)), headed=True)
