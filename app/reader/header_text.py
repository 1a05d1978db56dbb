"""The window's own words within a note: below its title, on its code, and about a missing language."""

from __future__ import annotations

from collections.abc import Mapping

from app.i18n import Translator
from app.reader.document_html import NoteLabels
from app.reader.page_set import PageSet, Side

_LANGUAGES = {"zh": "中\u2060文", "en": "English"}  # U+2060 prevents a line break
_SHOWN = ("author", "authors", "date", "created", "updated")  # keys of a front matter whose values are shown
_NOT = "not "  # before a kind of device on which the claims did not run
_LONGEST = 60  # characters of each


def note_labels(pages: PageSet, words: Translator) -> NoteLabels:
    """Return the labels of a note in the language of the window, and its facts in the language of each side."""
    lacks_zh = "en" in pages.pages
    return NoteLabels(
        lambda side: _facts(pages, side, words),
        place=lambda side: pages.folders.get(side, ""),
        tags=pages.tags,
        lacks=words("还没有中文版，", "not yet in Chinese:")
        if lacks_zh
        else words("还没有英文版，", "not yet in English:"),
        begin=words("开始写", "start writing"),
        copy=words("复制", "copy"),
        diagram=words("Mermaid 图示，显示为源码", "Mermaid diagram, shown as its source"),
    )


def header_words(values: Mapping[str, object]) -> str:
    """Return author and dates of a front matter, as they are written there."""
    found = (values.get(key) for key in _SHOWN)
    told = (", ".join(map(str, one)) if isinstance(one, list | tuple) else str(one) for one in found if one)
    return " · ".join(dict.fromkeys(word[:_LONGEST] for word in told))


def _facts(pages: PageSet, side: Side, words: Translator) -> str:
    parts = (_LANGUAGES.get(side, ""), _proven(pages, side, words), pages.heads.get(side, ""))
    return "\u00a0\u00a0 ".join(filter(None, parts))


def _proven(pages: PageSet, side: Side, words: Translator) -> str:
    """Return when the claims of a note last held, on what, and on which kinds of devices they never ran."""
    day = pages.proven.get(side)
    if not day:
        return ""
    names = [name.strip() for name in pages.proven_on.get(side, "").split(",")]
    on = [_written(name) for name in names if name and not name.startswith(_NOT)]
    left = [_written(name.removeprefix(_NOT)) for name in names if name.startswith(_NOT)]
    zh = f"{day}\u00a0验\u2060证\u2060通\u2060过" + f"（{'、'.join(on)}）" * bool(on)
    zh += f"，未在\u00a0{'、'.join(left)}\u00a0上运行" * bool(left)
    en = f"proven\u00a0{day}" + f" on {', '.join(on)}" * bool(on) + f", not run on\u00a0{', '.join(left)}" * bool(left)
    return {"zh": zh, "en": en}.get(side) or words(zh, en)


def _written(name: str) -> str:
    """Return a kind of device or a version as it is written in a sentence: CUDA, torch 2.13.0."""
    return name.replace(" ", "\u00a0") if " " in name else name.upper()
