"""The index brought up to date, whatever happens to the notes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kb.errors import IndexFailed, VaultMissing
from kb.files.locks import held
from kb.index import document_extraction, index_update, segments
from kb.index.index_update import update_index
from kb.results import Progress
from kb.vault.vault import Vault
from tests.kb.index.index_helpers import NOTES, found, numbers

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]


def test_the_first_indexing(make_vault: MakeVault, folder: Path) -> None:
    """Every section is found, and the report counts notes and sections."""
    report = update_index(make_vault(NOTES), folder)
    assert numbers(report) == (2, 4, 2, 0, 0)
    assert report.skipped == ()
    assert report.rebuilt is None
    assert report.seconds > 0
    assert found(folder, "冻结") == ["a/gather.md#冻结参数"]
    assert found(folder, "requires_grad") == ["a/gather.md#冻结参数"]
    assert found(folder, "before") == ["a/gather.md#"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the index."""
    return tmp_path / "cache" / "index"


def test_only_what_changed_is_read_again(make_vault: MakeVault, folder: Path) -> None:
    """Notes added, changed and deleted are counted and found, or no longer found."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    assert numbers(update_index(vault, folder)) == (2, 4, 0, 0, 0)
    (vault.root / "b.txt").unlink()
    make_vault({"a/gather.md": "# Gather\n\nnothing else\n", "new.md": "# Barrier\n"})
    assert numbers(update_index(vault, folder)) == (2, 2, 1, 1, 1)
    assert found(folder, "冻结") == []
    assert found(folder, "puts values") == []
    assert found(folder, "barrier") == ["new.md#Barrier"]


def test_same_size_and_time_does_not_hide_a_change(make_vault: MakeVault, folder: Path) -> None:
    """A change is told by content: one with the same length and time stamp is found."""
    vault = make_vault({"a.md": "# alpha\n"})
    update_index(vault, folder)
    stamp = (vault.root / "a.md").stat()
    make_vault({"a.md": "# gamma\n"})
    os.utime(vault.root / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert update_index(vault, folder).updated == 1
    assert found(folder, "gamma") == ["a.md#gamma"]
    assert found(folder, "alpha") == []


def test_given_paths_are_looked_at_alone(make_vault: MakeVault, folder: Path) -> None:
    """A list of changed paths may name notes, folders, and what is gone; the rest is left for another time."""
    vault = make_vault({"x/a.md": "# alpha\n", "x/b.md": "# beta\n", "c.md": "# gamma\n"})
    update_index(vault, folder)
    make_vault({"x/a.md": "# alef\n", "x/b.md": "# bet\n", "c.md": "# gimel\n", "y/d.md": "# dalet\n"})
    assert numbers(update_index(vault, folder, paths=["x/a.md", "c.png", ".hidden/e.md"])) == (3, 3, 0, 1, 0)
    assert numbers(update_index(vault, folder, paths=["x", "y"])) == (4, 4, 1, 1, 0)
    shutil.rmtree(vault.root / "x")
    assert numbers(update_index(vault, folder, paths=["x"])) == (2, 2, 0, 0, 2)
    assert found(folder, "gamma") == ["c.md#gamma"]
    assert numbers(update_index(vault, folder, paths=["../c.md", "/c.md"])) == (2, 2, 0, 0, 0)


def test_what_cannot_be_read_is_said(make_vault: MakeVault, folder: Path) -> None:
    """Files that are no text are left out with the reason; the others are found."""
    vault = make_vault({"good.md": "# good\n", "bad.md": b"\0\1\2\xff" * 100})
    (vault.root / "pipe.md").symlink_to("/dev/zero")
    report = update_index(vault, folder)
    assert report.notes == 1
    assert [skipped.path for skipped in report.skipped] == ["pipe.md", "bad.md"]
    assert all(len(skipped.reason) > 10 for skipped in report.skipped)
    make_vault({"good.md": b"\0\1\2\xff" * 100})
    assert numbers(update_index(vault, folder)) == (0, 0, 0, 0, 1)


def test_what_cannot_be_read_for_now_is_kept(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read error is no deletion."""
    vault = make_vault(NOTES)
    update_index(vault, folder)

    def refuse(place: Path, path: str, *, most: int) -> bytes:
        raise OSError(5, "Input/output error", str(place), None, path)

    monkeypatch.setattr(document_extraction, "read_regular", refuse)
    report = update_index(vault, folder)
    assert numbers(report) == (2, 4, 0, 0, 0)
    assert [skipped.path for skipped in report.skipped] == ["a/gather.md", "b.txt"]
    assert found(folder, "scatter") == ["b.txt#Scatter"]


