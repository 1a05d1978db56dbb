"""Others at work beside the indexing: a second indexer, programs that are started, and hands that change the notes."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.errors import KbError
from kb.index.index_update import update_index
from kb.index.indexer import Indexer
from kb.results import IndexReport, Progress
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.kb.index.index_helpers import numbers
from tests.kb.vault_helpers import MakeVault

PATIENCE = 60  # seconds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the index."""
    return tmp_path / "index"


class Listener:
    """Hears how indexings end."""

    def __init__(self) -> None:
        self.ends: list[IndexReport | KbError] = []
        self._heard = threading.Condition()

    def ended(self, end: IndexReport | KbError) -> None:
        """Note how an indexing ended."""
        with self._heard:
            self.ends.append(end)
            self._heard.notify_all()

    def wait(self, holds: Callable[[], bool]) -> None:
        """Wait for an end after which something holds."""
        with self._heard:
            assert self._heard.wait_for(holds, PATIENCE), self.ends

    def reports(self) -> list[IndexReport]:
        """What was said; errors fail the test."""
        assert not [end for end in self.ends if isinstance(end, KbError)], self.ends
        return [end for end in self.ends if isinstance(end, IndexReport)]


Start = Callable[[Path], tuple[Indexer, Listener]]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Return a function that makes an Indexer and one who listens to it; stopped at the end of the test."""
    made: list[Indexer] = []

    def make(root: Path) -> tuple[Indexer, Listener]:
        listener = Listener()
        made.append(Indexer(root, folder, progressed=lambda _: None, finished=listener.ended, failed=listener.ended))
        return made[-1], listener

    yield make
    for one in made:
        one.stop()


def drain(indexer: Indexer, listener: Listener) -> None:
    """Wait until everything wished for so far was granted."""
    for _ in range(2):  # the first end may be that of an indexing that was going on already
        before = len(listener.ends)
        indexer.refresh([])
        listener.wait(lambda before=before: len(listener.ends) > before)  # type: ignore[misc]


def sections(folder: Path) -> list[tuple[str, str]]:
    """Paths and headings of everything that has the word all notes have."""
    searcher = Searcher(folder, folder)
    try:
        return sorted((hit.path, hit.heading) for hit in searcher.search("values", limit=100_000).hits)
    finally:
        searcher.close()


def truth(root: Path) -> list[tuple[str, str]]:
    """What must be found, told by the notes themselves."""
    return sorted(
        (path.relative_to(root).as_posix(), line[2:])
        for path in root.rglob("*.md")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("# ")
    )


def note(word: str) -> str:
    """A note with two sections."""
    return f"# {word}\n\nvalues\n\n# more of {word}\n\n" + "values along a dimension\n" * 20


# --- two at once


def test_two_indexers_that_hear_of_different_notes(make_vault: MakeVault, folder: Path, start: Start) -> None:
    """Two programs told of saves in turn, and often of the same: nothing is lost, nothing is there twice."""
    root = make_vault({f"n{number}.md": note(f"first{number}") for number in range(30)}).root
    both = [start(root), start(root)]
    for indexer, _ in both:
        indexer.refresh()
    luck = random.Random(5)
    for turn in range(40):
        paths = [f"n{luck.randrange(40)}.md" for _ in range(3)]
        for path in paths:
            (root / path).write_text(note(f"turn{turn} {path}"), "utf-8")
        both[turn % 2][0].refresh(paths)
        both[luck.randrange(2)][0].refresh(paths[:1])
    for indexer, listener in both:
        drain(indexer, listener)
        assert all(report.rebuilt is None for report in listener.reports())
    assert sections(folder) == truth(root)
    assert numbers(update_index(Vault.open(root), folder))[2:] == (0, 0, 0)


# --- programs that are started

SHOW = """
import os, sys
for name in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink(f"/proc/self/fd/{name}"))
    except OSError:
        pass
print("end", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_program_started_meanwhile_inherits_nothing(make_vault: MakeVault, folder: Path) -> None:
    """Started in the middle of writing, by somebody who closes nothing: no file of the index, and no lock."""
    vault = make_vault({f"n{number}.md": note(f"word{number}") for number in range(5)})
    update_index(vault, folder)
    make_vault({f"n{number}.md": note(f"other{number}") for number in range(5)})
    started: list[tuple[subprocess.Popen[str], int]] = []

    def start_one(progress: Progress) -> None:
        if progress.done == 3:
            mine = sum(name.startswith(str(folder)) for name in open_files())
            command = [sys.executable, "-c", SHOW]
            started.append(
                (
                    subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, close_fds=False
                    ),
                    mine,
                )
            )

    update_index(vault, folder, progress=start_one)
    ((program, mine),) = started
    with program:
        assert program.stdout is not None
        inherited = list(iter(program.stdout.readline, "end\n"))
        assert mine >= 2, "the control: the lock and a file were open here"
        assert [name for name in inherited if str(folder) in name] == []
        # It still runs; had it the lock, this would wait for ten minutes.
        make_vault({"n0.md": note("third")})
        assert numbers(update_index(vault, folder)) == (5, 10, 0, 1, 0)
        program.communicate("")
    assert sections(folder) == truth(vault.root)


