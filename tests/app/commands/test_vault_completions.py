"""Notes and terms are found by parts of their names."""

from __future__ import annotations

import time

from app.commands.vault_completions import NameIndex, fitting, terms
from app.editor.completion import CompletionItem
from kb.notes.note_listing import NoteEntry
from tests.pace import slowness


def entry(key: str, title: str, *aliases: str) -> NoteEntry:
    """Return a note in Chinese."""
    folder, _, name = key.rpartition("/")
    return NoteEntry(key, folder, name, {"zh": f"{key}.zh.md"}, {"zh": title}, (), aliases)


def test_notes_are_found_by_every_name() -> None:
    """Title, file, alias, folder, and pinyin in full or by initials; a link reads as the chosen name.

    The name of a file reads well by itself where the title has its words, a path or a number never does.
    """
    entries = (
        entry("tensors/gather", "gather：按下标取值", "torch.gather"),
        entry("training/amp", "混合精度训练"),
        entry("saving/amp", "保存混合精度"),
        entry("in/000_91cb39ce", "为什么 [loss] 是 NaN | 常见原因"),
    )
    names = NameIndex(entries)

    def found(typed: str, path: str = "training/loop.zh.md") -> list[str]:
        return [choice.insert for choice in names.find(typed, path, "zh")]

    assert found("gat") == ["gather"]
    assert found("torch.g") == ["gather|torch.gather"]
    assert found("混合") == ["training/amp|混合精度训练", "saving/amp|保存混合精度"]
    assert found("hunhe") == found("hhjd") == found("混合")
    assert found("xunlian") == ["training/amp|混合精度训练"]
    assert found("amp") == ["training/amp|混合精度训练", "saving/amp|保存混合精度"]
    assert found("amp", "saving/x.md") == ["saving/amp|保存混合精度", "training/amp|混合精度训练"]
    assert found("91c") == found("loss") == ["000_91cb39ce|为什么 loss 是 NaN | 常见原因"]
    assert found("tensors/") == ["gather"]
    assert found("")[0] == "training/amp|混合精度训练"
    assert "gather" in found("")
    assert found("zzz") == []
    both = NoteEntry("in/x1", "in", "x1", {"en": "in/x1.en.md", "zh": "in/x1.zh.md"}, {"en": "Mixed", "zh": "混合"}, ())
    assert [one.insert for one in NameIndex((both,)).find("混", "a.en.md", "en")] == ["x1|Mixed"]
    assert found("gat", "tensors/gather.en.md") == []


def test_ten_thousand_notes_are_looked_through_within_a_frame() -> None:
    """For each key, once the names are known."""
    names = NameIndex(tuple(entry(f"f{at % 90}/note-{at}", f"梯度累积的第 {at} 种办法") for at in range(10_000)))
    took = []
    for typed in ("n", "no", "note-77", "梯度", "tidu", "tdlj", "zz", ""):
        began = time.thread_time()
        names.find(typed, "f1/x.md", "zh")
        took.append(time.thread_time() - began)
    assert max(took) < 0.016 * slowness(time.thread_time)


def test_choices_that_begin_so_come_first() -> None:
    """Then names that contain it, then names by pinyin."""
    made = [
        CompletionItem(name, told, name)
        for name, told in (("b_grad", ""), ("grad", ""), ("t", "梯度 grad"), ("u", "梯度"))
    ]
    assert [choice.text for choice in fitting(iter(made), "grad")] == ["grad", "b_grad", "t"]
    assert [choice.text for choice in fitting(iter(made), "tidu")] == ["t", "u"]


def test_a_term_is_offered_with_its_other_forms() -> None:
    """The form that was typed comes first, then the one in the other language."""
    known = [("梯度累积", "gradient accumulation"), ("显存", "GPU memory", "VRAM")]
    assert [choice.text for choice in terms(iter(known), "gpu")] == ["GPU memory", "显存", "VRAM"]
    assert [choice.text for choice in terms(iter(known), "梯度")] == ["梯度累积", "gradient accumulation"]
    assert terms(iter(known), "xyz") == ()
