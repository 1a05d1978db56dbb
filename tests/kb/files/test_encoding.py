"""Bytes to text and back."""

from __future__ import annotations

import codecs
import re

import charset_normalizer
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb.errors import NotText, SaveFailed
from kb.files.encoding import UTF8, TextForm, decode, encode, restore_line_ends

CHINESE = "# 张量的切片\n\n多卡训练时，每个进程只读取自己的那一份数据。\n"
LINES = st.text(alphabet=st.sampled_from("ab \0\t\n\r\u2028\u2029\x0b\x0c\x85"), max_size=40)


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (CHINESE.encode(), "utf-8", False),
        (codecs.BOM_UTF8 + CHINESE.encode(), "utf-8", True),
        (codecs.BOM_UTF16_LE + CHINESE.encode("utf-16-le"), "utf-16-le", True),
        (codecs.BOM_UTF16_BE + CHINESE.encode("utf-16-be"), "utf-16-be", True),
        (codecs.BOM_UTF32_LE + CHINESE.encode("utf-32-le"), "utf-32-le", True),
        (codecs.BOM_UTF32_BE + CHINESE.encode("utf-32-be"), "utf-32-be", True),
        (CHINESE.encode("gb18030"), "gb18030", False),
        (b"", "utf-8", False),
        (codecs.BOM_UTF8, "utf-8", True),
    ],
)
def test_every_encoding_is_read_and_written_back(data: bytes, encoding: str, bom: bool) -> None:  # noqa: FBT001
    """The text is right, the form is told, and the same bytes come back."""
    decoded = decode(data)
    assert decoded.text == (CHINESE if len(data) > 4 else "")
    assert decoded.form == TextForm(encoding, bom=bom)
    assert encode(decoded.text, decoded.form) == data


@pytest.mark.parametrize("text", ["a\0b\r\nc\u2028d", "no final newline", "\r\n\r\n", "a\rb\nc\r\n", "\0" + "x" * 9])
def test_odd_characters_survive(text: str) -> None:
    """NUL, U+2028, any line end and a missing last one come back as they were."""
    decoded = decode(text.encode())
    assert decoded.text == text
    assert encode(decoded.text, decoded.form) == text.encode()


@given(st.binary(max_size=60))
def test_what_is_read_without_loss_is_written_back_to_the_byte(data: bytes) -> None:
    """Any bytes at all: read and written back equal, or refused, or known as not lossless."""
    try:
        decoded = decode(data)
    except NotText:
        return
    if decoded.form.lossless:
        assert encode(decoded.text, decoded.form) == data


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x8000), min_size=8))
def test_gb18030_round_trips_in_any_case(text: str) -> None:
    """Whatever the guess for Chinese bytes without a mark, they come back."""
    data = text.encode("gb18030")
    decoded = decode(data)
    assert not decoded.form.lossless or encode(decoded.text, decoded.form) == data


def test_short_and_mixed_chinese_is_known_as_gb18030() -> None:
    """A few everyday characters among English are enough."""
    for text in (
        "显存",
        "丁" * 12 + "丂丂丂仳",
        "gather 用法",
        "# CUDA\n\nout of memory 显存不足，怎么办？\n",
        "训练" * 50_000,
    ):
        assert decode(text.encode("gb18030")).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Les déjà-vu à l'été, très agréable à voir près du théâtre où l'élève étudie.\n", "latin-1"),
        ("Größe über Maße, schöne Füße für Bücher\n", "cp1252"),
        ("張量的形狀與訓練過程，以及顯存不足時的處理方法\n", "big5"),
        ("тензоры и градиенты: заметки о том, как устроено обучение\n", "cp1251"),
        ("テンソルの形を調べる\n", "shift_jis"),
    ],
)
def test_other_encodings_are_read_by_what_they_look_like(text: str, encoding: str) -> None:
    """A text in another old encoding is not taken for Chinese, and comes back to the byte."""
    decoded = decode((text * 3).encode(encoding))
    assert decoded.text == text * 3
    assert encode(decoded.text, decoded.form) == (text * 3).encode(encoding)


def test_a_large_text_in_an_old_encoding_is_sampled() -> None:
    """More than 64 KB without a line end is guessed from its head."""
    text = "où l'élève étudie près du théâtre " * 4_000
    assert decode(text.encode("latin-1")).text == text


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0",
        "plain text".encode("utf-16-le"),
        b"\0" * 100,
        codecs.BOM_UTF16_LE + b"a",
        bytes(range(1, 32)) * 4,
    ],
)
def test_what_is_not_text_is_refused_with_a_reason(data: bytes) -> None:
    """Binary data is named as such, in both languages, with the file's name."""
    with pytest.raises(NotText) as caught:
        decode(data, "a.md")
    assert caught.value.path == "a.md"
    assert caught.value.reason
    assert caught.value.reason_zh != caught.value.reason


