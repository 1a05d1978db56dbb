"""The window when its index is damaged, cannot be written, or is written by commands beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from kb.files.paths import UserPaths
from kb.index.segments import LOCK

ROOT = Path(__file__).parents[2]
MENDED = "The search index was damaged and has been rebuilt; your notes were not touched."
TOPICS = ("index", "rebuilt")


class Listener:
    """Hears what the window says of its index and of its searches."""

    def __init__(self, run: Any) -> None:
        self.run = run
        self.said: list[str] = []
        self.answers: list[Any] = []
        self.failed: list[Any] = []  # indexings
        self.unanswered: list[Any] = []
        lookup = run.workspace.search_service
        run.workspace.noticed.connect(lambda notice: self.said.append(notice.en) if notice.topic in TOPICS else None)
        lookup.answered.connect(self.answers.append)
        lookup.search_failed.connect(lambda _, error: self.unanswered.append(error))
        lookup.index_failed.connect(self.failed.append)

    def finds(self, query: str, path: str) -> None:
        """Wait until a search finds a note first; it is asked anew, once it is answered, while the index grows."""
        search = self.run.workspace.search_service.search

        def found() -> bool:
            heard = [answer for answer in self.answers if answer.query == query]
            if any(answer.hits and answer.hits[0].path == path for answer in heard):
                return True
            if heard or self.unanswered:  # what is asked before the answer would be in the place of what was asked
                self.answers.clear()
                search(query)
            return False

        self.answers.clear()
        search(query)
        self.run.until(found)

    def cards(self) -> int:
        """How many messages about the index are in view."""
        return sum(card.notice.topic in TOPICS for card in self.run.window.central.notification_bar.cards)


def indexed_again(run: Any) -> None:
    """Have the whole vault looked at, and wait for the end of it."""
    with run.qtbot.waitSignal(run.workspace.search_service.indexed, timeout=30_000):
        run.workspace.rescan()


# --- damage


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "one byte"])
def test_a_harmed_index_is_mended_and_told_once(run: Any, places: UserPaths, harm: str) -> None:
    """Each file in turn, under the open window: built anew by itself, said once, found as before, notes untouched."""
    notes = {path: path.read_bytes() for path in run.vault.rglob("*.md")}
    heard = Listener(run)
    index = places.for_vault(run.vault).index
    for place in range(len(files(index))):
        name = files(index)[min(place, len(files(index)) - 1)]
        damage(index / name, harm)
        heard.said.clear()
        indexed_again(run)
        assert heard.said == [MENDED], name
        heard.finds("broadcasting", "tensors/expand.md")
        indexed_again(run)
        assert heard.said == [MENDED], "said again"
    assert heard.cards() == 1
    assert {path: path.read_bytes() for path in run.vault.rglob("*.md")} == notes


def files(index: Path) -> list[str]:
    """The files of an index."""
    return sorted(path.name for path in index.iterdir() if path.name != LOCK)


def damage(file: Path, harm: str) -> None:
    """Do a file harm."""
    content = file.read_bytes()
    middle = len(content) // 2
    if harm == "gone":
        file.unlink()
    else:
        other = {
            "empty": b"",
            "cut": content[:-1],
            "one byte": content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :],
        }
        file.write_bytes(other[harm])


# --- a disk that takes nothing


@pytest.fixture
def small_cache(places: UserPaths) -> Iterator[Path]:
    """A cache folder on a disk of 1 MB."""
    places.cache.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", str(places.cache)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a disk cannot be mounted here")
    yield places.cache
    subprocess.run(["umount", "--lazy", str(places.cache)], check=True)


def fill(folder: Path) -> Path:
    """Fill a disk and return the file that does it."""
    full = folder / "full"
    with full.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return full
    return full


def remounted(how: str) -> Callable[[Path], None]:
    """Return what makes a disk one that may only be read, or may be written again."""

    def remount(folder: Path) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)

    return remount


WAYS: dict[str, tuple[Callable[[Path], object], Callable[[Path], object], str]] = {
    "full": (fill, lambda folder: (folder / "full").unlink(), "No space left"),
    "read-only": (remounted("ro"), remounted("rw"), "Read-only"),
}


@pytest.mark.parametrize(("harm", "mend", "reason"), WAYS.values(), ids=WAYS.keys())
def test_an_index_that_cannot_be_written(
    small_cache: Path,
    opened: Any,
    harm: Callable[[Path], object],
    mend: Callable[[Path], object],
    reason: str,
) -> None:
    """Reading, editing, saving and searching go on; one message is in view; with room again
    all is found by itself, and the message goes."""
    run = opened(None)
    run.until(lambda: run.workspace.notes.entries and run.workspace.search_service.report)
    heard = Listener(run)
    harm(small_cache)
    run.open("tensors/expand.md")
    assert "takes no memory" in run.page()
    run.window.central.toggle_editor()
    source = run.window.central.editor.source
    for turn in range(3):
        source.moveCursor(source.textCursor().MoveOperation.End)
        QTest.keyClicks(source, f" wombat{turn}")
        run.window.central.editor.save_now()
        file = run.vault / "tensors" / "expand.md"
        run.until(lambda turn=turn, file=file: f"wombat{turn}" in file.read_text("utf-8"))
        run.until(lambda turn=turn: len(heard.failed) > turn)
        assert heard.cards() == 1
    assert all(reason in said and "can still be read and edited" in said for said in heard.said)
    run.window.central.toggle_editor()
    run.until(lambda: "wombat2" in run.page())
    heard.finds("requires_grad OR index past", "tensors/gather.en.md")
    assert heard.unanswered == []
    mend(small_cache)
    indexed_again(run)
    assert heard.cards() == 0, "said for longer than it is true"
    heard.finds("wombat2", "tensors/expand.md")


# --- commands beside the window

COMMANDS = (
    ("index", "--json"),
    ("search", "broadcasting", "--json"),
    ("index", "--rebuild", "--json"),
    ("search", "steady", "--json"),
)


def test_commands_beside_the_window(places: UserPaths, opened: Any) -> None:
    """`index`, `search` and `index --rebuild` over and over, three at once, while the window indexes and searches.

    No command fails, the window says nothing of its index, nothing is built anew, and in the end all is found.
    """
    steady = {f"steady{number}.md": f"# steady {number}\n\nsteady values\n" for number in range(40)}
    for name, text in steady.items():
        (places.user_vault / name).write_text(text, "utf-8")
    run = opened(None)
    run.until(lambda: run.workspace.notes.entries and run.workspace.search_service.report)
    heard = Listener(run)
    left = list(COMMANDS * 2)
    going: list[tuple[tuple[str, ...], subprocess.Popen[str]]] = []
    turn = 0
    while left or going:
        while left and len(going) < 3:
            going.append((left[0], command(*left.pop(0), vault=run.vault)))
        turn += 1
        (run.vault / f"turn{turn % 7}.md").write_text(f"# turn {turn}\n\nbarrier{turn} values\n", "utf-8")
        run.workspace.search_service.search("steady values")
        if turn % 3 == 0:
            run.workspace.rescan()
        run.qtbot.wait(60)
        for one in [one for one in going if one[1].poll() is not None]:
            going.remove(one)
            check(*one)
    heard.finds(f"barrier{turn}", f"turn{turn % 7}.md")
    assert heard.failed == heard.unanswered == []
    assert heard.said == []
    assert {len(answer.hits) for answer in heard.answers if answer.query == "steady values"} <= {40}
    with command("index", "--json", vault=run.vault) as last:
        report = json.loads(last.communicate(timeout=60)[0])
    notes = list(run.vault.rglob("*.md"))
    assert report["notes"] == len(notes)
    assert report["sections"] == sum(
        text.count("\n# ") + text.count("\n## ") for text in ("\n" + n.read_text("utf-8") for n in notes)
    )


def command(*arguments: str, vault: Path) -> subprocess.Popen[str]:
    """Start the program as a user does in a terminal."""
    line = [sys.executable, str(ROOT / "main.py"), *arguments, "--vault", str(vault)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def check(arguments: tuple[str, ...], process: subprocess.Popen[str]) -> None:
    """A command that has ended did what it was asked for, and had nothing to complain of."""
    with process:
        out, said = process.communicate(timeout=60)
    assert process.returncode == 0, (arguments, out, said)
    assert said == "", arguments
    document = json.loads(out)
    if arguments[0] == "search":
        assert document["hits"], (arguments, document)
    else:
        assert document["notes"] >= 43, document
