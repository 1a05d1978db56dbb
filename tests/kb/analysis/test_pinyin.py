"""How Chinese sounds, and what is typed for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import lazy_pinyin
from pypinyin.seg.mmseg import seg

from kb.analysis import pinyin
from kb.analysis.pinyin import LONGEST, SYLLABLES, fits, matched_prefix, near, plain, readings, spelled, splits

HAN = st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), max_size=12)


@given(
    st.text(
        alphabet=st.one_of(
            st.sampled_from("混合精度重新一丁不识长大行银了的"),
            st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5),
        ),
        max_size=12,
    )
)
def test_chinese_is_said_as_pypinyin_says_it(text: str) -> None:
    """The same pieces, with the same sounds, from its files alone."""
    pieces = list(pinyin._cut(text))
    assert pieces == list(seg.cut(text))
    said = [one for piece in pieces for one in pinyin._said_in(piece)]
    assert said == [plain(one) for one in lazy_pinyin(text)]


def test_readings_have_no_tones() -> None:
    """Every way to say a character, each once; ü is v."""
    assert readings("重")[:2] == ("zhong", "chong")
    assert "lv" in readings("绿")
    assert readings("a") == ()


@pytest.mark.parametrize("typed", ["LǛ", "lü", "lv", "Lv"])
def test_typed_pinyin_is_compared_plainly(typed: str) -> None:
    """Upper case, tones and ü are what v is."""
    assert plain(typed) == "lv"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zhong", "zong"),
        ("chi", "ci"),
        ("shan", "san"),
        ("nan", "lan"),
        ("lang", "lan"),
        ("jing", "jin"),
        ("fen", "feng"),
    ],
)
def test_near_sounds_are_one(one: str, other: str) -> None:
    """What many do not tell apart."""
    assert near(one) == near(other)


@pytest.mark.parametrize(("one", "other"), [("zhong", "chong"), ("dong", "don"), ("jing", "qing"), ("he", "e")])
def test_other_sounds_are_two(one: str, other: str) -> None:
    """What everybody tells apart stays apart."""
    assert near(one) != near(other)


def test_letters_are_cut_into_syllables_in_every_way() -> None:
    """Those with the fewest first; the last may be begun only where that is asked for."""
    assert splits("xian") == (("xian",), ("xi", "an"))
    assert set(splits("fangan")) == {("fan", "gan"), ("fang", "an")}
    assert splits("hunhej") == ()
    assert splits("hunhej", begun=True) == (("hun", "he", "j"),)
    assert splits("tensor") == splits("tensor", begun=True) == ()
    assert splits("") == ()
    assert splits("a" * 49) == ()


@given(st.lists(st.sampled_from(sorted(SYLLABLES)), min_size=1, max_size=8))
def test_what_is_put_together_can_be_cut(syllables: list[str]) -> None:
    """Syllables typed in a row can be read as syllables, all of which give the letters again."""
    typed = "".join(syllables)
    ways = splits(typed)
    assert ways
    assert all("".join(way) == typed and SYLLABLES.issuperset(way) for way in ways)
    assert [len(way) for way in ways] == sorted(len(way) for way in ways)


def test_every_common_character_is_said_in_one_syllable() -> None:
    """The 3,755 characters that GB 2312 calls common can all be typed."""
    common = b"".join(bytes((row, cell)) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF))[: 2 * 3755]
    assert not {one for one in common.decode("gb2312") if readings(one)[0] not in SYLLABLES}


def test_a_heading_is_spelled_from_each_of_its_characters() -> None:
    """By pinyin and by initials, in simplified characters, with the reading that the word asks for."""
    terms = spelled("2.1 重新訓練 CUDA")
    assert "chongxinxunlian 5334重新训练" in terms
    assert "xunlian 34训练" in terms
    assert "cxxl 重新训练" in terms
    assert "xl 训练" in terms
    assert not any(term.startswith(("lian ", "zhong")) for term in terms)


def test_both_ways_to_type_an_umlaut_are_spelled() -> None:
    """V as on a keyboard, u as it is written after some letters."""
    assert {"celve 23策略", "celue 23策略", "cl 策略"} == set(spelled("策略"))


def test_no_word_begins_with_a_particle() -> None:
    """What is between words is not where typing begins."""
    assert not any(term.startswith("de") for term in spelled("模型的保存"))


def test_a_character_without_sound_ends_a_stretch() -> None:
    """What nobody can type is not spelled, what stands before it is."""
    silent = next(chr(code) for code in range(0x3400, 0x4DC0) if not readings(chr(code)))
    assert "xunlian 34训练" in spelled(f"训练{silent}集")
    assert not any(silent in term for term in spelled(f"训练{silent}集"))


@given(HAN)
def test_every_stretch_is_found_by_its_own_sound(text: str) -> None:
    """Typed whole, a term gives back all its characters, whole."""
    for term in spelled(text):
        sound, _, rest = term.partition(" ")
        written = rest.lstrip("0123456789")
        assert 2 <= len(written) <= LONGEST
        assert matched_prefix(term, sound) == (written, True)


@pytest.mark.parametrize(
    ("term", "typed", "expected"),
    [
        ("hunhejingdu 3242混合精度", "hunhe", ("混合", True)),
        ("hunhejingdu 3242混合精度", "hunhej", ("混合精", False)),
        ("hunhejingdu 3242混合精度", "hun", ("混合", False)),
        ("hunhejingdu 3242混合精度", "h", ("混合", False)),
        ("hunhejingdu 3242混合精度", "hunhejingduxunlian", ("混合精度", False)),
        ("hhjd 混合精度", "hhj", ("混合精", True)),
    ],
)
def test_what_was_typed_of_a_term(term: str, typed: str, expected: tuple[str, bool]) -> None:
    """The characters, and whether the last of them was typed to its end; two at least."""
    assert matched_prefix(term, typed) == expected


@pytest.mark.parametrize(
    "typed", ["xinjian", "XinJian", "xj", "xinj", "xjbj", "xinjbiji", "bj", "jian'biji", "xinjianbijiben"]
)
def test_chinese_fits_what_sounds_so(typed: str) -> None:
    """Pinyin, initials and both mixed, begun anywhere, in any reading of a character."""
    assert fits(typed, "文件：新建笔记本")


@pytest.mark.parametrize("typed", ["x", "", "xb", "xinjianx", "new", "新建", "x j", "n1"])
def test_chinese_does_not_fit_anything_else(typed: str) -> None:
    """A single letter says too little; what is no pinyin fits nothing."""
    assert not fits(typed, "文件：新建笔记本")


def test_any_reading_fits() -> None:
    """Who reads 行 as hang or xing, and 绿 with v or u, is understood."""
    assert all(fits(typed, "行列") for typed in ("hanglie", "xinglie", "hl", "xl"))
    assert all(fits(typed, "绿色") for typed in ("lvse", "luse", "ls", "lüse"))


@given(st.text(max_size=40), st.text(max_size=40))
def test_anything_may_be_typed(typed: str, text: str) -> None:
    """Whatever is typed there is an answer."""
    assert fits(typed, text) in {True, False}
