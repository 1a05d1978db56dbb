"""What a run may take: memory, disk and processes; one that takes more ends, and the machine gets it back."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from snippets.process.isolation import isolation
from tests.pace import within

Start = Callable[..., Any]  # a watched run, see conftest.py
GoneWithin = Callable[[str, float], bool]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
works = pytest.mark.skipif(not isolation().available, reason="bubblewrap does not work here")
ways = pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=works)], ids=["open", "isolated"])

BOMBS = {
    "heap": "kept = []\nwhile True: kept.append(bytearray(b'x' * (8 << 20)))",
    "mmap": "import mmap\nkept = []\nwhile True:\n    kept.append(mmap.mmap(-1, 8 << 20))\n"
    "    kept[-1].write(b'x' * (8 << 20))",
    "children": "import os\nfor _ in range(3): os.fork()\nkept = []\n"
    "while True: kept.append(bytearray(b'x' * (4 << 20)))",
}
SHARED = """
import os
os.unlink(name) if os.path.exists(name := "/dev/shm/torchleaf-test") else None
with open(name, "wb") as file:
    while True:
        file.write(bytes(8 << 20))
"""
DISK = "n = 0\nwhile True:\n    n += 1\n    open(f'{n // 100}.bin', 'ab').write(bytes(1 << 20))"
# It doubles ten times a second. Should nobody end it, it stops at 256, as other tests want to live too.
FORKS = """
import os, time
for _ in range(8):
    os.fork()
    if os.getpgid(0) != os.getpid():
        os.setsid()
    time.sleep(0.1)
time.sleep(60)
"""


@ways
@pytest.mark.parametrize("kind", BOMBS)
def test_a_memory_bomb_ends(kind: str, *, isolate: bool, start: Start, gone_within: GoneWithin) -> None:
    """However it takes the memory, the run ends soon after the limit, says so in both languages, and gives it back."""
    outcome = start(BOMBS[kind], memory=400 << 20, isolate=isolate, timeout=40).outcome()
    assert (outcome.status, outcome.command_exit_code) == ("killed", 1 if outcome.exit_code is None else 137)
    assert "419 MB of memory" in outcome.reason_en
    assert "419 MB" in outcome.reason_zh
    assert "returned" in outcome.reason_en
    assert gone_within(outcome.run_id, 1.0)
    assert start("print('alive')", isolate=isolate).outcome().output == "alive\n"


def test_a_bomb_in_shared_memory_ends(start: Start) -> None:
    """Files in /dev/shm are memory too; what the run has left there is removed, and nothing else."""
    other, later = Path("/dev/shm/torchleaf-other"), Path("/dev/shm/torchleaf-later")
    other.write_text("mine")
    try:
        watched = start(SHARED, memory=300 << 20, timeout=40)
        later.write_text("mine")  # made by another program while the run goes on, and closed
        outcome = watched.outcome()
        assert outcome.status == "killed"
        assert "memory" in outcome.reason_en
        assert not Path("/dev/shm/torchleaf-test").exists()
        assert [other.read_text(), later.read_text()] == ["mine", "mine"]
    finally:
        other.unlink()
        later.unlink(missing_ok=True)


def test_memory_that_many_share_counts_once(start: Start) -> None:
    """Eight processes with one array between them hold it once: they go on."""
    code = (
        "import mmap, os, time\nshared = mmap.mmap(-1, 100 << 20)\nshared.write(b'x' * (100 << 20))\n"
        "for _ in range(3):\n    os.fork()\nshared.find(b'y'); time.sleep(0.5)"
    )
    assert start(code, memory=350 << 20).outcome().status == "passed"


@ways
def test_a_full_disk_is_prevented(*, isolate: bool, start: Start, tmp_path: Path) -> None:
    """A run that writes without end is ended at its limit, and the room is free again."""
    outcome = start(DISK, disk=100 << 20, isolate=isolate, timeout=40).outcome()
    assert outcome.status == "killed"
    assert "105 MB" in outcome.reason_en
    assert "105 MB" in outcome.reason_zh
    assert outcome.artifacts == ()
    assert list((tmp_path / "runs" / outcome.run_id / "work").iterdir()) == []


@ways
def test_a_fork_bomb_ends(*, isolate: bool, start: Start, gone_within: GoneWithin) -> None:
    """Also where each process takes a session of its own: gone within 2 s of the limit."""
    with within(20):
        watched = start(FORKS, processes=60, isolate=isolate, timeout=40)
        outcome = watched.outcome()
        assert outcome.status == "killed"
        assert "60 processes" in outcome.reason_en
        assert outcome.seconds < 10
        assert gone_within(outcome.run_id, 2.0)


@ways
def test_stop_ends_a_fork_bomb(*, isolate: bool, start: Start, gone_within: GoneWithin) -> None:
    """Within 2 s as well."""
    watched = start("print('ready')\n" + FORKS, processes=1000, isolate=isolate, timeout=40)
    watched.wait_for("ready")
    time.sleep(0.6)
    began = time.monotonic()
    watched.run.stop()
    assert watched.outcome().status == "stopped"
    assert gone_within(watched.outcome().run_id, max(0.0, 2.0 - (time.monotonic() - began)))


def test_after_stop_one_line_says_what_ended(start: Start) -> None:
    """How many processes, and what the machine got back, in both languages."""
    code = (
        "import os, time\nkept = b'x' * (200 << 20)\nfor _ in range(2): os.fork()\n"
        "time.sleep(0.3); os.write(1, b'r'); time.sleep(60)"
    )
    watched = start(code)
    watched.wait_for("rrrr")
    watched.run.stop()
    outcome = watched.outcome()
    assert outcome.ended_processes == 4
    assert outcome.reason_en.startswith("4 processes ended, 2")
    assert outcome.reason_en.endswith(" MB returned.")
    assert outcome.reason_zh.startswith("结束了 4 个进程，归还 2")


def test_without_a_limit_of_its_own_it_is_the_machines(tmp_path: Path) -> None:
    """A share of what is there when it starts: less than all, and never next to nothing."""
    from snippets.supervisor.limits import Limits  # noqa: PLC0415 - only here

    limits = Limits({}, tmp_path)
    assert 1 << 29 <= limits.memory < psutil.virtual_memory().total
    assert 0 < limits.disk < shutil.disk_usage(tmp_path).free
    assert limits.broken({os.getpid(): 1 << 20}) is None
    assert (limits.of("memory"), limits.of("exit")) == (limits.memory, 0)


def test_a_run_that_removes_its_own_folder(start: Start) -> None:
    """Looking for what it wrote finds nothing, and harms nothing."""
    code = "import os, shutil, time\nshutil.rmtree(os.path.dirname(os.getcwd()))\ntime.sleep(0.8)\nprint('done')"
    assert start(code).outcome().output == "done\n"


def test_very_many_files(start: Start) -> None:
    """Looking at them does not delay the stop."""
    code = "import time\nfor n in range(30000): open(str(n), 'w').close()\nprint('ready')\ntime.sleep(60)"
    watched = start(code)
    watched.wait_for("ready")
    with within(2):
        watched.run.stop()
        watched.outcome()