def test_bytes_of_no_encoding_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no guess gives the same bytes back, none is taken."""
    monkeypatch.setattr(charset_normalizer, "from_bytes", lambda data: [])
    with pytest.raises(NotText, match="encoding"):
        decode(bytes(range(128, 256)))


@pytest.mark.parametrize(
    "broken",
    [
        CHINESE.encode()[:-2],
        codecs.BOM_UTF8 + CHINESE.encode()[:-2],
        codecs.BOM_UTF16_LE + CHINESE.encode("utf-16-le")[:-1],
    ],
)
def test_damaged_text_is_shown_but_never_written(broken: bytes) -> None:
    """A Chinese text with a byte missing can be read; writing it back is refused."""
    decoded = decode(broken)
    assert decoded.text.startswith("# 张量的切片")
    assert "\ufffd" in decoded.text
    assert not decoded.form.lossless
    with pytest.raises(SaveFailed, match="reading only"):
        encode(decoded.text, decoded.form, "a.md")


def test_a_form_that_cannot_hold_a_character_says_which() -> None:
    """Typing Chinese into a Latin-1 note is not written as question marks."""
    with pytest.raises(SaveFailed, match="latin-1"):
        encode("naïve 张量", TextForm("latin-1"), "a.md")
    with pytest.raises(SaveFailed, match="ud800"):
        encode("\ud800", UTF8, "a.md")


def unified(text: str) -> str:
    return re.sub("\r\n|[\r\u2028\u2029]", "\n", text)


@given(LINES)
def test_an_unchanged_text_keeps_every_line_end(before: str) -> None:
    """Through an editor that knows line feeds alone, an untouched text comes back equal."""
    assert restore_line_ends(before, unified(before)) == before
    assert restore_line_ends(before, before) == before


@example("\na\r", "a\n\n")
@given(LINES, st.text(alphabet="ab \n\0\x0c", max_size=40))
def test_an_edit_is_kept_whatever_the_line_ends(before: str, edited: str) -> None:
    """Only line ends may differ from what was typed."""
    assert unified(restore_line_ends(before, edited)) == edited


@given(LINES, st.data())
def test_lines_that_were_not_touched_keep_their_ends(before: str, data: st.DataObject) -> None:
    """After one line is inserted, what stands above it and below it is as it was."""
    lines = re.findall("[^\n\r\u2028\u2029]*(?:\r\n|[\n\r\u2028\u2029])", before)
    before = "".join(lines)
    at = data.draw(st.integers(0, len(lines)))
    edited = unified("".join(lines[:at])) + "new words here\n" + unified("".join(lines[at:]))
    restored = restore_line_ends(before, edited)
    assert restored.startswith("".join(lines[:at]) + "new words here")
    assert restored.endswith("".join(lines[at:]))


def test_new_lines_get_the_commonest_end() -> None:
    """Also where several kinds are mixed and several places edited; a rare separator is never the pattern."""
    before = "1\r\n2\n3\r\n4\r\n5\u20286"
    assert restore_line_ends(before, "1\n2\nx\n3\n4\ny\n5\n6\nz") == "1\r\n2\nx\r\n3\r\n4\r\ny\r\n5\u20286\r\nz"
    assert restore_line_ends("1\r\n2\r\n", "1\nx\n2\n") == "1\r\nx\r\n2\r\n"
    assert restore_line_ends("1\u2028", "1\nx\n") == "1\u2028x\n"
    assert restore_line_ends("", "a\nb\n") == "a\nb\n"
    assert restore_line_ends("a\r\n", "b\r\nc\r\n") == "b\r\nc\r\n"


def test_a_large_mixed_text_is_restored_quickly() -> None:
    """50,000 lines with two kinds of ends, edited in a thousand places: under two seconds."""
    lines = [f"line {i}" for i in range(50_000)]
    before = "".join(line + ("\r\n" if i % 7 else "\n") for i, line in enumerate(lines))
    for i in range(0, len(lines), 50):
        lines[i] = f"changed {i}"
    restored = restore_line_ends(before, "\n".join(lines) + "\n")
    assert restored.count("\r\n") > 42_000
