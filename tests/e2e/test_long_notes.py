"""A long note in the real window: its beginning is shown before the rest of it is there, and stays where it is."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from kb.files.paths import UserPaths

PARTS = 60
ZH = "# 长\n\n" + "".join(
    f"## 第 {number} 节\n\n{'一段话，' * 30}\n\n```python id=p{number}\nprint({number})\n```\n\n{'又一段。' * 30}\n\n"
    for number in range(PARTS)
)
EN = "# Long\n\n" + "".join(
    f"## Part {number}\n\n{'a few words of it, ' * 15}\n\n```python id=p{number}\nprint({number})\n```\n\n"
    f"{'and some more. ' * 15}\n\n"
    for number in range(PARTS)
)


@pytest.fixture
def places(places: UserPaths) -> UserPaths:
    """Give the small vault a long note in two languages, and one in one."""
    (places.user_vault / "long.zh.md").write_text(ZH, "utf-8")
    (places.user_vault / "long.en.md").write_text(EN, "utf-8")
    (places.user_vault / "alone.md").write_text(EN, "utf-8")
    return places


class Witness(QObject):
    """Sees what of the open note is there, and whether it was painted, when more of it comes."""

    def __init__(self, run: Any) -> None:
        super().__init__()
        self.view = run.window.central.reader.view
        self.seen: list[tuple[str, int, bool]] = []  # what came, the sections there are, painted before
        self._notes, self._painted = run.workspace.notes, False
        self.view.viewport().installEventFilter(self)
        self._notes.opened.connect(lambda _: self._see("opened"))
        self._notes.grown.connect(lambda _: self._see("grown"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Notice that the page is painted."""
        if isinstance(watched, QWidget) and event.type() == QEvent.Type.Paint:
            self._painted = self._notes.current is not None and "long" in self._notes.current.lead.path
        return False

    def _see(self, what: str) -> None:
        sections = next(iter(self._notes.current.pages.values())).sections
        self.seen.append((what, len(sections), self._painted))


@pytest.mark.parametrize(
    ("mode", "anchor", "heading"),
    [("both", "", ""), ("both", "part-12", "12"), ("en", "part-30", "30"), ("zh", "part-12", "12")],
)
def test_a_note_in_two_languages_is_begun_at_its_place(run: Any, mode: str, anchor: str, heading: str) -> None:
    """The beginning is painted before there is more; what is looked at stays, and all of it is there at last."""
    run.workspace.choose_mode(mode)
    witness, view = Witness(run), run.window.central.reader.view
    run.open("long.en.md", anchor=anchor)
    run.until(lambda: not heading or heading in view.section)
    place = view.place()
    run.until(lambda: len(witness.seen) == 2 and not view.busy)
    (first, begun, painted), (then, sections, _) = witness.seen
    assert (first, then, painted) == ("opened", "grown", True)
    assert begun < sections == PARTS + 1
    assert view.place() == place
    assert [placed.key for placed in view.placed] == [f"fence:p{number}" for number in range(PARTS)]
    assert f"Part {PARTS - 1}" in run.page() or mode == "zh"
    assert f"第 {PARTS - 1} 节" in run.page() or mode == "en"
    assert heading in view.section


def test_a_place_is_come_back_to_in_a_beginning(run: Any) -> None:
    """As it was left, to the pixel, though the page is no longer at hand."""
    run.open("alone.md", anchor="part-10")
    view = run.window.central.reader.view
    run.until(lambda: view.section == "part-10" and not view.busy)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 61)
    above, place = view.verticalScrollBar().value(), view.place()
    run.open("tensors/expand.md")
    run.workspace.notes._renderer._kept.clear()
    witness = Witness(run)
    with run.qtbot.waitSignal(run.workspace.notes.grown, timeout=30_000):
        run.workspace.notes.back()
    assert [what for what, _, _ in witness.seen] == ["opened", "grown"]
    assert witness.seen[0][1] < PARTS
    assert (view.verticalScrollBar().value(), view.place()) == (above, place)


def test_a_note_that_is_left_keeps_none_waiting(run: Any) -> None:
    """Whoever goes on while a very long note is still being rendered has the next one at once, by the same process."""
    (run.workspace.vault.root / "very.md").write_text("# Very\n\n" + EN * 40, "utf-8")
    notes, view = run.workspace.notes, run.window.central.reader.view
    run.open("tensors/expand.md")
    notes._renderer.render("# a", path="a.md")
    worker = notes._renderer._worker
    run.open("very.md")
    text = notes.current.lead.text
    run.open("alone.md")
    assert not notes._renderer.knows(text, path="very.md")
    run.until(lambda: f"Part {PARTS - 1}" in run.page() and not view.busy)
    assert notes._renderer._worker is worker
    run.open("very.md")
    run.until(lambda: notes._renderer.knows(text, path="very.md"))
