"""The outcome of a run as a value."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from snippets.errors import Sentence
from snippets.results.outcome import Artifact, Outcome, Status, unavailable

DONE = Outcome(
    status="passed",
    exit_code=0,
    reason_en=None,
    reason_zh=None,
    seconds=1.23456,
    first_output_seconds=0.01234,
    device="cpu",
    torch="2.13.0+cpu",
    output="tensor(1)\n",
    artifacts=(Artifact(Path("/runs/1/work/figure-1.png"), "image", 17),),
    run_id="1",
    peak_rss_mb=12.345,
    cut_bytes=0,
)


def test_the_document_has_exactly_the_keys_of_the_contract() -> None:
    """The JSON of the command `run`, no key more and none less."""
    assert json.loads(json.dumps(DONE.document())) == {
        "status": "passed",
        "exit_code": 0,
        "seconds": 1.235,
        "first_output_seconds": 0.012,
        "device": "cpu",
        "isolated": False,
        "torch": "2.13.0+cpu",
        "output": "tensor(1)\n",
        "artifacts": [{"path": str(Path("/runs/1/work/figure-1.png")), "kind": "image", "bytes": 17}],
        "run_id": "1",
        "peak_rss_mb": 12.3,
        "reason": None,
    }


def test_the_document_of_a_run_that_never_was() -> None:
    """What is not known is null."""
    document = unavailable(Sentence("No GPU.", "没有 GPU。"), device="cuda:0", run_id="2").document()
    assert document["status"] == "unavailable"
    assert document["reason"] == "No GPU."
    assert [document[key] for key in ("exit_code", "first_output_seconds", "torch", "peak_rss_mb")] == [None] * 4


@pytest.mark.parametrize(
    ("status", "exit_code", "expected"),
    [
        ("passed", 0, 0),
        ("passed", 1, 1),  # an exception that was meant: it exits as the snippet did
        ("failed", 7, 7),
        ("failed", 0, 1),  # an exception that was meant and did not come
        ("killed", -11, 139),
        ("killed", None, 1),
        ("timeout", -15, 124),
        ("stopped", -15, 130),
        ("unavailable", None, 1),
        ("interrupted", None, 130),
    ],
)
def test_the_command_exits_as_the_snippet_did(status: Status, exit_code: int | None, expected: int) -> None:
    """124 on a timeout, 130 when stopped, 128 and the number for a signal, else the snippet's own code."""
    assert replace(DONE, status=status, exit_code=exit_code).command_exit_code == expected


def test_the_sentence_says_how_it_ended_and_why() -> None:
    """One line, in either language, with the reason when there is one."""
    failed = replace(DONE, status="failed", reason_en="Exit code 7.", reason_zh="退出码 7。", seconds=12.34)
    assert DONE.sentence("en") == "Finished in 1.23 s."
    assert DONE.sentence("zh") == "已完成，用时 1.23 秒。"
    assert failed.sentence("en") == "Failed after 12.3 s. Exit code 7."
    assert failed.sentence("zh") == "失败，用时 12.3 秒。退出码 7。"
