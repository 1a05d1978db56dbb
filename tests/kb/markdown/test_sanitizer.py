"""Nothing runs, nothing is fetched, and what is left is plain to see."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.sanitizer import DEEPEST, DEEPEST_BOXES, known_tags_only, sanitise
from kb.rendering.render import render
from kb.rendering.rendered_page import Prose

ATTACKS = """\
<script>alert(1)</script>
<SCRIPT SRC=https://example.org/x.js></SCRIPT>
<img src=x onerror=alert(1)>
<img src="javascript:alert(1)">
<img src="  javascript:alert(1)">
<img src="java&#x09;script:alert(1)">
<img src="&#106;avascript:alert(1)">
<a href="javascript:alert(1)">x</a>
<a href="JaVaScRiPt:alert(1)">x</a>
<a href="&#1;javascript:alert(1)">x</a>
<a href="vbscript:x">x</a>
<a href="data:text/html;base64,AAAA">x</a>
<a href="x" onclick="alert(1)" style="position:fixed">x</a>
<svg onload=alert(1)><circle/></svg>
<math><mtext><script>alert(1)</script></mtext></math>
<iframe src="https://example.org"></iframe>
<iframe srcdoc="<script>alert(1)</script>">
<embed src="x.swf"><object data="x.swf"></object>
<meta http-equiv="refresh" content="0;url=https://example.org">
<link rel="stylesheet" href="https://example.org/x.css">
<style>@import "https://example.org/x.css";</style>
<base href="https://example.org/">
<form action="https://example.org"><input name=a autofocus onfocus=alert(1)><button>go</button></form>
<video src="https://example.org/x.mp4" autoplay></video><audio src=x></audio>
<details open ontoggle=alert(1)><summary>x</summary></details>
<body onload=alert(1)>
<div style="background:url(https://example.org/x.png)">x</div>
<table background="https://example.org/x.png"><tr><td background="javascript:x">x</td></tr></table>
<p class="x" id="y" onmouseover="alert(1)">x</p>
<b <script>alert(1)</script>0
<<script>alert(1);//<</script>
<img \"\"\"><script>alert(1)</script>">
<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>
<template><script>alert(1)</script></template>
<xmp><script>alert(1)</script></xmp>
<a href="//example.org">x</a><img src="//example.org/x.png">
<img src="https://example.org/x.png" srcset="https://example.org/y.png 2x">
<img src="file:///etc/passwd"><img src="\\\\\\\\server\\share\\x.png">
[x](javascript:alert(1)) ![x](javascript:alert(1)) <javascript:alert(1)>
[x](data:text/html,x) ![x](data:image/svg+xml;base64,AAAA)
[x]: javascript:alert(1)
[x](<java
script:alert(1)>)
`<script>`<script>alert(1)</script>
<!--><script>alert(1)</script>-->
<![CDATA[<script>alert(1)</script>]]>
<?php echo 1 ?><!DOCTYPE html>
<textarea><script>alert(1)</script>
<plaintext><b>"""

FORBIDDEN_TAG = re.compile(
    r"<(?!/?(?:a|abbr|b|big|blockquote|br|caption|center|cite|code|dd|del|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|"
    r"img|kbd|li|ol|p|pre|q|s|samp|small|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)[\s>])",
)
FORBIDDEN_ATTRIBUTE = re.compile(
    r"<[^>]*\s(?:on\w+|style=\"(?!list-style-type:none\")|srcset|background|srcdoc)", re.IGNORECASE
)
FETCHED = re.compile(r'<img[^>]*\ssrc="\s*(?:[a-z][a-z0-9+.-]+:(?<!formula:)|//|\\\\)', re.IGNORECASE)
RUN = re.compile(r'href="[^"]*(?:javascript|vbscript|data|file):', re.IGNORECASE)


def assert_harmless(html: str) -> None:
    """Look for anything that runs, restyles or fetches."""
    for pattern in (FORBIDDEN_TAG, FORBIDDEN_ATTRIBUTE, FETCHED, RUN):
        assert not pattern.search(html), (pattern.search(html), html)


def prose(text: str) -> str:
    page = render(text, path="a.md")
    return "".join(
        section.heading_html + "".join(part.html for part in section.parts if isinstance(part, Prose))
        for section in page.sections
    )


@pytest.mark.parametrize("attack", ATTACKS.split("\n"))
@pytest.mark.parametrize(
    "setting", ["{}", "text {} text", "- item\n\n  {}", "> {}", "| a |\n|---|\n| {} |", "# {}", "[^1]\n\n[^1]: {}"]
)
def test_no_attack_survives(attack: str, setting: str) -> None:
    """Script, events, styles, frames and fetches are gone, wherever in a note they stand."""
    assert_harmless(prose(setting.format(attack)))
    assert_harmless(sanitise(setting.format(attack)))


@given(st.text(alphabet="<>/\"'= abpimgscriptonerrorhref:!-&#;\n`[]()*_$|", max_size=80))
def test_no_text_becomes_a_forbidden_tag(text: str) -> None:
    """Whatever is typed, the result is harmless."""
    assert_harmless(prose(text))


def test_a_remote_picture_becomes_a_link_that_says_its_address() -> None:
    """Nothing is fetched without a click, and one sees from where it would be."""
    html = sanitise('<img src="https://example.org/x.png" alt="plot">')
    assert html == '<a class="remote-image" href="https://example.org/x.png">↗ plot https://example.org/x.png</a>'


def test_a_remote_picture_in_a_link_stays_that_link() -> None:
    """A badge keeps the place that it leads to."""
    html = sanitise('<a href="https://example.org"><img src="http://example.org/x.png"></a>')
    assert html.startswith('<a href="https://example.org"><span class="remote-image">')


@pytest.mark.parametrize("source", ["a.png", "../a b.png", "img\\a.png", "/a.png", "C.png", "中.png", "a.png?x=1"])
def test_pictures_of_the_vault_stay(source: str) -> None:
    """What is named relative to the note is the view's to look for."""
    assert sanitise(f'<img src="{source}">') == f'<img src="{source}">'


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://example.org/x", "obsidian://open", "\\\\server\\share"]
)
def test_a_link_that_is_not_for_reading_says_where_it_led(target: str) -> None:
    """The true target is in sight, and nothing can be clicked."""
    html = sanitise(f'<a href="{target}">innocent</a>')
    assert html == f'<span class="blocked-link">innocent <code>{target}</code></span>'


