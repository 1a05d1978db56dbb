"""What means the same: the shipped glossary, the user's own, and aliases."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.analysis import glossary
from kb.analysis.glossary import Glossary, OwnGlossary, atoms, keys, named, shipped, things
from tests.pace import thinking_within

TEXT = """# a heading = none
显存, 显卡内存 = GPU memory, VRAM

- 梯度裁剪 = gradient clipping, `clip_grad_norm_`
1. all-reduce ＝ 全归约、全规约
* 瓶颈 = bottleneck
瓶颈层 = bottleneck
"""


def texts(known: Glossary, form: str) -> set[str]:
    """The other forms of what a text is a form of."""
    return {other.text for other in known.others(atoms(form))}


@pytest.fixture
def known() -> Glossary:
    """The glossary of the text."""
    return Glossary(things(TEXT))


def test_lines_and_items_are_things() -> None:
    """Plain lines, list items, full-width signs and code marks are read; headings are not."""
    assert list(things(TEXT)) == [
        ("显存", "显卡内存", "GPU memory", "VRAM"),
        ("梯度裁剪", "gradient clipping", "clip_grad_norm_"),
        ("all-reduce", "全归约", "全规约"),
        ("瓶颈", "bottleneck"),
        ("瓶颈层", "bottleneck"),
    ]


@pytest.mark.parametrize("line", ["", "=", "a =", "= b", "no sign", "，= 、", "a = = b", f"a = {'b' * 200}", "!! = ??"])
def test_a_line_that_is_none_is_passed_over(line: str) -> None:
    """Nothing is raised, and what stands around it counts."""
    assert list(things(f"x = y\n{line}\nz = w")) == [("x", "y"), ("z", "w")]


@given(st.text())
def test_any_text_may_be_a_glossary(text: str) -> None:
    """Whatever the user's file has, it is read, and what is in it can be asked for."""
    found = tuple(things(text))
    known = Glossary(found)
    assert all(len(forms) > 0 and all(forms) for forms in found)
    assert all(isinstance(known.others(atoms(form)), tuple) for forms in found for form in forms)


@pytest.mark.parametrize(
    "form",
    [
        "gpu memory",
        "GPU  Memory",
        "gpu-memory",
        "gpu_memory",
        "GPU memories",
        "ＧＰＵ memory",
        "memory GPU",
        "memory of the GPU",
        "gpumemory",
    ],
)
def test_a_form_is_known_however_it_is_written(known: Glossary, form: str) -> None:
    """In any case, number and order, with spaces, hyphens, and empty words between, full-width, too."""
    assert texts(known, form) >= {"显存", "显卡内存", "VRAM"}


def test_verbs_are_known_in_their_forms(known: Glossary) -> None:
    """Clip gradients, clipped gradients: the same as gradient clipping."""
    for form in ("clip gradients", "clipped gradient", "clipping gradients"):
        assert "梯度裁剪" in texts(known, form)


@pytest.mark.parametrize("form", ["gpu", "memory", "显", "of the", "the gpu memory", "gpu memory of", "nothing", ""])
def test_what_is_no_form_has_no_others(known: Glossary, form: str) -> None:
    """A part of a form is none, and the words before and after one do not belong to it."""
    assert texts(known, form) == set()


def test_a_form_of_several_things_shares_its_worth(known: Glossary) -> None:
    """A word that may mean two things means each of them half."""
    assert {(other.text, other.share) for other in known.others(("bottleneck",))} == {("瓶颈", 0.5), ("瓶颈层", 0.5)}
    assert {other.share for other in known.others(("显", "存"))} == {1.0}


def test_a_form_that_has_the_typed_one_in_it_is_left_out() -> None:
    """Where it stands, what was typed stands, too."""
    known = Glossary(things("冻结, 冻结参数 = freeze, freeze layers"))
    assert texts(known, "冻结") == {"freeze", "freeze layers"}
    assert texts(known, "freeze") == {"冻结", "冻结参数"}
    assert texts(known, "freezing layers") == {"冻结", "冻结参数", "freeze"}


def test_a_glossary_beside_another(known: Glossary) -> None:
    """What the user adds stands beside what there is, and shares its worth with it."""
    both = Glossary(things("内存带宽 = VRAM\n炬页 = Torchleaf"), beside=known)
    assert texts(both, "vram") == {"显存", "显卡内存", "GPU memory", "内存带宽"}
    assert texts(both, "torchleaf") == {"炬页"}
    assert both.has_word("torchleaf")
    assert both.has_word("bottlenecks")
    assert not both.has_word("meshgird")


def test_what_was_asked_for_is_kept_but_not_for_ever(known: Glossary, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answer again, and no more than so many of them."""
    monkeypatch.setattr(glossary, "_KEPT", 2)
    for _ in range(2):
        for form in ("显存", "vram", "瓶颈", "bottleneck"):
            assert texts(known, form)
    assert len(known._others) <= 2


def test_keys_of_a_form() -> None:
    """Chinese is known by its row alone, Latin words in any order, too; nothing by nothing."""
    assert keys(("显", "存")) == {"显存"}
    assert keys(("memory", "gpu")) == {"memorygpu", "gpu memory"}
    assert keys(("in", "place")) == {"inplace"}
    assert keys(()) == frozenset()


def test_the_shipped_glossary_is_read_fast() -> None:
    """It is made once, in much less time than opening the index may take."""
    shipped.cache_clear()
    with thinking_within(0.5):  # some 20 ms where nothing else runs
        found = shipped()
    assert shipped() is found
    assert "显存" in texts(found, "GPU memory")


def test_the_users_own_files(tmp_path: Path) -> None:
    """Either name is read, both together, and a change is noticed; without files there is nothing."""
    own = OwnGlossary(tmp_path)
    assert list(own.things()) == []
    none = own.stamp()
    (tmp_path / "glossary.md").write_text("---\ntitle: 词汇\n---\n# Words\n\n- 炬页 = Torchleaf\n", encoding="utf-8")
    one = own.stamp()
    (tmp_path / "glossary.txt").write_bytes("火炬 = torch\n".encode("gb18030"))
    assert len({none, one, own.stamp()}) == 3
    assert list(own.things()) == [("炬页", "Torchleaf"), ("火炬", "torch")]


def test_what_is_no_glossary_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of that name, a file too large, one that vanishes: as if it were not there."""
    (tmp_path / "glossary.md").mkdir()
    (tmp_path / "glossary.txt").write_text("a = b\n")
    own = OwnGlossary(tmp_path)
    assert own.stamp()[0] is None
    assert list(own.things()) == [("a", "b")]
    monkeypatch.setattr(glossary, "_LARGEST", 3)
    assert own.stamp() == (None, None)
    assert list(own.things()) == []
    monkeypatch.undo()

    def gone(_: Path) -> bytes:
        raise FileNotFoundError(2, "gone")

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert list(own.things()) == []


def test_aliases_of_notes() -> None:
    """A title and its aliases are one thing; an alias that says nothing new is none."""
    assert list(named(["半精度\tMixed precision", "AMP\tMixed precision", "Other\tOther", "!\tx"])) == [
        ("Mixed precision", "AMP", "半精度"),
    ]
