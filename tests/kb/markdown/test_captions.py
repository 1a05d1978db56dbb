"""Pictures get the words that were meant to stand below them, and the sizes that stand behind them."""

from __future__ import annotations

import pytest

from kb.markdown.captions import with_captions


def test_a_title_goes_before_the_alternative() -> None:
    """Either is the caption of a picture that stands alone."""
    assert with_captions('<p><img alt="a" src="x.png" title="b"></p>').endswith('<p class="caption">b</p>')
    assert with_captions('<p><img alt="a" src="x.png"></p>').endswith('<p class="caption">a</p>')


@pytest.mark.parametrize("words", ["", "x", "x.png", "image", "Alt text", "X.PNG"])
def test_a_file_name_is_no_caption(words: str) -> None:
    """Editors write it by themselves when a picture is pasted."""
    assert "caption" not in with_captions(f'<p><img alt="{words}" src="folder/x.png"></p>')


def test_only_a_picture_alone_has_a_caption() -> None:
    """One in a sentence and a formula have none."""
    for text in ('<p>see <img alt="a" src="x.png"></p>', '<p><img alt="a" src="formula:1"></p>'):
        assert with_captions(text) == text


def test_sizes_in_braces() -> None:
    """A width is taken, other attributes go, and what is no attribute stays as text."""
    assert with_captions('<img src="x">{width=50%}') == '<img src="x" width="50%">'
    assert with_captions('<img src="x" width="9">{#a .b width=50}') == '<img src="x" width="9">'
    assert with_captions('<img src="x">{.b}') == '<img src="x">'
    assert with_captions('<img src="x">{not this}') == '<img src="x">{not this}'


def test_a_picture_on_another_machine_has_its_caption() -> None:
    """Its words stand below it, not in its place as well; a file's name says nothing, and in a sentence it has none."""
    link = '<a class="remote-image" href="https://e.org/x.png">↗ '
    alone = with_captions(f"<p>{link}two words https://e.org/x.png</a></p>")
    assert alone == f'<p class="figure">{link}https://e.org/x.png</a></p><p class="caption">two words</p>'
    for words in ("", "x.png ", "image "):
        shown = f"{link}{words}https://e.org/x.png</a>"
        assert with_captions(f"<p>{shown}</p>") == f'<p class="figure">{shown}</p>'
    for text in (f"<p>see {link}a https://e.org/x.png</a></p>", f"<p>{link}a https://e.org/x.png</a> and</p>"):
        assert with_captions(text) == text
