"""Saving, killed again and again: a file holds the old text or the new one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kb.files import atomic
from kb.files.atomic import sweep, temporary_name
from tests.kb.vault_helpers import run
from tests.tally import tally

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes, owners and signals of POSIX")

OLD, NEW = b"old text\n" * 100, b"new text, longer\n" * 100
KILLS = int(os.environ.get("TORCHLEAF_KILLS", "220"))

KILLER = """
import os, signal, sys, time
from pathlib import Path
from kb.files.atomic import replace_file, sweep
from tests.kb.vault_helpers import run

TEXTS = [(f"{i} " * 8_000 + "end").encode() for i in range(2)]

def write_for_ever(path, kind):
    while True:
        for text in TEXTS:
            if kind == "naive":
                with open(path, "wb") as file:
                    file.write(text)
            else:
                replace_file(path, text)

def started(path, kind):
    path.write_bytes(TEXTS[0])
    pid = os.fork()
    if pid == 0:
        try:
            write_for_ever(path, kind)
        finally:
            os._exit(1)
    return pid

folder, kind, kills = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
torn = 0
for first in range(0, kills, 4):
    paths = [folder / f"{kind}-{lane}.md" for lane in range(4)]
    pids = [started(path, kind) for path in paths]
    time.sleep(0.004 + first % 17 / 1000)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        assert os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    torn += sum(path.read_bytes() not in TEXTS for path in paths)
print(torn, sweep(folder), sum(name.startswith(".") for name in os.listdir(folder)))
"""


def killed_while_writing(folder: Path, kind: str) -> list[int]:
    """Kill writers at any moment; return how often a file was torn, what was swept, what is left."""
    return [int(word) for word in run(KILLER, str(folder), kind, str(KILLS), patience=60 + KILLS / 2).split()]


def test_a_killed_writer_leaves_the_old_or_the_new_text(root: Path) -> None:
    """220 kills at any moment, or TORCHLEAF_KILLS: no note is torn, while plain writing tears some; all is swept."""
    torn, _, _ = killed_while_writing(root, "naive")
    assert torn > 0
    torn, swept, left = killed_while_writing(root, "atomic")
    tally(KILLS, torn=torn, orphans=left)
    assert (torn, left) == (0, 0)
    assert swept > 0


def test_sweeping_takes_what_dead_writers_left(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folders of processes that are gone, and old ones of other machines; nothing else."""
    host = re.escape(atomic._HOST)
    mine = temporary_name()
    assert re.fullmatch(rf"\.~tl-{host}-{os.getpid()}-[0-9a-f]{{8}}-\d+", mine)
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    gone = {
        mine.replace(f"-{os.getpid()}-", f"-{process.pid}-").replace(atomic._SESSION, "00000000"),
        mine.replace(atomic._SESSION, "11111111"),  # an earlier process that had our number
        f".~tl-000000-1-00000000-{1}",
    }
    stays = {mine, ".~tl-000000-1-00000000-2", ".~tl-odd", "note.md", f".~tl-{atomic._HOST}-{os.getppid()}-00000000-1"}
    for name in gone | stays:
        (root / name).write_bytes(b"")
    os.utime(root / ".~tl-000000-1-00000000-1", (0, 0))
    folder = mine.replace(atomic._SESSION, "22222222")
    (root / folder / "sub").mkdir(parents=True)
    assert sweep(root) == len(gone) + 1
    assert {path.name for path in root.iterdir()} == stays
    assert sweep(root / "missing") == 0
