"""Blocks are found where people mean them to be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.markdown.block_parser import DEEPEST, Scanner
from kb.markdown.block_tree import ContainerBlock, LeafBlock


def outline(node: ContainerBlock | LeafBlock) -> str:
    """Write a tree in one line: quote(text) list(item(text list(...)))."""
    if isinstance(node, LeafBlock):
        return f"{node.kind}:{node.text!r}" if node.text else node.kind
    inner = " ".join(outline(child) for child in node.children)
    return f"{node.kind}{'*' if node.loose else ''}({inner})"


def scan(text: str) -> str:
    tree = Scanner(text.split("\n"), {}).scan(1)
    return " ".join(outline(child) for child in tree.children)


def test_a_list_interrupts_a_paragraph() -> None:
    """Bullets do, and numbers from 1 or after a colon."""
    assert scan("a\n- b") == "text:'a' list(item(text:'b'))"
    assert scan("a\n1. b") == "text:'a' list(item(text:'b'))"
    assert scan("a:\n2. b") == "text:'a:' list(item(text:'b'))"
    assert scan("a\n2. b") == "text:'a\\n2. b'"


def test_two_spaces_are_enough_under_a_number() -> None:
    """And one is not."""
    assert scan("1. a\n  - b") == "list(item(text:'a' list(item(text:'b'))))"
    assert scan("1. a\n - b") == "list(item(text:'a')) list(item(text:'b'))"


def test_any_depth_is_a_list_after_a_paragraph() -> None:
    """Eight spaces in a list are no code."""
    assert scan("- a\n        - b") == "list(item(text:'a' list(item(text:'b'))))"
    assert scan("- a\n\n        - b") == "list*(item(text:'a' code:'  - b'))"


def test_markers_part_lists() -> None:
    """Another bullet or bracket is another list, an empty item is an item, and a rule is no item."""
    assert scan("- a\n* b") == "list(item(text:'a')) list(item(text:'b'))"
    assert scan("1. a\n2) b") == "list(item(text:'a')) list(item(text:'b'))"
    assert scan("-\n- b") == "list(item() item(text:'b'))"
    assert scan("* * *") == "rule"
    assert scan("-     far") == "list(item(text:'far'))"


def test_blank_lines_loosen() -> None:
    """Between items or between the blocks of one, not behind the last."""
    assert scan("- a\n\n- b") == "list*(item(text:'a') item(text:'b'))"
    assert scan("- a\n\n  b") == "list*(item(text:'a' text:'b'))"
    assert scan("- a\n- b\n\nc") == "list(item(text:'a') item(text:'b')) text:'c'"


def test_quotes_take_lazy_lines() -> None:
    """But no rule, no heading and nothing after a blank line."""
    assert scan("> a\nb") == "quote(text:'a\\nb')"
    assert scan("> a\n***") == "quote(text:'a') rule"
    assert scan("> a\n\nb") == "quote(text:'a') text:'b'"
    assert scan("> a\n>\n> b") == "quote(text:'a' text:'b')"
    assert scan("> # h\n> t\n> ===") == "quote(heading:'h' heading:'t')"


def test_code_is_set_in_by_four() -> None:
    """Its blank lines stay, and it does not interrupt a paragraph."""
    assert scan("    a\n\n      b\nc") == "code:'a\\n\\n  b' text:'c'"
    assert scan("a\n    b") == "text:'a\\nb'"


def test_tables_take_their_heading_from_the_paragraph() -> None:
    """The lines above stay text, and the first line without a bar ends it."""
    assert scan("t\na|b\n-|-\n1|2\nx") == "text:'t' table:'a|b\\n-|-\\n1|2' text:'x'"
    assert scan("a|b|c\n-|-") == "text:'a|b|c\\n-|-'"


def test_html_goes_on_to_a_blank_line() -> None:
    """Scripts and comments to their end, and nothing of them is left."""
    assert scan("<div>\na\n\nb") == "raw:'<div>\\na' text:'b'"
    assert scan("<script>\n\na\n</script>\nb") == "text:'b'"
    assert scan("<pre>\n# a\n\n- b\n</pre>\nc") == "raw:'\\n<pre>\\n# a\\n\\n- b\\n</pre>' text:'c'"
    assert scan("<!-- a -->b") == "text:'b'"
    assert scan("<!--\n- a\n--> b\n<STYLE>\n</style>c") == "text:'b' text:'c'"
    assert scan("<!-- never closed\n\n# a") == ""


def test_display_formulas_end() -> None:
    """On the same line, on a later one; or they are text."""
    assert scan("$$a$$") == "display:'a'"
    assert scan("$$\na\n$$\nb") == "display:'\\na\\n' text:'b'"
    assert scan("$$\na\n$$ b") == "display:'\\na\\n' text:'b'"
    assert scan("$$ a\n\n\\[ b \\]") == "text:'$$ a' display:'b'"
    assert scan("$$a$$ b $$c$$") == "text:'$$a$$ b $$c$$'"


def test_footnotes_and_references_are_definitions() -> None:
    """A footnote goes on where it is set in."""
    assert scan("[^1]: a\n  b\n\n  c\nd") == "definition:'[^1]: a\\n    b\\n\\n    c' text:'d'"
    assert scan("[x]: u\n[y]: v") == "definition:'[x]: u' definition:'[y]: v'"


def test_admonitions_hold_what_is_set_in() -> None:
    """As MkDocs writes them."""
    assert scan('!!! note "T"\n    a\n\n    - b\n\nc') == "admonition(text:'a' list(item(text:'b'))) text:'c'"


def test_known_blocks_stand_where_they_are() -> None:
    """A block that is known beforehand ends what it must, and a block of nothing takes its lines away."""
    known = {2: (LeafBlock("fence", "F", 2), 3), 4: (None, 4), 5: (LeafBlock("section", "S", 5, 1), 5)}
    tree = Scanner(["- a", "  ```", "  ```", "gone", "# S", "b"], known).scan(1)
    assert outline(tree) == "root(list(item(text:'a' fence:'F')) section:'S' text:'b')"


def test_nesting_stops() -> None:
    """What is deeper is text."""
    assert scan(">" * 100).count("quote") == DEEPEST - 1


@given(st.text(alphabet="-*1.>#|$`a \t\n[]^:=~", max_size=120))
def test_the_scanner_keeps_every_letter(text: str) -> None:
    """Any text is read to its end, and all its letters are somewhere in the tree."""
    tree = Scanner(text.split("\n"), {}).scan(1)
    assert letters(tree) == text.count("a")


def letters(node: ContainerBlock | LeafBlock) -> int:
    """Count the letters a in a tree."""
    return node.text.count("a") if isinstance(node, LeafBlock) else sum(letters(child) for child in node.children)


def test_a_meaning_follows_its_term() -> None:
    """After a line of text, after a blank line, or after another meaning; not after anything else."""
    assert scan("a\n: b\n: c") == "terms(term:'a' meaning(text:'b') meaning(text:'c'))"
    assert scan("a\n\n: b\nc") == "terms(term:'a' meaning(text:'b\\nc'))"
    assert scan("a\nb\n: c\n\nd\n: e") == "terms(term:'a' term:'b' meaning(text:'c') term:'d' meaning(text:'e'))"
    assert scan("a\n: b\n\n  - c\n\nd") == "terms(term:'a' meaning(text:'b' list(item(text:'c')))) text:'d'"
    assert scan(": a") == "text:': a'"
    assert scan("- a\n: b") == "list(item(text:'a\\n: b'))"
    assert scan("a\nb\n\n: c") == "text:'a\\nb' text:': c'"
    assert scan("| a |\n|---|\n: b") == "table:'| a |\\n|---|' text:': b'"


def test_the_list_of_headings_has_its_place() -> None:
    """However it is asked for; in a sentence it is text."""
    assert scan("[toc]") == scan("[[_TOC_]]") == scan("[TOC]") == "contents"
    assert scan("see [toc]") == "text:'see [toc]'"


def test_a_task_knows_its_line() -> None:
    """So that it can be ticked there."""
    tree = Scanner(["> a", ">", "> - [ ] b", ">   - [x] c"], {}).scan(1)
    lines: list[tuple[str, int]] = []

    def walk(node: ContainerBlock | LeafBlock) -> None:
        if isinstance(node, ContainerBlock):
            lines.extend([(node.task, node.line)] if node.task else [])
            for child in node.children:
                walk(child)

    walk(tree)
    assert lines == [("open", 3), ("done", 4)]
