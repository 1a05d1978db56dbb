"""Whether runs can be isolated on this machine."""

from __future__ import annotations

import functools
import platform
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from snippets.errors import Sentence
from snippets.process.connection import run_to_end
from snippets.process.system_packages import apt_line
from snippets.supervisor.bubblewrap import WRAPPER, home_folders, probe_command
from snippets.supervisor.run_environment import clean

_PROBE_SECONDS = 10.0
# Tries from inside what isolation promises; the arguments are the home folders. Files are opened and not written to:
# a question for permission is not answered truly for root. The code says what could be reached.
_PROBE = """
[ "$(id -u)" != 0 ] || exit 3
for setting in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger; do
    if (exec 3>>"$setting") 2>/dev/null; then exit 4; fi
done
for home; do
    [ -z "$(ls -A "$home" 2>/dev/null)" ] || exit 5
done
if { read -r head && read -r route; } </proc/net/route; then exit 6; fi
if (: >/torchleaf) 2>/dev/null || (: >/usr/torchleaf) 2>/dev/null; then exit 7; fi
exit 0
"""
_REACHED = {
    3: ("the user root", "root 用户"),
    4: ("settings of the kernel", "内核设置"),
    5: ("the home folder", "主目录"),
    6: ("the network", "网络"),
    7: ("folders of the system", "系统目录"),
}
_KERNEL = Path("/proc/sys")
# Kernel settings that can forbid namespaces to users: the name, the value that forbids them, one that allows them.
_SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu from 23.10 on
    ("kernel.unprivileged_userns_clone", "0", "1"),  # Debian up to 10
    ("user.max_user_namespaces", "0", "15000"),
)


@dataclass(frozen=True)
class Isolation:
    """Whether runs can be isolated, and if not, why."""

    available: bool
    reason_en: str | None = None
    reason_zh: str | None = None
    mend: Sentence | None = None  # a command, if one is known


@functools.lru_cache(maxsize=1)
def isolation() -> Isolation:
    """Try bubblewrap once, as the system may forbid it though it is installed. Raises RunnerFailed."""
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
    command = [*probe_command(), "--", "/bin/sh", "-c", _PROBE, "sh", *map(str, home_folders())]
    answer = run_to_end(command, environment=clean(), timeout=_PROBE_SECONDS)
    if answer.exit_code == 0:
        return Isolation(available=True)
    if answer.exit_code in _REACHED and not answer.error:
        english, chinese = _REACHED[answer.exit_code]
        return Isolation(
            available=False,
            reason_en=f"bubblewrap starts, but {english} can be reached from inside; so no run is called isolated.",
            reason_zh=f"bubblewrap 能启动，但在其中仍能访问{chinese}，因此不能算作隔离运行。",
        )
    said = answer.error or answer.stderr.strip() or f"exit code {answer.exit_code}"
    return Isolation(
        available=False,
        reason_en=f"bubblewrap does not work on this machine ({said}); run without isolation or ask its administrator.",
        reason_zh=f"本机不能使用 bubblewrap（{said}）；请不隔离地运行，或询问管理员。",
        mend=_mend(),
    )


def _mend() -> Sentence | None:
    """Return how to change the kernel setting that forbids users what bubblewrap does; None if there is none."""
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
