"""The part of a long note that is shown has what is looked at, is bounded, and changes at one end at a time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.rendering import viewport
from kb.rendering.piece_cache import PieceReceiver
from kb.rendering.render import Rendering, render
from kb.rendering.render_worker import RenderWorker
from kb.rendering.rendered_page import joined
from kb.rendering.viewport import WHOLE, Viewport, ViewportRequest, chosen


class Note:
    """A note of pieces that cost so much, with ten lines each, but for those that share a line with the one before."""

    def __init__(self, costs: Sequence[int], shared: Collection[int] = ()) -> None:
        self.costs = costs
        self.count = len(costs)
        self._begins = list(accumulate((10 * (number not in shared) for number in range(1, len(costs))), initial=1))
        self.lines = self._begins[-1] + 9

    def line(self, number: int) -> int:
        return self._begins[number]

    def at_line(self, line: int) -> int:
        return max(0, bisect_right(range(self.count), line, key=self.line) - 1)

    def cost(self, number: int) -> int:
        return self.costs[number]


def room(note: Note, part: Viewport) -> int:
    """Give what a part costs."""
    return sum(note.costs[part.first : part.first + part.count])


def test_a_short_note_is_shown_whole() -> None:
    """Whatever was shown of it before."""
    note = Note([1_000] * (WHOLE // 1_000))
    assert chosen(note, ViewportRequest(7)) == Viewport(0, note.count, 0, 0, note.lines)
    assert chosen(note, ViewportRequest(7, 300, 300)) == Viewport(0, note.count, 0, 0, note.lines)
    assert Viewport(0, note.count, 0, 0, note.lines).has(10**6)


@given(st.lists(st.integers(0, 12_000), min_size=60, max_size=200), st.frozensets(st.integers(1, 199)), st.data())
def test_a_part_grows_step_by_step_until_it_is_right(
    costs: list[int], shared: frozenset[int], data: st.DataObject
) -> None:
    """One end moves at a time, the line that is looked at stays in it, and at last there is room on both sides."""
    note = Note([*costs, WHOLE], shared)
    line = data.draw(st.integers(1, note.lines))
    part = chosen(note, ViewportRequest(line))
    assert part.has(line)
    assert chosen(note, ViewportRequest(line, part.above, part.below)) == part  # a key leaves it what it is
    for share in (None, *data.draw(st.lists(st.floats(0, 1), max_size=8))):
        shown = part.above + 1, note.lines - part.below
        here = line if share is None else round(shown[0] + share * (shown[1] - shown[0]))
        for _ in range(200):
            before, part = part, chosen(note, ViewportRequest(here, part.above, part.below, grows=True))
            assert part.has(here)
            assert part.above == before.above or part.below == before.below
            if not part.unsettled:
                break
        assert part == chosen(note, ViewportRequest(here, part.above, part.below, grows=True))
    at = bisect_left(range(note.count), note.line(note.at_line(here)), key=note.line)
    for side, end in ((range(part.first, at), 0), (range(at + 1, part.first + part.count), note.count)):
        assert sum(note.costs[number] for number in side) >= viewport._ROOM or end in {
            part.first,
            part.first + part.count,
        }
    if not shared:
        assert room(note, part) <= viewport._MOST + 3 * max(note.costs)


def test_what_is_looked_at_elsewhere_begins_a_part_anew() -> None:
    """With a little above it, and more below; at the ends of the note there is no more."""
    note = Note([1_000] * 400)
    first = chosen(note, ViewportRequest(1))
    assert (first.above, first.unsettled) == (0, False)
    assert not first.has(2_001)
    there = chosen(note, ViewportRequest(2_001, first.above, first.below, grows=True))
    assert there.has(2_001)
    assert there.first == 200 - viewport._ABOVE // 1_000
    assert there.unsettled
    last = chosen(note, ViewportRequest(10**6))
    assert (last.below, last.first + last.count) == (0, 400)


def test_a_part_that_is_read_through_loses_what_is_behind() -> None:
    """Down and up again, it stays bounded, and there is always more ahead."""
    note = Note([1_000] * 400)
    part = chosen(note, ViewportRequest(1))
    for line in (*range(1, 4_000, 7), *range(4_000, 0, -7)):
        part = chosen(note, ViewportRequest(line, part.above, part.below, grows=True))
        assert part.has(line)
        assert part.count * 1_000 <= viewport._MOST + 4 * viewport._STEP
        assert part.has(min(4_000, line + 80))
        assert part.has(max(1, line - 20))


TEXT = "# T\n\n" + "".join(
    f"## Part {n}\n\nA note[^a] and {'words ' * 150}{n}.\n\n- [ ] do\n\n```python\n{n}\n```\n\n" for n in range(60)
)


@pytest.mark.parametrize("foot", ["[^a]: what it says\n", ""])
def test_a_part_is_what_the_page_has_there(foot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines, its anchors and its footnotes are those of the whole note, edited or not, above it or in it."""
    monkeypatch.setattr(viewport, "WHOLE", 10_000)
    monkeypatch.setattr(viewport, "_BELOW", 6_000)
    sender, receiver = RenderWorker(), PieceReceiver()
    text, part = TEXT + foot, Viewport()
    for place, put in ((0, ""), (0, "above\n\n"), (30_000, "x"), (30_000, "\n\n## Part 3\n\n"), (len(TEXT), "end[^a]")):
        text = text[:place] + put + text[place:]
        line = text[:30_000].count("\n") + 1
        asked = ViewportRequest(line, part.above, part.below) if part.count else ViewportRequest(line)
        (count, told), *sent = sender.pieces(text, "a.md", asked=asked)
        assert isinstance(told, Viewport)
        part = told
        taken = [(left, receiver.receive(one)) for left, one in sent if not isinstance(one, Viewport)]
        page = joined(piece for left, piece in taken if left < count)
        whole = Rendering(text, "a.md")
        pieces = [whole.shown(number) for number in range(whole.count)]
        assert page == joined(pieces[part.first : part.first + part.count])
        assert part.count < whole.count
        assert part.has(line)
        assert joined(pieces) == render(text, path="a.md")
        assert (part.above, part.lines - part.below) == (
            pieces[part.first].line - 1,
            whole.line(part.first + part.count) - 1,
        )
