"""The worker that renders: quick, killable, and gone when it should be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from kb.errors import Cancelled
from kb.rendering import render_process as process
from kb.rendering import renderer as module
from kb.rendering.piece_cache import KnownPiece
from kb.rendering.render import render
from kb.rendering.rendered_page import Page
from kb.rendering.renderer import LONGEST, Renderer
from kb.rendering.viewport import ViewportRequest
from tests.pace import within

ROOT = Path(__file__).parents[3]
HOSTILE = {
    "brackets": "[" * 50_000,
    "bang-brackets": "![" * 20_000,
    "spaces": "a" + " " * 100_000 + "b",
    "anchors": "<a " * 20_000,
    "lists": "\n".join("  " * depth + "- x" for depth in range(500)),
    "quotes": ">" * 5_000 + " x",
    "table": "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + ("|" + "b|" * 50 + "\n") * 1_000,
    "word": "x" * 2_000_000,
    "backticks": " ".join("`" * (length % 300) for length in range(2_000)),
    "emphasis": "*a_ **b" * 20_000,
    "wikilinks": "[[" * 20_000,
    "formulas": "".join(f"$x_{{{number}}}$ " for number in range(5_000)),
    "braces": "$" + "{" * 900 + "$",
    "references": "[a][" * 10_000,
    "comments": "<!--" * 20_000,
    "open-elements": "<b>" * 20_000,
    "items": "- a\n" * 30_000,
    "headings": "# a\n" * 20_000,
    "fences": "```python\n1\n```\n" * 5_000,
    "footnotes": "".join(f"[^{number}]: x\n\n" for number in range(2_000))
    + "".join(f"[^{number}] " for number in range(2_000)),
    "front-matter": "---\n" + "a: [\n" * 10_000 + "---\n",
}


def children() -> set[int]:
    """List the renderers that run, not the tracker that multiprocessing keeps."""
    mine = psutil.Process().children(recursive=True)
    return {child.pid for child in mine if "spawn_main" in " ".join(child.cmdline())}


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    before = children()
    made = Renderer()
    yield made
    made.close()
    assert children() <= before


def text_of(page: Page) -> str:
    return "".join(getattr(part, "html", "") for section in page.sections for part in section.parts)


def test_hostile_notes_are_pages_in_time(renderer: Renderer) -> None:
    """Whatever a note does to python-markdown, something to read is there within two and a half seconds."""
    for name, text in HOSTILE.items():
        assert not renderer.render(f"a *kind* note, not {name}", path="a.md").plain  # by a worker, not from before
        with within(2.5):
            assert renderer.render(text, path="a.md").sections


def test_a_note_is_rendered(renderer: Renderer) -> None:
    """The page comes back from the other process whole."""
    renderer.warm()
    page = renderer.render("# A\n\n*b* $x$\n\n```python\n1\n```\n", path="a.md")
    assert not page.plain
    assert page.formulas
    assert page.sections[0].heading == "A"


def test_pages_are_kept_for_going_back(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same text at the same path is the same page, at once; another text or path is not, nor the oldest page."""
    first = renderer.render("# a", path="a.md")
    assert renderer.render("# a", path="a.md") is first
    assert renderer.render("# b", path="a.md") is not first
    assert renderer.render("# a", path="b.md") is not first
    monkeypatch.setattr(module, "MOST_KEPT", 2)
    renderer.render("# c", path="a.md")
    assert renderer.render("# a", path="a.md") is not first
    monkeypatch.setattr(module, "LONGEST_KEPT", 10)
    long = renderer.render("long enough" * 3, path="a.md")
    assert renderer.render("long enough" * 3, path="a.md") is not long


def test_a_note_that_takes_too_long_is_plain(renderer: Renderer) -> None:
    """The worker is killed, and the next note has another one."""
    renderer.render("warm", path="a.md")
    before = children()
    with within(1.5):
        page = renderer.render("[" * 50_000, path="a.md", timeout=0.0)
        assert page.plain
    assert children() != before
    assert renderer.render("*b*", path="a.md") == renderer.render("*b*", path="a.md")


