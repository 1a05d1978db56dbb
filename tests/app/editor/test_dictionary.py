"""Unknown words are found in prose only; English, names of the vault, of code and of the user are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.editor.dictionary import (
    ProseLine,
    Speller,
    add_own_word,
    available,
    code_of,
    english,
    misspelt,
    own_words,
    words_of,
)
from app.editor.markdown_tokens import START, spans

spelled = pytest.mark.skipif(not available(), reason="needs spylls")


def lines_of(text: str) -> tuple[ProseLine, ...]:
    made, state = [], START
    for line in text.split("\n"):
        made.append(ProseLine(line, state))
        state = spans(line, state)[1]
    return tuple(made)


class Only:
    """A dictionary of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked = 0

    def lookup(self, word: str) -> bool:
        self.asked += 1
        return word in self.words

    def suggest(self, word: str, *, far: bool) -> Iterator[str]:
        yield from (word.upper(), word.upper(), "far" if far else "near")


RIGHT = """gradients Walked it's don’t colour behaviour normalised optimisation analysing centre labelled modelling
artefact grey learnt spelt misspelt catalogue defence unscaled Monday another's"""
WRONG = "gradeint recieve optimzation teh seperate untill becuase"
PROSE = """---
title: zzfront
---

# A zzhead of it

Words zzprose, **zzbold** and zzdone.
`zzcode` $zzmath$ [[zzwiki]] [zzlink](zztarget) <https://zzauto.org> https://zzurl.org/zz [^zzfoot]
用zzhan时 and zz_name zzName Zzz.zz zz/path GPUs v2zz @zzuser zzkey=1 zz(x) é-zzé don't zzit's

- [ ] zztask
> zzquote

| zzcell | b |
|---|---|

$$
zzblock
$$

```python
zzfence = 1
```
<!-- zzcomment -->
    indented
"""


def test_only_prose_is_looked_at() -> None:
    """Code, links, formulas, front matter, wikilinks, addresses and names are skipped; Chinese ends a word."""
    known = Only("words", "and", "of", "it", "don't", "indented")
    found = [one.word for one in misspelt(lines_of(PROSE), Speller(known, ["Words"]))]
    assert found == ["zzhead", "zzprose", "zzbold", "zzdone", "zzhan", "zzit's", "zztask", "zzquote", "zzcell"]


def test_what_is_named_is_known() -> None:
    """Terms, titles, identifiers and their parts are known, also of the note's code; each word is looked up once."""
    only = Only("plain")
    code = code_of("uses `zero_grad()`\n\n```py\nclass WeightDecay: sgdish = 1\n```\nprose")
    speller = Speller(only, ["Fully Sharded", "allreduce", code])
    assert all(speller.knows(word) for word in ("sharded", "Sharded", "allreduce", "allreduces", "grad", "decay"))
    assert speller.knows("sgdish")
    assert speller.knows("plain’s")
    assert not speller.knows("prose")
    asked = only.asked
    assert not speller.knows("prose")
    assert only.asked == asked
    assert speller.suggestions("w") == ("W", "far")
    assert speller.suggestions("alreduce") == ("allreduce", "ALREDUCE", "near")
    assert list(words_of("zero_grad 梯度 torchDDP")) == ["zero", "grad", "梯度", "torchDDP", "torch"]


@spelled
def test_english_is_known_on_either_side_of_the_ocean() -> None:
    """Inflected, capitalized, contracted, American and British words are known; misspelt words are not."""
    speller = Speller(english())
    for word in RIGHT.split():
        assert speller.knows(word), word
    for word in WRONG.split():
        assert not speller.knows(word), word
    assert "receive" in speller.suggestions("recieve")


def test_own_words_are_kept(tmp_path: Path) -> None:
    """The file has one word on each line, in order; an unreadable file counts as empty."""
    file = tmp_path / "data" / "words.txt"
    assert own_words(file) == frozenset()
    add_own_word(file, "zeta")
    assert add_own_word(file, "Alpha") == {"zeta", "Alpha"}
    assert file.read_text("utf-8") == "Alpha\nzeta\n"
    file.write_bytes(b"\xff\xfe\x00")
    assert own_words(file) == frozenset()
