"""Patches a document where its note changed, and leaves the rest untouched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from app.reader.document_writer import MOST as MOST_LENGTH
from app.reader.document_writer import DocumentWriter, changed, cost, grouped, unmoved, with_new_lines
from app.reader.fill_scheduler import FillScheduler
from app.reader.language_alignment import Row
from app.reader.page_set import PageSet
from app.reader.reader_document import Built

_MORE = 3  # chunks that may be inserted in addition to as many as are removed
MOST = 12  # chunks inserted at once; if more are new, the page is rebuilt
MOST_GONE = 36  # chunks removed at once


def alike(one: PageSet, other: PageSet) -> bool:
    """Return whether two pages differ only in the text of their notes."""
    return _framed(one) == _framed(other)


def _framed(pages: PageSet) -> tuple[object, ...]:
    own = (pages.key, pages.mode, pages.root, pages.tags)
    return (
        *own,
        tuple(pages.pages),
        *map(dict, (pages.note_paths, pages.folders, pages.proven, pages.proven_on, pages.heads)),
    )


def patch(built: Built, writer: DocumentWriter, filling: FillScheduler, new: Sequence[Row]) -> bool:
    """Make a document show the `new` rows; return False, and change nothing, if too little of it would stay."""
    starts = [0]
    for chunk in built.chunks:
        starts.append(starts[-1] + len(chunk.rows))
    old = [row for chunk in built.chunks for row in chunk.rows]
    old += [row for rows in filling.waiting for row in rows]
    same, rest = changed(old, new)
    count = len(built.chunks)
    if same >= starts[-1] or same == len(old) == len(new):  # the change is not filled in yet
        _update_lines(built, new, count, count, len(new))
        built.take(count, count, [])
        filling.change(grouped(new[starts[-1] :]))
        return True
    at = max(number for number, start in enumerate(starts[:-1]) if start <= same)
    over = max(len(old) - rest, same + 1)  # index of the first row that stays
    end = next((number for number, start in enumerate(starts) if start >= over), count)
    after = len(new) - (len(old) - starts[end]) if end < count else len(new)
    if at == 0 and not after and end < count:
        end += 1  # a document cannot begin with nothing
        after += len(built.chunks[end - 1].rows)
    fresh = grouped(new[starts[at] : after])
    if end == count:
        gone = sum(cost(row) for chunk in built.chunks[at:end] for row in chunk.rows)
        fresh = _as_much(fresh[: end - at + _MORE], gone)  # the rest is filled in later
    if end - at > MOST_GONE or len(fresh) > MOST + _MORE or (at == 0 and (not fresh or end == count)):
        return False
    _update_lines(built, new, at, end, after)
    writer.replace(at, end, fresh)
    filling.change(grouped(new[sum(len(one.rows) for one in built.chunks) :]))
    return True


def _as_much(chunks: list[list[Row]], much: int) -> list[list[Row]]:
    """Return the first chunks that cost as `much` as was removed, and a little more; each may take long by itself."""
    shown = accumulate(sum(map(cost, rows)) for rows in chunks)
    enough = next((number for number, length in enumerate(shown, 1) if length >= much + MOST_LENGTH), len(chunks))
    return chunks[:enough]


def _update_lines(built: Built, new: Sequence[Row], at: int, end: int, after: int) -> None:
    """Update the source lines of the chunks that stay; those from `end` on begin with the row `after`."""
    for number, chunk in enumerate(built.chunks):
        if number == end:
            begins = after
        elif number == 0:
            begins = 0
        if not at <= number < end:
            rows = new[begins : begins + len(chunk.rows)]
            if not all(map(unmoved, chunk.rows, rows)):
                with_new_lines(chunk, rows, built.targets)
            begins += len(chunk.rows)
