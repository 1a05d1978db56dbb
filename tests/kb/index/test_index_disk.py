"""A disk that takes no more, or nothing at all: it is said in one sentence, and what was found before is found."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.errors import IndexFailed
from kb.files.locks import held
from kb.index.index_update import update_index
from kb.index.segments import LOCK
from kb.vault.vault import Vault
from tests.kb.index.index_helpers import NOTES, found, numbers
from tests.kb.vault_helpers import MakeVault, run, state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="small disks and limits of Linux")
LUCK = random.Random(9)
BIG = "".join(  # of words that cannot be packed
    f"# word{number}\n\nunique{number} {' '.join(f'{LUCK.getrandbits(64):x}' for _ in range(60))}\n\n"
    for number in range(400)
)
SMALL = BIG[: BIG.index("# word20")]


def mounted(folder: Path, options: str) -> None:
    """Mount a small disk, or skip the test."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a disk cannot be mounted here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 512 kB."""
    folder = tmp_path / "disk"
    mounted(folder, "size=1M")
    yield folder
    if subprocess.run(["umount", str(folder)], check=False).returncode:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        pytest.fail("a file of the index is still open")


def fill(folder: Path, *, leave: int = 0) -> Path:
    """Fill a disk, but for some bytes; return the file that does it."""
    full = folder / "full"
    with full.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    os.truncate(full, max(0, full.stat().st_size - leave))
    return full


@pytest.mark.parametrize("leave", [0, 4096, 3 * 4096, 6 * 4096, 10 * 4096, 20 * 4096, 40 * 4096])
def test_a_disk_that_gets_full(make_vault: MakeVault, disk: Path, leave: int) -> None:
    """Wherever in the writing it gets full: one sentence, the old index serves, notes are untouched, room mends all."""
    vault = make_vault(NOTES)
    folder = disk / "index"
    update_index(vault, folder)
    make_vault({"big.md": BIG})
    notes = state(vault.root)
    full = fill(disk, leave=leave)
    for _ in range(3):  # as often as it is tried
        with pytest.raises(IndexFailed, match="No space left") as failed:
            update_index(vault, folder)
        assert "仍可阅读和编辑" in failed.value.zh
        assert found(folder, "scatter") == ["b.txt#Scatter"]
    with held(folder / LOCK, patience=0) as taken:
        assert taken
    assert state(vault.root) == notes
    full.unlink()
    (vault.root / "big.md").write_text(SMALL, "utf-8")
    report = update_index(vault, folder)
    assert (report.rebuilt, report.notes, report.sections, report.added) == (None, 3, 24, 1)
    assert found(folder, "unique7")[0] == "big.md#word7"
    assert numbers(update_index(vault, folder))[2:] == (0, 0, 0)


def test_a_disk_that_is_full_from_the_first(make_vault: MakeVault, disk: Path) -> None:
    """No index can be made: said, and searching finds nothing without an error; with room it is made."""
    vault = make_vault(NOTES)
    full = fill(disk)
    with pytest.raises(IndexFailed, match="No space left"):
        update_index(vault, disk / "index")
    assert found(disk / "index", "scatter") == []
    full.unlink()
    assert update_index(vault, disk / "index").notes == 2
    assert found(disk / "index", "scatter") == ["b.txt#Scatter"]


def test_a_full_disk_and_a_damaged_index(make_vault: MakeVault, disk: Path) -> None:
    """It cannot be built anew for now: said each time; as soon as there is room, it is."""
    vault = make_vault(NOTES)
    folder = disk / "index"
    update_index(vault, folder)
    for path in folder.iterdir():
        path.write_bytes(b"garbage")
    make_vault({"big.md": BIG})
    full = fill(disk)
    for _ in range(2):
        with pytest.raises(IndexFailed, match="No space left"):
            update_index(vault, folder)
    full.unlink()
    (vault.root / "big.md").unlink()
    assert update_index(vault, folder).notes == 2
    assert found(folder, "scatter") == ["b.txt#Scatter"]


def test_a_disk_that_may_only_be_read(make_vault: MakeVault, disk: Path) -> None:
    """The index cannot be written: said; what it has is still found."""
    vault = make_vault(NOTES)
    folder = disk / "index"
    update_index(vault, folder)
    make_vault({"new.md": "# Barrier\n"})
    before = state(folder)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        with pytest.raises(IndexFailed, match="Read-only"):
            update_index(vault, folder)
        assert found(folder, "scatter") == ["b.txt#Scatter"]
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert state(folder) == before
    assert numbers(update_index(vault, folder)) == (3, 5, 1, 0, 0)


LIMITED = """
import json, resource, signal, sys
from pathlib import Path
from kb.errors import IndexFailed
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
root, folder, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
try:
    update_index(Vault.open(root), folder)
    said = ""
except IndexFailed as failed:
    said = failed.en
searcher = Searcher(folder, root)
print(json.dumps([said, [hit.path for hit in searcher.search("scatter").hits]]))
searcher.close()
"""


@pytest.mark.parametrize("most", [1, 100, 1000, 5000, 20_000])
def test_a_limit_to_the_size_of_files(make_vault: MakeVault, tmp_path: Path, most: int) -> None:
    """A quota, which needs no rights to be set: said, the old index serves, and without it everything is found."""
    vault = make_vault(NOTES)
    folder = tmp_path / "index"
    update_index(vault, folder)
    make_vault({"big.md": BIG})
    outcome: list[Any] = json.loads(run(LIMITED, str(vault.root), str(folder), str(most)))
    assert "too large" in outcome[0]
    assert outcome[1] == ["b.txt"]
    report = update_index(Vault.open(vault.root), folder)
    assert (report.rebuilt, report.notes, report.sections) == (None, 3, 404)
    assert found(folder, "unique300")[0] == "big.md#word300"
