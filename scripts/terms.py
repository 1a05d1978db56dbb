"""Writes the note of terms from the glossary that searching stands on: make terms.

Each technical thing of kb/analysis/glossary.txt is a line of a table, by theme; a term that is the title or another
name of a shipped note leads there. tests/test_terms.py holds the note equal to what is written here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from kb.analysis.glossary import SHIPPED  # noqa: E402
from kb.vault.vault import SHIPPED_NOTES, Vault  # noqa: E402

NAME = "terms"
ORDINARY = "# ordinary words"  # from here on the glossary has what no reader looks up
_NAMES = re.compile(r"[\w./=]*(?:[_./=]|[a-z][A-Z])[\w./=]*")  # of code: num_workers, nn.Linear, DataLoader
_PAGES = {
    "zh": ("术语的中文与英文", "术语表, 中英对照", "| 中文 | 英文 | 其他叫法 |", "、"),
    "en": ("Terms in Chinese and English", "glossary, bilingual terms", "| English | Chinese | other names |", ", "),
}
_WORDS = {
    "zh": """
搜索靠一张对照表知道哪些词说的是同一件事：输入“显存”，也会找到只写了 GPU memory 的小节。
这里是其中的专业部分，按主题排列。每一行是一件事，搜哪个叫法都行；蓝色的词通向讲它的笔记。

表里没有的词，写进与本页并列的 `glossary.md`，一行一条，见[[manual/search|怎样搜索]]。
""",
    "en": """
A search knows from a table which words mean one thing: type 显存 and it finds the sections, too, that speak of GPU
memory only. Here is the technical part of it, by theme. A line is one thing, found by any of its names; a term in blue
leads to the note about it.

Words that are missing go into a `glossary.md` of your own beside this note, a line for each: see
[[manual/search|how to search]].
""",
}

Named = tuple[bool, int, str]  # a folder's own note, how late among its names, its key


@dataclass(frozen=True)
class Theme:
    """A part of the glossary: its heading in each language, and its things as Chinese and English forms."""

    headings: Mapping[str, str]
    things: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def themes() -> Iterator[Theme]:
    """Yield the technical parts of the glossary in order."""
    technical = SHIPPED.read_text(encoding="utf-8").partition(ORDINARY)[0]
    for part in re.split(r"^# (?=.* / )", technical, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        chinese, _, english = heading.partition(" / ")
        sides = [[tuple(side.split(", ")) for side in line.split(" = ")] for line in lines if line]
        things = tuple((zh, en) for zh, en in sides)
        yield Theme({"zh": chinese, "en": english[:1].upper() + english[1:]}, things)


def notes() -> dict[str, str]:
    """Return the note of terms in each language, by its path in the vault."""
    places = named()
    return {f"{NAME}.{lang}.md": _written(lang, places) for lang in _PAGES}


def named() -> dict[str, Named]:
    """Return which note a name means best: no folder's own, and by its title or an early one of its other names."""
    found: dict[str, list[Named]] = {}
    for entry in Vault.open(SHIPPED_NOTES).entries():
        if entry.key != NAME:
            for place, name in [(0, title) for title in entry.titles.values()] + list(enumerate(entry.aliases, 1)):
                found.setdefault(name.lower(), []).append((entry.name == "index", place, entry.key))
    return {name: min(places) for name, places in found.items()}


def _written(lang: str, places: Mapping[str, Named]) -> str:
    title, aliases, head, comma = _PAGES[lang]
    lines = [
        f"---\ntitle: {title}\ntags: [guide]\nsearch: aside\naliases: [{aliases}]\n---\n",
        f"# {title}\n",
        _paragraphs(lang),
    ]
    for theme in themes():
        lines += [f"## {theme.headings[lang]}\n", head, "|---|---|---|"]
        lines += [_row(zh, en, lang, places, comma) for zh, en in theme.things]
        lines.append("")
    return "\n".join(lines)


def _paragraphs(lang: str) -> str:
    """Give the words of the page with a line for each paragraph; Chinese has no room where its lines meet."""
    found = _WORDS[lang].strip().split("\n\n")
    return "".join(("" if lang == "zh" else " ").join(one.splitlines()) + "\n\n" for one in found).removesuffix("\n")


def _row(zh: tuple[str, ...], en: tuple[str, ...], lang: str, places: Mapping[str, Named], comma: str) -> str:
    (first, *mine), (second, *others) = (zh, en) if lang == "zh" else (en, zh)
    meant = [places[form.lower()] for form in (*zh, *en) if form.lower() in places]
    lead = f"[{first}]({min(meant)[-1]})" if meant else _shown(first)
    return f"| {lead} | {_shown(second)} | {comma.join(map(_shown, [*mine, *others]))} |"


def _shown(form: str) -> str:
    """Write names of code as code."""
    return f"`{form}`" if _NAMES.fullmatch(form) else form


if __name__ == "__main__":
    for path, text in notes().items():
        (SHIPPED_NOTES / path).write_text(text, encoding="utf-8", newline="\n")
