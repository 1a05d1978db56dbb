"""What each stretch of Markdown source is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.fence_lexer import LANGUAGES, ROOT, coloured, known
from app.editor.markdown_tokens import START, TEXT, State, spans
from tests.pace import thinking_within

ODD_LINES = (
    "a = 'x' # c",
    'key: [1, "s"] {',
    "if (x) { return 1; } // c",
    "<a b='c'>$x</a><script>",
    "def f(x): @y",
    "/* long",
    "*/ \\begin{a} $(ls) `x` <<EOF",
    "EOF",
    "SELECT 'a' FROM b;",
    '`${x}` ${a:-b} """',
    "",
)


def roles(line: str, state: State = TEXT) -> list[tuple[str, str]]:
    """Return each stretch with its roles, joined."""
    return [(line[span.start : span.start + span.length], " ".join(span.roles)) for span in spans(line, state)[0]]


def states(text: str) -> list[str]:
    """Return what each line ends in."""
    state = START
    kinds: list[str] = []
    for line in text.split("\n"):
        _, state = spans(line, state)
        kinds.append(state.kind)
    return kinds


@pytest.mark.parametrize(
    ("line", "stretch", "role"),
    [
        ("# Title", "# ", "heading1 markup"),
        ("# Title", "Title", "heading1"),
        ("###### six", "six", "heading6"),
        ("a `code` b", "`code`", "code"),
        ("``a ` b``", "``a ` b``", "code"),
        ("**bold**", "bold", "strong"),
        ("**a `b` c**", "`b`", "strong code"),
        ("__bold__ x", "bold", "strong"),
        ("*em* x", "em", "emphasis"),
        ("_em_ x", "em", "emphasis"),
        ("~~old~~", "old", "strike"),
        ("==new==", "new", "mark"),
        ("[text](http://a.b)", "text", "link"),
        ("[text](http://a.b)", "http://a.b", "target"),
        ("![alt](x_(1).png)", "x_(1).png", "target"),
        ("[[gather|收集]]", "gather|收集", "wiki"),
        ("see [^1]", "[^1]", "foot"),
        ("https://a.b/c，然后", "https://a.b/c", "auto"),
        ("<https://a.b>", "<https://a.b>", "auto"),
        ("$x_i$", "$x_i$", "math"),
        ("a <kbd>", "<kbd>", "tag"),
        (r"\*no\*", r"\*", "escape"),
        ("- item", "- ", "list"),
        ("12. item", "12. ", "list"),
        ("- [ ] open", "[ ] ", "task"),
        ("- [x] closed", "closed", "done"),
        ("> quote", "quote", "quote"),
        ("> [!NOTE] text", "[!NOTE]", "callout"),
        ("---", "---", "markup"),
        ("===", "===", "markup"),
        ("| a | `b` |", "`b`", "table code"),
        ("|---|:-:|", "|---|:-:|", "table markup"),
        ("```python id=x", "python id=x", "block info"),
        ("- ```bash", "```", "block markup"),
        ("$$x$$", "$$x$$", "math"),
    ],
)
def test_stretches(line: str, stretch: str, role: str) -> None:
    """Each sign of Markdown is known for what it is."""
    assert (stretch, role) in roles(line)


@pytest.mark.parametrize(
    "line", ["snake_case_name", "2 * 3 * 4", "costs $5 and $6", "a [b] c", "#tag", "5 < 6 > 4", ""]
)
def test_plain_lines_stay_plain(line: str) -> None:
    """What only looks like a sign has no role."""
    assert roles(line) == []


def test_front_matter() -> None:
    """Front matter is only at the very top; keys and comments are told apart."""
    assert states("---\ntitle: x\n---\ntext") == ["front", "front", "text", "text"]
    assert states("text\n---\n") == ["text", "text", "text"]
    front = State("front")
    assert roles("title: a", front) == [("title", "front key"), (": a", "front")]
    assert roles("# why", front) == [("# why", "front comment")]
    assert roles("  - item", front) == [("  - item", "front")]


def test_fences() -> None:
    """A fence ends at its own sign, at least as long; what is inside is no Markdown."""
    assert states("````md\n```\n# no\n````\n# yes") == ["fence", "fence", "fence", "text", "text"]
    assert states("~~~\n```\n~~~") == ["fence", "fence", "text"]
    assert states("> ```\n> x\n> ```") == ["fence", "fence", "text"]
    assert roles("# no", State("fence", "```")) == [("# no", "block")]
    assert states("`` not a fence ``` ``") == ["text"]


def test_python_state_goes_from_line_to_line() -> None:
    """A string over several lines is one string; after it, code is code again."""
    lines = ['x = """a', "def b", 'c"""', "def d(): pass"]
    state = State("fence", "```", "python")
    found = []
    for line in lines:
        found.append(roles(line, state))
        _, state = spans(line, state)
    assert found[1] == [("def b", "block string")]
    assert ("def", "block keyword") in found[3]
    assert ("d", "block function") in found[3]


def test_stretches_of_code_cover_the_line() -> None:
    """Every character of a line of code is in the code's face."""
    line = "    return f'{x}'  # 中文"
    assert "".join(text for text, _ in roles(line, State("fence", "```", "python"))) == line


def test_math_and_comments_over_lines() -> None:
    """Display math and comments end where their sign says."""
    assert states("$$\nx\n$$\ntext") == ["math", "math", "text", "text"]
    assert states("<!-- a\nb -->\ntext") == ["comment", "text", "text"]


def test_languages() -> None:
    """Languages that can be coloured line by line are; others, and overlong lines, stay plain."""
    assert known("python")
    assert not known("no-such-language")
    assert coloured("no-such-language", "x", ROOT) == ([], ROOT)
    assert coloured("python", "x = " + "1" * 2000, ROOT) == ([], ROOT)


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_every_language_takes_any_line(lang: str) -> None:
    """A lexer can be stopped and resumed at the end of any line, also where the text is none of its language."""
    stack = ROOT
    for line in ODD_LINES * 10:
        _, stack = coloured(lang, line, stack)
        assert len(stack) <= 60


@pytest.mark.parametrize(
    "evil", ["*", "`a", "**a", "[", "$a ", "_a", "<a ", "[a](", "==a", "~~", "> ", "- ", "![[", "|"]
)
def test_hostile_lines_are_quick(evil: str) -> None:
    """A line of nothing but signs costs no more than a key press may."""
    with thinking_within(0.1):
        spans((evil * 2000)[:2000], TEXT)


def test_overlong_lines_stay_plain() -> None:
    """A line of a megabyte is not looked into."""
    assert spans("*a* " * 500_000, TEXT) == ((), TEXT)


@given(st.text(st.sampled_from("#*_`$[]()<>|~=!-: a1.\\中😀\t"), max_size=60), st.sampled_from([START, TEXT]))
def test_stretches_are_in_order(line: str, state: State) -> None:
    """Whatever the line, its stretches lie inside it, in order, and do not overlap."""
    at = 0
    for span in spans(line, state)[0]:
        assert span.start >= at
        assert span.length > 0 or not line
        at = span.start + span.length
    assert at <= len(line)
