"""The kind of file system of a folder: a local disk or a network one."""

from __future__ import annotations

from pathlib import Path

import psutil

_SHARED = frozenset(
    (
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "lustre",
        "gpfs",
        "beegfs",
        "glusterfs",
        "ncpfs",
        "webdav",
        "afpfs",
        "davfs",
        "orangefs",
        "pvfs2",
        "wekafs",
        "panfs",
        "vboxsf",
    )
)
_SHARED_FUSE = ("sshfs", "s3fs", "gcsfuse", "rclone", "goofys", "glusterfs", "ceph", "davfs", "gvfsd", "juicefs", "mfs")


def network_kind(path: Path) -> str | None:
    """Return the kind of network file system of a path, such as "nfs4"; None for a local disk.

    The path itself is not accessed, so a server that does not answer causes no delay.
    """
    mounts = _mounts()
    for folder in (place := path.absolute(), *place.parents):
        if (known := mounts.get(str(folder))) is not None:
            kind, options = known
            return kind if _is_shared(kind, options) else None
    return None


def _mounts() -> dict[str, tuple[str, str]]:
    """Return the type and options of the mounts, by folder; a later mount on the same folder hides the first."""
    try:
        return {one.mountpoint: (one.fstype, one.opts) for one in psutil.disk_partitions(all=True)}
    except OSError:
        return {}


def _is_shared(kind: str, options: str) -> bool:
    kind = kind.lower()
    if kind.startswith("fuse."):
        return kind.removeprefix("fuse.").startswith(_SHARED_FUSE)
    return kind in _SHARED or "remote" in options.split(",")  # on Windows
