"""Reading in the real window: tasks, links to headings, pictures from elsewhere, the other language, the note alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.reader.image_loader import ImageSource
from app.reader.link_targets import TaskTarget
from app.widgets.sidebar_section import LineButton
from kb.files.paths import UserPaths

TASKS = b"# Tasks\r\n\r\n- [ ] one\r\n- [x] two\r\n\r\n```python\r\n# - [ ] no task\r\n```\r\n"
LINKS = """# Links

See [[tensors/gather#Bounds and errors|in words]], [[tensors/gather#bounds-and-errors|by anchor]],
[plainly](tensors/gather.en.md#Bounds%20and%20errors), [[#A Section of it|below]]
and [[tensors/gather#越界与报错|in Chinese]].

## A section of it

Text.
"""


@pytest.fixture
def places(places: UserPaths) -> UserPaths:
    """Give the small vault notes of tasks and links, and one that is in English alone."""
    (places.user_vault / "tasks.md").write_bytes(TASKS)
    (places.user_vault / "links.md").write_text(LINKS, "utf-8")
    (places.user_vault / "alone.en.md").write_text("# Alone\n\n## Part\n\nText.\n", "utf-8")
    return places


def boxes(run: Any) -> list[tuple[str, int, bool]]:
    """Return what a click on each box of a task would ask for, down the page."""
    built = run.window.central.reader.view.page.built
    found: list[tuple[str, int, bool]] = []
    block = built.document.begin()
    while block.isValid():
        place = block.begin()
        while not place.atEnd():
            target = built.targets.link_of(place.fragment().charFormat().anchorHref())
            if isinstance(target, TaskTarget):
                found.append((target.side, built.targets.prose_lines[target.prose] + target.below, not target.done))
            place += 1
        block = block.next()
    return found


def test_a_task_is_ticked_in_its_file(run: Any) -> None:
    """One byte of it differs, line ends stay, and a second click makes the file what it was."""
    run.open("tasks.md")
    file, view = run.vault / "tasks.md", run.window.central.reader.view
    assert boxes(run) == [("", 3, True), ("", 4, False)]
    view.links.ticked.emit("", 3, True)
    run.until(lambda: boxes(run)[0] == ("", 3, False))
    assert file.read_bytes() == TASKS.replace(b"[ ] one", b"[x] one")
    view.links.ticked.emit("", 3, False)
    run.until(lambda: boxes(run)[0] == ("", 3, True))
    assert file.read_bytes() == TASKS


def test_a_task_of_a_file_that_was_changed_elsewhere_is_not_ticked(run: Any) -> None:
    """Nothing of the other program's is overwritten; it is shown, and what happened is said."""
    run.open("tasks.md")
    file, view, said = run.vault / "tasks.md", run.window.central.reader.view, list[str]()
    run.workspace.noticed.connect(lambda notice: said.append(notice.en))
    theirs = TASKS.replace(b"two", b"theirs")
    file.write_bytes(theirs)
    view.links.ticked.emit("", 3, True)
    run.until(lambda: "theirs" in run.page())
    assert file.read_bytes() == theirs
    assert any("has changed meanwhile" in one for one in said)
    view.links.ticked.emit("", 3, True)
    run.until(lambda: boxes(run)[0] == ("", 3, False))
    assert file.read_bytes() == theirs.replace(b"[ ] one", b"[x] one")


def test_a_line_that_is_no_task_is_not_written_to(run: Any) -> None:
    """Whatever asks for it."""
    run.open("tasks.md")
    run.window.central.reader.view.links.ticked.emit("", 1, True)
    run.window.central.reader.view.links.ticked.emit("en", 3, True)
    assert (run.vault / "tasks.md").read_bytes() == TASKS


def test_a_link_leads_to_the_section_that_it_names(run: Any) -> None:
    """By the words of the heading or by its anchor; to its twin where the other language is read."""
    run.workspace.choose_mode("en")
    run.open("links.md")
    view = run.window.central.reader.view
    links = run.workspace.notes.current.lead.links
    for words in ("in words", "by anchor", "plainly", "in Chinese"):
        link = next(one for one in links if one.label == words)
        with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
            run.window.central.reader.follow(f"{'wiki:' * (link.kind == 'wiki')}{link.target}#{link.anchor}")
        assert view.section == "bounds-and-errors", words
        with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
            run.window.commands.run("back")
    run.window.central.reader.follow("wiki:#A Section of it")
    run.until(lambda: view.section == "a-section-of-it")


def test_the_other_language_is_begun_by_a_click(run: Any) -> None:
    """The words under the title lead to the editor, with the headings of the note."""
    run.workspace.choose_mode("zh")
    run.open("alone.en.md")
    assert "not yet in Chinese" in run.page()
    run.window.central.reader.view.links.translation_requested.emit("zh")
    run.until(lambda: run.window.central.editing)
    assert (run.vault / "alone.zh.md").is_file()


def test_backlinks_have_the_words_around_them(run: Any) -> None:
    """And lead to the line."""
    run.open("tensors/expand.md")

    def cited() -> list[LineButton]:
        return [one for one in run.window.outline.findChildren(LineButton) if one.property("cited")]

    run.until(cited)
    (line,) = cited()
    assert line.text() == "…of index. See broadcasting."
    assert line.toolTip().endswith("The result has the shape of index. See broadcasting.")
    with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
        line.click()
    assert run.workspace.notes.current.entry.key == "tensors/gather"


def test_the_note_alone(run: Any) -> None:
    """Panels and bars go, and come back as they were: with the key, with Escape, and where the search is wanted."""
    run.open("tensors/gather.en.md")
    window = run.window
    window.toggle_outline()
    around = (window.bar, window.tree, window.outline, window.status)
    before = [part.isHidden() for part in around]
    for leave in (
        lambda: QTest.keyClick(window, Qt.Key.Key_F11),
        lambda: QTest.keyClick(window.central.reader.view, Qt.Key.Key_Escape),
        lambda: window.commands.run("search"),
    ):
        QTest.keyClick(window, Qt.Key.Key_F11)
        assert all(part.isHidden() for part in around)
        assert window.isFullScreen()
        leave()
        assert [part.isHidden() for part in around] == before
        assert not window.isFullScreen()
    assert window.search_controller.field.hasFocus() or not window.isActiveWindow()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a picture, text in its place, and nothing; tell what was asked for, with every header."""
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill("#ff0000")
    assert image.save(str(tmp_path / "a.png"))
    picture, asked = (tmp_path / "a.png").read_bytes(), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.path}\n{self.headers}")
            self.send_response(404 if "missing" in self.path else 200)
            self.send_header("Set-Cookie", "a=b")
            self.end_headers()
            self.wfile.write(b"text" if "text" in self.path else picture)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}", asked
    made.shutdown()
    thread.join()
    made.server_close()


def test_a_picture_from_elsewhere_is_fetched_by_a_click_alone(run: Any, server: tuple[str, list[str]]) -> None:
    """Nothing is asked for before; then the picture alone, without cookies; what is none is told in its place."""
    address, asked = server
    names = ("a.png", "text.png", "missing.png")
    (run.vault / "far.md").write_text("# far\n\n" + "".join(f"![]({address}/{name})\n\n" for name in names), "utf-8")
    run.open("far.md")
    view = run.window.central.reader.view
    view.grab()
    run.workspace.choose_mode("en")
    assert asked == []
    for name in (*names, "a.png", "data:x"):
        view.links.picture_requested.emit(f"{address}/{name}" if ":" not in name else name)
    run.until(lambda: len(view.page.remote) == len(names) + 1)
    assert isinstance(view.page.remote[f"{address}/a.png"], ImageSource)
    assert view.page.remote[f"{address}/text.png"].en == "not a picture that can be shown"
    assert "click to try again" in view.page.remote[f"{address}/missing.png"].en
    assert sorted(one.split("\n")[0] for one in asked) == ["/a.png", "/missing.png", "/text.png"]
    assert not any("ookie" in one or "eferer" in one for one in asked)


def test_going_back_comes_back_to_the_pixel(run: Any) -> None:
    """Within a note and between notes; a link to the same heading still leads to the heading."""
    long = "".join(f"## Part {number}\n\n" + "Words of it.\n\n" * 40 for number in range(8))
    (run.vault / "long.md").write_text(f"# long\n\n{long}", "utf-8")
    run.open("long.md")
    bar = run.window.central.reader.view.verticalScrollBar()
    run.until(lambda: bar.maximum() > 3_000)
    bar.setValue(1_234)
    run.open("tensors/expand.md")
    for _ in range(2):
        with run.qtbot.waitSignal(run.workspace.notes.opened, timeout=30_000):
            run.window.commands.run("back")
        assert bar.value() == 1_234
        run.window.central.reader.go_to("part-5")
        assert bar.value() > 1_500
    run.open("tensors/expand.md")
    run.open("long.md", anchor="part-1")
    assert bar.value() != 1_234


def test_what_both_languages_run_is_proven_once(run: Any) -> None:
    """The same code is one snippet whichever language is read; other code under its name is another."""
    file = run.vault / "tensors" / "gather.en.md"
    file.write_text(file.read_text("utf-8").replace("x = 1\n", "x = 2\n"), "utf-8")
    for mode in ("both", "zh", "en"):
        run.workspace.choose_mode(mode)
        run.open("tensors/gather.en.md")
        names = {snippet.name for snippet in run.workspace.notes.shown}
        assert {"tensors/gather.zh.md#hello", "tensors/gather.zh.md#sleeps"} <= names, mode
        assert ("tensors/gather.en.md#fails" in names) is (mode == "en")


def test_a_tag_under_the_title_leads_to_its_notes(run: Any) -> None:
    """They are searched for, as a person would."""
    run.open("tensors/gather.en.md")
    assert "indexing · tensors" in run.page()
    run.window.central.reader.view.links.tag_chosen.emit("indexing")
    assert run.window.search_controller.field.text() == "tag:indexing"
    run.until(lambda: any("gather" in getattr(row, "path", "") for row in run.window.search_controller.popup.rows))
    run.window.central.reader.view.links.tag_chosen.emit("two words")
    assert run.window.search_controller.field.text() == 'tag:"two words"'
