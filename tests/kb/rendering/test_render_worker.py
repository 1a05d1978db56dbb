"""What was sent before is named and not made again, and no piece keeps the others waiting."""

from __future__ import annotations

import time
from typing import Any

import pytest

from kb.rendering import piece_cache, render_worker
from kb.rendering.piece_cache import KnownPiece, PieceReceiver, Sent
from kb.rendering.render import Rendering, render
from kb.rendering.render_worker import RenderWorker
from kb.rendering.rendered_page import Page, joined
from kb.rendering.time_limit import TimeLimitExceeded
from kb.rendering.viewport import Viewport

TEXT = "# T\n\n" + "".join(f"## Part {n}\n\n{'words ' * 200}{n}\n\n" for n in range(40))


def sent_by(sender: RenderWorker, text: str, **how: Any) -> list[Sent]:
    """Return what is sent of a whole note."""
    return [one for _, one in sender.pieces(text, "a.md", **how) if not isinstance(one, Viewport)]


def test_both_ends_have_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is room for a few pieces only: what was let go of is made again."""
    monkeypatch.setattr(piece_cache, "MOST", 9)
    monkeypatch.setattr(render_worker, "MOST", 4)
    sender, receiver = RenderWorker(), PieceReceiver()
    for text in (TEXT, TEXT.replace("Part 7", "Part seven"), "# Short", TEXT, TEXT[:9_000] + "x" + TEXT[9_000:]):
        page = joined([receiver.receive(sent) for sent in sent_by(sender, text)])
        assert page == render(text, path="a.md")
        assert set(receiver._kept) == set(sender._kept)
        assert len(receiver._kept) <= 9


def test_what_has_not_changed_is_named() -> None:
    """And what stands where it stood is the same thing."""
    sender, receiver = RenderWorker(), PieceReceiver()
    first = [receiver.receive(sent) for sent in sent_by(sender, TEXT)]
    sent = sent_by(sender, TEXT.replace("Part 7\n", "Part seven\n"))
    assert sum(not isinstance(one, KnownPiece) for one in sent) <= 2
    again = [receiver.receive(one) for one in sent]
    assert [one is other for one, other in zip(first, again, strict=True)].count(False) <= 2


def test_pieces_that_take_too_long_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of them are tried, and what comes after is as it was written, at once."""
    tried: list[int] = []

    def slow(self: Rendering, number: int) -> object:
        tried.append(number)
        while True:
            time.process_time()

    monkeypatch.setattr(Rendering, "shown", slow)
    pieces = sent_by(RenderWorker(), TEXT, seconds=0.02)
    assert tried == [0, 1]
    assert all(not isinstance(piece, KnownPiece) and piece.plain for piece in pieces)
    page: Page = joined([PieceReceiver().receive(piece) for piece in pieces])
    assert page.plain
    assert [section.heading for section in page.sections] == ["T", *(f"Part {n}" for n in range(40))]
    assert issubclass(TimeLimitExceeded, BaseException)
