"""What can be done about a query that was corrected, or that found nothing."""

from __future__ import annotations

from dataclasses import replace

from app.i18n import Translator
from app.search.suggestions import advice, exactly, instead, unknown_error
from kb.results import SearchResult


def test_what_was_typed_is_one_step_away_from_what_was_meant() -> None:
    """The corrected words in quotation marks, the others as they were."""
    (offer,) = instead(SearchResult("scater 冻洁参数 index", (), "scatter 冻结参数 index", 0.0), Translator("en"))
    assert offer.label == "Showing results for scatter 冻结参数 index"
    assert offer.detail == "search instead for scater 冻洁参数"
    assert offer.text == '"scater" "冻洁参数" index'
    assert instead(SearchResult("scatter", (), None, 0.0), Translator("en")) == ()


def test_filters_and_phrases_stay_as_they_are() -> None:
    """Only words are corrected."""
    assert exactly('tag:scater "a phrase" meshgird', '"a phrase" meshgrid') == 'tag:scater "a phrase" "meshgird"'


def test_each_condition_can_be_dropped() -> None:
    """Filters, exclusions and quotation marks, one at a time."""
    sentence, ways = advice('gather tag:amp -apex "running mean"', Translator("en"), unfinished=False)
    assert "fits all of this" in sentence
    assert [(way.label, way.text) for way in ways] == [
        ("Without tag:amp", 'gather -apex "running mean"'),
        ("Without -apex", 'gather tag:amp "running mean"'),
        ("Not word for word", "gather tag:amp -apex running mean"),
    ]


def test_plain_words_that_are_not_there_are_told_so() -> None:
    """And while the index grows, that it does."""
    assert advice("zzqq", Translator("zh"), unfinished=False) == (
        "没有找到。换个说法、少写几个词，或改用另一种语言的术语。",
        (),
    )
    assert "indexing goes on" in advice("zzqq", Translator("en"), unfinished=True)[0]


def test_an_error_that_no_note_has_is_said_above_the_nearest() -> None:
    """And of nothing else is it said."""
    asked = SearchResult("KeyError: 'x'", (), None, 0.0, unknown_error=True)
    assert unknown_error(asked, Translator("en")) == "No note has the words of this error; these are the nearest."
    assert unknown_error(replace(asked, unknown_error=False), Translator("en")) == ""
