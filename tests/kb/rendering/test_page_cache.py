"""Rendered pages on disk: taken as they were made, by the renderer that is here, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.rendering import page_cache
from kb.rendering.page_cache import read_pages, write_pages
from kb.rendering.render import render
from kb.rendering.rendered_page import Page

TEXT = (
    "# A 节\n\n*b* $x^2$\n\n[run it](snippet:hello)\n\n"
    "```python id=one session=s mark=1\nprint(1)\n```\n\n```output\n1\n```\n\n## B\n\n| c |\n|---|\n| d |\n"
)


@pytest.fixture(scope="module")
def page() -> Page:
    """Give a page with a bit of everything."""
    made = render(TEXT, path="a.md")
    assert made.formulas
    assert len(made.sections) > 1
    return made


def test_a_page_comes_back_whole(page: Page, tmp_path: Path) -> None:
    """Sections, cells, formulas and what a cell is given are what they were, each of its kind."""
    file = tmp_path / "cache" / "pages"
    write_pages(file, {b"\1\2": page, b"\3": Page(())})
    assert read_pages(file) == {b"\1\2": page, b"\3": Page(())}
    assert file.parent.stat().st_mode & 0o077 == 0


@given(number=st.integers(0, 10**9), bit=st.integers(0, 7), cut=st.booleans())
def test_a_damaged_file_is_no_page(
    page: Page, tmp_path_factory: pytest.TempPathFactory, *, number: int, bit: int, cut: bool
) -> None:
    """One bit that is another, or an end that is missing: nothing of the file is shown."""
    file = tmp_path_factory.getbasetemp() / "damaged"
    write_pages(file, {b"\1": page})
    data = bytearray(file.read_bytes())
    at = number % len(data)
    data[at] ^= 1 << bit
    file.write_bytes(data[:at] if cut else data)
    assert read_pages(file) == {}


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"made by": "me"},
        {"made by": "", "pages": []},
        {"made by": "", "pages": {"no hex": 1}},
        {"made by": "", "pages": {"00": {"\0Page": [1, 2, 3, 4, 5, 6]}}},
        {"made by": "", "pages": {"00": {"\0Path": ["/"]}}},
        {"made by": "", "pages": {"00": {"\0bytes": ["%"]}}},
    ],
)
def test_what_is_no_page_is_passed_over(document: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is whole and holds something else raises nothing and makes nothing."""
    monkeypatch.setattr(page_cache, "maker", lambda: "")
    body = json.dumps(document).encode()
    (tmp_path / "pages").write_bytes(page_cache.seal(body))
    assert read_pages(tmp_path / "pages") == {}


def test_a_note_cannot_pass_for_a_page(tmp_path: Path) -> None:
    """What a note names its options does not become anything else."""
    page = render("```python id=a \0Page=x\n1\n```\n", path="a.md")
    write_pages(tmp_path / "pages", {b"\1": page})
    assert read_pages(tmp_path / "pages") == {b"\1": page}


def test_another_renderer_is_not_this_one(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an update of the program, of a library or of Python the page is made anew."""
    file = tmp_path / "pages"
    write_pages(file, {b"\1": page})
    assert page_cache.maker() == page_cache.maker()
    monkeypatch.setattr("sys.version", "another")
    assert read_pages(file) == {}


def test_without_pages_or_with_long_ones_there_is_no_file(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is bounded, and never of a note shown before the last."""
    file = tmp_path / "pages"
    write_pages(file, {b"\1": page})
    monkeypatch.setattr(page_cache, "MOST", 100)
    assert read_pages(file) == {}
    write_pages(file, {b"\1": page})
    assert not file.exists()
    write_pages(file, {})
    assert read_pages(file) == {}
