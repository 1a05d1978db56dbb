"""The command line of bubblewrap: a run sees the system's libraries, its Python and its own folder, and nothing else.

What can be seen is a list of what is allowed. Homes, other disks, other vaults, our own data and all sockets are not on
it. Only the folders of the run can be written to, and there is no network but loopback.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

WRAPPER = "bwrap"

_USER = 1000  # the user and group inside: neither is root, also where the program runs as root
_SHARED_MEMORY = 1 << 30  # bytes of /dev/shm, enough for the workers of a DataLoader
_HOME = 1 << 26  # bytes of the empty home folder, which is in memory
_TEMPORARY = 1 << 28
_EMPTY = {"/dev/shm": _SHARED_MEMORY, "/run": _TEMPORARY, "/tmp": _TEMPORARY, "/var/tmp": _TEMPORARY}  # noqa: S108
_MOST_LINKS = 40  # as in Linux

# Programs and libraries. The last ones are those of NixOS and Guix.
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
    "/nix/store", "/gnu/store", "/run/current-system", "/run/opengl-driver",
)  # fmt: skip
# Settings of libraries, without what tells of the machine and its users. Certificates, but not the private keys.
_SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "locale.alias", "locale.conf",
    "nsswitch.conf", "host.conf", "gai.conf", "protocols", "services", "mime.types", "magic", "fonts", "terminfo",
    "os-release", "debian_version", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs",
    "pki/ca-trust/extracted", "crypto-policies/back-ends", "OpenCL", "vulkan", "glvnd", "libibverbs.d", "rocm",
)  # fmt: skip
_PROCESSORS = ("/sys/devices/system",)  # how many there are, and which share their memory
# By the kind of a device: the nodes in /dev, and the folders in which its driver looks for devices and libraries.
_DEVICE_NODES = {"cuda": ("nvidia*", "kfd", "dri"), "xpu": ("dri",)}
_GRAPHICS = (
    "/sys/devices", "/sys/bus/pci", "/sys/class/drm", "/sys/class/kfd", "/sys/dev/char", "/sys/module/nvidia",
    "/sys/module/nvidia_uvm", "/sys/module/amdgpu", "/sys/module/i915", "/sys/module/xe", "/opt/cuda", "/opt/nvidia",
    "/opt/rocm*", "/opt/intel",
)  # fmt: skip
# In these, root of the machine may write by its number alone, and bubblewrap protects them only where it notices.
_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "pressure"))
_SECRETS = ("/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/kallsyms")


def probe_command() -> list[str]:
    """Return the command line of a sandbox without a run: what is true in it is true for every run."""
    return [*_base(), "--remount-ro", "/"]


def sandbox_command(
    *, writable: Iterable[Path], visible: Iterable[Path], settings: Path, device: str, links: Mapping[str, str]
) -> list[str]:
    """Return the command line that, followed by `--` and a command, runs that command in a sandbox.

    The folders in `writable` can be written to. Those in `visible` can be read, unless a home folder is in them: who
    has made a vault of the whole home folder has not offered the keys in it. `settings` is a folder for the sandbox's
    own files of /etc; `links` are symbolic links to make, by name. Raises OSError.
    """
    homes = [_followed(home)[0] for home in home_folders()]
    allowed = [path for path in visible if not any(home.is_relative_to(_followed(path)[0]) for home in homes)]
    names = [part for name, place in links.items() for part in ("--symlink", place, name)]
    read, linked = _readable(allowed)
    written = [part for path in writable for part in ("--bind", str(path), str(path))]
    own = _own_settings(settings)
    return [*_base(), *names, *own, *read, *linked, *written, *_device(device), "--remount-ro", "/"]


def home_folders() -> list[Path]:
    """Return the home folders of the user, by the variable and by the system's list, as they are named there."""
    homes = [Path(os.environ.get("HOME", "/root")), Path(f"~{_user()}").expanduser()]
    return [home for home in dict.fromkeys(homes) if home.is_absolute() and home != Path("/")]


def link_folders(program: Path) -> tuple[Path, ...]:
    """Return the folders that a chain of symbolic links to a program leads through."""
    folders = []
    while program.is_symlink():
        folders.append(program.parent)
        program = program.parent / program.readlink()
    return (*folders, program.parent)


