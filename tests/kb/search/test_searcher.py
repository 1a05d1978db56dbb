"""Searching: what is found, in which order, and what is said about it."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.errors import IndexFailed
from kb.index import segments
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.pace import thinking_within

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]

NOTES: dict[str, str | bytes] = {
    "tensors/gather.zh.md": (
        "---\ntags: [indexing]\n---\n# 取值与写回\n\n## gather\n\n"
        "按 index 从 input 里取值。torch.gather 的输出形状与 index 相同。\n\n"
        "## scatter_\n\n把 src 写到 index 指的位置，与 gather 相反。scatter_ 会改动自身。\n"
    ),
    "tensors/gather.en.md": (
        "# Gather and scatter\n\n## gather\n\nReads values along a dimension. Meshgrid is another thing.\n\n"
        "## scatter_\n\nWrites values at an index; the order of collisions is not defined.\n"
    ),
    "training/freeze.zh.md": (
        "# 冻结参数\n\n把 requires_grad 设为 False。冻结 BN 还要 eval()。\n\n## 只训练新模块\n\n分布式训练时也一样。\n"
    ),
    "training/errors.md": (
        "# 定位 CUDA 错误\n\nRuntimeError: CUDA error: device-side assert triggered 多半是标签越界。"
        "设 CUDA_LAUNCH_BLOCKING=1 再跑。\n\n## 显存\n\n显存占用 = 参数 + 中间变量。torch.nn.DataParallel 复制模型。\n"
    ),
    "training/amp.md": "# 混合精度训练\n\nautocast and GradScaler; model.module under DataParallel.\n",
}


@pytest.fixture
def folder(make_vault: MakeVault, tmp_path: Path) -> Path:
    """The index of a small vault."""
    folder = tmp_path / "index"
    update_index(make_vault(NOTES), folder)
    return folder


@pytest.fixture
def searcher(folder: Path) -> Iterator[Searcher]:
    """A searcher on it."""
    searcher = Searcher(folder, folder.parent / "vault")
    yield searcher
    searcher.close()


def headings(searcher: Searcher, query: str, lang: str | None = None) -> list[str]:
    """The headings of the hits, best first."""
    return [hit.heading for hit in searcher.search(query, lang=lang).hits]


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("gather", "gather"),
        ("scatter_", "scatter_"),
        ("冻结参数", "冻结参数"),
        ("freeze BN", "冻结参数"),
        ("分布式", "只训练新模块"),
        ("分布式训练", "只训练新模块"),
        ("CUDA_LAUNCH_BLOCKING", "定位 CUDA 错误"),
        ("launch blocking", "定位 CUDA 错误"),
        ("device-side assert triggered", "定位 CUDA 错误"),
        ("torch.nn.DataParallel", "显存"),
        ("model.module", "混合精度训练"),
        ("显存", "显存"),
        ("混合精度", "混合精度训练"),
        ("ＧＰＵ ｇａｔｈｅｒ", "gather"),
        ("requires_g", "冻结参数"),
        ("meshg", "gather"),
        ("冻", "冻结参数"),
        ("DataParalel", "混合精度训练"),
        ("scater_", "scatter_"),
        ("values collisions", "scatter_"),
        ("indexing 写回", "取值与写回"),
    ],
)
def test_the_right_section_is_first(searcher: Searcher, query: str, heading: str) -> None:
    """Words, pairs of characters, identifiers whole and in part, prefixes and slips find what they mean."""
    assert headings(searcher, query)[0] == heading


def test_a_pasted_traceback_finds_its_explanation(searcher: Searcher) -> None:
    """Where it happened is set aside, what happened is looked for."""
    pasted = (
        'Traceback (most recent call last):\n  File "/home/gather/scatter_/train.py", line 88, in <module>\n'
        "    loss.backward()\nRuntimeError: CUDA error: device-side assert triggered\n"
    )
    result = searcher.search(pasted)
    assert result.hits[0].heading == "定位 CUDA 错误"
    assert result.did_you_mean is None


def test_an_error_that_no_note_has_is_told_so(searcher: Searcher) -> None:
    """A known one and typed words are not."""
    assert not searcher.search("gather").unknown_error
    assert not searcher.search("RuntimeError: CUDA error: device-side assert triggered").unknown_error
    assert searcher.search("RuntimeError: CUDA flux capacitor misaligned at plutonium intake 7").unknown_error


def test_what_a_hit_says(searcher: Searcher) -> None:
    """A hit has all that a list of results shows."""
    hit = searcher.search("取值").hits[0]
    assert (hit.path, hit.heading, hit.line, hit.anchor) == ("tensors/gather.zh.md", "取值与写回", 4, "取值与写回")
    assert (hit.lang, hit.title, hit.trail) == ("zh", "取值与写回", ())
    hit = next(hit for hit in searcher.search("取值 index").hits if hit.heading == "gather")
    assert (hit.heading, hit.trail, hit.anchor) == ("gather", ("取值与写回",), "gather")
    assert hit.excerpt.startswith("按 index 从 input 里取值。")
    assert set(hit.matched) >= {"取值", "index"}
    assert set(hit.why[0].split()) == {"text:", "取值", "index"}
    assert hit.score > 0


def test_marked_words_stand_in_what_is_shown(searcher: Searcher) -> None:
    """Every word to mark is in the heading or in the excerpt; parts of a found word are not marked again."""
    for query in ("gather 冻结 values", "torch.nn.DataParallel", "requires_g"):
        for hit in searcher.search(query).hits:
            shown = f"{hit.heading}\n{hit.excerpt}".lower()
            assert hit.why
            assert all(word in shown for word in hit.matched)
    assert searcher.search("混合精度").hits[0].matched == ("混合精度",)
    assert searcher.search("混合精度").hits[0].why == ("heading: 混合精度",)
    assert next(hit.why for hit in searcher.search("冻结 新模块").hits) == ("heading: 新模块", "above: 冻结 freeze")


def test_a_word_is_marked_by_itself_and_within_another(make_vault: MakeVault, tmp_path: Path) -> None:
    """A word that stands alone is marked beside the longer one that holds it; one only inside it is not said twice."""
    vault = make_vault({"both.md": "# A\n\nscatter_ in place, scatter anew\n", "one.md": "# B\n\nscatter_ alone\n"})
    update_index(vault, tmp_path / "index")
    with contextlib.closing(Searcher(tmp_path / "index", vault.root)) as searcher:
        matched = {hit.path: set(hit.matched) for hit in searcher.search("scatter").hits}
    assert matched == {"both.md": {"scatter", "scatter_"}, "one.md": {"scatter_"}}


def test_a_short_word_inside_another_is_not_marked(make_vault: MakeVault, tmp_path: Path) -> None:
    """That "bn" stands in "subnet" says nothing."""
    update_index(make_vault({"a.md": "# x\n\nsubnet mask\n\n# y\n\nbn mask\n"}), tmp_path / "index")
    with contextlib.closing(Searcher(tmp_path / "index", tmp_path)) as searcher:
        matched = {hit.heading: set(hit.matched) for hit in searcher.search("bn mask").hits}
    assert matched == {"x": {"mask"}, "y": {"bn", "mask"}}


def test_words_that_say_little_are_not_marked(searcher: Searcher) -> None:
    """Beside others; alone they are what was asked for."""
    assert not any({"an", "at"} & set(hit.matched) for hit in searcher.search("values at an index").hits)
    assert {"an"} in [set(hit.matched) for hit in searcher.search("an ").hits]


def test_a_slip_is_corrected_and_said(searcher: Searcher) -> None:
    """The hit says what was searched instead, and the result offers it."""
    result = searcher.search("Meshgird 冻结")
    assert result.did_you_mean == "meshgrid 冻结"
    assert "meshgird → meshgrid" in next(hit for hit in result.hits if hit.heading == "gather").why
    assert searcher.search("gather").did_you_mean is None
    assert searcher.search("xqzvwk").hits == ()
    assert searcher.search("torch.nn.DataParalel").did_you_mean == "torch.nn.dataparallel"


def test_phrases_stand_as_they_were_typed(searcher: Searcher) -> None:
    """Words in quotes stand next to each other, in this order."""
    assert headings(searcher, '"values along"') == ["gather"]
    assert headings(searcher, '"along values"') == []
    assert headings(searcher, '"index 相同"') == ["gather"]


def test_exclusions_and_filters(searcher: Searcher) -> None:
    """A minus leaves sections out; lang:, path:, tag: and title: narrow."""
    assert headings(searcher, "gather -collisions -取值 -相反") == ["gather", "Gather and scatter"]
    paths = {hit.path for hit in searcher.search("gather lang:en").hits}
    assert paths == {"tensors/gather.en.md"}
    assert {hit.path for hit in searcher.search("gather", lang="en").hits} == paths
    assert {hit.path for hit in searcher.search("gather tag:indexing").hits} == {"tensors/gather.zh.md"}
    assert {hit.path for hit in searcher.search("gather path:GATHER.ZH").hits} == {"tensors/gather.zh.md"}
    assert set(headings(searcher, "index title:scatter_")) == {"scatter_"}
    assert headings(searcher, "gather lang:zh lang:en") == []


def test_an_unfinished_word_is_completed_a_finished_one_is_not(searcher: Searcher) -> None:
    """The last word may still grow, as long as no space follows it."""
    assert headings(searcher, "meshg") == ["gather"]
    assert headings(searcher, "meshg ") == []


@pytest.mark.parametrize("query", ["", "   ", "。，", "--- !!", '""', "\0", "😀"])
def test_a_query_without_words_finds_nothing(searcher: Searcher, query: str) -> None:
    """Punctuation alone is no question."""
    result = searcher.search(query)
    assert (result.query, result.hits, result.did_you_mean) == (query, (), None)


def test_no_more_than_asked_for(searcher: Searcher, folder: Path, make_vault: MakeVault) -> None:
    """The limit holds, and the best come first."""
    result = searcher.search("gather values index", limit=3)
    assert len(result.hits) == 3
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert len(searcher.search("gather values index", limit=100).hits) > 3
    assert result.seconds > 0
    update_index(
        make_vault({f"n{number}.md": f"# part {number}\n\nneedle {'hay ' * number}\n" for number in range(50)}), folder
    )
    assert len(searcher.search("needle", limit=10).hits) == 10
    assert len(searcher.search("needle", limit=40).hits) == 40


def test_without_an_index_there_are_no_hits(tmp_path: Path) -> None:
    """A vault that was never indexed gives nothing, and no error."""
    searcher = Searcher(tmp_path / "none", tmp_path)
    assert searcher.search("gather").hits == ()
    searcher.close()


def test_a_newer_index_is_seen(searcher: Searcher, folder: Path, make_vault: MakeVault) -> None:
    """A kept searcher answers from what was committed last; what is gone is gone."""
    assert headings(searcher, "barrier") == []
    vault = make_vault({"new.md": "# barrier\n"})
    update_index(vault, folder)
    assert headings(searcher, "barrier") == ["barrier"]
    (vault.root / "new.md").unlink()
    update_index(vault, folder)
    assert headings(searcher, "barrier") == []
    update_index(vault, folder, rebuild=True)
    assert headings(searcher, "混合精度")[0] == "混合精度训练"


def test_the_index_may_be_deleted_and_made_anew(searcher: Searcher, folder: Path, make_vault: MakeVault) -> None:
    """A kept searcher survives the deletion of the index and finds the next one."""
    assert headings(searcher, "显存")[0] == "显存"
    shutil.rmtree(folder)
    assert headings(searcher, "显存") == []
    update_index(make_vault({}), folder)
    assert headings(searcher, "显存")[0] == "显存"


def test_a_damaged_index_is_said_and_mended(folder: Path, make_vault: MakeVault) -> None:
    """A searcher that meets damage says so; after the next indexing it answers."""
    searcher = Searcher(folder, folder)
    for file in folder.glob("*.postings"):
        file.write_bytes(b"")
    with pytest.raises(IndexFailed, match="built anew") as failed:
        searcher.search("显存")
    assert "重建" in failed.value.sentence("zh")
    assert update_index(make_vault({}), folder).rebuilt
    assert headings(searcher, "显存")[0] == "显存"
    searcher.close()


def test_a_fault_of_the_work_is_no_damage(searcher: Searcher) -> None:
    """The index is sound, and is not said to be anything else; the next search is answered."""

    def fails(_: object) -> None:
        raise KeyError("a fault of the program")

    with pytest.raises(KeyError, match="of the program"):
        searcher.using(fails, None)
    assert searcher.search("gather").hits


def test_an_index_of_another_version_is_not_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, not guessed at."""
    monkeypatch.setattr(segments, "STAMP", "next")
    with pytest.raises(IndexFailed, match="another version"):
        Searcher(folder, folder).search("显存")


