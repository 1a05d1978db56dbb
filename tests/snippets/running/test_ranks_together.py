"""Training in several processes, again and again and side by side."""

from __future__ import annotations

import faulthandler
import os
from pathlib import Path

import pytest

from snippets.model.catalog import LIBRARY, catalog
from snippets.results.outcome import Outcome
from snippets.running.runner import Run, Runner, RunRequest
from tests.tally import tally

pytestmark = pytest.mark.torch
RUNS = 100 if "TORCHLEAF_THOROUGH" in os.environ else 2
DEMO = dict(catalog(LIBRARY).snippets)["ddp_spawn"]


def begin(runner: Runner) -> Run:
    """Start the DDP demo."""
    return runner.start(RunRequest(DEMO), output=lambda _: None, finished=lambda _: None)


def trained(outcome: Outcome) -> bool:
    """Return whether both ranks have the same model."""
    return outcome.status == "passed" and outcome.stdout.count("weight 3.000 after 10 steps") == 2


def test_it_succeeds_every_time(tmp_path: Path) -> None:
    """One after another, forked from the same Python: none aborts at its end, none hangs."""
    if RUNS > 10:  # each has a patience of its own
        faulthandler.cancel_dump_traceback_later()
    with Runner(runs_folder=tmp_path / "runs") as runner:
        runner.warm_up()
        outcomes = [begin(runner).wait(120) for _ in range(RUNS)]
    tally(RUNS, hangs=sum(not trained(outcome) for outcome in outcomes))
    assert all(trained(outcome) for outcome in outcomes), outcomes
