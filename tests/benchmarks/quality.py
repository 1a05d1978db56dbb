"""Measures how well search answers: judged questions to shipped notes, beside SQLite's FTS5 (trigram) in one run.

The notes are those that the questions were written for, each with its headings of now: in a note that came later
there may be a better answer, and it would be judged a wrong one.

    python tests/benchmarks/quality.py             a row for each kind of question
    python tests/benchmarks/quality.py --missed    the questions whose first hit is no answer, too

The questions lie in tests/data/queries.tsv. MRR@10 says how early the first answer comes, recall@5 how many of the
answers are among the first five hits, nDCG@10 weighs both.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kb.index.document_extraction import documents
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import SHIPPED_NOTES, Vault

QUESTIONS = Path(__file__).resolve().parents[1] / "data" / "queries.tsv"
DEPTH = 10  # hits that count
EARLY = 5  # hits among which the answers should be
LANGUAGES = {"xling": "zh", "xling-zh": "en"}  # kinds that ask the notes of one language only

Place = tuple[str, str]  # the path of a note, and the heading of a section in it


@dataclass(frozen=True)
class Question:
    """What somebody typed, what kind of query that is, and the sections which answer it."""

    text: str
    kind: str
    answers: frozenset[Place]

    @property
    def lang(self) -> str | None:
        """The language whose notes are asked, None for all of them."""
        return LANGUAGES.get(self.kind)


@dataclass(frozen=True)
class Marks:
    """How good hits are, each from 0 to 1: the reciprocal rank of the first answer, recall and gain."""

    mrr: float
    recall: float
    ndcg: float


Ask = Callable[[Question], list[Place]]


def questions(file: Path = QUESTIONS) -> list[Question]:
    """Read a table of query, kind, path and heading, a line for each answer. Lines that start with # are remarks."""
    answers: dict[tuple[str, str], set[Place]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, kind, path, heading = line.split("\t")
            answers.setdefault((text, kind), set()).add((path, heading))
    return [Question(text, kind, frozenset(places)) for (text, kind), places in answers.items()]


def judged_notes(root: Path, asked: Iterable[Question]) -> Vault:
    """Return a vault at `root` of those shipped notes that answer any of the questions."""
    for path in {path for question in asked for path, _ in question.answers}:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SHIPPED_NOTES / path, place)
    return Vault.open(root)


def reciprocal_rank(hits: Sequence[Place], answers: AbstractSet[Place]) -> float:
    """Return 1 over the rank of the first answer among the hits that count, 0 where there is none."""
    ranks = [rank for rank, hit in enumerate(hits[:DEPTH], start=1) if hit in answers]
    return 1 / ranks[0] if ranks else 0.0


def recall(hits: Sequence[Place], answers: AbstractSet[Place]) -> float:
    """Return the share of the answers among the early hits, of as many as have room there."""
    return len(answers & set(hits[:EARLY])) / min(EARLY, len(answers))


def gain(hits: Sequence[Place], answers: AbstractSet[Place]) -> float:
    """Return the discounted gain of the hits that count, as a share of what the best order would gain."""
    gained = sum(_worth(rank) for rank, hit in enumerate(hits[:DEPTH], start=1) if hit in answers)
    return gained / sum(_worth(rank) for rank in range(1, min(DEPTH, len(answers)) + 1))


def _worth(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def judged(hits: Sequence[Place], answers: AbstractSet[Place]) -> Marks:
    """Return what the hits of one question are worth."""
    return Marks(reciprocal_rank(hits, answers), recall(hits, answers), gain(hits, answers))


def mean(marks: Iterable[Marks]) -> Marks:
    """Return the averages of at least one."""
    rows = list(marks)
    average = statistics.fmean
    return Marks(average(m.mrr for m in rows), average(m.recall for m in rows), average(m.ndcg for m in rows))


def torchleaf(searcher: Searcher) -> Ask:
    """Return what asks our own search."""

    def ask(question: Question) -> list[Place]:
        found = searcher.search(question.text, limit=DEPTH, lang=question.lang)
        return [(hit.path, hit.heading) for hit in found.hits]

    return ask


@contextlib.contextmanager
def fts5(vault: Vault) -> Iterator[Ask]:
    """Give what asks FTS5 for any of the words; words too short for trigrams count where there is no other."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        columns = "path unindexed, lang unindexed, heading, body, tokenize='trigram'"
        base.execute(f"create virtual table s using fts5({columns})")
        for path in vault.files():
            rows = [(path, d["language"], d["title"], d["text"]) for d in documents(vault.read(path))]
            base.executemany("insert into s values (?, ?, ?, ?)", rows)
        select = "select path, heading from s where {} and lang like ? {} limit " + str(DEPTH)

        def ask(question: Question) -> list[Place]:
            words = re.findall(r'[^\s"]+', question.text)
            lang = question.lang or "%"
            if long := [word for word in words if len(word) > 2]:
                statement = select.format("s match ?", "order by bm25(s, 0, 0, 4, 1)")
                asked = (" OR ".join(f'"{word}"' for word in long), lang)
            else:
                statement = select.format("heading || body like ?", "")
                asked = ("%" + "%".join(words) + "%", lang)
            return [(path, heading) for path, heading in base.execute(statement, asked)]

        yield ask


def table(rows: dict[str, dict[Question, Marks]]) -> list[str]:
    """Return lines with a row for each kind and one for all, and three columns for each engine."""
    engines = list(rows)
    asked = list(rows[engines[0]])
    lines = [
        f"{'':>9} {'asked':>5}" + "".join(f"{name:>12}{'':12}" for name in engines),
        f"{'':>9} {'':>5}" + f"{'MRR@10':>9}{'R@5':>7}{'nDCG':>8}" * len(engines),
    ]
    for kind in (*sorted({question.kind for question in asked}), "all"):
        chosen = [question for question in asked if kind in (question.kind, "all")]
        line = f"{kind:>9} {len(chosen):5}"
        for engine in engines:
            marks = mean(rows[engine][question] for question in chosen)
            line += f"{marks.mrr:9.3f}{marks.recall:7.3f}{marks.ndcg:8.3f}"
        lines.append(line)
    return lines


def main() -> None:
    """Index the shipped notes in a scratch folder, ask both engines, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missed", action="store_true", help="name the questions whose first hit is no answer")
    options = parser.parse_args()
    asked = questions()
    with tempfile.TemporaryDirectory(prefix="torchleaf-bench-") as name:
        vault = judged_notes(Path(name) / "notes", asked)
        report = update_index(vault, Path(name) / "index")
        searcher = Searcher(Path(name) / "index", vault.root)
        with fts5(vault) as other:
            engines = {"torchleaf": torchleaf(searcher), "fts5 trigram": other}
            rows = {engine: {q: judged(ask(q), q.answers) for q in asked} for engine, ask in engines.items()}
        searcher.close()
    print(f"{report.notes} shipped notes, {report.sections} sections, {len(asked)} questions")
    print("\n".join(table(rows)))
    if options.missed:
        missed = [question for question, marks in rows["torchleaf"].items() if marks.mrr < 1]
        print("\n".join(f"{rows['torchleaf'][q].mrr:5.2f} {q.kind:9} {q.text[:80]}" for q in missed))


if __name__ == "__main__":
    main()
