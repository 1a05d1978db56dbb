"""Runs inside bubblewrap: no network but loopback, no home folder, nothing writable but the scratch folder."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from snippets.errors import Sentence
from snippets.process.connection import run_to_end
from snippets.process.environment import clean
from snippets.process.system_packages import apt_line

WRAPPER = "bwrap"

_SHARED_MEMORY = 1 << 30  # bytes of /dev/shm: room for the workers of a DataLoader
_HOME = 1 << 26  # bytes of the empty home, which lives in memory
_TEMPORARY = 1 << 28
_PROBE_SECONDS = 10.0
_KERNEL = Path("/proc/sys")
# Settings of the kernel by which a distribution forbids name spaces to users: the value that does, and one that allows.
_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu from 23.10 on
    ("kernel.unprivileged_userns_clone", "0", "1"),  # Debian up to 10
    ("user.max_user_namespaces", "0", "15000"),
)


@dataclass(frozen=True)
class Isolation:
    """Whether runs can be isolated on this machine, and if not, why."""

    available: bool
    reason_en: str | None = None
    reason_zh: str | None = None
    mend: Sentence | None = None  # a command where there is one


@functools.lru_cache(maxsize=1)
def isolation() -> Isolation:
    """Try it once: a program that is there may still be forbidden by the system. Raises RunnerFailed."""
    if not sys.platform.startswith("linux"):
        return Isolation(
            available=False,
            reason_en=f"Isolated runs need bubblewrap, which there is not for {platform.system()}.",
            reason_zh=f"隔离运行需要 bubblewrap，{platform.system()} 上没有它。",
        )
    if shutil.which(WRAPPER) is None:
        return Isolation(
            available=False,
            reason_en="Isolated runs need bubblewrap; install it, as with `apt-get install bubblewrap`.",
            reason_zh="隔离运行需要 bubblewrap；请安装，例如 apt-get install bubblewrap。",
            mend=Sentence(line, line) if (line := apt_line("bubblewrap")) else None,
        )
    answer = run_to_end([*_walls(), "--", "true"], environment=clean(), timeout=_PROBE_SECONDS)
    if answer.exit_code == 0:
        return Isolation(available=True)
    said = answer.error or answer.stderr.strip() or f"exit code {answer.exit_code}"
    return Isolation(
        available=False,
        reason_en=f"bubblewrap does not work on this machine ({said}); run without isolation or ask its administrator.",
        reason_zh=f"本机不能使用 bubblewrap（{said}）；请不隔离地运行，或询问管理员。",
        mend=_mend(),
    )


def _mend() -> Sentence | None:
    """Find the setting of the kernel that forbids a user what bubblewrap does, and say how it is changed."""
    for name, forbids, allows in _SETTINGS:
        try:
            value = (_KERNEL / name.replace(".", "/")).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbids:
            line = f"sudo sysctl -w {name}={allows}"
            return Sentence(
                f"{name} is {value}: users may not make name spaces. An administrator can allow it to all programs,"
                f" until the next start of the machine: {line}",
                f"{name} 为 {value}：普通用户不能创建名字空间。"
                f"管理员可以放开限制（对所有程序有效，重启后失效）：{line}",
            )
    return None


def sandbox_command(
    *, scratch: Path, visible: Iterable[Path], device: str, links: Mapping[str, str] | None = None
) -> list[str]:
    """Give the command that puts what is added to it, after `--`, behind walls.

    `scratch` is writable, `visible` can be read though it may lie in the home folder; `links` are names for other
    places. Raises OSError.
    """
    names = [part for name, place in (links or {}).items() for part in ("--symlink", place, name)]
    binds = [part for path in _outermost(visible) for part in ("--ro-bind", str(path), str(path))]
    return [*_walls(), *names, *_names(scratch), *binds, "--bind", str(scratch), str(scratch), *_nodes(device)]


def _names(scratch: Path) -> list[str]:
    """Let every address that there is inside have its name: without a network a peer's is asked for in vain, and said.

    Raises OSError.
    """
    file = scratch / "hosts"
    own = socket.gethostname()
    file.write_text(f"127.0.0.1 localhost {own}\n::1 localhost {own}\n::ffff:127.0.0.1 localhost\n", encoding="utf-8")
    return ["--ro-bind", str(file), "/etc/hosts"] if Path("/etc/hosts").is_file() else []


def _walls() -> list[str]:
    command = [
        WRAPPER, "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net", "--unshare-ipc",
        "--unshare-uts", "--unshare-cgroup-try", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
        "--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm",  # noqa: S108 - a place inside the walls
        "--size", str(_TEMPORARY), "--tmpfs", "/run",
        "--size", str(_TEMPORARY), "--tmpfs", "/tmp",  # noqa: S108
    ]  # fmt: skip
    if os.geteuid() == 0:
        command += ["--cap-drop", "ALL"]  # root would keep them
    for home in _homes():
        command += ["--size", str(_HOME), "--tmpfs", str(home)]
    return command


def _homes() -> list[Path]:
    """Give the home folders there are: the user's by the variable and by the system's list, and all under /home."""
    homes = {
        Path(os.environ.get("HOME", "/root")),
        Path(f"~{_user()}").expanduser(),
        Path("/root"),
        Path("/home"),
    }
    return _outermost(home for home in homes if home != Path("/") and not home.is_symlink())


def _user() -> str:
    import pwd  # noqa: PLC0415 - there is none on Windows, and this is never called there

    return pwd.getpwuid(os.geteuid()).pw_name


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Leave out what does not exist and what lies inside another."""
    folders = sorted({path.absolute() for path in paths if path.exists()}, key=lambda path: len(path.parts))
    kept: list[Path] = []
    for path in folders:
        if not any(path.is_relative_to(outer) for outer in kept):
            kept.append(path)
    return kept


def _nodes(device: str) -> Iterator[str]:
    """Open the device nodes of the chosen GPU's driver."""
    patterns = {"cuda": ("nvidia*",), "xpu": ("dri",)}.get(device.partition(":")[0], ())
    for path in (node for pattern in patterns for node in sorted(Path("/dev").glob(pattern))):
        yield from ("--dev-bind", str(path), str(path))
