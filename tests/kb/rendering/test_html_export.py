"""A page as HTML for other programs."""

from __future__ import annotations

import base64

import pytest

from kb.rendering.html_export import page_html
from kb.rendering.render import render

PNG = b"\x89PNG\r\n\x1a\n"
NOTE = """\
# 标题

$x^2$ ![a](img/a.png) ![](gone.png)

```python id=one
print(1)
```
```output
<1>
```

[Two](snippet:two)
"""


def test_the_body_has_everything_in_order() -> None:
    """Formulas stand as SVG on the line, cells with code and output."""
    html = page_html(render(NOTE, path="a.md"), standalone=False)
    assert html.index("标题") < html.index("<svg") < html.index("one</figcaption>") < html.index("&lt;1&gt;")
    assert "vertical-align:-" in html
    assert 'aria-label="x^2"' in html
    assert "formula:" not in html
    assert '<span class="nb">print</span>' in html
    assert "<figcaption>Two</figcaption>" in html
    assert "<html" not in html


def test_a_file_stands_alone() -> None:
    """It has a title, styles, and the pictures that were found in it."""
    page = render(NOTE, path="a.md")
    found = {"img/a.png": PNG}.get
    html = page_html(page, standalone=True, title="A & 标", picture=found)
    assert html.startswith("<!DOCTYPE html>")
    assert "<title>A &amp; 标</title>" in html
    assert f'src="data:image/png;base64,{base64.b64encode(PNG).decode()}"' in html
    assert 'src="gone.png"' in html
    assert "http" not in html.replace("http://www.w3.org", "")
    assert "pre .kn {" in html


def test_a_formula_that_is_not_there_is_left_out() -> None:
    """A note that names a formula by hand gets none."""
    assert "img" not in page_html(render('<img src="formula:0">', path="a.md"), standalone=False)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"BM....", "image/bmp"),
        (b'<?xml version="1.0"?>\n<!-- by hand -->\n<svg xmlns="x"/>', "image/svg+xml"),
        (b"\xef\xbb\xbf<svg>", "image/svg+xml"),
    ],
)
def test_a_picture_is_known_by_its_bytes(data: bytes, kind: str) -> None:
    """Whatever its name says."""
    html = page_html(render("![](x.txt)", path="a.md"), standalone=False, picture=lambda _: data)
    assert f'src="data:{kind};base64,' in html


@pytest.mark.parametrize("data", [b"", b"?", b"TOKEN=1", b"RIFF1234WAVE", b"[core]\n<svg", b"<html><svg></svg></html>"])
def test_what_is_no_picture_is_not_embedded(data: bytes) -> None:
    """A note that names a secret file as a picture does not carry it into the page."""
    html = page_html(render("![](x.png)", path="a.md"), standalone=False, picture=lambda _: data)
    assert "data:" not in html
    assert 'src="x.png"' in html


def test_tasks_are_to_be_seen_only() -> None:
    """A page that stands alone has no file to tick them in."""
    made = page_html(render("- [x] done\n", path="a.md"), standalone=False)
    assert '<span class="task-done">☑</span> done' in made
    assert "task:" not in made


def test_a_file_tells_its_language() -> None:
    """By it a browser chooses the forms of Chinese characters, and a reader its voice; a mixed note tells none."""
    page = render(NOTE, path="a.md")
    for lang, told in {"zh": '<html lang="zh-CN">', "en": '<html lang="en">', "mixed": "<html>"}.items():
        assert told in page_html(page, standalone=True, lang=lang)


def test_only_a_cell_with_a_name_has_it_above() -> None:
    """The number that other code has within the program means nothing to a reader."""
    made = page_html(render("```python\nx = 1\n```\n\n```python id=named\ny = 2\n```\n", path="a.md"), standalone=True)
    assert made.count("<figcaption>") == 1
    assert "<figcaption>named</figcaption>" in made


def test_names_of_notes_are_no_links_of_a_file() -> None:
    """No browser knows where a note of that name is; other links stay."""
    page = render("# [[one]]\n\nSee [[a b|the *other*]] and [out](https://e.org).\n", path="a.md")
    alone = page_html(page, standalone=True)
    assert "wiki:" not in alone
    assert "See the *other* and <a" in alone
    assert "wiki:" in page_html(page, standalone=False)
