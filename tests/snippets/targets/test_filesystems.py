"""On what kind of disk a folder lies."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from snippets.targets.filesystems import network_kind

MOUNTS = {
    "/": ("ext4", "rw"),
    "/home": ("nfs4", "rw,vers=4.2"),
    "/home/local": ("xfs", "rw"),
    "/mnt/share": ("cifs", "rw"),
    "/mnt/remote": ("fuse.sshfs", "rw"),
    "/mnt/archive": ("fuse.archivemount", "rw"),
    "/mnt/z": ("NTFS", "rw,remote"),
}


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/home/me/data", "nfs4"),
        ("/home", "nfs4"),
        ("/home/local/me", None),
        ("/homely", None),
        ("/", None),
        ("/mnt/share/x", "cifs"),
        ("/mnt/remote/x", "fuse.sshfs"),
        ("/mnt/archive/x", None),
        ("/mnt/z/x", "NTFS"),
    ],
)
def test_the_nearest_mount_decides(place: str, kind: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the folders above a place the one that something is mounted on last; the place need not be there."""
    found = [SimpleNamespace(mountpoint=folder, fstype=how, opts=opts) for folder, (how, opts) in MOUNTS.items()]

    def told(*, all: bool) -> list[Any]:  # noqa: A002
        assert all
        return found

    monkeypatch.setattr("psutil.disk_partitions", told)
    assert network_kind(Path(place)) == kind


def test_where_nobody_tells_it_is_taken_for_a_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a container without /proc."""

    def fail(*, all: bool) -> list[Any]:  # noqa: A002
        raise OSError

    monkeypatch.setattr("psutil.disk_partitions", fail)
    assert network_kind(tmp_path) is None


def test_this_machine() -> None:
    """A real table of mounts is read; nothing is mounted from afar on the folder of processes."""
    assert network_kind(Path("/proc/self")) is None
