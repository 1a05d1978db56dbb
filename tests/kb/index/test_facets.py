"""What a section holds besides words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.index.facets import facets, looks
from kb.notes.note import parse

NOTE = """---
title: t
---
intro with [a link](https://example.org) and [a place](#code)

# Pictures

![plot](plot.png) and [[other]]

# Code

[按行取值](snippet:gather_by_row)

```python id=first device=cuda,CPU
print(1)
```

~~~
plain
~~~

# Formula

```math
x^2
```

# Nothing

`![no](a.png)`
"""


def test_links_and_blocks_belong_to_their_section() -> None:
    """A snippet that is linked and a block that can be run are named, with the devices that a block is for."""
    held = [set(one) for one in facets(parse("a/n.md", NOTE.encode()))]
    assert held == [
        {"link"},
        {"image", "link"},
        {
            "snippet",
            "code",
            "runs:gather_by_row",
            "runs:a/n.md#first",
            "device:cuda",
            "device:cpu",
        },
        {"math"},
        set(),
    ]


@pytest.mark.parametrize(
    ("prose", "held"),
    [
        ("| a | b |\n| --- | :-: |\n| 1 | 2 |", {"table"}),
        ("a | b\n--|--\n", {"table"}),
        ("a | b\n\n---\n", set()),
        ("- [ ] todo\n- [x] done", {"task"}),
        ("1. [X] done", {"task"}),
        ("- [link] no task", set()),
        ("where $a_1 + b$ is", {"math"}),
        ("$$\nx\n$$", {"math"}),
        ("\\(x\\)", {"math"}),
        ("costs $5 and $6", set()),
        ("set `$HOME/$USER` here", set()),
        ('<img src="a.png">', {"image"}),
        ("plain", set()),
    ],
)
def test_what_prose_shows(prose: str, held: set[str]) -> None:
    """Tables, tasks, formulas and pictures in HTML are seen; prices and shell variables are none."""
    assert set(looks(prose)) == held


@given(st.lists(st.sampled_from(["|", "-", " ", ":", "\n", "$", "[ ]", "- ", "a", "`", "\\(", ">", "1"])).map("".join))
def test_looking_takes_time_in_proportion(prose: str) -> None:
    """Whatever a line is made of."""
    text = (prose * (20_000 // max(1, len(prose))))[:20_000]
    taken: list[float] = []
    while len(taken) < 3 and min(taken, default=1.0) >= 0.1:  # what else the machine does is not what is measured
        started = time.thread_time()
        list(looks(text))
        taken.append(time.thread_time() - started)
    assert min(taken) < 0.1
