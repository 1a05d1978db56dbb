"""The form of a snippet: what a file and a fence may say, and what is said back when it does not fit."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippets.errors import BadSnippet
from snippets.model.metadata import block_metadata, has_block
from snippets.model.snippet import read_snippet, recorded_path, snippet_from_block

FULL = """\
# a line before
# /// snippet
# title.zh = "按行取值"
# title.en = "Gather by row"
# devices = ["cpu", "cuda"]
# gpus = 1
# timeout = 2.5
# raises = "torch.OutOfMemoryError"
# session = "first"
# args = ["--gpus", "2"]
# topics = ["T11", "T12"]
# ///
print(1)
"""


def write(folder: Path, text: str | bytes, name: str = "sample.py") -> Path:
    """Write the file of a snippet."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def with_block(*lines: str) -> str:
    """Make a source whose metadata block holds these lines under a title."""
    body = ['title.en = "t"', *lines]
    return "# /// snippet\n" + "".join(f"# {line}\n" for line in body) + "# ///\n"


def test_every_key_is_read(tmp_path: Path) -> None:
    """Each key of the block arrives in its field, and the block's line is known."""
    path = write(tmp_path, FULL)
    snippet = read_snippet(path)
    assert (snippet.name, snippet.path, snippet.origin, snippet.line) == ("sample", path, str(path), 2)
    assert snippet.title == {"zh": "按行取值", "en": "Gather by row"}
    assert snippet.devices == ("cpu", "cuda")
    assert (snippet.needs_gpus, snippet.timeout, snippet.raises) == (1, 2.5, "torch.OutOfMemoryError")
    assert (snippet.session, snippet.args, snippet.topics) == ("first", ("--gpus", "2"), ("T11", "T12"))
    assert snippet.code == FULL
    assert snippet.recorded == {}


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    """One title serves both languages, any device fits, and there is a time limit."""
    snippet = read_snippet(write(tmp_path, with_block()))
    assert snippet.title == {"zh": "t", "en": "t"}
    assert (snippet.devices, snippet.needs_gpus, snippet.timeout) == (("any",), 0, 60.0)
    assert (snippet.raises, snippet.session, snippet.args, snippet.topics) == (None, None, (), ())


def test_a_file_without_a_block_can_be_read(tmp_path: Path) -> None:
    """Whoever names a plain Python file may run it; it is called after its file."""
    snippet = read_snippet(write(tmp_path, "print(1)\n", "plain.py"))
    assert snippet.title == {"zh": "plain", "en": "plain"}
    assert snippet.line == 1


def test_the_block_may_be_the_last_line_and_hold_empty_comments(tmp_path: Path) -> None:
    """A bare `#` inside the block and a file that ends with it are fine, as PEP 723 says."""
    snippet = read_snippet(write(tmp_path, '# /// snippet\n#\n# title.en = "t"\n# ///'))
    assert snippet.title["en"] == "t"