def test_an_index_replaced_while_it_is_opened_is_opened_again(
    searcher: Searcher, monkeypatch: pytest.MonkeyPatch, folder: Path, make_vault: MakeVault
) -> None:
    """A writer that is quicker than the opening is no damage."""
    opened = segments.open_leaves
    vault = make_vault({"new.md": "# barrier\n"})
    turns = [1]

    def outrun(folder: Path, reuse: tuple[segments.OpenSegment, ...] = ()) -> list[segments.OpenSegment]:
        if turns:
            turns.pop()
            with monkeypatch.context() as patch:
                patch.setattr(segments, "open_leaves", opened)
                update_index(vault, folder)
            raise FileNotFoundError(2, "gone", "x")
        return opened(folder, reuse)

    monkeypatch.setattr(segments, "open_leaves", outrun)
    assert headings(searcher, "barrier") == ["barrier"]


def test_several_threads_may_search_at_once(searcher: Searcher) -> None:
    """Answers do not mix."""
    wrong: list[str] = []

    def ask(query: str, heading: str) -> None:
        wrong.extend(found for _ in range(50) if (found := headings(searcher, query)[0]) != heading)

    threads = [threading.Thread(target=ask, args=pair) for pair in (("显存", "显存"), ("scatter_", "scatter_")) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_long_texts_are_searched_and_shown(folder: Path, make_vault: MakeVault, searcher: Searcher) -> None:
    """A section of a megabyte costs no more than others of its kind."""
    update_index(make_vault({"long.md": "# long\n\n" + "filler text " * 90_000 + "needle\n"}), folder)
    result = searcher.search("needle")
    assert [hit.heading for hit in result.hits] == ["long"]
    assert len(result.hits[0].excerpt) < 200
    assert result.seconds < 0.5


SNIPPETS = [
    '"',
    "-",
    "lang:",
    "path:x",
    "gather",
    "scatter_",
    "混合精度",
    "RuntimeError: x",
    'File "a", line 1',
    "(",
    "*",
    "\\",
    "\n",
]


@given(st.text() | st.lists(st.sampled_from(SNIPPETS)).map(" ".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_is_answered_soon(searcher: Searcher, query: str) -> None:
    """Whatever is typed or pasted: a result, within half a second."""
    with thinking_within(0.5):
        result = searcher.search(query)
    assert result.query == query


@pytest.mark.parametrize(
    "query", ["gather " * 3000, "冻结" * 5000, "a_b." * 5000, '"' * 9000, "x" * 100_000, "-a " * 3000]
)
def test_an_endless_query_is_answered_soon(searcher: Searcher, query: str) -> None:
    """A pasted book, too."""
    with thinking_within(0.5):
        searcher.search(query)