def test_a_note_that_was_changed_is_the_page_that_a_new_one_is(renderer: Renderer) -> None:
    """What did not change is not rendered again, is the same piece of the page, and says its true lines."""
    part = "## Part {n}\n\n{words}[it][r], {n}{task}```python id=p{n}\nprint({n})\n```\n\n"
    tasks = {3: "[^1]\n\n- [ ] task\n\n", 33: "[^1]\n\n- [ ] another\n\n"}
    parts = [part.format(n=n, words="words " * 300, task=tasks.get(n, "\n\n")) for n in range(40)]
    foot = "[r]: https://example.org\n[^1]: said\n"
    first = renderer.render("".join(parts) + foot, path="a.md")
    for changed, again in (
        ([*parts[:20], "changed\n\n", *parts[20:], foot], 30),
        ([parts[0], *parts[2:], foot], 30),
        ([*parts, foot.replace("example", "other")], 0),
        ([*parts, foot.replace("said", "told")], 0),
        ([*parts[:5], "Another[^1].\n\n", *parts[5:], foot], 1),
    ):
        page = renderer.render("".join(changed), path="a.md")
        assert page == render("".join(changed), path="a.md")
        known = {id(section.heading_html) for section in first.sections}
        assert sum(id(section.heading_html) in known for section in page.sections) >= again


