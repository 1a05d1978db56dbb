"""What the shipped notes say together: every topic, both languages alike, links that lead somewhere, one way to write.

That every claim has its snippet, its record and its proof is held by tests/snippets/verification/test_library.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from kb.analysis.char_folding import simplified
from kb.analysis.glossary import SHIPPED
from kb.analysis.tokens import HAN
from kb.errors import KbError
from kb.markdown.lines import LineKind, scan
from kb.markdown.links import Link
from kb.notes.note import Note
from kb.vault.vault import SHIPPED_NOTES, Vault

VAULT = Vault.open(SHIPPED_NOTES)
NOTES = {path: VAULT.read(path) for path in VAULT.files()}
MESSAGES = [part.heading for note in NOTES.values() if note.path.startswith("errors/") for part in note.sections]
PAIRS = sorted({path.removesuffix(".zh.md").removesuffix(".en.md") for path in NOTES})
TOPICS = [f"T{number:02}" for number in range(1, 82)]
WRITTEN = {path: note for path, note in NOTES.items() if not path.startswith("terms.")}  # that one is made by a script

# Forms of one thing that say different things where they are used.
NOT_ALIKE = (
    {"默认设备", "当前设备"},  # torch.set_default_device against torch.cuda.set_device
    {"启动器", "启动命令"},  # torchrun is one, what is typed is the other
    {"求平均", "平均值"},  # the deed and what comes of it
    {"频道顺序", "源的顺序"},  # the channels of conda are one kind of source
    {"小批量", "批数据"},  # the size of it, and what is in it
    {"残差网络", "残差块"},  # one is made of the other
)

CODE = "\ue000"  # stands for code, a formula, an address, or a quotation without Chinese, which is set as a word
_MARKUP = (
    (re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\$[^$]+\$|<?https?://[^\s<>)\u3000-\uffef]+>?"), CODE),
    (re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]*>|\*{1,3}|^\s*(?:[-+]|\d+\.|#{1,6}|>)\s+|^\s*>\s*\[!\w+\]"), ""),
    (re.compile(f"“[^“”{HAN}]*”"), CODE),
)
_WORDS = rf"A-Za-z0-9{CODE}"
_SLIPS = {
    "no space between Han and Latin": re.compile(rf"[{HAN}][{_WORDS}]|[{_WORDS}%][{HAN}]"),
    "half-width punctuation by Han": re.compile(rf"[{HAN}]\s*[,;:!?()]|[{HAN}]\.|[,;:!?]\s*[{HAN}]|[()][{HAN}]"),
    "another kind of quotation mark": re.compile(rf'[「」『』]|"[^"]*[{HAN}][^"]*"|[{HAN}]\s*"|"\s*[{HAN}]'),
    "room beside full-width punctuation": re.compile(
        "[，。；：？！、（）“”《》] +[^| ]|[^|>/ ] +[，。；：？！、（）“”》]"
    ),
}
_AMERICAN = re.compile(r"\b(?!(?:re)?siz|priz|seiz)[a-z]+iz(?:e[sd]?|ing|ations?)\b|\b(?:color|behavior|neighbor)\w*")


def prose(note: Note) -> Iterator[tuple[int, str]]:
    """Yield number and words of each line that is no code: markup gone, code and formulas one character each."""
    scanned = scan(note.text, note.meta.lines + 1)
    for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
        if kind is LineKind.PROSE:
            plain = line
            for pattern, instead in _MARKUP:
                plain = pattern.sub(instead, plain)
            yield number, plain


def led(note: Note) -> Iterator[tuple[Link, Note | None]]:
    """Yield each link to a note or to a place in this one, with the note that it leads to."""
    for link in note.links:
        if link.kind in ("wiki", "note", "anchor"):
            path = note.path if link.kind == "anchor" else VAULT.resolve_link(note.path, link.target)
            yield link, NOTES.get(path or "")


def told(slips: list[str]) -> None:
    """Fail with all that was found, a line each."""
    if slips:
        pytest.fail("\n".join(slips), pytrace=False)


def place(note: Note, anchor: str) -> int | None:
    """Say which section of a note an anchor means, by its number; None where it has none of that name."""
    if not anchor:
        return 0
    return next((n for n, part in enumerate(note.sections) if anchor in (part.anchor, part.heading)), None)


def section_of(note: Note, line: int) -> int:
    """Say in which section a line stands, by its number."""
    return next(n for n, part in enumerate(note.sections) if part.line <= line <= part.end_line)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_topic_is_covered(lang: str) -> None:
    """Each topic stands in the front matter of a note of either language, and no note names one that is none."""
    covered = {topic for note in NOTES.values() if note.lang == lang for topic in note.meta.covers}
    told([f"nobody covers {topic} in {lang}" for topic in TOPICS if topic not in covered])
    assert covered <= set(TOPICS)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_map_leads_to_every_topic(lang: str) -> None:
    """Each note that covers a topic is linked in the map of all topics, and the map from the first page."""
    mapped = {target.path for _, target in led(NOTES[f"map.{lang}.md"]) if target is not None}
    covering = [note.path for note in NOTES.values() if note.lang == lang and note.meta.covers]
    told([f"the map does not lead to {path}" for path in covering if path not in mapped])
    first = {target.path for _, target in led(NOTES[f"index.{lang}.md"]) if target is not None}
    assert {f"{name}.{lang}.md" for name in ("map", "terms", "manual/index")} <= first


@pytest.mark.parametrize("path", NOTES)
def test_what_a_note_links_to_is_there(path: str) -> None:
    """Each link leads to a note, and its anchor to a heading of it; each picture is a file of the vault."""
    note = NOTES[path]
    slips = []
    for link, target in led(note):
        where = f"{path}:{link.line}: {link.target}#{link.anchor}"
        if target is None or place(target, link.anchor) is None:
            slips.append(f"{where} is nowhere")
        elif target.lang != note.lang:
            slips.append(f"{where} is in the other language")
    for link in note.links:
        if link.kind == "image":
            try:
                VAULT.attachment(path, link.target)
            except KbError as error:
                slips.append(f"{path}:{link.line}: {error}")
    told(slips)


def test_a_tag_leads_from_note_to_note() -> None:
    """No tag stands in one note only, and none differs from another by an s."""
    tagged = defaultdict(set)
    for path, note in NOTES.items():
        for tag in note.meta.tags:
            tagged[tag].add(path.rsplit(".", 2)[0])
    told([f"only {', '.join(notes)} has the tag {tag}" for tag, notes in tagged.items() if len(notes) < 2])
    told([f"{tag} and {tag}s" for tag in tagged if f"{tag}s" in tagged])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_error_index_lists_every_message(lang: str) -> None:
    """Each section of an error page is linked by its words on the first page, so that they can be looked through."""
    listed = {(target.path, link.anchor) for link, target in led(NOTES[f"errors/index.{lang}.md"]) if target}
    pages = [note for note in NOTES.values() if note.lang == lang and note.path.startswith("errors/")]
    sections = [(note.path, part.anchor) for note in pages for part in note.sections if part.level == 2]
    missing = [place for place in sections if place not in listed and "/index." not in place[0]]
    told([f"{path}#{anchor} is not listed" for path, anchor in missing])


@pytest.mark.parametrize("path", NOTES)
def test_a_table_has_as_many_cells_in_every_row(path: str) -> None:
    """No row is wider or narrower than its table; the bar of a link in a table has a backslash, or it ends the cell."""
    scanned = scan(NOTES[path].text, NOTES[path].meta.lines + 1)
    slips, width = [], 0
    for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
        row = kind is LineKind.PROSE and line.startswith("|")
        bars = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)|\\[|]", "", line).count("|") if row else 0
        slips += [f"{path}:{number}: {line}"] if bars and width and bars != width else []
        width = bars if not width or not bars else width
    told(slips)


@pytest.mark.parametrize("key", PAIRS)
def test_both_languages_lead_to_the_same(key: str) -> None:
    """Section by section the links of a note lead to the same sections of the same notes, whatever their order."""
    assert {f"{key}.zh.md", f"{key}.en.md"} <= set(NOTES)
    found = []
    for lang in ("zh", "en"):
        note = NOTES[f"{key}.{lang}.md"]
        found.append(
            {
                (section_of(note, link.line), target.path.rsplit(".", 2)[0], place(target, link.anchor))
                for link, target in led(note)
                if target is not None
            }
        )
    assert found[0] == found[1]


@pytest.mark.parametrize("key", PAIRS)
def test_both_languages_were_proven_on_one_day(key: str) -> None:
    """A note is stamped in both languages or in neither, and one that covers a topic is stamped."""
    zh, en = (NOTES[f"{key}.{lang}.md"].meta for lang in ("zh", "en"))
    assert zh.proven == en.proven
    told([f"{key}: verify it with --stamp"] if zh.covers and zh.proven is None else [])


@pytest.mark.parametrize("path", [path for path in WRITTEN if path.endswith(".zh.md")])
def test_chinese_is_written_in_one_way(path: str) -> None:
    """Room round Latin words and numbers, full-width punctuation, one kind of quotation mark, no traditional form."""
    slips = []
    for number, line in prose(NOTES[path]):
        slips += [f"{path}:{number}: {what}: {m[0]!r} in {line}" for what, p in _SLIPS.items() if (m := p.search(line))]
        han = "".join(re.findall(f"[{HAN}]", line))
        slips += [f"{path}:{number}: traditional: {one}" for one in han if simplified(one) != one]
    told(slips)


@pytest.mark.parametrize("path", [path for path in WRITTEN if path.endswith(".en.md")])
def test_english_is_written_in_one_way(path: str) -> None:
    """Spelled as in Britain but for names and quotations; straight quotation marks, and no Chinese outside code."""
    slips = []
    messages = MESSAGES if path.startswith("errors/") else []  # as torch words them
    for number, said in prose(NOTES[path]):
        line = re.sub('"[^"]*"', "", said)
        slips += [
            f"{path}:{number}: {word}" for word in _AMERICAN.findall(line) if said.removeprefix("- ") not in messages
        ]
        slips += [f"{path}:{number}: {sign}" for sign in re.findall(f"[“”‘’{HAN}，。；：（）]", line)]
    told(slips)


def test_a_thing_has_one_name() -> None:
    """Of the Chinese names that the glossary has for a technical thing, the notes use one throughout.

    Looked at are names of three characters or more that mean one thing only and do not stand within one another.
    """
    lines = [
        (f"{path}:{number}", line)
        for path, note in WRITTEN.items()
        if note.lang == "zh"
        for number, line in prose(note)
    ]
    things = technical()
    shared = [name for names in things for name in names]
    slips = []
    for names in things:
        used = defaultdict(list)
        for name in (one for one in names if plainly(one, names) and shared.count(one) == 1):
            used[name] = [where for where, line in lines if name in line]
        rivals = {name: where for name, where in used.items() if where}
        if len(rivals) > 1 and set(rivals) not in NOT_ALIKE:
            slips.append("; ".join(f"{name}: {', '.join(where)}" for name, where in rivals.items()))
    told(slips)


def technical() -> list[list[str]]:
    """Give the Chinese names of each thing in the technical parts of the glossary."""
    found: list[list[str]] = []
    ordinary = False
    for line in SHIPPED.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            ordinary = line.startswith("# ordinary words")
        elif "=" in line and not ordinary:
            found.append([name.strip() for name in line.partition("=")[0].split(",")])
    return found


def plainly(name: str, names: list[str]) -> bool:
    """Tell whether a name is one by itself: long enough, all Chinese, and not part of another name nor around one."""
    alone = not any(name != other and (name in other or other in name) for other in names)
    return alone and re.fullmatch(f"[{HAN}]{{3,}}", name) is not None