def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    """A file saved on Windows is the same snippet."""
    snippet = read_snippet(write(tmp_path, b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode()))
    assert snippet.code == FULL


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("timeouts = 3", "unknown key 'timeouts'; known are title, devices, gpus, timeout, raises, session, args"),
        ("timeout = 0", "timeout = 30"),
        ("timeout = true", "timeout = 30"),
        ("timeout = inf", "timeout = 30"),
        ('timeout = "3"', "timeout = 30"),
        ("devices = []", 'devices = ["cpu"]'),
        ('devices = "cpu"', 'devices = ["cpu"]'),
        ('devices = ["gpu"]', "cpu, cuda, mps, xpu, any"),
        ("gpus = -1", "gpus = 2"),
        ("gpus = true", "gpus = 2"),
        ("gpus = 1.5", "gpus = 2"),
        ("processes = 0", "processes = 2, a whole number from 1"),
        ('raises = ""', 'raises = "RuntimeError"'),
        ('raises = "an error"', 'raises = "RuntimeError"'),
        ("raises = 1", 'raises = "RuntimeError"'),
        ("session = 1", 'session = "name"'),
        ('session = " "', 'session = "name"'),
        ('args = "x"', 'args = ["--gpus", "2"]'),
        ("args = [1]", 'args = ["--gpus", "2"]'),
        ("topics = [1]", 'topics = ["T11"]'),
        ("timeout =", "not TOML"),
        ('title.en = "again"', "not TOML"),
    ],
)
def test_a_bad_value_names_file_line_and_remedy(tmp_path: Path, line: str, says: str) -> None:
    """The sentence leads to the line, in both languages, and says what to write."""
    path = write(tmp_path, with_block("", line, ""))
    with pytest.raises(BadSnippet) as caught:
        read_snippet(path)
    assert str(caught.value).startswith(f"{path}:4: ")
    assert caught.value.sentence("zh").startswith(f"{path}:4：")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "titles", ["", "# title = 3\n", '# title = "t"\n', '# title.de = "t"\n', '# title.en = " "\n', "# title.en = 1\n"]
)
def test_a_title_is_asked_for(tmp_path: Path, titles: str) -> None:
    """Without a title in a language we show, the sentence says how to write one."""
    path = write(tmp_path, f"# /// snippet\n# timeout = 1\n{titles}# ///\n")
    with pytest.raises(BadSnippet, match=r"write title\.zh"):
        read_snippet(path)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("# /// snippet\n# a = 1\nprint()\n", 1, "ends with # ///"),
        ("x = 1\n# /// snippet\n#no space\n# ///\n", 2, "starts with `# `"),
        (with_block() + "x = 1\n" + with_block(), 1, "exactly one block"),
        ("# /// snippet\n# a = '''\n# ///\n", 2, "not TOML"),
    ],
)
def test_a_block_out_of_form_is_refused(tmp_path: Path, text: str, line: int, says: str) -> None:
    """An unclosed, ill-formed or second block is an error at its line, never overlooked."""
    path = write(tmp_path, text)
    with pytest.raises(BadSnippet) as caught:
        read_snippet(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert says in str(caught.value)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    """Python source is UTF-8; the sentence says where it is not."""
    with pytest.raises(BadSnippet, match="byte 2 is not UTF-8"):
        read_snippet(write(tmp_path, b"# \xff\n"))


def test_recorded_outputs_lie_beside_the_file(tmp_path: Path) -> None:
    """The common output and those of single kinds of device are found by their names."""
    path = write(tmp_path, FULL)
    write(tmp_path, "one\r\n", "sample.out")
    write(tmp_path, "two\n", "sample.cuda.out")
    assert read_snippet(path).recorded == {"": "one\n", "cuda": "two\n"}
    assert recorded_path(path) == tmp_path / "sample.out"
    assert recorded_path(path, "cuda") == tmp_path / "sample.cuda.out"


def test_a_fence_is_a_snippet() -> None:
    """Its options and the output that follows it arrive; other programs' options are left alone."""
    options = {"id": "x", "timeout": "3", "device": "cuda:0, cpu", "raises": "ValueError", "session": "s", "hl": "1"}
    snippet = snippet_from_block(name="a.md#x", code="1\n", options=options, output="o\n", origin="a.md", line=7)
    assert (snippet.name, snippet.code, snippet.path, snippet.origin, snippet.line) == (
        "a.md#x",
        "1\n",
        None,
        "a.md",
        7,
    )
    assert (snippet.timeout, snippet.devices, snippet.raises, snippet.session) == (
        3,
        ("cuda", "cpu"),
        "ValueError",
        "s",
    )
    assert (snippet.title, snippet.recorded) == ({"zh": "a.md#x", "en": "a.md#x"}, {"": "o\n"})


def test_a_fence_without_options_has_the_defaults() -> None:
    """A plain block of anybody's note can be run as it is."""
    snippet = snippet_from_block(name="n", code="", options={}, output=None, origin="a.md", line=1)
    assert (snippet.devices, snippet.timeout, snippet.recorded) == (("any",), 60.0, {})


@pytest.mark.parametrize("options", [{"timeout": "soon"}, {"device": "tpu"}, {"raises": "1"}, {"session": ""}])
def test_a_bad_option_of_a_fence_names_the_note(options: dict[str, str]) -> None:
    """The sentence leads to the fence."""
    with pytest.raises(BadSnippet, match=r"^a\.md:9: write"):
        snippet_from_block(name="n", code="", options=options, output=None, origin="a.md", line=9)


@given(st.text(alphabet="# /snipet\n'=[]a1.", max_size=60))
def test_no_source_makes_the_reader_stumble(text: str) -> None:
    """Any file with a snippet block gives its metadata or raises BadSnippet."""
    source = "# /// snippet\n" + text + "\n# ///\n"
    assert has_block(source)
    with contextlib.suppress(BadSnippet):
        assert block_metadata(source, "a.py").line == 1
