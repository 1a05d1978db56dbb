"""Search answers well: the judged questions to the shipped notes, and the marks that they are judged by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.index.document_extraction import documents
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.benchmarks.quality import (
    EARLY,
    Ask,
    Marks,
    Place,
    Question,
    fts5,
    gain,
    judged,
    judged_notes,
    mean,
    questions,
    recall,
    reciprocal_rank,
    table,
    torchleaf,
)

MRR_FLOOR = 0.89
RECALL_FLOOR = 0.86
A, B, C, D = (("note.md", heading) for heading in "abcd")
PLACES = st.sampled_from([("x.md", str(number)) for number in range(15)])


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    """All questions."""
    return questions()


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory, asked: list[Question]) -> Vault:
    """The notes that the questions are about."""
    return judged_notes(tmp_path_factory.mktemp("notes"), asked)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory, vault: Vault) -> Iterator[Ask]:
    """Our search of them."""
    folder = tmp_path_factory.mktemp("quality") / "index"
    update_index(vault, folder)
    searcher = Searcher(folder, vault.root)
    yield torchleaf(searcher)
    searcher.close()


@pytest.fixture(scope="module")
def other(vault: Vault) -> Iterator[Ask]:
    """Asks SQLite's FTS5 on the same notes."""
    with fts5(vault) as ask:
        yield ask


@pytest.fixture(scope="module")
def marks(ask: Ask, asked: list[Question]) -> dict[Question, Marks]:
    """What our search earns for each question."""
    return {question: judged(ask(question), question.answers) for question in asked}


def test_every_answer_is_a_section_of_the_shipped_notes(vault: Vault, asked: list[Question]) -> None:
    """A heading that was renamed or a note that has gone is noticed, and not counted as a miss of the search."""
    there = {(path, str(part["title"])) for path in vault.files() for part in documents(vault.read(path))}
    assert {place for question in asked for place in question.answers} <= there


def test_the_questions_are_many_and_of_all_kinds(asked: list[Question]) -> None:
    """No kind of query is judged by a handful, and none is asked twice."""
    kinds = Counter(question.kind for question in asked)
    assert set(kinds) == {
        "en",
        "error",
        "ident",
        "mixed",
        "pinyin",
        "prefix",
        "typo",
        "xling",
        "xling-zh",
        "zh",
    }
    assert min(kinds.values()) >= 8
    assert len({(question.text, question.kind) for question in asked}) == len(asked) >= 120


def test_the_right_section_comes_first(marks: dict[Question, Marks]) -> None:
    """Over all questions the first answer stands as high as it did, and as many answers stand near the top."""
    all_of_them = mean(marks.values())
    assert all_of_them.mrr >= MRR_FLOOR, missed(marks)
    assert all_of_them.recall >= RECALL_FLOOR, missed(marks)


def test_no_kind_of_query_is_answered_worse_than_by_fts5(other: Ask, marks: dict[Question, Marks]) -> None:
    """Whatever is asked, somebody with SQLite alone would not have found it sooner."""
    for kind in {question.kind for question in marks}:
        ours = {question: mark for question, mark in marks.items() if question.kind == kind}
        theirs = mean(judged(other(question), question.answers) for question in ours)
        assert mean(ours.values()).mrr >= theirs.mrr, f"{kind}: {missed(ours)}"


def missed(marks: dict[Question, Marks]) -> str:
    """Name the questions whose first hit is no answer."""
    return "; ".join(f"{question.kind} {question.text[:40]}" for question, mark in marks.items() if mark.mrr < 1)


def test_a_language_is_asked_alone(ask: Ask, other: Ask) -> None:
    """The kinds across languages get hits of the other language only, from both engines."""
    for engine in (ask, other):
        hits = engine(Question("gather", "xling", frozenset()))
        assert hits
        assert all(path.endswith(".zh.md") for path, _ in hits)


def test_short_words_are_found_by_fts5_too(other: Ask) -> None:
    """The other side is given its chance with two characters, which are too few for a trigram."""
    assert ("training/freezing.zh.md", "冻结参数与批归一化") in other(Question("冻结", "zh", frozenset()))


def test_questions_are_read_from_a_table(tmp_path: Path) -> None:
    """Lines with one query are its answers; the same words are another question in another kind."""
    file = tmp_path / "q.tsv"
    file.write_text("# remark\nq\ten\ta.md\tA\n\nq\ten\tb.md\tB\nq\txling\ta.md\tA\n", encoding="utf-8")
    first, second = questions(file)
    assert first == Question("q", "en", frozenset({("a.md", "A"), ("b.md", "B")}))
    assert (first.lang, second.lang) == (None, "zh")


def test_marks_of_known_lists() -> None:
    """Rank one earns all, rank two a half; recall looks at five hits, gain at the order of ten."""
    assert reciprocal_rank([A, B], {A}) == 1
    assert reciprocal_rank([B, A], {A}) == 0.5
    assert reciprocal_rank([B] * 10 + [A], {A}) == 0
    assert recall([A, B, C], {A, D}) == 0.5
    assert recall([B] * EARLY + [A], {A}) == 0
    assert gain([A, B], {A, B}) == 1
    assert gain([C, A], {A}) == pytest.approx(1 / math.log2(3))
    assert judged([], {A}) == Marks(0, 0, 0)


def test_the_table_has_a_row_for_each_kind_and_one_for_all() -> None:
    """The averages of a kind are of its questions alone."""
    first, second = Question("a", "en", frozenset({A})), Question("b", "zh", frozenset({B}))
    lines = table({"mine": {first: Marks(1, 1, 1), second: Marks(0, 0.5, 0)}})
    assert [line.split() for line in lines[2:]] == [
        ["en", "1", "1.000", "1.000", "1.000"],
        ["zh", "1", "0.000", "0.500", "0.000"],
        ["all", "2", "0.500", "0.750", "0.500"],
    ]


@given(st.lists(PLACES, unique=True), st.sets(PLACES, min_size=1))
def test_marks_are_shares(hits: list[Place], answers: set[Place]) -> None:
    """Marks lie between 0 and 1, and are 1 where all the answers come before everything else."""
    best = [*answers, *(hit for hit in hits if hit not in answers)]
    for mark in (judged(hits, answers), judged(best, answers)):
        assert all(0 <= part <= 1 + 1e-9 for part in (mark.mrr, mark.recall, mark.ndcg))
    assert mark.mrr == 1
    assert mark.recall == 1
    assert mark.ndcg == pytest.approx(1)
