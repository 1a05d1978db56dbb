"""What translation_skeleton promises: a twin note begins with all that both languages share, and nothing else."""

from __future__ import annotations

from kb.notes.note import parse
from kb.notes.translation_skeleton import other_path, skeleton

NOTE = """---
title: Gather
lang: en
tags: [tensors]  # kept
---
# Gather *rows*

Prose that is to be told anew.

```python id=one
a = 1

print(a)
```
```output
1
```

Under
-----

- a list

![map](map.svg)

[gather_rows](snippet:gather_rows)

See [gather_rows](snippet:gather_rows) inline.
"""


def test_a_twin_has_the_headings_the_code_and_the_snippets() -> None:
    """Front matter, headings, fences, pictures and snippets on lines of their own; the prose is left to be written."""
    assert (
        skeleton(parse("t/gather.en.md", NOTE.encode()))
        == """---
title: Gather
lang: zh
tags: [tensors]  # kept
---

# Gather *rows*

```python id=one
a = 1

print(a)
```

```output
1
```

## Under

![map](map.svg)

[gather_rows](snippet:gather_rows)
"""
    )


def test_a_twin_has_the_same_sections_and_fences() -> None:
    """Read again, it has the anchors and the runnable blocks of the first."""
    note = parse("gather.en.md", NOTE.encode())
    twin = parse(other_path(note), skeleton(note).encode())
    assert [one.anchor for one in twin.sections if one.level] == [one.anchor for one in note.sections if one.level]
    assert [(one.id, one.code, one.output) for one in twin.fences] == [
        (one.id, one.code, one.output) for one in note.fences
    ]


def test_the_twin_lies_beside_the_note() -> None:
    """The language of the name counts, else that of the text; the suffix stays."""
    assert other_path(parse("a/b.zh.markdown", b"x")) == "a/b.en.markdown"
    assert other_path(parse("a/b.en.md", b"x")) == "a/b.zh.md"
    assert other_path(parse("b.md", "中文笔记写在这里".encode())) == "b.en.md"
    assert other_path(parse("b.txt", b"plain English text of a note")) == "b.zh.txt"
