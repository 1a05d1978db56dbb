"""The page beside a long note: the part that is looked at, in step with the source, wherever one writes or reads."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

PARTS = 300
PART = """## Part {n}

The words of part {n} [there](#part-3), and a task.

- [ ] do {n}

```python id=p{n}
print("said by {n}")
```

| a | b |
|---|---|
| {n} | 2 |

"""
HEIGHT = 14  # lines of a part


@pytest.fixture
def writing(run: Any) -> Any:
    """Give a window with the editor open on a long note, its page beside it."""
    text = "# Long\n\n" + "".join(PART.replace("{n}", str(n)) for n in range(PARTS))
    (run.workspace.vault.root / "long.md").write_text(text, "utf-8")
    run.open("long.md")
    run.window.activateWindow()
    run.window.central.edit("long.md", 1)
    run.until(lambda: not run.window.central.editor.source.loading)
    run.until(lambda: "Part 0" in page_of(run))
    return run


def page_of(run: Any) -> str:
    """Return all that the page beside the source has."""
    return str(run.window.central.preview.view.toPlainText().replace("\u00a0", " "))


def seen(run: Any) -> str:
    """Return the text of what is in view on the page."""
    view = run.window.central.preview.view
    block = view.cursorForPosition(QPoint(40, 1)).block()
    end = view.cursorForPosition(QPoint(40, view.viewport().height() - 1)).block().position()
    said = []
    while block.isValid() and block.position() <= end:
        said.append(block.text())
        block = block.next()
    return "\n".join(said).replace("\u00a0", " ")


def part_of(run: Any) -> Any:
    """Return what of the note is on the page."""
    return run.window.central.editor._scheduler.part


def write_at(run: Any, part: int, text: str) -> None:
    """Type at the end of a part's paragraph."""
    source = run.window.central.editor.source
    source.go_to_line(3 + HEIGHT * part + 2)
    source.moveCursor(QTextCursor.MoveOperation.EndOfBlock)
    QTest.keyClicks(source, text)


def test_what_is_typed_is_seen_wherever_it_is(writing: Any) -> None:
    """At the top, in the middle and at the end; the page has a part, which stays bounded."""
    for part, word in ((0, " first"), (PARTS // 2, " middle"), (PARTS - 1, " last"), (40, " again")):
        write_at(writing, part, word)
        said = f"The words of part {part} there, and a task.{word}"
        writing.until(lambda said=said: said in seen(writing))
        writing.until(lambda: not part_of(writing).unsettled)
        assert part_of(writing).above or part_of(writing).below
        assert page_of(writing).startswith("Long") is not bool(part_of(writing).above)  # the title begins the note
        assert len(page_of(writing)) < 60_000


def test_a_part_grows_and_what_is_in_view_stays(writing: Any) -> None:
    """Above and below, until there is room; not a pixel moves meanwhile."""
    view = writing.window.central.preview.view
    write_at(writing, 200, " here")
    writing.until(lambda: "task. here" in seen(writing))
    first, before = part_of(writing), set()

    def settled() -> bool:
        cursor = view.document().find("task. here")
        before.add((view.cursorRect(cursor).top(), view.cursorRect(cursor).left()))
        return not part_of(writing).unsettled

    writing.until(settled)
    assert part_of(writing).above < first.above
    assert len(before) == 1


def test_who_reads_on_finds_more(writing: Any) -> None:
    """Scrolled to where the part ends, the page goes on, in either direction, as far as the note does."""
    view = writing.window.central.preview.view
    bar, first = view.verticalScrollBar(), part_of(writing)
    assert first.above == 0 < first.below
    read: list[int] = []

    def on(step: int, number: int) -> bool:
        bar.setValue(bar.value() + step)
        read.extend(int(line.split()[1]) for line in seen(writing).split("\n") if line.startswith("Part "))
        return number in read

    writing.until(lambda: on(400, 190), seconds=120)
    assert sorted(set(read)) == list(range(min(read), max(read) + 1))  # none was passed over
    writing.until(lambda: part_of(writing).above > 0)  # what lies behind is let go of last
    read.clear()
    writing.until(lambda: on(-400, 0), seconds=120)
    assert "Long" in page_of(writing)


def test_a_link_to_a_place_that_is_not_there_turns_to_it(writing: Any) -> None:
    """The caret goes to the heading, and the page follows; a note that has no such place has it said."""
    write_at(writing, 280, " x")
    writing.until(lambda: "task. x" in seen(writing))
    view, source = writing.window.central.preview.view, writing.window.central.editor.source
    view.link_activated.emit("#part-3")
    writing.until(lambda: source.line() == 3 + HEIGHT * 3)
    writing.until(lambda: "Part 3\n" in seen(writing))
    asked: list[str] = []
    writing.window.central.preview.listen_for_links(asked.append)
    view.link_activated.emit("#nowhere")
    view.link_activated.emit("other.md")
    writing.until(lambda: sorted(asked) == ["#nowhere", "other.md"])


def test_a_block_runs_where_it_is(writing: Any) -> None:
    """Its output stands under it, also after the page was elsewhere and came back."""
    write_at(writing, 200, "")
    source = writing.window.central.editor.source
    source.go_to_line(3 + HEIGHT * 200 + 7)
    writing.until(lambda: 'print("said by 200")' in seen(writing))
    writing.window.central.editor.run_at(source.line())
    writing.until(lambda: "\nsaid by 200" in page_of(writing), seconds=60)
    write_at(writing, 20, " far")
    writing.until(lambda: "task. far" in seen(writing))
    assert "said by 200" not in page_of(writing)
    source.go_to_line(3 + HEIGHT * 200 + 7)
    writing.until(lambda: "\nsaid by 200" in page_of(writing))