@pytest.mark.parametrize(
    "target", ["https://a.b", "http://a.b", "mailto:a@b.c", "a.md", "#x", "wiki:x", "snippet:x", "../a.md#y"]
)
def test_links_for_reading_stay(target: str) -> None:
    """What a note may lead to, it leads to."""
    assert sanitise(f'<a href="{target}">x</a>') == f'<a href="{target}">x</a>'


def test_an_address_without_scheme_is_taken_for_https() -> None:
    """A //host link is not one to a share."""
    assert sanitise('<a href="//a.b/c">x</a>') == '<a href="https://a.b/c">x</a>'


def test_nesting_is_cut() -> None:
    """Ten thousand nested elements become a few, and their text stays."""
    html = sanitise("<div>" * 10_000 + "deep" + "</div>" * 10_000)
    assert html == "<div>" * DEEPEST + "deep" + "</div>" * DEEPEST


def test_boxes_within_boxes_are_cut() -> None:
    """Each doubles the time of the layout, so that sixteen stopped the window for seconds; their text stays."""
    html = sanitise("<blockquote>" * 20 + "deep" + "</blockquote>" * 20)
    assert html == "<blockquote>" * DEEPEST_BOXES + "deep" + "</blockquote>" * DEEPEST_BOXES
    html = sanitise("<table><tr><td>" * 20 + "deep" + "</td><td>more</td></tr></table>" * 20)
    assert html.count("<table") == html.count("</table>") == DEEPEST_BOXES
    assert html.count("<td>") == html.count("</td>") == 2 * DEEPEST_BOXES
    assert "deep more" in html
    html = sanitise('<div class="admonition note">' * 20 + "deep" + "</div>" * 20)
    assert html.count("<div") == html.count("</div>") == DEEPEST_BOXES


def test_ids_become_anchors() -> None:
    """A rich-text view jumps to <a name>."""
    assert sanitise('<ul><li id="x"><p>y</p></li></ul>') == '<ul><li><p><a name="x"></a>y</p></li></ul>'
    assert sanitise('<a id="x">y</a>') == '<a name="x">y</a>'


def test_elements_that_the_view_lacks_are_put_in_its_terms() -> None:
    """Details, marks and insertions stay visible."""
    html = sanitise("<details><summary>s</summary>t</details><mark>m</mark><ins>i</ins>a<wbr>b")
    assert html == '<div class="details"><p class="summary"><b>▾ s</b></p>t</div><span class="mark">m</span><u>i</u>ab'


def test_foreign_classes_are_dropped() -> None:
    """A note cannot dress up as the window."""
    assert sanitise('<span class="mark cell remote-image">x</span>') == '<span class="mark">x</span>'


def test_unknown_tags_are_text() -> None:
    """What only looks like a tag is shown."""
    assert known_tags_only("<b>List<int> < 3</b><!-- gone -->") == "<b>List&lt;int> &lt; 3</b>"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            '<iframe src="https://example.org/v" title="A talk"></iframe>',
            '<p><a href="https://example.org/v">▶ A talk</a></p>',
        ),
        ('<video controls src="a.mp4"></video>', '<p><a href="a.mp4">▶ a.mp4</a></p>'),
        ('<iframe src="about:blank" data-lazy-src="https://example.org/v"></iframe>', ""),
        ('<iframe src="javascript:alert(1)"></iframe>', ""),
    ],
)
def test_what_would_play_becomes_a_link(raw: str, shown: str) -> None:
    """A film or a talk within a note is neither lost nor loaded: a link leads to it."""
    assert sanitise(known_tags_only(raw)) == shown
