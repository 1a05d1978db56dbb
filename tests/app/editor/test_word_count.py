"""The words of a note are counted in both languages."""

from __future__ import annotations

import pytest

from app.editor.word_count import Count, count


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("", Count(0, 0)),
        ("Two words, don't stop", Count(0, 4)),
        ("梯度累积 gradient accumulation", Count(4, 2)),
        ("---\ntitle: no words here\n---\n# 标题\n", Count(2, 0)),
        ("[a link](https://pytorch.org/docs) 和 <https://x.org>", Count(1, 2)),
        ("```python\nx = torch.ones(3)\n```\n", Count(0, 3)),
        ("𠮷野家", Count(3, 0)),
    ],
)
def test_words_are_counted_in_both_languages(text: str, counted: Count) -> None:
    """Chinese is counted by characters, other scripts by words."""
    assert count(text) == counted
