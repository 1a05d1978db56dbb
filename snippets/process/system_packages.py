"""The command that installs packages of the system, where that is known: on Debian, Ubuntu and their kin."""

from __future__ import annotations

import os
import shutil


def apt_line(*packages: str) -> str | None:
    """Return the command that installs these Debian packages; None where there is no apt-get."""
    if shutil.which("apt-get") is None:
        return None
    line = f"apt-get install {' '.join(packages)}"
    return line if os.geteuid() == 0 else f"sudo {line}"
