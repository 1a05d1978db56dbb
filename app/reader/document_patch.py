"""Puts into a document what changed of its note, and leaves the rest of it as it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from app.reader.document_writer import MOST as MOST_LENGTH
from app.reader.document_writer import DocumentWriter, changed, cost, grouped, unmoved, with_new_lines
from app.reader.fill_scheduler import FillScheduler
from app.reader.language_alignment import Row
from app.reader.page_set import PageSet
from app.reader.reader_document import Built

_MORE = 3  # stretches that may come in the place of those that go, beside as many
MOST = 12  # stretches that are put in at one go; where more are new, the page is made anew
MOST_GONE = 36  # that are taken out


def alike(one: PageSet, other: PageSet) -> bool:
    """Tell whether two pages differ in nothing but what their notes say."""
    return _framed(one) == _framed(other)


def _framed(pages: PageSet) -> tuple[object, ...]:
    return (
        pages.key, pages.mode, tuple(pages.pages), dict(pages.note_paths), pages.root, dict(pages.folders), pages.tags,
        dict(pages.proven), dict(pages.heads),
    )  # fmt: skip


def patch(built: Built, grower: DocumentWriter, filling: FillScheduler, new: Sequence[Row]) -> bool:
    """Have a document show these rows; False, and nothing is done, where too little of it would stay."""
    starts = [0]
    for stretch in built.stretches:
        starts.append(starts[-1] + len(stretch.rows))
    old = [row for stretch in built.stretches for row in stretch.rows]
    old += [row for rows in filling.waiting for row in rows]
    same, rest = changed(old, new)
    count = len(built.stretches)
    if same >= starts[-1] or same == len(old) == len(new):  # nothing of it is there yet
        _tell(built, new, count, count, len(new))
        built.take(count, count, [])
        filling.change(grouped(new[starts[-1] :]))
        return True
    at = max(number for number, start in enumerate(starts[:-1]) if start <= same)
    over = max(len(old) - rest, same + 1)  # the first row that stays
    end = next((number for number, start in enumerate(starts) if start >= over), count)
    after = len(new) - (len(old) - starts[end]) if end < count else len(new)
    if at == 0 and not after and end < count:
        end += 1  # the document begins with something
        after += len(built.stretches[end - 1].rows)
    fresh = grouped(new[starts[at] : after])
    if end == count:
        gone = sum(cost(row) for stretch in built.stretches[at:end] for row in stretch.rows)
        fresh = _as_much(fresh[: end - at + _MORE], gone)  # the rest is filled in as what is not there yet always is
    if end - at > MOST_GONE or len(fresh) > MOST + _MORE or (at == 0 and (not fresh or end == count)):
        return False
    _tell(built, new, at, end, after)
    grower.replace(at, end, fresh)
    filling.change(grouped(new[sum(len(one.rows) for one in built.stretches) :]))
    return True


def _as_much(stretches: list[list[Row]], much: int) -> list[list[Row]]:
    """Return the stretches that it takes to show as `much` and a little more; each may take long by itself."""
    shown = accumulate(sum(map(cost, rows)) for rows in stretches)
    enough = next((number for number, length in enumerate(shown, 1) if length >= much + MOST_LENGTH), len(stretches))
    return stretches[:enough]


def _tell(built: Built, new: Sequence[Row], at: int, end: int, after: int) -> None:
    """Tell the stretches that stay where their rows stand now; those from `end` on begin with the row `after`."""
    for number, stretch in enumerate(built.stretches):
        if number == end:
            begins = after
        elif number == 0:
            begins = 0
        if not at <= number < end:
            rows = new[begins : begins + len(stretch.rows)]
            if not all(map(unmoved, stretch.rows, rows)):
                with_new_lines(stretch, rows, built.targets)
            begins += len(stretch.rows)
