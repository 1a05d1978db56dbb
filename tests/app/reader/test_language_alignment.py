"""Tests of aligning the two languages of a note."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from app.reader.language_alignment import CellRow, HeadingRow, ProseRow, aligned, rows, same_cell
from app.reader.page_set import PageSet, Side
from kb.rendering.rendered_page import Cell, Page, PageSection, Prose


def cell(code: str = "print(1)", *, name: str = "block1", kind: str = "fence", given: bool = False) -> Cell:
    options = {"id": name} if given else {}
    return Cell(kind, name, "", code, code, "python", options, None, 1, 3)


def section(heading: str, level: int, *parts: Prose | Cell, line: int = 1) -> PageSection:
    return PageSection(f"<h{level}>{heading}</h{level}>" if level else "", heading, level, heading, line, parts)


def prose(text: str) -> Prose:
    return Prose(f"<p>{text}</p>", 2)


def both(zh: list[PageSection], en: list[PageSection], titles: dict[Side, str] | None = None) -> PageSet:
    return PageSet("k", {"zh": Page(tuple(zh)), "en": Page(tuple(en))}, "both", titles=titles or {})


def outline(pages: PageSet) -> list[str]:
    """Write each row as one line."""
    out = []
    for row in rows(pages):
        if isinstance(row, HeadingRow):
            out.append("# " + " | ".join(f"{side} {each.heading}" for side, each in row.sides.items()))
        elif isinstance(row, ProseRow):
            out.append("p " + " | ".join(f"{side} {''.join(p.html for p in each)}" for side, each in row.sides.items()))
        else:
            out.append(f"cell {row.placed.key} {row.placed.side} {sorted(row.lines)}")
    return out


def test_same_structure_is_paired_in_order() -> None:
    """Sections of the same levels share a row; a common cell is shown once, with the prose around it aligned."""
    zh = [section("标题", 1, prose("甲"), cell("x = 1  # 一"), prose("乙"))]
    en = [section("Title", 1, prose("a"), cell("x = 1  # one"), prose("b"))]
    assert outline(both(zh, en)) == [
        "# zh 标题 | en Title",
        "p zh <p>甲</p> | en <p>a</p>",
        "cell fence:block1 zh ['en', 'zh']",
        "p zh <p>乙</p> | en <p>b</p>",
    ]


def parts(*texts: str) -> list[Prose]:
    """Return prose in parts, each of paragraphs with one letter."""
    return [Prose("".join(f"<p>{letter}<br>.</p>" for letter in text), 2) for text in texts]


def beside(zh: list[Prose], en: list[Prose]) -> list[str]:
    """Return the letters of each row, on either side."""

    def letters(found: Sequence[Prose]) -> str:
        return "".join(one.html for one in found).replace("<br>.</p>", "").replace("<p>", "")

    found = [row for row in rows(both([section("题", 1, *zh)], [section("T", 1, *en)])) if isinstance(row, ProseRow)]
    return ["|".join(letters(row.sides.get(side, ())) for side in ("zh", "en")) for row in found]


def test_prose_in_different_parts_is_aligned() -> None:
    """Rows begin where both languages have the same number of blocks; long prose stays in parts."""
    assert beside(parts("ab", "cd"), parts("AB", "CD")) == ["ab|AB", "cd|CD"]
    assert beside(parts("abcd"), parts("A", "BCD")) == ["abcd|ABCD"]
    assert beside(parts("ab", "c", "def"), parts("A", "BC", "DE", "F")) == ["abc|ABC", "def|DEF"]
    assert beside(parts("ab", "c"), parts("AB", "CD", "E")) == ["ab|AB", "c|CDE"]
    assert beside(parts("ab", "c"), []) == ["ab|", "c|"]
    long = "x" * 2_000
    assert beside(parts(long, "y"), parts("XY")) == [f"{long}|XY", "y|"]


def test_a_missing_section_leaves_the_others_aligned() -> None:
    """A section that one language lacks has a row of its own; common words and cells align the others."""
    zh = [section("题", 1), section("gather 形状", 2), section("多出来的", 2), section("scatter_ 写入", 2)]
    en = [section("T", 1), section("gather shapes", 2), section("writing with scatter_", 2)]
    assert outline(both(zh, en)) == [
        "# zh 题 | en T",
        "# zh gather 形状 | en gather shapes",
        "# zh 多出来的",
        "# zh scatter_ 写入 | en writing with scatter_",
    ]


def test_different_code_of_one_name_gets_its_own_key() -> None:
    """Two cells of one automatic name but different code never share a key; the same snippet twice does."""
    zh = [section("题", 1, cell("a = 1"))]
    en = [section("T", 1, cell("b = [2, 3]"))]
    keys = [line for line in outline(both(zh, en)) if line.startswith("cell")]
    assert keys == ["cell fence:block1 zh ['zh']", "cell fence:block1#2 en ['en']"]
    twice = [section("题", 1, cell(kind="snippet", name="s"), cell(kind="snippet", name="s"))]
    alone = PageSet("k", {"zh": Page(tuple(twice))}, "zh")
    assert [row.placed.key for row in rows(alone) if isinstance(row, CellRow)] == ["snippet:s", "snippet:s"]


def test_same_cell() -> None:
    """A snippet is identified by its name, a fence by its given name or by its code without comments and strings."""
    assert same_cell(cell("a", name="x", given=True), cell("b", name="x", given=True))
    assert same_cell(cell('print("甲")  # 一'), cell('print("a")'))
    assert not same_cell(cell("a"), cell("b"))
    assert not same_cell(cell("a"), cell("a", kind="snippet"))
    assert not same_cell(cell("a", kind="snippet", name="one"), cell("b", kind="snippet", name="two"))


def test_the_title_comes_first() -> None:
    """The title is added to a note that does not begin with it, and only then."""
    assert outline(both([section("", 0, prose("甲"))], [section("", 0, prose("a"))], {"zh": "题<", "en": "T"}))[0] == (
        "# zh 题< | en T"
    )
    assert outline(both([section("题", 1)], [section("T", 1)], {"zh": "别", "en": "X"})) == ["# zh 题 | en T"]


def test_a_heading_that_is_the_title_is_not_repeated() -> None:
    """A note that begins with a lower heading, which is its title, begins with that heading alone."""
    zh, en = [section("节", 2)], [section("Part", 2)]
    assert outline(both(zh, en, {"zh": "节", "en": "Part"})) == ["# zh 节 | en Part"]
    assert outline(both(zh, en, {"zh": "节", "en": "T"})) == ["# zh 节 | en T", "# zh 节 | en Part"]
    assert len(outline(both(zh, [section("Part", 3)], {"zh": "节", "en": "Part"}))) == 3


def test_empty_note() -> None:
    """An empty note has no rows."""
    assert rows(PageSet("k", {}, "both")) == []
    assert rows(both([], [])) == []


def test_very_long_notes_that_differ_follow_one_another() -> None:
    """If aligning would take long, nothing is aligned and nothing is lost."""
    zh = [section(f"节{n}", 2 + n % 2) for n in range(300)]
    en = [section(f"s{n}", 2 + n % 3) for n in range(300)]
    assert len(outline(both(zh, en))) == 600


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_aligning_keeps_everything_in_order(left: list[int], right: list[int]) -> None:
    """Every item of both sides is in the result once, in order; only equal ones are paired."""
    pairs = aligned(left, right, lambda one, other: int(one == other))
    assert [one for one, _ in pairs if one is not None] == left
    assert [other for _, other in pairs if other is not None] == right
    assert all(one == other for one, other in pairs if one is not None and other is not None)


@given(
    st.lists(st.sampled_from(["p", "a", "b", "c"]), max_size=8), st.lists(st.sampled_from(["p", "a", "b"]), max_size=8)
)
def test_nothing_of_a_section_is_lost(left: list[str], right: list[str]) -> None:
    """Whatever cells two languages have in a section, all prose and all code of both is in the result."""

    def parts(names: list[str]) -> list[Prose | Cell]:
        return [prose(str(n)) if name == "p" else cell(name) for n, name in enumerate(names)]

    laid = rows(both([section("题", 1, *parts(left))], [section("T", 1, *parts(right))]))
    for side, names in (("zh", left), ("en", right)):
        proses = [
            p for row in laid if isinstance(row, ProseRow) for p in row.sides.get("zh" if side == "zh" else "en", ())
        ]
        told = [part.html for part in parts(names) if isinstance(part, Prose)]
        assert "".join(one.html for one in proses) == "".join(told)
        cells = [row.placed.cell.code for row in laid if isinstance(row, CellRow) and side in row.lines]
        assert cells == [name for name in names if name != "p"]
