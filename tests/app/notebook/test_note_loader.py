"""A note as the window opens it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

import pytest

from app.history import Location
from app.notebook.note_loader import OpenNote, lines_hidden, open_note, without_metadata
from app.runs.run_history import failed_line
from kb.errors import NoteMissing
from kb.rendering.renderer import Renderer
from kb.vault.vault import Vault
from snippets.errors import Sentence
from snippets.model.snippet import read_snippet
from snippets.results.outcome import Outcome, unavailable

NOTE = """# a

[the library's](snippet:gather_by_row)

[nobody's](snippet:no_such_snippet)

```python id=mine
print(1)
```
"""
CODE = '# /// snippet\n# title = { zh = "甲", en = "A" }\n# ///\n\nimport math\n\nraise ValueError(math.pi)\n'


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    """Give a renderer; its process ends with the test."""
    made = Renderer()
    yield made
    made.close()


def test_cells_are_joined_to_what_they_run(tmp_path: Path, renderer: Renderer) -> None:
    """The library's code stands in the page; a link to nothing is a problem with a sentence."""
    (tmp_path / "a.md").write_text(NOTE, "utf-8")
    note = open_note(Vault.open(tmp_path), Location("a.md"), renderer)
    assert set(note.snippets) == {("", "snippet:gather_by_row"), ("", "fence:mine")}
    assert "did you mean" in str(note.problems["", "snippet:no_such_snippet"]) or note.problems
    cell = next(p for s in note.pages[""].sections for p in s.parts if getattr(p, "id", "") == "gather_by_row")
    assert "import torch" in cell.code  # type: ignore[union-attr]
    assert "/// snippet" not in cell.code  # type: ignore[union-attr]
    assert note.lead.path == "a.md"
    assert note.note_at("b.md") is None


def test_both_languages_are_opened_and_the_asked_one_leads(tmp_path: Path, renderer: Renderer) -> None:
    """Whichever file was asked for."""
    (tmp_path / "a.zh.md").write_text("# 甲\n", "utf-8")
    (tmp_path / "a.en.md").write_text("# A\n", "utf-8")
    note = open_note(Vault.open(tmp_path), Location("a.zh.md"), renderer)
    assert set(note.pages) == {"zh", "en"}
    assert note.lead.path == "a.zh.md"
    assert note.titled("en") == "A"
    assert note.titled("fr") == "甲"
    assert set(note.hashes) == {"a.zh.md", "a.en.md"}


def test_a_note_that_is_not_there_is_missing(tmp_path: Path, renderer: Renderer) -> None:
    """As kb says it."""
    with pytest.raises(NoteMissing):
        open_note(Vault.open(tmp_path), Location("gone.md"), renderer)


def test_the_description_of_a_snippet_is_not_shown_and_its_lines_are_counted() -> None:
    """So that a traceback's line finds its place in what is shown."""
    assert without_metadata(CODE) == "import math\n\nraise ValueError(math.pi)\n"
    assert lines_hidden(CODE) == 4
    assert without_metadata("x = 1\n") == "x = 1\n"
    assert lines_hidden("x = 1\n") == 0


def test_the_failed_line_is_the_last_of_the_snippets_own(tmp_path: Path) -> None:
    """Frames of libraries above and below it do not count."""
    file = tmp_path / "a.py"
    file.write_text(CODE, "utf-8")
    snippet = read_snippet(file)
    frames = f'  File "{file}", line 7, in <module>\n  File "/lib/site-packages/t.py", line 99, in f\n'
    trace = f"Traceback\n{frames}ValueError\n"
    ended = unavailable(Sentence("", ""), device="cpu", run_id="1")
    failed = Outcome(**{**vars(ended), "status": "failed", "output": trace})
    assert failed_line(snippet, failed) == 3
    assert failed_line(snippet, Outcome(**{**vars(failed), "output": "Segmentation fault"})) is None
    assert failed_line(snippet, ended) is None


ZH = "".join(f"## 第 {number} 节\n\n{'一段话。' * 60}\n\n" for number in range(90))
EN = "".join(f"## Section {number}\n\n{'a few words of it. ' * 30}\n\n" for number in range(90))


def begun(vault: Path, place: Location, renderer: Renderer, *, returning: bool = False) -> tuple[OpenNote, OpenNote]:
    """Open a note and return how it was begun and all of it."""
    heads: list[OpenNote] = []
    note = open_note(Vault.open(vault), place, renderer, begun=heads.append, returning=returning)
    return next(iter(heads), note), note


def test_a_long_note_is_begun_before_it_is_there(tmp_path: Path, renderer: Renderer) -> None:
    """Its beginning comes first, as it will be, with the cells that are in it; what is at hand already comes whole."""
    text = "# Long\n\n```python\nprint(1)\n```\n\n" + EN + "```python\nprint(2)\n```\n"
    (tmp_path / "a.md").write_text(text, "utf-8")
    head, note = begun(tmp_path, Location("a.md"), renderer)
    assert 3 < len(head.pages[""].sections) < 20
    assert head.pages[""].sections[:-1] == note.pages[""].sections[: len(head.pages[""].sections) - 1]
    assert (list(head.snippets), list(note.snippets)) == (
        [("", "fence:block1")],
        [("", "fence:block1"), ("", "fence:block2")],
    )
    assert head.notes == note.notes
    assert head.titles == {"": "Long"}
    again, note = begun(tmp_path, Location("a.md"), renderer)
    assert again is note


def test_both_languages_are_begun_in_step(tmp_path: Path, renderer: Renderer) -> None:
    """With the same sections, so that each stands beside its own."""
    (tmp_path / "a.zh.md").write_text(ZH, "utf-8")
    (tmp_path / "a.en.md").write_text(EN, "utf-8")
    head, note = begun(tmp_path, Location("a.en.md"), renderer)
    zh, en = head.pages["zh"].sections, head.pages["en"].sections
    assert 5 < len(zh) == len(en) < 20
    assert (zh[:-1], en[:-1]) == (note.pages["zh"].sections[: len(zh) - 1], note.pages["en"].sections[: len(en) - 1])


@pytest.mark.parametrize(
    ("place", "returning", "sections"),
    [
        (Location("a.md", "section-40"), False, range(42, 60)),
        (Location("a.md", "Section 40"), False, range(42, 60)),
        (Location("a.md", line=163), False, range(42, 60)),
        (Location("a.md", "section-40", marks=("words",)), False, range(42, 60)),
        (Location("a.md", "section-40"), True, range(42, 60)),
        (Location("a.md"), True, range(5, 20)),
        (Location("a.md", "section-85"), False, [90]),
        (Location("a.md", "no-such-place"), False, [90]),
        (Location("a.md", marks=("words",)), False, [90]),
    ],
)
def test_a_note_is_begun_up_to_where_it_is_opened(
    tmp_path: Path,
    renderer: Renderer,
    place: Location,
    returning: bool,  # noqa: FBT001
    sections: Container[int],
) -> None:
    """And a screen further, but does not wait for what comes after that; what is to be looked for waits for all."""
    (tmp_path / "a.md").write_text(EN, "utf-8")
    head, note = begun(tmp_path, place, renderer, returning=returning)
    assert len(head.pages[""].sections) in sections
    assert len(note.pages[""].sections) == 90