def _base() -> list[str]:
    """Return the part of the command line that is the same for every run."""
    command = [
        WRAPPER, "--die-with-parent", "--new-session", "--unshare-user", "--uid", str(_USER), "--gid", str(_USER),
        "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev",
    ]  # fmt: skip
    command += _bound(_KERNEL)
    for path in filter(os.path.exists, _SECRETS):
        command += ["--ro-bind", "/dev/null", path]
    for folder, size in _EMPTY.items():
        command += ["--size", str(size), "--tmpfs", folder]
    command += [*_bound(_SYSTEM), *_bound(f"/etc/{name}" for name in _SETTINGS), *_bound(_PROCESSORS)]
    for home in home_folders():
        place, links = _followed(home)
        if place != Path("/"):
            command += ["--size", str(_HOME), "--tmpfs", str(place)]
            command += _made_again(links, _mounted())
    return command


def _bound(paths: Iterable[str]) -> list[str]:
    """Return the mounts of the folders and files that exist; /bin is on most systems a link to /usr/bin."""
    command: list[str] = []
    for path in filter(os.path.exists, paths):
        if path.count("/") == 1 and os.path.islink(path):  # noqa: PTH114 - the kernel's names, not Path's
            command += ["--symlink", os.readlink(path), path]  # noqa: PTH115
        else:
            command += ["--ro-bind", path, path]
    return command


def _mounted() -> tuple[Path, ...]:
    """Return what every sandbox has, so that links in it need not be made."""
    return tuple(map(Path, (*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS), "/proc", "/sys", "/dev")))


def _readable(paths: Iterable[Path]) -> tuple[list[str], list[str]]:
    """Return the mounts that make paths readable at their real places, and the symbolic links to make again."""
    resolved = [_followed(path) for path in _outermost(paths)]
    real = _outermost(place for place, _ in resolved)
    links = {link: aim for _, followed in resolved for link, aim in followed.items()}
    mounts = [part for path in real for part in ("--ro-bind", str(path), str(path))]
    return mounts, _made_again(links, (*real, *_mounted()))


def _made_again(links: Mapping[Path, str], there: Iterable[Path]) -> list[str]:
    """Return the options that make those symbolic links that are not in a folder that is there."""
    folders = tuple(there)
    missing = {link: aim for link, aim in links.items() if not any(map(link.is_relative_to, folders))}
    return [part for link, aim in missing.items() for part in ("--symlink", aim, str(link))]


def _followed(path: Path) -> tuple[Path, dict[Path, str]]:
    """Return where an absolute path leads, and the symbolic links on the way with what they contain."""
    links: dict[Path, str] = {}
    at, rest = Path("/"), list(path.parts[1:])
    while rest and len(links) < _MOST_LINKS:
        at /= rest.pop(0)
        if os.path.islink(at):  # noqa: PTH114 - Path raises PermissionError for a path that this user may not look at
            links[at] = os.readlink(at)  # noqa: PTH115 - as it is written, for a link made again
            target = Path(os.path.normpath(at.parent / links[at]))
            at, rest = Path("/"), [*target.parts[1:], *rest]
    return at.joinpath(*rest), links


def _own_settings(folder: Path) -> list[str]:
    """Write and bind files of /etc: one user, and a name for every address of the sandbox.

    Without a network, looking up a name that no file has fails slowly. Raises OSError.
    """
    own = socket.gethostname()
    texts = {
        "hosts": f"127.0.0.1 localhost {own}\n::1 localhost {own}\n::ffff:127.0.0.1 localhost\n",
        "passwd": f"user:x:{_USER}:{_USER}::{os.environ.get('HOME', '/')}:/bin/sh\n",
        "group": f"user:x:{_USER}:\n",
    }
    folder.mkdir()
    command = []
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        command += ["--ro-bind", str(folder / name), f"/etc/{name}"]
    return command


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


def _device(device: str) -> Iterator[str]:
    """Bind the device nodes of the chosen GPU's driver, and what the driver reads."""
    patterns = _DEVICE_NODES.get(device.partition(":")[0], ())
    for path in (node for pattern in patterns for node in sorted(Path("/dev").glob(pattern))):
        yield from ("--dev-bind", str(path), str(path))
    if patterns:
        for pattern in _GRAPHICS:
            for path in sorted(Path("/").glob(pattern[1:])):
                yield from ("--ro-bind", str(path), str(path))
