"""The options of a run, and when blocking launches are offered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from snippets.errors import BadOption
from snippets.running.run_variables import asked_for, offer_for, variables

LATE = "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported"


def test_the_variables_of_the_options() -> None:
    """Threads for every library that has some, blocking launches, and the user's own, which may have any value."""
    assert variables() == {}
    assert variables(blocking=True) == {"CUDA_LAUNCH_BLOCKING": "1"}
    assert set(variables(threads=2).values()) == {"2"}
    assert {"OMP_NUM_THREADS", "MKL_NUM_THREADS"} <= set(variables(threads=2))
    assert variables(given=["A=1", "B=", "C=x=y", "名=值"]) == {"A": "1", "B": "", "C": "x=y", "名": "值"}
    assert variables(threads=2, given=["OMP_NUM_THREADS=8"])["OMP_NUM_THREADS"] == "2"


@pytest.mark.parametrize("text", ["", "A", "=1", " A=1", "A\0=1", "A=\0"])
def test_what_is_no_variable(text: str) -> None:
    """A sentence says how one is written."""
    with pytest.raises(BadOption, match="--env NAME=VALUE"):
        variables(given=[text])


def test_the_device_is_chosen_in_one_place() -> None:
    """A variable that says otherwise is refused, so that what is shown as the device is the device."""
    with pytest.raises(BadOption, match="--device"):
        variables(given=["CUDA_VISIBLE_DEVICES=1"])


def test_when_blocking_launches_are_offered() -> None:
    """For an error that CUDA reports late, once, and on CUDA only."""
    offer = offer_for(LATE, environment={}, device="cuda:0")
    assert offer is not None
    assert offer.environment == {"CUDA_LAUNCH_BLOCKING": "1"}
    assert "CUDA_LAUNCH_BLOCKING=1" in offer.reason.zh
    assert offer_for(LATE, environment={"CUDA_LAUNCH_BLOCKING": "0"}, device="cuda:0,1") is not None
    assert offer_for(LATE, environment=offer.environment, device="cuda:0") is None
    assert offer_for(LATE, environment={}, device="cpu") is None
    assert offer_for("CUDA error: an illegal memory access was encountered", environment={}, device="cuda:0")
    for other in ("CUDA out of memory", "KeyError: 1", ""):
        assert offer_for(other, environment={}, device="cuda:0") is None


def test_what_was_asked_for_is_recorded_without_secrets() -> None:
    """Arguments, time and isolation as they are; of a variable of the user's own the name."""
    assert asked_for(args=(), timeout=None, environment={}, isolate=False) is None
    environment = {"HF_TOKEN": "secret", **variables(threads=2, blocking=True)}
    asked = asked_for(args=["--steps", "2"], timeout=3.0, environment=environment, isolate=True)
    assert asked is not None
    assert "secret" not in asked
    told = json.loads(asked)
    assert (told["args"], told["timeout"], told["isolated"]) == (["--steps", "2"], 3.0, True)
    assert told["environment"]["HF_TOKEN"] == "…"
    assert told["environment"]["CUDA_LAUNCH_BLOCKING"] == "1"


def test_a_real_run_gets_them(start: Callable[..., Any]) -> None:
    """The run sees variables and arguments."""
    code = "import os, sys; print(os.environ['OMP_NUM_THREADS'], os.environ['A'], *sys.argv[1:])"
    watched = start(code, environment=variables(threads=2, given=["A=b"]), args=("--x", "1"))
    assert watched.outcome().stdout == "2 b --x 1\n"
