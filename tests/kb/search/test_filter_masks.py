"""Which sections a query allows: filters, alternatives, exclusions, and how code stands."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]

NOTES: dict[str, str | bytes] = {
    "tensors/gather.zh.md": (
        "---\ntags: [indexing, training/ddp]\n---\n# 取值\n\n按 index 取值，用 `torch.gather`。\n\n"
        "## 例子\n\n[按行取值](snippet:gather_by_row)\n\n```python id=first\nindex.scatter_(0)\n```\n"
    ),
    "tensors/gather.en.md": "# Gather\n\nReads values by index.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "training/freeze.md": (
        "---\ntags: [training]\n---\n# Freeze 冻结\n\nSet requires_grad by index 把参数冻结起来，不再更新。\n\n"
        "## Batch norm\n\n"
        "running mean by index, ![plot](p.png)\n\n```python device=cuda\nmodel.eval()\n```\n"
    ),
    "old.md": "# Old\n\nindex of values read; see [[tensors/gather]]\n",
}
DAYS = {"tensors/gather.zh.md": "2026-02-03", "tensors/gather.en.md": "2026-02-01", "training/freeze.md": "2026-01-20"}
ZH, EXAMPLE, EN, FREEZE, NORM, OLD = "取值", "例子", "Gather", "Freeze 冻结", "Batch norm", "Old"


def proven(name: str, value: str) -> Collection[str]:
    """One run failed on the CPU, another passed on a GPU, and one of a note that is gone."""
    runs = {"gather_by_row": ("failed", "cpu"), "tensors/gather.zh.md#first": ("passed", "cuda"), "x#y": ("failed", "")}
    return {run for run, states in runs.items() if value == "tried" or value == states[name == "device"]}


@pytest.fixture
def searcher(make_vault: MakeVault, tmp_path: Path) -> Iterator[Searcher]:
    """A searcher on a small vault whose notes were written on different days."""
    vault = make_vault(NOTES)
    for path in NOTES:
        moment = datetime.fromisoformat(DAYS.get(path, "2024-12-31")).timestamp() + 3600
        os.utime(vault.root / path, (moment, moment))
    update_index(vault, tmp_path / "index")
    searcher = Searcher(tmp_path / "index", vault.root)
    yield searcher
    searcher.close()


def headings(searcher: Searcher, query: str, lang: str | None = None) -> list[str]:
    """The headings of the hits, best first."""
    return [hit.heading for hit in searcher.search(query, lang=lang, proven=proven).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lang:zh", {ZH, EXAMPLE, FREEZE, NORM}),
        ("语言：英文", {EN, FREEZE, NORM, OLD}),
        ("lang:mixed", {FREEZE, NORM}),
        ("lang:zh,en", {ZH, EXAMPLE, EN, FREEZE, NORM, OLD}),
        ("-lang:zh", {EN, OLD}),
        ("tag:indexing ", {ZH, EXAMPLE}),
        ("tag:training ", {ZH, EXAMPLE, FREEZE, NORM}),
        ("tag:#INDEXING ", {ZH, EXAMPLE}),
        ("tag:ind ", set()),
        ("tag:ind", {ZH, EXAMPLE}),
        ("-tag:training ", {EN, OLD}),
        ("path:tensors", {ZH, EXAMPLE, EN}),
        ("path:tensors,OLD", {ZH, EXAMPLE, EN, OLD}),
        ("title:gather ", {ZH, EXAMPLE, EN}),
        ("title:exa", set()),
        ("title:gat", {ZH, EXAMPLE, EN}),
        ('title:"batch norm"', {NORM}),
        ("标题：冻结", {FREEZE, NORM}),
        ("code:scatter_ ", {EXAMPLE}),
        ("code:gather ", {ZH}),
        ("code:torch.gather ", {ZH}),
        ("code:requires_grad ", set()),
        ("code:model.ev", {NORM}),
        ("has:snippet ", {EXAMPLE, NORM}),
        ("has:table", {EN}),
        ("含：图片", {NORM}),
        ("has:code", {EXAMPLE, NORM}),
        ("has:link", {OLD}),
        ("has:math", set()),
        ("status:failed", {EXAMPLE}),
        ("status:never", {NORM}),
        ("status:stale", set()),
        ("状态：通过", {EXAMPLE}),
        ("-status:failed", {ZH, EN, FREEZE, NORM, OLD}),
        ("device:cuda", {EXAMPLE, NORM}),
        ("device:cpu", {EXAMPLE}),
        ("modified:2026-02-03", {ZH, EXAMPLE}),
        ("modified:>2026-01", {ZH, EXAMPLE, EN}),
        ("modified:<2026-02", {FREEZE, NORM, OLD}),
        ("modified:2025", set()),
        ("modified:2026-01..2026-02-01", {EN, FREEZE, NORM}),
        ("tag:indexing OR path:old", {ZH, EXAMPLE, OLD}),
        ("has:table OR has:image -lang:zh", {EN}),
    ],
)
def test_a_filter_alone_lists_what_passes_it(searcher: Searcher, query: str, expected: set[str]) -> None:
    """In either language, negated, in lists, in alternatives, and while it is being typed."""
    assert set(headings(searcher, query)) == expected


def test_what_was_modified_last_is_listed_first(searcher: Searcher) -> None:
    """Its sections stand in their order; the note of before comes after it."""
    assert headings(searcher, "lang:zh,en") == [ZH, EXAMPLE, EN, FREEZE, NORM, OLD]
    hit = searcher.search("has:table").hits[0]
    assert (hit.matched, hit.why) == ((), ())
    assert hit.excerpt.startswith("Reads values")


def test_filters_narrow_what_words_find(searcher: Searcher) -> None:
    """The order is still that of the words."""
    assert set(headings(searcher, "index")) == {ZH, EXAMPLE, EN, FREEZE, NORM, OLD}
    assert headings(searcher, "index has:image") == [NORM]
    assert set(headings(searcher, "index", lang="en")) == {EN, FREEZE, NORM, OLD}
    assert set(headings(searcher, "index lang:zh lang:en")) == {FREEZE, NORM}, "one that is in both"
    assert headings(searcher, "index -取值 -old path:tensors -norm") == [EN]


def test_one_of_the_alternatives_is_enough(searcher: Searcher) -> None:
    """Words, phrases, filters and exclusions may stand on either side of OR."""
    assert set(headings(searcher, "requires_grad OR scatter_")) == {FREEZE, EXAMPLE}
    assert set(headings(searcher, '"running mean" OR "values by"')) == {NORM, EN}
    assert set(headings(searcher, "index scatter_ OR has:image")) >= {EXAMPLE, NORM}
    assert headings(searcher, "requires_grad OR tag:indexing")[0] == FREEZE
    assert set(headings(searcher, "requires_grad OR tag:indexing")) == {FREEZE, ZH, EXAMPLE}


def test_phrases_stand_as_typed_and_others_do_not(searcher: Searcher) -> None:
    """Only the words in this order count, to find as well as to leave out."""
    assert headings(searcher, "“values by”") == [EN]
    assert headings(searcher, '"by values"') == []
    assert set(headings(searcher, 'values -"values by"')) == {OLD}
    assert set(headings(searcher, 'values -"by values"')) == {EN, OLD}


def test_where_nothing_is_known_of_runs_none_has_a_status(searcher: Searcher) -> None:
    """What is meant for a device is in the notes; whatever can be run was never tried."""
    found = {
        query: {hit.heading for hit in searcher.search(query).hits}
        for query in ("status:failed", "status:never", "device:cuda")
    }
    assert found == {"status:failed": set(), "status:never": {EXAMPLE, NORM}, "device:cuda": {NORM}}


def test_a_note_that_is_gone_is_not_listed(searcher: Searcher) -> None:
    """Neither by a filter nor by what is left out."""
    (searcher.vault_root / "old.md").unlink()
    vault = Vault.open(searcher.vault_root)
    update_index(vault, searcher.vault_root.parent / "index")
    assert OLD not in headings(searcher, "lang:zh,en")
    assert set(headings(searcher, "-lang:zh")) == {EN}


PIECES = [
    "index",
    "取值",
    "scatter_",
    "indxe",
    "OR",
    "|",
    '"values by"',
    '"',
    "-index",
    "-tag:x",
    "lang:zh",
    "status:never",
    "status:failed",
    "device:cuda",
    "path:tensors",
    "title:g",
    "code:g",
    "has:snippet",
    "modified:>2025",
    "Error: x",
    "RuntimeError: x",
    "tag:training",
    "a" * 60,
    "冻结" * 40,
    "\n",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", " ", "  "]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_query_is_answered_soon(searcher: Searcher, pieces: list[str], between: str) -> None:
    """Whatever filters and alternatives are typed together: a result, within half a second."""
    query = between.join(pieces)
    taken: list[float] = []
    while len(taken) < 3 and min(taken, default=1.0) >= 0.5:  # what else the machine does is not what is measured
        started = time.thread_time()
        assert searcher.search(query, proven=proven).query == query
        taken.append(time.thread_time() - started)
    assert min(taken) < 0.5


def test_a_note_without_a_time_is_found_all_the_same(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk may give a file a date that no calendar has; it is listed last."""

    class Calendar:
        """A calendar that ends too early."""

        @staticmethod
        def fromtimestamp(_: float) -> datetime:
            raise OverflowError

    monkeypatch.setattr("kb.index.document_extraction.datetime", Calendar)
    (searcher.vault_root / "odd.md").write_text("# Odd\n\nindex\n", encoding="utf-8")
    update_index(Vault.open(searcher.vault_root), searcher.vault_root.parent / "index")
    assert headings(searcher, "lang:en")[-1] == "Odd"
    assert "Odd" in headings(searcher, "index")
