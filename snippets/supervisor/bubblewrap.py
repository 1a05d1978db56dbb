"""The command line of bubblewrap: no network but loopback, no home folder, nothing writable but the scratch folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

WRAPPER = "bwrap"

_SHARED_MEMORY = 1 << 30  # bytes of /dev/shm, enough for the workers of a DataLoader
_HOME = 1 << 26  # bytes of the empty home folder, which is in memory
_TEMPORARY = 1 << 28
_EMPTIED = {"/dev/shm": _SHARED_MEMORY, "/run": _TEMPORARY, "/tmp": _TEMPORARY}  # noqa: S108 - paths inside the sandbox
_MOST_LINKS = 40  # as in Linux


def base_command() -> list[str]:
    """Return the part of the command line that is the same for every run."""
    command = [
        WRAPPER, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc",
        "--unshare-uts", "--unshare-cgroup-try", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
    ]  # fmt: skip
    for folder, size in _EMPTIED.items():
        command += ["--size", str(size), "--tmpfs", folder]
    if os.geteuid() == 0:
        command += ["--cap-drop", "ALL"]  # root would keep them
    for home in _homes():
        command += ["--size", str(_HOME), "--tmpfs", str(home)]
    return command


def sandbox_command(
    *, writable: Iterable[Path], visible: Iterable[Path], hosts: Path, device: str, links: Mapping[str, str]
) -> list[str]:
    """Return the command line that, followed by `--` and a command, runs that command in a sandbox.

    The folders in `writable` can be written to. Those in `visible` can be read even inside a home folder. `hosts` is
    the file to write the sandbox's own /etc/hosts to; `links` are symbolic links to make, by name. Raises OSError.
    """
    names = [part for name, place in links.items() for part in ("--symlink", place, name)]
    read, hidden = _readable(visible)
    written = [part for path in writable for part in ("--bind", str(path), str(path))]
    return [*base_command(), *names, *_hosts(hosts), *read, *hidden, *written, *_device_nodes(device)]


def _readable(paths: Iterable[Path]) -> tuple[list[str], list[str]]:
    """Return the mounts that make paths readable at their real places, and the symbolic links to make again.

    bwrap cannot mount over a symbolic link. A link outside the folders that the sandbox empties is still there.
    """
    resolved = [_followed(path) for path in _outermost(paths)]
    real = _outermost(place for place, _ in resolved)
    emptied = (*_homes(), *map(Path, _EMPTIED))
    links = {
        link: aim
        for _, followed in resolved
        for link, aim in followed.items()
        if any(map(link.is_relative_to, emptied)) and not any(map(link.is_relative_to, real))
    }
    mounts = [part for path in real for part in ("--ro-bind", str(path), str(path))]
    return mounts, [part for link, aim in links.items() for part in ("--symlink", aim, str(link))]


def _followed(path: Path) -> tuple[Path, dict[Path, str]]:
    """Return where an absolute path leads, and the symbolic links on the way with what they contain."""
    links: dict[Path, str] = {}
    at, rest = Path("/"), list(path.parts[1:])
    while rest and len(links) < _MOST_LINKS:
        at /= rest.pop(0)
        if at.is_symlink():
            links[at] = os.readlink(at)  # noqa: PTH115 - as it is written, for a link made again
            target = Path(os.path.normpath(at.parent / links[at]))
            at, rest = Path("/"), [*target.parts[1:], *rest]
    return at.joinpath(*rest), links


def link_folders(program: Path) -> tuple[Path, ...]:
    """Return the folders that a chain of symbolic links to a program leads through."""
    folders = []
    while program.is_symlink():
        folders.append(program.parent)
        program = program.parent / program.readlink()
    return (*folders, program.parent)


def _hosts(file: Path) -> list[str]:
    """Bind a hosts file that names every address of the sandbox: without a network, looking up a name fails slowly.

    Raises OSError.
    """
    own = socket.gethostname()
    file.write_text(f"127.0.0.1 localhost {own}\n::1 localhost {own}\n::ffff:127.0.0.1 localhost\n", encoding="utf-8")
    return ["--ro-bind", str(file), "/etc/hosts"] if Path("/etc/hosts").is_file() else []


def _homes() -> list[Path]:
    """Return the home folders: the user's by the variable and by the system's list, root's, and all under /home."""
    homes = {
        Path(os.environ.get("HOME", "/root")),
        Path(f"~{_user()}").expanduser(),
        Path("/root"),
        Path("/home"),
    }
    return _outermost(home for home in homes if home != Path("/") and not os.path.islink(home))  # noqa: PTH114 - see below


def _user() -> str:
    import pwd  # noqa: PLC0415 - Windows has no pwd, and this is never called there

    return pwd.getpwuid(os.geteuid()).pw_name


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return the absolute paths that exist and are not inside another of them."""
    # Path.exists raises PermissionError for a path that this user may not even look at.
    there = {path.absolute() for path in paths if os.path.exists(path)}  # noqa: PTH110
    folders = sorted(there, key=lambda path: len(path.parts))
    kept: list[Path] = []
    for path in folders:
        if not any(path.is_relative_to(outer) for outer in kept):
            kept.append(path)
    return kept


def _device_nodes(device: str) -> Iterator[str]:
    """Bind the device nodes of the driver of the chosen GPU."""
    patterns = {"cuda": ("nvidia*",), "xpu": ("dri",)}.get(device.partition(":")[0], ())
    for path in (node for pattern in patterns for node in sorted(Path("/dev").glob(pattern))):
        yield from ("--dev-bind", str(path), str(path))
