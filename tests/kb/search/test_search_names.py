"""Things found under other names than they were typed: in the other language, by the user's words, by aliases."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]

NOTES: dict[str, str | bytes] = {
    "memory.zh.md": "# 显存\n\n显存占用等于参数加上激活值。\n\n## 梯度\n\n梯度也占地方。\n",
    "problems.zh.md": "# 常见问题\n\n损失变成 nan，多半是梯度爆炸。\n\n## 爆炸图\n\n画零件的爆炸图，与梯度无关。\n",
    "freeze.zh.md": "# 冻结参数\n\n不参与更新。\n\n## 跨设备\n\n把模型加载到另一台设备。\n",
    "clip.en.md": "# Clipping\n\nCall clip_grad_norm_ after backward.\n\n## Shared memory\n\nWorkers need shm.\n",
    "model.en.md": "# Model\n\nA model holds parameters.\n\n## Cosine schedule\n\nwarm up, then decay\n",
    "model.zh.md": "# 模型\n\n模型里有参数。\n",
    "alias.md": "---\ntitle: 环形归约\naliases: [ring, 转圈]\n---\n# 环形归约\n\n一块接一块。\n",
    "mention.md": "# 通信\n\n环形归约比树快。\n",
}


@pytest.fixture
def folder(make_vault: MakeVault, tmp_path: Path) -> Path:
    """The index of a small vault."""
    update_index(make_vault(NOTES), tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def searcher(folder: Path) -> Iterator[Searcher]:
    """A searcher on it."""
    with contextlib.closing(Searcher(folder, folder.parent / "vault")) as searcher:
        yield searcher


def headings(searcher: Searcher, query: str) -> list[str]:
    """The headings of the hits, best first."""
    return [hit.heading for hit in searcher.search(query).hits]


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("GPU memory", "显存"),
        ("gpu memory usage", "显存"),
        ("gradient explosion", "常见问题"),
        ("exploding gradients", "常见问题"),
        ("freeze parameters", "冻结参数"),
        ("freezing", "冻结参数"),
        ("load model on another device", "跨设备"),
        ("梯度裁剪", "Clipping"),
        ("共享内存不足", "Shared memory"),
        ("余弦调度", "Cosine schedule"),
        ("VRAM", "显存"),
    ],
)
def test_a_question_finds_its_answer_in_the_other_language(searcher: Searcher, query: str, heading: str) -> None:
    """English finds what is said in Chinese, and the other way round, in one word or several."""
    assert headings(searcher, query)[0] == heading


def test_all_of_another_name_has_to_stand_there(searcher: Searcher) -> None:
    """A gradient alone is no exploding one, and an exploded view is none either."""
    found = searcher.search("exploding gradients ").hits
    assert found[0].heading == "常见问题"
    assert found[0].score > 2 * next((hit.score for hit in found if hit.heading == "爆炸图"), 0)


def test_what_was_typed_counts_more_than_other_names(searcher: Searcher) -> None:
    """A section that has the word itself goes before one that has another for it in the same place."""
    assert headings(searcher, "模型")[:2] == ["模型", "Model"]
    assert headings(searcher, "model")[:2] == ["Model", "模型"]


def test_it_is_said_and_marked(searcher: Searcher) -> None:
    """The hit names what was typed and what stands there, and that is what is marked."""
    hit = searcher.search("GPU memory").hits[0]
    assert hit.why[0] == "heading: 显存"
    assert "gpu memory = 显存" in hit.why
    assert hit.matched == ("显存",)
    hit = searcher.search("梯度裁剪").hits[0]
    assert "梯度裁剪 = clip_grad_norm" in hit.why
    assert "clip_grad_norm" in hit.matched
    assert all("=" not in reason for reason in searcher.search("显存").hits[0].why)


def test_the_words_of_a_name_that_stands_whole_are_not_marked(make_vault: MakeVault, tmp_path: Path) -> None:
    """Else every other "shared" and "memory" of the page would be coloured, too; alone they are what was found."""
    notes = {
        "whole.md": "# Workers\n\nEach needs shared memory. Memory is shared.\n",
        "apart.md": "# Others\n\nMemory that is shared.\n",
    }
    vault = make_vault(dict(notes))
    update_index(vault, tmp_path / "index")
    with contextlib.closing(Searcher(tmp_path / "index", vault.root)) as searcher:
        marked = {hit.path: set(hit.matched) for hit in searcher.search("共享内存 ").hits}
        assert marked == {"whole.md": {"shared memory"}, "apart.md": {"shared", "memory"}}
        (typed,) = [hit for hit in searcher.search("shared memory ").hits if hit.path == "whole.md"]
        assert {"shared", "memory"} <= set(typed.matched)


def test_the_users_own_words(searcher: Searcher, folder: Path) -> None:
    """A glossary at the vault's root counts, a change in it at once, and what is no line of one does no harm."""
    assert headings(searcher, "oomph") == []
    own = folder.parent / "vault" / "glossary.md"
    own.write_text("# 我的词\n\n随便写写 = \n\n- 显存 = oomph\n", encoding="utf-8")
    assert headings(searcher, "oomph")[0] == "显存"
    own.write_text("- 冻结参数 = oomph\n", encoding="utf-8")
    assert headings(searcher, "oomph")[0] == "冻结参数"
    own.unlink()
    assert headings(searcher, "oomph") == []


def test_aliases_of_notes_are_names(searcher: Searcher, folder: Path, make_vault: MakeVault) -> None:
    """What a note is also called finds the sections that name it, until it is called so no more."""
    found = searcher.search("转圈").hits
    assert [hit.heading for hit in found] == ["环形归约", "通信"]
    assert "转圈 = 环形归约" in found[1].why
    assert headings(searcher, "ring ")[:2] == ["环形归约", "通信"]
    update_index(make_vault({"alias.md": "# 环形归约\n\n一块接一块。\n"}), folder)
    assert headings(searcher, "转圈") == []


def test_phrases_and_filters_hold_under_any_name(searcher: Searcher) -> None:
    """Words in quotes stand as they were typed, and a filter narrows what other names find, too."""
    assert headings(searcher, '"GPU memory"') == []
    assert headings(searcher, "GPU memory lang:en")[0] == "Shared memory"
    assert "显存" not in headings(searcher, "GPU memory -显存")
