"""The language of a text and of a file name."""

from __future__ import annotations

import pytest

from kb.notes.language import language_of, split_name


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("用 gather 按 index 从 input 取值，再用 scatter_ 写回。", "zh"),
        ("Takes values from input by index, row by row.", "en"),
        ("按行取值，不改变原来的张量。\n\nTakes values by row and leaves the tensor as it is.", "mixed"),
        ("The word for gradient is 梯度, and it is used in most of the notes here.", "en"),
        (
            "冻结参数\n\n```python\nfor parameter in model.parameters():\n    parameter.requires_grad = False\n```\n",
            "zh",
        ),
        ("显存 `some code that is long enough to matter here`", "zh"),
        ('显存不足\n<div align="center"> <img src="a.png" width="100"> </div>', "zh"),
        ("求导\n\n$$\\frac{a}{b} \\text{where a is the long word}$$\n", "zh"),
        ("见 [文档](https://pytorch.org/docs/stable/generated/torch.gather.html)", "zh"),
        ("", "en"),
        ("123", "en"),
        ("CUDA_LAUNCH_BLOCKING torch.nn.Module 同步执行", "zh"),
    ],
)
def test_the_language_of_prose(text: str, language: str) -> None:
    """Code, tags, formulas and terms do not count as English."""
    assert language_of(text) == language


@pytest.mark.parametrize("left_out", ["---\na: {}\n---\n", "---\na: b\n---\n`{}` ", "---\na: b\n---\n[三]({}) "])
def test_what_is_no_prose_tells_nothing(left_out: str) -> None:
    """Front matter, code and addresses may be as long as they like."""
    assert language_of(left_out.format("words of English " * 9) + "一句话。\n", 4) == "zh"
    assert language_of("words of English " * 9 + left_out.format("x") + "一句话。\n") == "en"


@pytest.mark.parametrize(
    ("path", "stem", "language"),
    [
        ("a/gather.zh.md", "a/gather", "zh"),
        ("gather.EN.MD", "gather", "en"),
        ("a.b/gather.md", "a.b/gather", None),
        ("notes.txt", "notes", None),
        ("x.zh.markdown", "x", "zh"),
        ("zh.md", "zh", None),
        ("a/.zh.md", "a/.zh", None),
        ("a.fr.md", "a.fr", None),
        ("a/gather.zh", "a/gather.zh", None),
        ("图 片.zh.md", "图 片", "zh"),
    ],
)
def test_a_file_name_can_say_its_language(path: str, stem: str, language: str | None) -> None:
    """The key of a note is its path without language and suffix."""
    assert split_name(path) == (stem, language)
