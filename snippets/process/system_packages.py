"""The command that installs system packages on Debian, Ubuntu and similar systems."""

from __future__ import annotations

import os
import shutil


def apt_line(*packages: str) -> str | None:
    """Return the command that installs these Debian packages; None without apt-get."""
    if shutil.which("apt-get") is None:
        return None
    line = f"apt-get install {' '.join(packages)}"
    return line if os.geteuid() == 0 else f"sudo {line}"
