"""Characters of an index by sound and shape."""

from __future__ import annotations

from pathlib import Path

from kb.search.char_index import UNUSUAL
from tests.kb.search.pinyin_helpers import snapshot_of, voices_of

NOTES = {"a.md": "# 结果\n\n结果，节点，吉利，已经，精度，重量，绿色，浪费\n"}


def test_characters_are_known_by_what_they_may_sound_like(tmp_path: Path) -> None:
    """An unusual reading is possible, too; ü is typed as v and as u."""
    with snapshot_of(tmp_path, NOTES) as snapshot:
        _, voices = voices_of(snapshot)
        assert voices.saying["jie"]["结"] == voices.saying["jie"]["节"] == 1
        assert voices.saying["chong"]["重"] == UNUSUAL
        assert "绿" in voices.saying["lv"]
        assert "绿" in voices.saying["lu"]
        assert voices.saying.get("zhang") is None


def test_what_may_be_meant_by_a_wrong_character(tmp_path: Path) -> None:
    """What sounds like it comes before what looks like it or sounds nearly so; what does both before all."""
    with snapshot_of(tmp_path, NOTES) as snapshot:
        _, voices = voices_of(snapshot)
        assert voices.meant("洁").keys() >= {"结", "节"}
        assert voices.meant("洁")["结"] > voices.meant("洁")["节"]  # it looks like it, too
        assert voices.meant("己")["已"] < voices.meant("洁")["节"]
        assert voices.meant("金")["精"] < 1  # nearly
        assert "度" not in voices.meant("洁")
        assert "结" not in voices.meant("结")
        assert voices.meant("カ") == {}
