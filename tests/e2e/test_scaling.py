"""The window at other scales and at its least size: nothing is cut off or lies over another, and what is drawn is crisp.

A program of its own shows it, as the scale is that of a whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = Path(__file__).parent / "scaled.py"


@pytest.mark.parametrize("scale", ["2", "1.25"])
def test_nothing_is_cut_off_and_all_is_crisp(scale: str, tmp_path: Path) -> None:
    """At the least size of the window, in both languages, the largest text too; formulas and icons are drawn finely."""
    environment = os.environ | {"QT_SCALE_FACTOR": scale, "TORCHLEAF_HOME": str(tmp_path), "HOME": str(tmp_path)}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(PROBE)], cwd=root, env=environment | {"PYTHONPATH": str(root)},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["ratio"] == float(scale)
    assert told["cut"] == []
    assert told["over"] == []
    assert told["blurred"] == []
