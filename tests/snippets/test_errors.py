"""Errors of the snippets package."""

from __future__ import annotations

import pickle

from snippets.errors import RunnerFailed, Sentence, SnippetError, UnknownDevice


def test_an_error_speaks_both_languages() -> None:
    """`str` is the English sentence, `sentence` gives either."""
    error = UnknownDevice("no such device", "没有这个设备")
    assert (str(error), error.sentence("en"), error.sentence("zh")) == (
        "no such device",
        "no such device",
        "没有这个设备",
    )
    assert isinstance(error, SnippetError)


def test_an_error_travels_between_processes() -> None:
    """Pickling keeps the class and both sentences."""
    again = pickle.loads(pickle.dumps(RunnerFailed("a", "甲")))
    assert type(again) is RunnerFailed
    assert (again.en, again.zh) == ("a", "甲")


def test_a_sentence_is_given_in_the_language_asked_for() -> None:
    """Chinese for "zh", English for anything else."""
    assert Sentence("a", "甲").in_language("zh") == "甲"
    assert Sentence("a", "甲").in_language("en") == "a"
