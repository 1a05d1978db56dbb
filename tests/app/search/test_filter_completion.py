"""Filters that are being typed: what they may become."""

from __future__ import annotations

from app.i18n import Translator
from app.search.filter_completion import is_whole, offers
from kb.notes.note_listing import NoteEntry

ENTRIES = (
    NoteEntry("tensors/gather", "tensors", "gather", {}, {}, ("indexing", "tensors")),
    NoteEntry("tensors/views/expand", "tensors/views", "expand", {}, {}, ("tensors", "broad cast")),
)
EN = Translator("en")


def texts(text: str, cursor: int | None = None) -> list[str]:
    """Return what the field would hold for each offer."""
    return [one.text for one in offers(text, len(text) if cursor is None else cursor, ENTRIES, EN)]


def test_tags_are_those_of_the_vault_the_commonest_first() -> None:
    """With how many notes have each; one with a blank is put in quotation marks."""
    assert texts("tag:") == ["tag:tensors ", 'tag:"broad cast" ', "tag:indexing "]
    assert [one.detail for one in offers("tag:", 4, ENTRIES, EN)] == ["2 notes", "1 note", "1 note"]
    assert texts("gather tag:in") == ["gather tag:indexing "]
    assert texts("-标签：t")[0] == "-标签：tensors "


def test_what_begins_so_goes_before_what_has_it_inside() -> None:
    """Folders by their whole path."""
    assert texts("path:vi") == ["path:tensors/views "]
    assert texts("path:") == ["path:tensors ", "path:tensors/views "]


def test_the_values_of_a_filter_are_told_in_words() -> None:
    """Languages, states, devices, what a section has, and when."""
    assert [(one.label, one.detail) for one in offers("lang:z", 6, ENTRIES, EN)] == [("lang:zh", "Chinese")]
    assert texts("status:f") == ["status:failed "]
    assert texts("has:sn") == ["has:snippet "]
    assert texts("device:cu") == ["device:cuda "]
    assert texts("modified:w") == ["modified:week "]


def test_the_rest_of_the_query_stays() -> None:
    """What stands behind the cursor is put behind the blank."""
    assert texts("lang:e gather", 6) == ["lang:en gather"]


def test_nothing_is_offered_where_nothing_is_being_completed() -> None:
    """Plain words, unknown filters, values that stand already, a cursor inside a word."""
    for text, cursor in (
        ("tensors", 7),
        ("foo:t", 5),
        ("lang:zh", 7),
        ("lang:zh ", 8),
        ("tag:tens", 6),
        ("title:x", 7),
    ):
        assert texts(text, cursor) == [], text


def test_a_value_that_is_known_is_whole() -> None:
    """So that Enter opens the first hit instead of taking an offer."""
    assert is_whole("tag:tensors", 11, ENTRIES, EN)
    assert not is_whole("tag:tens", 8, ENTRIES, EN)
    assert is_whole("gather", 6, ENTRIES, EN)
