"""Tests of the targets of links and pictures: a document has only their numbers."""

from __future__ import annotations

import pytest

from app.reader.link_targets import (
    ButtonTarget,
    ImageTarget,
    JumpTarget,
    LinkTargets,
    LoadImage,
    TagTarget,
    Target,
    as_written,
    readable_target,
)


def test_an_address_leads_back_to_its_target() -> None:
    """Equal targets share an address, different ones never do."""
    targets = LinkTargets()
    wanted: list[Target] = ["a.md", "b.md", ButtonTarget(0, "run"), JumpTarget("zh", "x"), JumpTarget("en", "x")]
    addresses = [targets.link(target) for target in wanted]
    assert len(set(addresses)) == len(wanted)
    assert [targets.link_of(address) for address in addresses] == wanted
    assert targets.link("a.md") == addresses[0]


def test_pictures_have_numbers_of_their_own() -> None:
    """The same picture twice has two names, as its size may differ."""
    targets = LinkTargets()
    first, second = targets.picture(ImageTarget("a.png")), targets.picture(ImageTarget("a.png", width=3))
    assert first != second
    assert targets.picture_of(second) == ImageTarget("a.png", width=3)
    assert targets.link_of(first) is None


@pytest.mark.parametrize("number", ["", "1", "-1", "0x", "٠", "999999999999"])
def test_an_unknown_number_has_no_target(number: str) -> None:
    """Only the numbers that were given out lead anywhere."""
    targets = LinkTargets()
    targets.link("a.md")
    found = targets.link_of(f"{targets.scheme}:{number}")
    assert found is None or int(number) == 0


def test_a_note_cannot_guess_an_address() -> None:
    """The scheme differs from document to document, and other schemes have no target."""
    targets, other = LinkTargets(), LinkTargets()
    assert targets.scheme != other.scheme
    assert targets.link_of(other.link("a.md")) is None
    assert targets.link_of("0") is None


@pytest.mark.parametrize(
    ("target", "written", "readable"),
    [
        ("wiki:%E5%BC%A0%E9%87%8F#a", "wiki:%E5%BC%A0%E9%87%8F#a", "[[张量#a]]"),
        ("a%20b/%E5%BC%A0.md", "a%20b/%E5%BC%A0.md", "a b/张.md"),
        ("https://x.org/a%20b", "https://x.org/a%20b", "https://x.org/a%20b"),
        (JumpTarget("zh", "fn:1"), "#fn:1", ""),
        (JumpTarget("zh", "part"), "#part", "#part"),
        (LoadImage("https://x.org/a.png"), "https://x.org/a.png", "https://x.org/a.png"),
        (ButtonTarget(0, "run"), "", ""),
        (TagTarget("T11"), "", ""),
        (None, "", ""),
    ],
)
def test_how_targets_are_shown(target: Target | None, written: str, readable: str) -> None:
    """A link is copied as the note has it, and shown decoded; buttons and footnotes show no address."""
    assert as_written(target) == written
    assert readable_target(target) == readable