def test_a_note_that_vanishes_meanwhile_is_removed(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note deleted between the listing and the reading is gone, without an error."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    files = list(vault.files())
    (vault.root / "b.txt").unlink()
    monkeypatch.setattr(Vault, "files", lambda _: iter(files))
    assert numbers(update_index(vault, folder)) == (1, 3, 0, 0, 1)


def test_a_vault_that_is_gone_is_not_taken_for_empty(make_vault: MakeVault, folder: Path) -> None:
    """Without the vault's folder nothing is deleted from the index."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    vault.root.rename(vault.root.with_name("away"))
    for paths in (None, ["b.txt"]):
        with pytest.raises(VaultMissing):
            update_index(vault, folder, paths=paths)
    assert found(folder, "scatter") == ["b.txt#Scatter"]


def test_an_empty_mount_point_is_not_taken_for_an_empty_vault(make_vault: MakeVault, folder: Path) -> None:
    """An empty folder in the place of the one that was indexed says that a disk is missing; emptying it does not."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    vault.root.rename(vault.root.with_name("disk"))
    vault.root.mkdir()
    for paths in (None, ["b.txt"]):
        assert numbers(update_index(Vault.open(vault.root), folder, paths=paths)) == (2, 4, 0, 0, 0)
    vault.root.rmdir()
    vault.root.with_name("disk").rename(vault.root)
    for path in NOTES:
        (vault.root / path).unlink()
    assert numbers(update_index(vault, folder)) == (0, 0, 0, 0, 2)
    assert found(folder, "scatter") == []


def test_a_rebuild_reads_everything_while_the_old_index_serves(make_vault: MakeVault, folder: Path) -> None:
    """Each note is read again; until then, what was found before is found."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    served: list[list[str]] = []
    report = update_index(vault, folder, rebuild=True, progress=lambda _: served.append(found(folder, "scatter")))
    assert numbers(report) == (2, 4, 0, 2, 0)
    assert report.rebuilt is None
    assert served == [["b.txt#Scatter"]] * 3


def test_progress_and_steps(make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress goes from nothing to all, and what is indexed so far is found while the rest is not."""
    monkeypatch.setattr(index_update, "STEPS", (2, 3))
    vault = make_vault({f"n{number}.md": f"# word{number}\n\n# other\n" for number in range(6)})
    seen: list[Progress] = []
    sizes: list[int] = []

    def progressed(progress: Progress) -> None:
        seen.append(progress)
        sizes.append(len(found(folder, "other")))

    report = update_index(vault, folder, progress=progressed)
    assert seen == [Progress(done, 6) for done in range(7)]
    assert sizes == [0, 1, 1, 3, 3, 5, 6]
    assert report.sections == 12


def test_a_failure_leaves_the_index_as_it_was(make_vault: MakeVault, folder: Path) -> None:
    """An indexing that is broken off keeps nothing half-way, and the next one does it all."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    make_vault({"a/gather.md": "# Changed\n", "c.md": "# New\n"})

    def break_off(progress: Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_index(vault, folder, progress=break_off)
    assert found(folder, "changed") == []
    assert found(folder, "冻结") == ["a/gather.md#冻结参数"]
    assert numbers(update_index(vault, folder)) == (3, 3, 1, 1, 0)


def test_a_folder_that_cannot_be_written_is_said(make_vault: MakeVault, folder: Path) -> None:
    """An error with what happened, in both languages."""
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    with pytest.raises(IndexFailed, match="cannot be written") as failed:
        update_index(make_vault(NOTES), folder)
    assert "无法写入" in failed.value.sentence("zh")


def test_a_second_writer_waits_and_then_says_so(
    make_vault: MakeVault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as another process writes, nothing is written here."""
    vault = make_vault(NOTES)
    update_index(vault, folder)
    monkeypatch.setattr(index_update, "PATIENCE", 0.05)
    with held(folder / segments.LOCK, patience=0), pytest.raises(IndexFailed, match="Another program"):
        update_index(vault, folder)
    assert update_index(vault, folder).notes == 2


def test_titles_tags_and_file_names_are_found(make_vault: MakeVault, folder: Path) -> None:
    """A section is found by its note's title, tags, aliases and file name, too."""
    vault = make_vault(
        {"sub/checkpoint.zh.md": "---\ntitle: 断点\ntags: [resume]\naliases: [snapshotting]\n---\n# 保存\n\n正文\n"}
    )
    update_index(vault, folder)
    for query in ("断点", "resume", "snapshotting", "checkpoint"):
        assert found(folder, query) == ["sub/checkpoint.zh.md#保存"], query


def test_what_stands_before_the_first_heading_counts_only_with_text(make_vault: MakeVault, folder: Path) -> None:
    """A picture alone is no section."""
    assert update_index(make_vault({"a.md": "![](x.png)\n\n# A\n"}), folder).sections == 1


def test_a_note_without_text_is_found_by_its_name(make_vault: MakeVault, folder: Path) -> None:
    """An empty file is one section."""
    assert numbers(update_index(make_vault({"barrier.md": ""}), folder)) == (1, 1, 1, 0, 0)
    assert found(folder, "barrier") == ["barrier.md#"]
