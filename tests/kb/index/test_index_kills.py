"""Indexing, killed at any moment: the index is whole, free, and what it answers is right.

TORCHLEAF_KILLS sets how many kills there are (30 without it; 300 is the long form).
"""

from __future__ import annotations

import faulthandler
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.kb.vault_helpers import run
from tests.tally import tally

pytestmark = pytest.mark.skipif(os.name == "nt", reason="forks and signals of POSIX")

KILLS = int(os.environ.get("TORCHLEAF_KILLS", "30"))
PATIENCE = 60 + 2 * KILLS  # seconds

COMMON = """
import json, os, random, signal, sys, time
import psutil
from contextlib import closing
from pathlib import Path
from kb.index import index_update, segments
from kb.index.index_update import update_index
from kb.files.locks import held
from kb.search.searcher import Searcher
from kb.vault.vault import Vault

index_update.STEPS = (20, 40, 80)  # many commits in a short time: the more there are, the more kills meet one
index_update.MANY = int(sys.argv[3])  # files that are worth a second process
os.setsid()  # so that what this starts is told from all else
luck = random.Random(11)
home, kills = Path(sys.argv[1]), int(sys.argv[2])
root, folder = home / "vault", home / "index"
root.mkdir()
TEXT = "values are read along a dimension of the tensor " * 20

def note(turn, number):
    parts = "".join(f"# part{n}\\n\\nvalues\\n\\n" for n in range(luck.randrange(6)))
    return f"# turn{turn} note{number}\\n\\n{TEXT}\\n\\n{parts}"

def started(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid

def killed(pid, seconds):
    '''Kill a process after a while; tell whether it was still at it.'''
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])

def left_alone():
    '''Count the second processes whose indexing was killed and that are still there when they should have ended.'''
    for _ in range(200):
        mine = [one for one in psutil.process_iter() if of_ours(one)]
        if not mine:
            break
        time.sleep(0.1)
    return len(mine)

def of_ours(one):
    try:
        return os.getsid(one.pid) == os.getpid() and "--multiprocessing-fork" in one.cmdline()
    except (OSError, psutil.Error):
        return False

def is_free():
    with held(folder / segments.LOCK, patience=0) as taken:
        return taken

def headings(where):
    with closing(Searcher(where, root)) as searcher:
        return sorted((hit.path, hit.heading, hit.line) for hit in searcher.search("values", limit=100_000).hits)

def true_headings():
    '''What must be found, told by the notes themselves.'''
    return sorted(
        (path.name, line[2:], number)
        for path in root.iterdir()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.startswith("# ")
    )
"""

WRITER = (
    COMMON
    + """
for number in range(60):
    (root / f"n{number}.md").write_text(note(0, number))
vault = Vault.open(root)
began = time.monotonic()
update_index(vault, folder)
whole = time.monotonic() - began
met = locked = wrong = rebuilt = unserved = 0
seen = set()
for turn in range(1, kills + 1):
    for number in luck.sample(range(60), 40):
        path = root / f"n{number}.md"
        if luck.random() < 0.1:
            path.unlink(missing_ok=True)
        else:
            path.write_text(note(turn, number))
    met += killed(started(lambda: update_index(vault, folder)), luck.uniform(0, whole))
    seen.add(len(list(folder.iterdir())))
    locked += not is_free()
    try:
        headings(folder)
    except Exception:
        unserved += 1
    if turn % 5 == 0:
        report = update_index(vault, folder)
        truth = true_headings()
        wrong += headings(folder) != truth
        wrong += (report.notes, report.sections) != (len(list(root.iterdir())), len(truth))
        rebuilt += report.rebuilt is not None
left = [name for name in os.listdir(folder) if name.endswith((".tmp", ".new")) or name.startswith("handed-")]
alone = left_alone()
print(json.dumps(dict(met=met, locked=locked, wrong=wrong, rebuilt=rebuilt, unserved=unserved, left=left, alone=alone)))
"""
)

