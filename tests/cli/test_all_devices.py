"""One snippet on every device: columns for people, one JSON document for programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.cli import all_devices
from snippets.errors import Sentence
from snippets.results.outcome import Outcome, unavailable
from snippets.targets.devices import Device, devices
from tests.cli.invoke import asked, told

GPU = Device("cuda:0", "cuda", "A GPU", 1 << 36, 1 << 35, available=True)
NONE = unavailable(Sentence("There is no GPU.", "没有 GPU。"), device="cuda:0", run_id="2")


@pytest.fixture
def with_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the machine has a GPU that cannot be used."""
    present = (*devices(), GPU)
    monkeypatch.setattr("app.cli.all_devices.devices", lambda: present)


@pytest.mark.usefixtures("with_gpu")
def test_each_device_has_its_run(vault: str, snippet: object, capsys: pytest.CaptureFixture[str]) -> None:
    """A device that cannot run the snippet has its reason, and does not fail the others."""
    document = told(capsys, "run", "a#hi", "--device", "all", "--vault", vault)
    assert [(run["device"], run["status"]) for run in document["runs"]] == [
        ("cpu", "passed"),
        ("cuda:0", "unavailable"),
    ]
    code, out, said = asked(capsys, "run", "a#hi", "--device", "all", "--vault", vault)
    assert code == 0
    assert "cuda:0" in out.splitlines()[0]
    assert "has no cuda:0" in out
    assert "Running on cuda:0 …" in said
    assert (
        "either" in told(capsys, "run", "a#hi", "--device", "all", "--repeat", "2", "--vault", vault, code=2)["error"]
    )


def ran(device: str, stdout: str, **facts: object) -> Outcome:
    """Return the outcome of a successful run."""
    done = replace(NONE, device=device, run_id=device, status="passed", exit_code=0, stdout=stdout, output=stdout)
    return replace(done, seconds=1.5, **facts)  # type: ignore[arg-type]


def test_what_differs_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """Output is compared with the first that ran; times and memory are in columns."""
    outcomes = (
        ran("cpu", "a\n", peak_rss_mb=100.0),
        NONE,
        ran("cuda:1", "a\n", peak_gpu_mb=512.0, first_output_seconds=0.25),
        ran("cuda:2", "b\n"),
    )
    assert [run["same_output"] for run in all_devices.document(outcomes)["runs"]] == [None, None, True, False]
    all_devices.say_side_by_side(outcomes)
    lines = {line[:12].strip(): line for line in capsys.readouterr().out.splitlines()}
    assert "512 MiB" in lines["GPU memory"]
    assert "0.25 s" in lines["first output"]
    assert ("yes" in lines["same output"], "no" in lines["same output"]) == (True, True)
    assert "There is no GPU." in lines["output"]


def test_the_exit_code() -> None:
    """It is that of the first failed run, and a failure if no device could run the snippet."""
    failed = replace(ran("cuda:0", ""), status="failed", exit_code=3)
    assert all_devices.exit_code((ran("cpu", ""), NONE)) == 0
    assert all_devices.exit_code((ran("cpu", ""), failed)) == 3
    assert all_devices.exit_code((NONE,)) == 1
