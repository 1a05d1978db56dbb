"""Decodes bytes to text and back without losing a byte: encodings, byte-order marks, line ends."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kb.errors import NotText, SaveFailed
from kb.lazy_regex import expression

_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_MARKS = {encoding: mark for mark, encoding in _BOMS}
_SAMPLE = 64 * 1024  # bytes from which an encoding is guessed
_COMMON = ("gb18030", "cp1252", "big5", "cp1251")  # preferred among equally likely guesses
_NEAR = 0.1  # of charset-normalizer's measure of disorder, 0 to 1
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")))
_END = expression("\r\n|[\n\r\u2028\u2029]")


@dataclass(frozen=True)
class TextForm:
    """The encoding of a text on disk. Not `lossless`: some bytes are broken, so the note must not be written back."""

    encoding: str = "utf-8"
    bom: bool = False
    lossless: bool = True


UTF8 = TextForm()


@dataclass(frozen=True)
class Decoded:
    """A text and the form that it had on disk."""

    text: str
    form: TextForm


def decode(data: bytes, path: str = "") -> Decoded:
    """Decode bytes to text. Raises NotText (naming `path`) if they are not text.

    Tried in turn: a byte-order mark, UTF-8, UTF-8 with a few broken bytes (not lossless), GB18030, and what
    charset-normalizer proposes. A guess counts only if it encodes back to the same bytes.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark) and (decoded := _marked(data[len(mark) :], encoding)) is not None:
            return decoded
    text = _exact(data, "utf-8")
    if text is None and (b"\0" in data or data[:2] in {b"\xff\xfe", b"\xfe\xff"}):
        raise NotText(path, "it is binary data", "它是二进制数据")
    if text is None:
        return _guessed(data, path)
    if len(data) - len(data.translate(None, _CONTROLS)) > len(data) / 3:
        raise NotText(path, "most of it is control characters", "其中大部分是控制字符")
    return Decoded(text, UTF8)


def _marked(data: bytes, encoding: str) -> Decoded | None:
    text = _exact(data, encoding)
    if text is not None:
        return Decoded(text, TextForm(encoding, bom=True))
    text = data.decode(encoding, "replace")
    few = text.count("\ufffd") * 10 < len(text) and "\0" not in text
    return Decoded(text, TextForm(encoding, bom=True, lossless=False)) if few else None


def _exact(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
        return text if text.encode(encoding) == data else None
    except (UnicodeError, LookupError):
        return None


def _guessed(data: bytes, path: str) -> Decoded:
    if (broken := _broken_utf8(data)) is not None:
        return broken
    for encoding in _candidates(data):
        if (text := _exact(data, encoding)) is not None:
            return Decoded(text, TextForm(encoding))
    raise NotText(path, "its encoding is unknown", "无法识别它的编码")


def _broken_utf8(data: bytes) -> Decoded | None:
    text = data.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= char <= "\udcff" for char in text)
    good = sum(char > "\x7f" for char in text) - bad
    if good < 4 * bad:  # a text in GB18030 looks like UTF-8 once in ten times, by chance
        return None
    return Decoded(data.decode("utf-8", "replace"), TextForm(lossless=False))


def _candidates(data: bytes) -> Iterator[str]:
    if _like_chinese(data):
        yield "gb18030"
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1] or data[:_SAMPLE]
    import charset_normalizer  # noqa: PLC0415 - nearly all notes are UTF-8

    matches = list(charset_normalizer.from_bytes(sample))
    likely = {
        name for match in matches if match.chaos <= matches[0].chaos + _NEAR for name in match.could_be_from_charset
    }
    yield from (encoding for encoding in _COMMON if encoding in likely)
    yield from (match.encoding for match in matches)
    yield "gb18030"


def _like_chinese(data: bytes) -> bool:
    """Return whether at least 80 % of the non-ASCII characters, read as GB18030, are everyday ones and punctuation."""
    wide = [char for char in data[:_SAMPLE].decode("gb18030", "ignore") if char > "\x7f"]
    plain = 0
    for char in wide:
        code = char.encode("gb18030")
        plain += len(code) == 2 and code[1] > 0xA0 and (0xB0 <= code[0] <= 0xD7 or 0xA1 <= code[0] <= 0xA3)  # noqa: PLR2004
    return plain * 10 >= len(wide) * 8 > 0


def encode(text: str, form: TextForm, path: str = "") -> bytes:
    """Encode text in a form. Raises SaveFailed (naming `path`) if the form cannot represent it."""
    if not form.lossless:
        raise SaveFailed(
            path,
            "some of its bytes are broken, so it is open for reading only",
            "其中有损坏的字节，只能以只读方式打开",
        )
    try:
        data = text.encode(form.encoding)
    except UnicodeEncodeError as error:
        wrong = text[error.start : error.start + 1]
        raise SaveFailed(
            path,
            f"the encoding {form.encoding} cannot hold the character {wrong!a}",
            f"编码 {form.encoding} 无法表示字符 {wrong!a}",
        ) from error
    return _MARKS[form.encoding] + data if form.bom else data


def restore_line_ends(before: str, edited: str) -> str:
    r"""Return a text that was edited with "\n" alone with its original line ends.

    Unchanged lines keep theirs (CRLF, LF, CR, U+2028, U+2029); new ones get the most common.
    """
    if edited == before:
        return before
    edited = edited.replace("\r\n", "\n")
    if not any(end in before for end in "\r\u2028\u2029"):
        return edited
    ends = _END.findall(before)
    common = _commonest(ends)
    if not set(ends) - {common}:
        return edited.replace("\n", common)
    return _joined(_END.split(before), ends, edited.split("\n"), common=common)


def _commonest(ends: list[str]) -> str:
    counted = Counter(end for end in ends if end not in "\u2028\u2029")
    return counted.most_common(1)[0][0] if counted else "\n"


def _joined(old: list[str], ends: list[str], new: list[str], *, common: str) -> str:
    result = [common] * len(new)
    for i, j in _pairs(old, new):
        if i < len(ends):
            result[j] = ends[i]
    result[-1] = ""
    for j in range(len(new) - 1):
        if result[j] == "\r" and not new[j + 1] and result[j + 1] == "\n":
            result[j] = "\n"  # the two in a row would be read as one CRLF
    return "".join(line + end for line, end in zip(new, result, strict=True))


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of equal lines, as (number in the old text, number in the new text)."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        yield head, head
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
        yield len(old) - tail, len(new) - tail
    yield from _matched(old, new, first=head, last=tail)


def _matched(old: list[str], new: list[str], *, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Pair the lines between the first `first` and the last `last` lines, in one pass over both texts.

    A line is paired with the next equal one. Lines are skipped only if the following line matches as well, or if there
    is only one equal line: otherwise a blank line would be paired with one far below.
    """
    places: dict[str, list[int]] = {}
    for index in range(first, len(old) - last):
        places.setdefault(old[index], []).append(index)
    after = first
    for index in range(first, len(new) - last):
        like = places.get(new[index], [])
        at = bisect_left(like, after)
        if at == len(like):
            continue
        place = like[at]
        if place == after or len(like) == 1 or old[place + 1 : place + 2] == new[index + 1 : index + 2]:
            yield place, index
            after = place + 1