class Patience:
    """Wants a page until it was asked so often."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> bool:
        """Tell whether it is wanted still."""
        self.left -= 1
        return self.left >= 0


def test_a_note_that_nobody_waits_for_gives_way(renderer: Renderer) -> None:
    """Wherever it is left, the same worker goes on with the next note, and what it knows of this one stays true."""
    text = (
        "".join(f"## Part {n}\n\n" + "some *words* and `code` " * 99 + "[^1]\n\n" for n in range(30)) + "[^1]: said\n"
    )
    assert not renderer.render("*b*", path="b.md").plain
    before, left = children(), 0
    for times in (1, 2, 7, 3, 20, 60, 90):
        try:
            page = renderer.render(f"*{times}*\n\n{text}", path="a.md", wanted=Patience(times))
        except Cancelled:
            left += 1
        else:
            assert page == render(f"*{times}*\n\n{text}", path="a.md")
        assert renderer.render(f"*{times}*", path="b.md") == render(f"*{times}*", path="b.md")
    assert left >= 3
    assert renderer.render(text, path="a.md") == render(text, path="a.md")
    assert children() == before


def test_a_note_that_nobody_waits_for_has_no_turn(renderer: Renderer) -> None:
    """Neither its beginning nor all of it, whether or not it is known; no worker is started for it."""
    before = children()
    with pytest.raises(Cancelled):
        renderer.render("# a", path="a.md", wanted=lambda: False)
    with pytest.raises(Cancelled):
        renderer.begin("# a", path="a.md", wanted=lambda: False)
    assert children() == before


def test_the_beginning_of_a_note_is_rendered_as_it_will_be(renderer: Renderer) -> None:
    """It is no page that is kept, and tells nothing of the note."""
    part = "## Part {}\n\n" + "some *words* and `code` " * 40 + "\n\n"
    text = "# Long\n\n" + "".join(map(part.format, range(60)))
    head = renderer.begin(text[: text.index("## Part 6")], path="a.md")
    assert head is not None
    assert not renderer.knows(text, path="a.md")
    whole = renderer.render(text, path="a.md")
    assert head.sections == whole.sections[:7]
    assert renderer.knows(text, path="a.md")
    assert not renderer.knows(text, path="b.md")
    huge = "x" * (LONGEST + 1)
    assert renderer.begin(huge, path="a.md") is None
    assert renderer.knows(huge, path="a.md")  # which is shown as it is written


def test_a_note_that_cannot_be_rendered_is_plain_and_costs_no_worker(renderer: Renderer) -> None:
    """An error is an answer."""
    renderer.render("warm", path="a.md")
    before = children()
    assert renderer.render("# a\n" * 25_001, path="a.md", timeout=60).plain  # a second, more on a busy machine
    assert children() == before


def test_a_huge_note_is_not_tried(renderer: Renderer) -> None:
    """No worker is needed to show its beginning."""
    before = children()
    assert renderer.render("x" * (LONGEST + 1), path="a.md").plain
    assert children() == before


def test_a_worker_that_died_is_replaced(renderer: Renderer) -> None:
    """The note is rendered all the same."""
    renderer.render("warm", path="a.md")
    assert isinstance(renderer._worker, process.RenderProcess)
    worker = renderer._worker._process
    assert worker.pid
    os.kill(worker.pid, signal.SIGTERM)
    worker.join()
    assert not renderer.render("*b*", path="a.md").plain


def test_threads_take_turns(renderer: Renderer) -> None:
    """Everyone gets the page of the note that they asked for."""
    pages: dict[int, Page] = {}

    def ask(number: int) -> None:
        pages[number] = renderer.render(f"note {number}", path="a.md")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: text_of(page) for number, page in pages.items()} == {n: f"<p>note {n}</p>" for n in range(8)}


def test_closing_does_not_wait_for_a_hostile_note(renderer: Renderer) -> None:
    """Whoever waits for it gets it plain; afterwards nothing is started any more."""
    renderer.render("warm", path="a.md")
    pages: list[Page] = []
    asking = threading.Thread(target=lambda: pages.append(renderer.render("[" * 50_000, path="a.md", timeout=60)))
    asking.start()
    while not renderer._turn.locked():
        asking.join(0.001)
    with within(2):
        renderer.warm()
        renderer.close()
        asking.join()
    assert pages[0].plain
    assert renderer.render("*b*", path="a.md").plain
    renderer.warm()


def test_a_part_of_a_note_is_rendered(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long one; a short one comes whole, and so does one that is too long, or that a worker does not end with."""
    text = "# T\n\n" + "".join(f"## Part {n}\n\n{'words ' * 100}\n\n" for n in range(400))
    shown = renderer.render_part(text, path="a.md", asked=ViewportRequest(801))
    assert (shown.part.above, shown.part.below) > (0, 0)
    assert "Part 199" in [section.heading for section in shown.page.sections]
    again = renderer.render_part(text, path="a.md", asked=ViewportRequest(801, shown.part.above, shown.part.below))
    assert again == shown
    short = renderer.render_part("# a", path="a.md", asked=ViewportRequest(1, 5, 5))
    assert (short.page, short.part.above, short.part.below) == (render("# a", path="a.md"), 0, 0)
    assert renderer.render_part("", path="a.md", asked=ViewportRequest(7)).page.sections
    bad = renderer.render_part("[" * 50_000, path="a.md", asked=ViewportRequest(1), timeout=0.0)
    assert bad.page.plain
    monkeypatch.setattr(module, "LONGEST", 10)
    assert renderer.render_part("*b* " * 9, path="a.md", asked=ViewportRequest(1)).page.plain
    monkeypatch.undo()
    renderer.close()
    assert renderer.render_part("*b*", path="a.md", asked=ViewportRequest(1)).page.plain


def test_an_error_of_ours_is_logged(renderer: Renderer, caplog: pytest.LogCaptureFixture) -> None:
    """A note that shows a mistake in the renderer is shown plain, and the mistake is not kept silent."""
    assert renderer.render("a", path=cast("str", 1)).plain
    assert "could not be rendered" in caplog.text


