"""The live preview: after a pause, always the newest text, and without delaying keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.editor.preview_scheduler import PAUSE, STEP, PreviewScheduler, pause_after
from kb.rendering.rendered_page import Page, PageSection, Prose
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest


class FakePreview:
    """Records what it is given to show."""

    def __init__(self) -> None:
        self.pages: list[tuple[str, str]] = []
        self.lines: list[int] = []

    def widget(self) -> QWidget:
        return QWidget()

    def show_page(self, page: Page, path: str, *, part: Viewport) -> None:
        self.pages.append((str(page.sections[0].parts[0]), path))

    def listen(self, **calls: Any) -> None:
        pass

    def listen_for_more(self, look: Any) -> None:
        self.look = look

    def follow(self, line: int) -> None:
        self.lines.append(line)

    def wait(self) -> None:
        pass


class Scene:
    """A text with a caret and its preview."""

    def __init__(self, store: Any, parent: QObject) -> None:
        self.store = store
        self.text, self.line = "first", 1
        self.preview = FakePreview()
        self.live = PreviewScheduler(self.preview, text=lambda: self.text, line=lambda: self.line, parent=parent)
        self.live._pause.setInterval(20)

    def type(self, text: str) -> None:
        self.text = text
        self.live.edited()


@pytest.fixture
def scene(store: Any, qtbot: QtBot) -> Iterator[Scene]:
    """Give a preview that is on."""
    parent = QObject()
    made = Scene(store, parent)
    made.live.switch(on=True)
    made.live.begin(store, "n.md")
    yield made
    made.live.stop()


def test_pause_is_short() -> None:
    """A page is requested before the next key of a fast typist; one that is slow to show waits for a longer pause."""
    assert PAUSE == pause_after(0) == pause_after(0.06) <= 50
    assert pause_after(0.3) == 1200
    assert pause_after(5) == 3000


def test_rendered_once_after_a_pause(scene: Scene, qtbot: QtBot) -> None:
    """Consecutive keys lead to one page, shown at the caret."""
    scene.line = 7
    for text in ("a", "ab", "abc"):
        scene.type(text)
    assert scene.store.count("render") == 1  # of the note as it was opened
    qtbot.waitUntil(lambda: scene.store.count("render") == 2, timeout=30_000)
    assert "abc" in scene.preview.pages[-1][0]
    assert scene.preview.lines[-1] == 7


def test_newest_wins(scene: Scene, qtbot: QtBot) -> None:
    """While a page is being rendered no other is requested; then the newest text is rendered."""
    scene.store.held = True
    scene.type("slow")
    qtbot.waitUntil(lambda: scene.store.count("render") == 2, timeout=30_000)
    scene.type("slow, newer")
    qtbot.wait(60)
    assert scene.store.count("render") == 2
    scene.store.go()
    assert scene.store.count("render") == 3
    assert "slow, newer" in scene.preview.pages[-1][0]


def test_page_of_the_note_before_is_dropped(scene: Scene, qtbot: QtBot) -> None:
    """A page that arrives after another note was opened is not shown."""
    scene.store.held = True
    scene.type("of the old note")
    qtbot.waitUntil(lambda: scene.store.count("render") == 2, timeout=30_000)
    scene.text = "of the new note"
    scene.live.begin(scene.store, "other.md")
    shown = len(scene.preview.pages)
    scene.store.go()
    assert [path for _, path in scene.preview.pages[shown:]] == ["other.md"]


def test_hidden_preview_renders_nothing(scene: Scene, qtbot: QtBot) -> None:
    """While hidden it renders nothing; shown again, it shows the current text."""
    scene.live.switch(on=False)
    scene.type("hidden")
    scene.live.moved()
    qtbot.wait(60)
    assert scene.store.count("render") == 1
    scene.live.switch(on=True)
    assert "hidden" in scene.preview.pages[-1][0]


def test_follows_the_caret(scene: Scene, qtbot: QtBot) -> None:
    """A caret in another line scrolls the page, once for many lines."""
    scene.preview.lines.clear()
    for line in range(2, 12):
        scene.line = line
        scene.live.moved()
    qtbot.waitUntil(lambda: scene.preview.lines == [11], timeout=30_000)


def test_stays_while_one_types_in_a_line(scene: Scene, qtbot: QtBot) -> None:
    """A new page keeps the scroll position, which changes only with the caret."""
    scene.preview.lines.clear()
    scene.type("more")
    qtbot.waitUntil(lambda: scene.store.count("render") == 2, timeout=30_000)
    assert scene.preview.lines == []


def test_failed_page_is_asked_again(scene: Scene, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """If rendering fails, the previous page stays, and the next key asks again."""
    with monkeypatch.context() as broken:
        broken.setattr(scene.store, "render", lambda text, *, path, asked, done, failed: failed(ValueError("no")))
        scene.type("broken")
        qtbot.waitUntil(lambda: not scene.live.busy, timeout=30_000)
    shown = len(scene.preview.pages)
    scene.type("fine")
    qtbot.waitUntil(lambda: len(scene.preview.pages) > shown, timeout=30_000)


class Long:
    """A store that renders parts of a note of a thousand lines, and records the requests."""

    def __init__(self) -> None:
        self.asked: list[ViewportRequest] = []
        self.unsettled = 0  # how often it has more to give
        self.held: list[Any] | None = None  # the answers that are not given yet

    def render(self, text: str, *, path: str, asked: ViewportRequest, done: Any, failed: Any) -> None:
        self.asked.append(asked)
        above, below = asked.above, asked.below
        if above < 0 or not above < asked.line <= 1000 - below:
            above = max(0, asked.line - 50)
            below = 1000 - above - 100
        above -= 5 * asked.grows
        self.unsettled -= 1
        part = Viewport(above // 10, 10, above, below, 1000, self.unsettled > 0)
        shown = ViewportPage(Page((PageSection("", "", 0, "", 1, (Prose(text, 1),)),)), part)
        if self.held is None:
            done(shown)
        else:
            self.held.append(lambda: done(shown))


@pytest.fixture
def long(scene: Scene) -> Scene:
    """Give a preview that shows the beginning of a long note."""
    scene.store = Long()
    scene.live.begin(scene.store, "long.md")
    assert scene.store.asked == [ViewportRequest(1)]
    scene.preview.lines.clear()
    return scene


def test_a_part_stays_while_one_writes_in_it(long: Scene, qtbot: QtBot) -> None:
    """Only the part that is shown is requested again."""
    long.line = 40
    long.type("more")
    qtbot.waitUntil(lambda: len(long.store.asked) == 2, timeout=30_000)
    assert long.store.asked[-1] == ViewportRequest(40, 0, 900)
    assert long.preview.lines == [40]


def test_a_caret_elsewhere_asks_for_the_part_there(long: Scene, qtbot: QtBot) -> None:
    """The page follows the caret when that part is there."""
    long.line = 700
    long.live.moved()
    qtbot.waitUntil(lambda: long.preview.lines == [700], timeout=30_000)
    assert long.store.asked[1:] == [ViewportRequest(700, 0, 900, grows=True)]
    long.line = 720
    long.live.moved()
    qtbot.waitUntil(lambda: long.preview.lines == [700, 720], timeout=30_000)
    assert len(long.store.asked) == 2


def test_a_part_grows_while_nobody_types(long: Scene, qtbot: QtBot) -> None:
    """It grows step by step until it is settled; a key interrupts that for a while."""
    long.store.unsettled = 4
    long.line = 700
    long.type("there")
    qtbot.waitUntil(lambda: len(long.store.asked) == 2, timeout=30_000)
    assert long.live.growing
    long.live.edited()
    assert not long.live.growing
    qtbot.waitUntil(lambda: len(long.store.asked) == 5, timeout=30_000)
    assert [one.grows for one in long.store.asked[1:]] == [False, False, True, True]
    assert [one.above for one in long.store.asked[2:]] == [650, 650, 645]
    qtbot.wait(2 * STEP)
    assert not long.live.growing
    assert len(long.store.asked) == 5
    assert long.preview.lines == [700]  # it is followed, and left alone


def test_who_reads_near_an_end_is_given_more_there(long: Scene) -> None:
    """Until text is typed or the caret moves; a note that is shown completely has no more parts."""
    long.live.look(90)
    long.live.look(90)
    assert long.store.asked[1:] == [ViewportRequest(90, 0, 900, grows=True)]
    long.live.edited()
    long.live.look(95)
    assert len(long.store.asked) == 2  # what is typed goes first
    long.live.stop()
    long.live.part = Viewport(0, 100, 0, 0, 1000)
    long.live.look(20)
    assert len(long.store.asked) == 2


def test_who_reads_on_meanwhile_is_not_forgotten(long: Scene, qtbot: QtBot) -> None:
    """A line scrolled to during a request is requested afterwards."""
    long.store.held = []
    long.live.look(90)
    long.live.look(95)
    assert [one.line for one in long.store.asked] == [1, 90]
    long.store.held[0]()
    qtbot.waitUntil(lambda: [one.line for one in long.store.asked] == [1, 90, 95], timeout=30_000)
    long.store.held[1]()
    assert not long.live.growing


def test_another_note_is_asked_for_from_its_caret_on(long: Scene) -> None:
    """Nothing remains of the part of the previous note."""
    long.live.look(90)
    long.line = 8
    long.live.begin(long.store, "next.md")
    assert long.store.asked[-1] == ViewportRequest(8)
