"""What rename and transaction promise: links follow what is renamed, as one step that can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import KbError, NoteChanged, NoteMissing
from kb.markdown.links import written
from kb.vault.rename import move_folder, rename_heading, rename_note
from kb.vault.transaction import NewText, Transaction, apply, revert
from kb.vault.vault import Vault
from tests.kb.vault_helpers import MakeVault, state


def _renamed(vault: Vault, key: str, new: str) -> None:
    entry = next(entry for entry in vault.entries() if entry.key == key)
    apply(vault, rename_note(vault, entry, new))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[gather]]", "[[collect]]"),
        ("[[tensors/gather#Use|say]]", "[[tensors/collect#Use|say]]"),
        (
            "see [it](tensors/gather.en.md#use) and [again](tensors/gather.md)",
            "see [it](tensors/collect.en.md#use) and [again](tensors/collect.md)",
        ),
        ("[a](</tensors/gather.en.md>) ![p](tensors/p.png)", "[a](</tensors/collect.en.md>) ![p](tensors/p.png)"),
        ('[ref][r]\n\n[r]: ./tensors/gather "T"', '[ref][r]\n\n[r]: ./tensors/collect "T"'),
        ("`[[gather]]` and\n\n```\n[[gather]]\n```\n", "`[[gather]]` and\n\n```\n[[gather]]\n```\n"),
        ("[[Gather rows]] by its title, [web](https://a.b/gather)", None),
        ("[[gather.zh]] [[absent]] [x](#here) [[#here]]", "[[collect.zh]] [[absent]] [x](#here) [[#here]]"),
        ("| a |\n|---|\n| [[gather\\|g]] |", "| a |\n|---|\n| [[collect\\|g]] |"),
    ],
)
def test_links_follow_a_renamed_note(make_vault: MakeVault, before: str, after: str | None) -> None:
    """Each manner of link means the same note afterwards, in the same manner; what still means it is not touched."""
    vault = make_vault(
        {
            "tensors/gather.en.md": "# Gather rows\n",
            "tensors/gather.zh.md": "# 收集\n",
            "tensors/p.png": b"x",
            "a.en.md": before,
        }
    )
    _renamed(vault, "tensors/gather", "tensors/collect")
    assert vault.read("a.en.md").text == (before if after is None else after)
    assert sorted(vault.files()) == ["a.en.md", "tensors/collect.en.md", "tensors/collect.zh.md"]


def test_a_note_that_moves_takes_its_own_links_along(make_vault: MakeVault) -> None:
    """Relative links of the moved note lead where they led: to notes, pictures and itself."""
    text = "[b](b.md) ![p](img/p%201.png) ![[q.png]] [me](a.md#x) [[b]] [up](../top.md)\n"
    files: dict[str, str | bytes] = {
        "x/a.md": text,
        "x/b.md": "b",
        "x/img/p 1.png": b"",
        "x/q.png": b"",
        "top.md": "[[x/a]]",
    }
    vault = make_vault(files)
    _renamed(vault, "x/a", "y/z/a")
    moved = vault.read("y/z/a.md")
    assert moved.text == (
        "[b](../../x/b.md) ![p](../../x/img/p%201.png) ![[x/q.png]] [me](a.md#x) [[b]] [up](../../top.md)\n"
    )
    assert vault.read("top.md").text == "[[y/z/a]]"
    for link in moved.links:
        assert vault.resolve_link("y/z/a.md", link.target) is not None


def test_chinese_stays_legible_in_a_path(make_vault: MakeVault) -> None:
    """Only what would end a destination is written in %; a link that was written so throughout stays so."""
    text = "[a](x/a.md#头) [b](<x/a.md>) [c](x/%E5%9B%BE.md)\n"
    vault = make_vault({"x/a.md": "# A\n", "x/图.md": "# 图\n", "top.md": text})
    _renamed(vault, "x/a", "训练/冻结 (一)")
    assert vault.read("top.md").text == "[a](训练/冻结%20%28一%29.md#头) [b](<训练/冻结 (一).md>) [c](x/%E5%9B%BE.md)\n"
    _renamed(vault, "x/图", "训练/图")
    assert vault.read("top.md").text.endswith("[c](%E8%AE%AD%E7%BB%83/%E5%9B%BE.md)\n")


def test_a_folder_moves_whole(make_vault: MakeVault) -> None:
    """Links between notes of a moved folder stay, links into it follow."""
    vault = make_vault({"x/a.md": "[b](b.md)", "x/s/b.md": "[[x/a]]", "x/b.md": "b", "c.md": "[a](x/a.md) [[a]]"})
    apply(vault, move_folder(vault, "x", "deep/y"))
    assert vault.read("deep/y/a.md").text == "[b](b.md)"
    assert vault.read("deep/y/s/b.md").text == "[[deep/y/a]]"
    assert vault.read("c.md").text == "[a](deep/y/a.md) [[a]]"


def test_a_name_that_is_taken_is_refused(make_vault: MakeVault) -> None:
    """No note is moved over another, and nothing else is written."""
    vault = make_vault({"a.md": "a", "b.md": "[[a]]"})
    before = state(vault.root)
    with pytest.raises(NoteChanged):
        _renamed(vault, "a", "b")
    with pytest.raises(KbError):
        _renamed(vault, "a", "../out")
    assert state(vault.root) == before


def test_links_follow_a_renamed_heading(make_vault: MakeVault) -> None:
    """Anchors and headings in links follow, here and in other notes; the anchors after a twin heading do, too."""
    vault = make_vault(
        {
            "n.md": "# T\r\n\r\n## Use\r\n[down](#use-1) [up](#use) [[#Use|u]]\r\n\r\n## Use\r\n",
            "o.md": "[a](n.md#use) [b](n.md#use-1) [[n#Use]] [[n#use|x]] [c](n.md) [d](m.md#use)\n",
            "m.md": "## Use\n",
        }
    )
    apply(vault, rename_heading(vault, "n.md", 3, "How to  *use* it"))
    assert vault.read("n.md").text == (
        "# T\r\n\r\n## How to *use* it\r\n[down](#use) [up](#how-to-use-it) [[#How to use it|u]]\r\n\r\n## Use\r\n"
    )
    assert vault.read("o.md").text == (
        "[a](n.md#how-to-use-it) [b](n.md#use) [[n#How to use it]] [[n#how-to-use-it|x]] [c](n.md) [d](m.md#use)\n"
    )


@pytest.mark.parametrize(("line", "words", "error"), [(2, "x", NoteMissing), (1, " ", KbError), (1, "``", None)])
def test_a_heading_stays_a_heading(make_vault: MakeVault, line: int, words: str, error: type[KbError] | None) -> None:
    """Where there is no heading, or the new words would be none, a sentence says so and nothing is written."""
    vault = make_vault({"n.md": "# T\n\ntext\n"})
    if error is None:
        apply(vault, rename_heading(vault, "n.md", line, words))
        assert len(vault.read("n.md").sections) == 1
    else:
        with pytest.raises(error):
            rename_heading(vault, "n.md", line, words)


def test_a_step_is_taken_back(make_vault: MakeVault) -> None:
    """Undoing gives every byte back, in each encoding; what was edited since stays and is named; redoing works."""
    vault = make_vault({"a.md": "[me](a.md)\n", "b.md": "[[a]] 中\r\n".encode("gb18030"), "c.md": "[[a]]"})
    before = state(vault.root)
    entry = vault.entries()[0]
    taken = apply(vault, rename_note(vault, entry, "z"))
    assert state(vault.root)["b.md"] == "[[z]] 中\r\n".encode("gb18030")
    back = revert(vault, taken.back)
    assert state(vault.root) == before
    assert back.left == ()
    again = revert(vault, back.back)
    note = vault.read("c.md")
    vault.save("c.md", note.text + "mine", expected_hash=note.hash)
    last = revert(vault, again.back)
    assert last.left == ("c.md",)
    assert state(vault.root) == before | {"c.md": b"[[z]]mine"}


def test_a_step_that_fails_half_way_leaves_all_as_it_was(make_vault: MakeVault) -> None:
    """A note that another program wrote meanwhile refuses the whole step: moves and texts before it are undone."""
    vault = make_vault({"a.md": "a", "b.md": "[[a]]", "c.md": "[[a]]"})
    step = rename_note(vault, vault.entries()[0], "z")
    Path(vault.root, "c.md").write_text("theirs [[a]]")
    before = state(vault.root)
    with pytest.raises(NoteChanged):
        apply(vault, step)
    assert state(vault.root) == before
    with pytest.raises(NoteMissing):
        apply(vault, Transaction((("a.md", "y.md"), ("none.md", "x.md"))))
    assert state(vault.root) == before


def test_what_a_step_touches_is_told(make_vault: MakeVault) -> None:
    """The paths of a step are those of its moves, before and after, and of its texts."""
    vault = make_vault({"a.md": "a"})
    step = Transaction((("a.md", "b.md"),), (NewText("b.md", "c", vault.read("a.md").hash),))
    assert step.paths == {"a.md", "b.md"}
    assert apply(vault, step).back.paths == {"a.md", "b.md"}


def test_a_note_that_cannot_be_read_is_left_out(make_vault: MakeVault) -> None:
    """Notes that are no text, or not lossless, are not rewritten and stop nothing."""
    vault = make_vault(
        {"a.md": "a", "bin.md": b"\0\1\2[[a]]", "bad.md": ("[[a]] 中文" * 40).encode() + b"\xff", "c.md": "[[a]]"}
    )
    before = state(vault.root)
    _renamed(vault, "a", "z")
    after = state(vault.root)
    assert after["bin.md"] == before["bin.md"]
    assert after["bad.md"] == before["bad.md"]
    assert after["c.md"] == b"[[z]]"


@given(st.text(alphabet="[]()!<>#|`\\ab \n:./", max_size=60))
def test_every_place_stands_where_it_says(text: str) -> None:
    """Whatever the text, a place's words are found at its line and column."""
    lines = text.split("\n")
    for place in written(text):
        assert lines[place.line - 1][place.column :].startswith(place.text)