NAIVE = (
    COMMON
    + """
# What an index without atomic commits and with a lock by presence would be: the kills must be able to harm it.
for number in range(60):
    (root / f"n{number}.md").write_text(note(0, number))
folder.mkdir()
mine, lock = folder / "index.json", folder / "lock"

def naive_index():
    lock.touch(exist_ok=False)
    with mine.open("w") as file:
        json.dump({path.name: Vault.open(root).read(path.name).text.split() for path in sorted(root.iterdir())}, file)
    lock.unlink()

began = time.monotonic()
naive_index()
whole = time.monotonic() - began
met = locked = torn = 0
for turn in range(1, kills + 1):
    met += killed(started(naive_index), luck.uniform(0, whole))
    locked += lock.exists()
    lock.unlink(missing_ok=True)
    try:
        torn += len(json.loads(mine.read_text())) != 60
    except ValueError:
        torn += 1
print(json.dumps(dict(met=met, locked=locked, torn=torn)))
"""
)

REBUILD = (
    COMMON
    + """
for number in range(60):
    (root / f"n{number}.md").write_text(note(0, number))
vault = Vault.open(root)
began = time.monotonic()
update_index(vault, folder)
whole = 2 * (time.monotonic() - began)
truth = true_headings()
met = locked = wrong = looks = rebuilt = 0
kept = Searcher(folder, root)
for turn in range(kills):
    pid = started(lambda: update_index(vault, folder, rebuild=True))
    until = time.monotonic() + luck.uniform(0, whole)
    while time.monotonic() < until:  # an open window searches on, and a command opens the index anew
        looks += 1
        wrong += headings(folder) != truth
        wrong += len(kept.search("values", limit=100_000).hits) != len(truth)
    met += killed(pid, 0)
    locked += not is_free()
    wrong += headings(folder) != truth
    if turn % 5 == 4:
        rebuilt += update_index(vault, folder).rebuilt is not None
        wrong += headings(folder) != truth
kept.close()
print(json.dumps(dict(met=met, locked=locked, wrong=wrong, looks=looks, rebuilt=rebuilt)))
"""
)


def counted(script: str, home: Path, kills: int, many: int = 1000) -> dict[str, Any]:
    """Run one of the scripts, and return what it counted; so many files are worth a second process."""
    home.mkdir()
    if PATIENCE > 150:  # the long form has a patience of its own
        faulthandler.cancel_dump_traceback_later()
    numbers: dict[str, Any] = json.loads(run(script, str(home), str(kills), str(many), patience=PATIENCE))
    return numbers


def test_a_naive_index_does_not_survive_this(tmp_path: Path) -> None:
    """The control: kills at moments drawn in the same way tear files and leave locks where nothing is done about it."""
    numbers = counted(NAIVE, tmp_path / "naive", KILLS)
    assert numbers["met"] > KILLS / 5
    assert numbers["locked"] > 0
    assert numbers["torn"] > 0


def test_kills_leave_a_whole_and_free_index(tmp_path: Path) -> None:
    """After each kill the lock is free and the index answers; the next indexing counts and finds exactly what is."""
    numbers = counted(WRITER, tmp_path / "ours", KILLS)
    tally(numbers["met"], lost=numbers["wrong"], torn=numbers["unserved"], orphans=numbers["alone"] + numbers["locked"])
    assert numbers.pop("met") > KILLS / 5  # killed while they worked
    assert numbers == {"locked": 0, "wrong": 0, "rebuilt": 0, "unserved": 0, "left": [], "alone": 0}


def test_kills_of_two_at_work_leave_a_whole_and_free_index(tmp_path: Path) -> None:
    """The same where a second process hands over segments: it ends with the one that is killed, and nothing is lost.

    It takes longer than its like, for each indexing starts a Python; so there are fewer kills.
    """
    numbers = counted(WRITER, tmp_path / "both", max(10, KILLS // 3), many=10)
    tally(numbers["met"], lost=numbers["wrong"], torn=numbers["unserved"], orphans=numbers["alone"] + numbers["locked"])
    assert numbers.pop("met") > 2
    assert numbers == {"locked": 0, "wrong": 0, "rebuilt": 0, "unserved": 0, "left": [], "alone": 0}


def test_a_killed_rebuild_leaves_the_old_index_serving(tmp_path: Path) -> None:
    """While a rebuild runs, and after its death at any moment, every search finds all that it found before."""
    numbers = counted(REBUILD, tmp_path / "rebuilt", KILLS)
    tally(numbers["met"], lost=numbers["wrong"], orphans=numbers["locked"])
    assert numbers.pop("met") > KILLS / 5
    assert numbers.pop("looks") > KILLS
    assert numbers == {"locked": 0, "wrong": 0, "rebuilt": 0}
