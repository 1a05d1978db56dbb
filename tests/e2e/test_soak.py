"""A window that is used for long holds no more than after a while: memory, descriptors, threads, processes, objects."""

from __future__ import annotations

import faulthandler
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from kb.files.paths import UserPaths
from kb.vault.vault import SHIPPED_NOTES, make_user_vault
from tests.e2e.conftest import write_vault
from tests.tally import tally

ROOT = Path(__file__).parents[2]
THOROUGH = bool(os.environ.get("TORCHLEAF_THOROUGH"))
MINUTES = float(os.environ.get("TORCHLEAF_MINUTES", "30" if THOROUGH else "0"))
ROUNDS = 6
SLACK = {"descriptors": 4, "threads": 3, "processes": 1, "widgets": 15, "objects": 30}
SLACK_MB = {"rss": 12.0, "family": 25.0}  # of which a little is what the allocator likes to keep
_QUIET = "This plugin does not support"  # the screen that is not there says of itself what it cannot do


def soak(home: Path) -> list[dict[str, float]]:
    """Have the program used, and return what it held after each round; nothing may go wrong inside."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), "TORCHLEAF_HOME": str(home), "PYTHONFAULTHANDLER": "1"}
    words = [sys.executable, str(Path(__file__).with_name("soak_program.py")), str(ROUNDS), str(MINUTES)]
    with (home / "errors.txt").open("w+b") as errors:
        child = subprocess.Popen(words, env=known, stdout=subprocess.PIPE, stderr=errors)
        assert child.stdout is not None
        with child.stdout as lines:
            rounds = list(map(told, lines))
        assert child.wait(timeout=60) == 0, (home / "errors.txt").read_text("utf-8")
    log = (UserPaths.under(home).data / "logs" / "torchleaf.log").read_text("utf-8")
    said = [line for line in (log + (home / "errors.txt").read_text("utf-8")).splitlines() if _QUIET not in line]
    assert said == []
    return rounds


def told(line: bytes) -> dict[str, float]:
    """Return what a line tells of a round; from here on the test may last another five minutes."""
    faulthandler.dump_traceback_later(300, exit=True)
    return json.loads(line)  # type: ignore[no-any-return]


def growth(rounds: list[dict[str, float]], name: str) -> float:
    """Return by how much the last third of the rounds stands above the one before; the first is to warm up."""
    third = len(rounds) // 3
    middle, last = ([one[name] for one in part] for part in (rounds[third : 2 * third], rounds[2 * third :]))
    return statistics.median(last) - statistics.median(middle)


def test_a_soak_leaves_nothing_behind(home: Path) -> None:
    """Opened, searched, edited beside the page, run, reworded, themed and resized: six rounds, or half an hour."""
    if MINUTES:  # thorough
        make_user_vault(UserPaths.under(home).user_vault, SHIPPED_NOTES)
    else:
        write_vault(UserPaths.under(home).user_vault)
    rounds = soak(home)
    assert len(rounds) >= ROUNDS
    for row in rounds[:: max(1, len(rounds) // 30)]:
        sys.stderr.write(f"{json.dumps(row)}\n")
    grown = {name: round(growth(rounds, name), 1) for name in (*SLACK, *SLACK_MB)}
    tally(len(rounds), orphans=sum(grown[name] > most for name, most in (SLACK | SLACK_MB).items()))
    assert all(grown[name] <= most for name, most in (SLACK | SLACK_MB).items()), grown


def test_what_grows_is_seen() -> None:
    """One object more in each round of many is told apart from a window that is flat but for noise."""
    flat = [{"objects": 450.0 + number % 3} for number in range(60)]
    leaking = [{"objects": 450.0 + 2 * number} for number in range(60)]
    assert growth(flat, "objects") <= SLACK["objects"] / 10
    assert growth(leaking, "objects") > SLACK["objects"]
    with pytest.raises(statistics.StatisticsError):
        growth([{"objects": 1.0}] * 2, "objects")
