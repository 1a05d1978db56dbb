"""Processes that talk to each other, under real torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from snippets.process.isolation import isolation

pytestmark = pytest.mark.torch
Start = Callable[..., Any]  # a watched run, see conftest.py
Bearing = Callable[[str], list[Any]]

GLOO = """
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, file):
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    x = torch.ones(3) * (rank + 1)
    dist.all_reduce(x)
    dist.barrier()
    if rank == 0:
        print(x.tolist(), flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, args=(os.path.abspath("rendezvous"),), nprocs=2)
"""


def test_two_at_once(start: Start, bearing: Bearing) -> None:
    """Both succeed over loopback, one of them isolated: they share no fixed port or file."""
    both = [start(GLOO, isolate=isolation().available), start(GLOO)]
    for watched in both:
        outcome = watched.outcome()
        assert outcome.status == "passed", outcome.output
        assert outcome.stdout == "[3.0, 3.0, 3.0]\n"
        assert outcome.torch
        assert bearing(outcome.run_id) == []


STUCK = GLOO.replace(
    "dist.all_reduce(x)",
    "print('waiting') if rank else None\n    rank or __import__('time').sleep(120)\n    dist.all_reduce(x)",
)


def test_stop_in_a_stuck_collective(start: Start, bearing: Bearing) -> None:
    """A rank that waits for another for ever is gone with the rest."""
    watched = start(STUCK)
    watched.wait_for("waiting")
    watched.run.stop()
    outcome = watched.outcome()
    assert outcome.status == "stopped"
    assert bearing(outcome.run_id) == []