def open_files() -> list[str]:
    """What this process has open."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(link.readlink()))
    return found


# --- changes while nobody looks


def test_changes_while_the_program_was_off(make_vault: MakeVault, folder: Path, start: Start) -> None:
    """Written with the same length and the same time stamp, all times told back: the next start finds it."""
    root = make_vault({"a.md": "# alpha\n\nvalues\n", "b.md": "# beta\n\nvalues\n"}).root
    indexer, listener = start(root)
    indexer.refresh()
    listener.wait(lambda: len(listener.ends) == 1)
    indexer.stop()
    stamp = (root / "a.md").stat()
    (root / "a.md").write_text("# gamma\n\nvalues\n", "utf-8")
    os.utime(root / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert ((root / "a.md").stat().st_size, (root / "a.md").stat().st_mtime_ns) == (stamp.st_size, stamp.st_mtime_ns)
    indexer, listener = start(root)
    indexer.refresh()
    listener.wait(lambda: len(listener.ends) == 1)
    assert numbers(listener.reports()[0]) == (2, 2, 0, 1, 0)
    assert sections(folder) == [("a.md", "gamma"), ("b.md", "beta")]


# --- changes while it is indexed


def edits() -> dict[str, Callable[[Path], object]]:
    """What can happen to the note that is about to be read, or to the one that was just read; by name."""

    def replace(file: Path) -> None:
        file.with_name("new").write_text(note("replaced"), "utf-8")
        file.with_name("new").replace(file)

    def folder_instead(file: Path) -> None:
        file.unlink()
        file.mkdir()
        (file / "inner.md").write_text(note("inner"), "utf-8")

    return {
        "changed": lambda file: file.write_text(note("changed"), "utf-8"),
        "emptied": lambda file: file.write_text("", "utf-8"),
        "deleted": Path.unlink,
        "renamed": lambda file: file.rename(file.with_name("renamed.md")),
        "replaced": replace,
        "binary": lambda file: file.write_bytes(b"\0\1\2\xff" * 100),
        "moved away": lambda file: (file.parent.parent / "moved.md").write_bytes(file.read_bytes()) and file.unlink(),
        "a folder": folder_instead,
        "a loop": lambda file: (file.unlink(), file.symlink_to(file.name)),
    }


@pytest.mark.parametrize("edit", edits().values(), ids=edits().keys())
@pytest.mark.parametrize("done", [0, 3, 4, 8], ids=lambda done: f"after {done}")
def test_a_note_changed_while_it_is_indexed(
    make_vault: MakeVault, folder: Path, edit: Callable[[Path], object], done: int
) -> None:
    """Before, at, and after its turn: no error, what was read is whole, and the watcher's next wish ends it."""
    files = {f"d/n{number}.md": note(f"word{number}") for number in range(8)}
    vault = make_vault(files)

    def interfere(progress: Progress) -> None:
        if progress.done == done:
            edit(vault.root / "d" / "n3.md")

    report = update_index(vault, folder, progress=interfere)
    others = [one for one in sections(folder) if "n3" not in one[0] and one[0] in files]
    assert others == sorted(one for path in files if "n3" not in path for one in told(path, files[path]))
    assert report.notes in {7, 8, 9}
    watched = ["d/n3.md", "d/renamed.md", "moved.md"]
    update_index(vault, folder, paths=watched)
    assert sections(folder) == readable(vault.root)
    assert numbers(update_index(vault, folder))[2:] == (0, 0, 0)


def told(path: str, text: str) -> list[tuple[str, str]]:
    """The sections of a note."""
    return [(path, line[2:]) for line in text.splitlines() if line.startswith("# ")]


def readable(root: Path) -> list[tuple[str, str]]:
    """The sections of all notes that are text."""
    found = []
    for path in root.rglob("*.md"):
        if path.is_file() and b"\0" not in path.read_bytes():
            found += told(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    return sorted(found)


def test_many_hands_while_it_indexes(make_vault: MakeVault, folder: Path, start: Start) -> None:
    """A sync tool renames, replaces, deletes and makes notes all the while: the index ends as one made of the end."""
    root = make_vault({f"n{number:03}.md": note(f"word{number}") for number in range(120)}).root
    indexer, listener = start(root)
    indexer.refresh()
    luck = random.Random(3)
    for turn in range(150):
        victim = luck.choice(sorted(root.glob("*.md")))
        other = root / f"m{luck.randrange(80):03}.md"
        match turn % 5:
            case 0:
                victim.write_text(note(f"turn{turn}"), "utf-8")
            case 1:
                victim.rename(other)
            case 2:
                victim.unlink()
            case 3:
                (root / "new").write_text(note(f"turn{turn}"), "utf-8")
                (root / "new").replace(victim)
            case _:
                other.write_text(note(f"turn{turn}"), "utf-8")
        indexer.refresh([victim.name, other.name])
    drain(indexer, listener)
    assert all(report.rebuilt is None for report in listener.reports())
    assert sections(folder) == truth(root)
    assert numbers(update_index(Vault.open(root), folder))[2:] == (0, 0, 0)
