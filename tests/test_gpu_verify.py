"""The script that makes the records of a GPU: without one it says so and touches nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a script for bash on Linux")
@pytest.mark.parametrize("driver", ["", "#!/bin/sh\nexit 9\n"], ids=["no driver", "a driver that fails"])
def test_without_a_gpu_nothing_is_verified(tmp_path: Path, driver: str) -> None:
    """Exit code 3 and a sentence; no report is made."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "dirname", "realpath", "grep", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")
    if driver:
        (tools / "nvidia-smi").write_text(driver)
        (tools / "nvidia-smi").chmod(0o755)
    done = subprocess.run(
        [str(ROOT / "scripts" / "gpu_verify"), str(tmp_path / "report")],
        env={**os.environ, "PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "no NVIDIA GPU here" in done.stderr
    assert not (tmp_path / "report").exists()
