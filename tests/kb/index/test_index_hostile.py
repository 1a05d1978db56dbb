"""An index that somebody else made: opening one runs what it holds, so none is opened but the user's own."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from whoosh.filedb.filestore import FileStorage, RamStorage
from whoosh.index import TOC

from kb.errors import IndexFailed
from kb.files.paths import UserPaths
from kb.index import segments
from kb.index.index_update import update_index
from kb.search.searcher import Searcher
from kb.vault.vault import Vault
from tests.kb.index.index_helpers import NOTES, found
from tests.kb.vault_helpers import MakeVault, run, state


class Bomb:
    """What opens it makes a folder."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The folder that a bomb makes."""
    return tmp_path / "opened"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the user's own index."""
    return tmp_path / "cache" / "index"


@pytest.fixture
def names(make_vault: MakeVault, folder: Path) -> dict[str, bytes]:
    """Every file of an index as ours makes it, by name; the index itself is there, too."""
    update_index(make_vault(NOTES), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def bombs(folder: Path, mark: Path) -> dict[str, bytes]:
    """For each file of an index its hostile twin: tables of contents as Whoosh reads them, else a bare pickle."""
    twins = {path.name: pickle.dumps(Bomb(mark)) for path in folder.iterdir()}
    storage = FileStorage(str(folder))
    newest = TOC._latest_generation(storage, segments.NAME)
    schema = TOC.read(storage, segments.NAME).schema
    for generation in range(newest + 2):
        memory = RamStorage()
        TOC(schema, [Bomb(mark)], generation).write(memory, segments.NAME)
        twins |= memory.files
    return twins


def test_the_control(names: dict[str, bytes], folder: Path, mark: Path) -> None:
    """A hostile table of contents does run where Whoosh opens it: what the tests below lay out is armed."""
    for name, twin in bombs(folder, mark).items():
        (folder / name).write_bytes(twin)
    with contextlib.suppress(Exception):
        TOC.read(FileStorage(str(folder)), segments.NAME)
    assert mark.is_dir()


def test_a_vault_full_of_bombs(names: dict[str, bytes], root: Path, folder: Path, mark: Path) -> None:
    """Under every name and in every folder where an index could be looked for: none is opened, all stay as they are."""
    twins = bombs(folder, mark)
    ours = UserPaths.of_user().for_vault(root).index
    below = ours.relative_to(UserPaths.of_user().cache.parent)
    for place in (".", "index", ".index", "cache", ".cache/torchleaf", ".torchleaf", "_notes", str(below)):
        for name, twin in twins.items():
            target = root / place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(twin)
    before = state(root)
    vault = Vault.open(root)
    for rebuild in (False, True):
        assert update_index(vault, folder, rebuild=rebuild).notes == 2
    assert found(folder, "scatter") == ["b.txt#Scatter"]
    assert not mark.exists()
    assert state(root) == before


@pytest.mark.parametrize("sheet", ["none", "another's", "of another version", "the old one"])
def test_bombs_in_the_place_of_the_index(
    names: dict[str, bytes], root: Path, folder: Path, mark: Path, sheet: str
) -> None:
    """Files that came into the cache without the program, as by a vault unpacked over it: deleted, not opened."""
    sums = next(name for name in names if name.endswith(".json"))
    old = json.loads(names[sums])
    sheets = {
        "none": None,
        "another's": b"{}",
        "of another version": json.dumps({**old, "stamp": "hostile"}).encode(),
        "the old one": names[sums],
    }
    for name, twin in bombs(folder, mark).items():
        (folder / name).write_bytes(twin)
    (folder / sums).unlink()
    if (content := sheets[sheet]) is not None:
        (folder / sums).write_bytes(content)
    searcher = Searcher(folder, root)
    with contextlib.suppress(IndexFailed):
        assert searcher.search("scatter").hits == ()
    assert not mark.exists(), "by the search"
    assert update_index(Vault.open(root), folder, paths=["b.txt"]).rebuilt
    assert not mark.exists(), "by the indexing"
    assert [hit.path for hit in searcher.search("scatter").hits] == ["b.txt"]
    searcher.close()


CUCKOO = """
import sys
from pathlib import Path
from kb.index.index_update import update_index
from kb.files.paths import UserPaths
from kb.search.searcher import Searcher
from kb.vault.vault import Vault

root = Path(sys.argv[1])
index = UserPaths.of_user().for_vault(root).index
assert index.is_relative_to(root)
searcher = Searcher(index, root)
try:
    searcher.search("scatter")
except Exception as error:
    print(type(error).__name__)
update_index(Vault.open(root), index)
print([hit.path for hit in searcher.search("scatter").hits])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the script is started with the names of POSIX")
def test_a_vault_that_holds_the_cache(
    names: dict[str, bytes], root: Path, folder: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home folder opened as a vault has the cache in it: what lay there before the program came is not opened."""
    monkeypatch.setenv("TORCHLEAF_HOME", str(root / "home"))
    ours = UserPaths.of_user().for_vault(root).index
    ours.mkdir(parents=True)
    for name, twin in bombs(folder, mark).items():
        (ours / name).write_bytes(twin)
    assert run(CUCKOO, str(root)).splitlines()[-1] == "['b.txt']"
    assert not mark.exists()
