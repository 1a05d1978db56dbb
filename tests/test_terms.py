"""The note of terms: it says what the glossary says, leads to the notes, and leaves the front to them in a search."""

from __future__ import annotations

import re
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.analysis.tokens import HAN
from kb.index.index_update import update_index
from kb.notes.note import parse
from kb.search.searcher import Searcher
from kb.vault.vault import SHIPPED_NOTES
from tests.benchmarks.quality import judged, judged_notes, mean, questions, torchleaf

LOST = 0.01  # of the reciprocal rank, that the note of terms may cost


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """What the script has that writes the note."""
    return runpy.run_path(str(Path(__file__).resolve().parents[1] / "scripts" / "terms.py"))


def test_the_note_says_what_the_glossary_says(script: dict[str, Callable[[], dict[str, str]]]) -> None:
    """Neither was changed without the other: `make terms` writes the note anew."""
    for path, text in script["notes"]().items():
        assert (SHIPPED_NOTES / path).read_text(encoding="utf-8") == text, f"run: make terms ({path})"
        meta = parse(path, text.encode()).meta
        assert (meta.problem, meta.aside) == (None, True)


def test_every_theme_of_the_glossary_is_in_it(script: dict[str, Any]) -> None:
    """Each has a heading in both languages and its things; ordinary words are left out."""
    themes = list(script["themes"]())
    assert len(themes) > 30
    assert all(theme.headings["zh"] and theme.headings["en"] and theme.things for theme in themes)
    forms = {form for theme in themes for zh, en in theme.things for form in (*zh, *en)}
    assert {"张量", "tensor", "显存", "GPU memory", "矩阵乘法"} <= forms
    assert not {"修改", "相同"} & forms
    assert not [form for form in forms if re.search(rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]", form)]  # set with room


def test_a_term_leads_to_the_note_about_it(script: dict[str, Any]) -> None:
    """By its title or another name, if that is the name of one note only."""
    text = script["notes"]()["terms.en.md"]
    assert "| [checkpoint](saving/checkpoint) | 检查点 |" in text
    assert "| hyperparameter | 超参数 |" in text


def test_answers_stand_before_the_list_of_terms(tmp_path: Path) -> None:
    """The judged questions find their sections nearly as early as if it were not there, though it names everything."""
    asked = questions()
    vault = judged_notes(tmp_path / "notes", asked)
    for path in SHIPPED_NOTES.glob("terms.*"):
        shutil.copy(path, vault.root)
    update_index(vault, tmp_path / "index")
    searcher = Searcher(tmp_path / "index", vault.root)
    ask = torchleaf(searcher)
    try:
        found = [(ask(question), question.answers) for question in asked]
        without = [([hit for hit in hits if not hit[0].startswith("terms.")], answers) for hits, answers in found]
        assert any(len(some) < len(every) for (some, _), (every, _) in zip(without, found, strict=True))
        best = mean(judged(*one) for one in without)
        assert mean(judged(*one) for one in found).mrr >= best.mrr - LOST
        assert searcher.search("锁页内存").hits[0].path.startswith("terms.")  # what no note tells, it tells
    finally:
        searcher.close()
