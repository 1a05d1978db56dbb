"""Libraries that are loaded when they are first used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, threading
sys.path.insert(0, {root!r})
from app.late import load_late
load_late("slow", "threading", "no_such_library", "xml.etree.ElementTree")
assert type(sys.modules["threading"]).__name__ == "module"
assert "no_such_library" not in sys.modules
import slow
from xml.etree import ElementTree as ET
assert "begun" not in sys.argv
found = []
threads = [threading.Thread(target=lambda: found.append(slow.answer())) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
assert found == [42] * 8 and sys.argv.count("begun") == 1
assert slow.Wrong is sys.modules["slow"].Wrong and sys.modules["slow"] is not slow
try:
    slow.nothing
except AttributeError:
    assert ET.fromstring("<a/>").tag == "a"
    print("fine")
"""
SLOW = """
import sys, time
sys.argv.append("begun")
time.sleep(0.05)
class Wrong(Exception): ...
def answer(): return 42
"""


def test_a_library_is_loaded_at_the_first_look(tmp_path: Path) -> None:
    """Once, whichever threads look at it at the same time; what is there already, or is not, is left alone."""
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(root=str(ROOT))], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("fine\n", "")
