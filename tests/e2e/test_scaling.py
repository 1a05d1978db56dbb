"""The window at other scales and at its least size: nothing is cut off or lies over another, all drawn finely.

A program of its own shows it, as the scale is that of a whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from tests.e2e.scale_probe import in_blocks

PROBE = Path(__file__).parent / "scale_probe.py"


@pytest.mark.parametrize("scale", ["2", "1.25"])
def test_nothing_is_cut_off_and_all_is_crisp(scale: str, tmp_path: Path) -> None:
    """At the least size of the window, in both languages, the largest text too; formulas and icons are drawn finely."""
    environment = os.environ | {"QT_SCALE_FACTOR": scale, "TORCHLEAF_HOME": str(tmp_path), "HOME": str(tmp_path)}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(PROBE)],
        cwd=root,
        env=environment | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["ratio"] == float(scale)
    assert told["cut"] == []
    assert told["over"] == []
    assert told["blurred"] == []


def test_what_was_made_larger_is_noticed() -> None:
    """A picture of blocks is told from one in which each pixel was drawn."""
    small = QImage(20, 20, QImage.Format.Format_RGB32)
    small.fill(QColor("#ffffff"))
    small.setPixelColor(7, 9, QColor("#000000"))
    large = small.scaled(40, 40)
    assert in_blocks(large, 2)
    large.setPixelColor(3, 3, QColor("#000000"))
    assert not in_blocks(large, 2)