def test_the_worker_answers_until_the_pipe_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces for a note, a word for what cannot be rendered, the error for what should not have happened.

    What is not to be done any more and was done already is no matter.
    """
    monkeypatch.setattr(process, "_bound_memory", lambda: None)
    interrupted = signal.getsignal(signal.SIGINT)
    ours, theirs = Pipe()
    long = "\n\n".join(f"*{number}* {'words ' * 30}" for number in range(100)) + "\n\n"
    received: list[Any] = []

    def listen() -> None:
        received.append(ours.recv())
        for text in ("*a*", "# a\n" * 25_001, 1):
            ours.send((text, "a.md", 60.0, frozenset({1}), None))
            received.append(ours.recv())
        for text in (f"{long}end", f"{long}another end"):
            ours.send((text, "a.md", 60.0, frozenset({1}), None))
            received.append([ours.recv()])
            received[-1] += [ours.recv() for _ in range(received[-1][0][0])]
            ours.send(None)  # too late: all of it is there
        ours.close()

    listening = threading.Thread(target=listen)
    listening.start()
    process._work(theirs)
    listening.join()
    signal.signal(signal.SIGINT, interrupted)
    ready, page, refused, broken, first, again = received
    assert ready is True
    assert (page[0], page[1].sections[0].parts[0].html) == (0, "<p><em>a</em></p>")
    assert refused == ""
    assert "TypeError" in broken
    assert [left for left, _ in first] == list(reversed(range(len(first))))
    assert again[0][1] == KnownPiece(first[0][1].number, 1)  # what was sent before is named
    assert [piece.plain for _, piece in first] == [number == 1 for number in range(len(first))]
    assert not isinstance(again[-1][1], KnownPiece)


def test_a_worker_whose_program_is_gone_ends_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it was gone before the worker was ready."""
    monkeypatch.setattr(process, "_bound_memory", lambda: None)
    interrupted = signal.getsignal(signal.SIGINT)
    ours, theirs = Pipe()
    ours.close()
    process._work(theirs)
    signal.signal(signal.SIGINT, interrupted)


def test_a_worker_that_never_gets_ready_is_given_up(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cold start has a bound of its own."""
    monkeypatch.setattr(process, "COLD_START", 0.0)
    assert renderer.render("*b*", path="a.md").plain


PROGRAM = """
    import sys, time
    import {imported}
    from kb.rendering.renderer import Renderer

    if __name__ == "__main__":
        renderer = Renderer()
        page = renderer.render("*b*", path="a.md")
        print(renderer._worker._process.pid, page.plain, "markdown" in sys.modules, flush=True)
        {rest}
"""


def run_program(folder: Path, *, imported: str = "json", rest: str = "renderer.close()") -> subprocess.Popen[str]:
    """Start a program of its own that renders, as main.py would."""
    script = folder / "program.py"
    script.write_text(textwrap.dedent(PROGRAM.format(imported=imported, rest=rest)), encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, script], cwd=folder, env=env, stdout=subprocess.PIPE, text=True)


def test_the_worker_does_not_import_the_program(tmp_path: Path) -> None:
    """What the program imports, a window's worth, is not imported again; and the program need not load Markdown."""
    (tmp_path / "heavy.py").write_text("print('imported', flush=True)\n", encoding="utf-8")
    program = run_program(tmp_path, imported="heavy")
    out, _ = program.communicate(timeout=60)
    assert out.splitlines()[0] == "imported"
    assert out.count("imported") == 1
    assert out.split()[-2:] == ["False", "False"]


@pytest.mark.parametrize("rest", ["time.sleep(60)", 'renderer.render("[" * 50_000, path="a.md", timeout=1)'])
def test_the_worker_dies_with_the_program(tmp_path: Path, rest: str) -> None:
    """Idle or in the middle of a note that has no end, when the program is killed without a word."""
    program = run_program(tmp_path, rest=rest)
    assert program.stdout
    worker = psutil.Process(int(program.stdout.readline().split()[0]))
    program.kill()
    program.communicate()
    assert not psutil.wait_procs([worker], timeout=10)[1]
