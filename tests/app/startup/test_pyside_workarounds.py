"""PySide need not read the sources of what is imported after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
import linecache, sys
from app.startup.pyside_workarounds import disable_feature_scan
disable_feature_scan()
linecache.clearcache()
import app.main_window.main_window, kb.search.searcher
print(*(name for name in sys.modules if name.split(".")[0] in ("nbformat", "rich", "charset_normalizer", "markdown")))
print(*(name for name in linecache.cache if name.startswith(sys.argv[1])))
"""


def test_the_window_loads_no_sources_and_nothing_that_it_does_not_show(home: Path) -> None:
    """Else each start keeps thirty megabytes more; and what exports, imports and prints on a terminal can wait."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(ROOT)], cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=120, text=True
    )
    assert done.stdout.split("\n") == ["", "", ""]
