"""Find and replace in the vault: each match is shown with its replacement, and only chosen ones change."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.central.vault_replace import MOST, find, step, wrong
from app.editor.text_search import SearchPattern
from kb.notes.note import parse
from kb.vault.transaction import apply
from kb.vault.vault import Vault


def _vault(root: Path, files: dict[str, bytes]) -> Vault:
    for name, data in files.items():
        (root / name).write_bytes(data)
    return Vault.open(root)


def test_each_place_is_shown_with_its_line(tmp_path: Path) -> None:
    """A match has its line, the text before it, itself, its replacement, and the text after it."""
    vault = _vault(tmp_path, {"a.md": "# A\n\n  say gather(1) and 🎉 gather(22)\n".encode(), "b.md": b"none"})
    (found,) = find(vault, SearchPattern(r"gather\((\d+)\)", regular=True), "take[$1]", lambda: False)
    first, second = found.spots
    assert (first.path, first.line, first.before, first.found) == ("a.md", 3, "say ", "gather(1)")
    assert (first.instead, first.after) == ("take[1]", " and 🎉 gather(22)")
    assert (second.before, second.instead, second.after) == ("say gather(1) and 🎉 ", "take[22]", "")


def test_only_what_is_chosen_is_replaced(tmp_path: Path) -> None:
    """The other places, the encoding and the line ends of each file stay."""
    files = {"a.md": "甲 x 甲\r\n甲\r\n".encode("gb18030"), "b.md": "甲".encode(), "bin.md": b"\0\1"}
    vault = _vault(tmp_path, files)
    found = tuple(find(vault, SearchPattern("甲"), "🎉y", lambda: False))
    assert [len(one.spots) for one in found] == [3, 1]
    apply(vault, step(found, {("a.md", 0), ("a.md", 2)}))
    assert (tmp_path / "a.md").read_bytes() == "🎉y x 甲\r\n🎉y\r\n".encode("gb18030")
    assert (tmp_path / "b.md").read_bytes() == files["b.md"]
    assert step(found, ()).texts == ()


def test_a_search_ends(tmp_path: Path) -> None:
    """It stops for a newer search, at the limit of matches, and when a pattern takes too long."""
    vault = _vault(tmp_path, {"a.md": b"x" * (MOST + 5), "b.md": b"x"})
    assert not list(find(vault, SearchPattern("x"), "", lambda: True))
    (all_of_them,) = find(vault, SearchPattern("x"), "", lambda: False)
    assert len(all_of_them.spots) == MOST
    slow = list(find(vault, SearchPattern("(x+x+)+[yz]", regular=True), "", lambda: False))
    assert slow
    assert slow[0].slow


def test_a_wrong_pattern_is_said() -> None:
    """The message is that of the regex engine; a plain word is never wrong."""
    assert wrong(SearchPattern("(", regular=True))
    assert not wrong(SearchPattern("("))


@given(
    st.text(alphabet="ab🎉\n甲 ", max_size=30),
    st.sampled_from(["a", "🎉", "甲", "b 甲", "\n"]),
    st.text("z🎉\n", max_size=3),
)
def test_replacing_all_is_what_python_does(text: str, needle: str, instead: str) -> None:
    """This holds for characters beyond 16 bits, at both ends of the text, and across lines."""
    note = parse("n.md", text.encode())

    class One:
        def files(self) -> list[str]:
            return ["n.md"]

        def read(self, _: str) -> object:
            return note

    found = tuple(find(One(), SearchPattern(needle, case=True), instead, lambda: False))  # type: ignore[arg-type]
    texts = step(found, {("n.md", at) for one in found for at in range(len(one.matches))}).texts
    assert [one.text for one in texts] == ([text.replace(needle, instead)] if needle in text else [])
