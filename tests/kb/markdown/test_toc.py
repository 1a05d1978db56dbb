"""The list of headings is nested as they are."""

from __future__ import annotations

from kb.markdown.sections import sections
from kb.markdown.toc import MOST, contents_html


def listed(text: str) -> str:
    """Give the list with nothing but brackets for its nesting."""
    found = contents_html(sections(text)).replace(' class="contents"', "")
    for tag, sign in (("<ul>", "["), ("</ul>", "]"), ("<li>", ""), ("</li>", ",")):
        found = found.replace(tag, sign)
    return found.replace('<a href="#', "").replace('">', "=").replace("</a>", "")


def test_the_title_is_no_part_of_it() -> None:
    """One heading of the first level is the title of the note; several are not."""
    assert listed("# a\n## b\n") == "[b=b,]"
    assert listed("# a\n# b\n") == "[a=a,b=b,]"


def test_nesting() -> None:
    """Levels that are left out make no empty lists, and a shallower heading closes the deeper ones."""
    assert listed("## a\n#### b\n### c\n## d\n# e\n") == "[a=a[b=b,][c=c,],d=d,e=e,]"


def test_a_heading_is_text() -> None:
    """Nothing of it becomes a tag."""
    assert "&lt;b&gt;" in contents_html(sections("# a\n## `<b>`\n"))


def test_without_headings_there_is_no_list() -> None:
    """And a very long one is cut."""
    assert contents_html(sections("text")) == ""
    assert contents_html(sections("## a\n" * (MOST + 5))).count("<li>") == MOST
