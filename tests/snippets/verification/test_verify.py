"""Verifying: which verdict an outcome gets, what is recorded when it is accepted, and what the report says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from snippets.errors import RunnerFailed, Sentence
from snippets.model.catalog import catalog
from snippets.model.snippet import Snippet, picture_path, read_snippet, recorded_path, snippet_from_block
from snippets.results.outcome import Artifact, Outcome, unavailable
from snippets.results.record_output import record
from snippets.running.runner import Runner, RunRequest
from snippets.verification import verify as verifying
from snippets.verification.verify import Verdict, VerifyReport, _next, difference, verify

TRACEBACK = 'Traceback (most recent call last):\n  File "/somewhere/a.py", line 3, in <module>\n    f()\n'


@dataclass
class FakeRun:
    """A run that ended before it was asked."""

    outcome: Outcome | None
    stopped: bool = False

    def wait(self) -> Outcome:
        """Return the outcome, or raise KeyboardInterrupt."""
        if self.outcome is None:
            raise KeyboardInterrupt
        return self.outcome

    def stop(self) -> None:
        """Note that it was called."""
        self.stopped = True


@dataclass
class FakeRunner:
    """Has the outcome ready for each snippet, and remembers what was asked for."""

    outcomes: dict[str, Outcome | None]
    requests: list[RunRequest] = field(default_factory=list)
    runs: list[FakeRun] = field(default_factory=list)

    def start(self, request: RunRequest, *, output: Callable[..., None], finished: Callable[..., None]) -> FakeRun:
        """Return the run of the snippet's outcome."""
        self.requests.append(request)
        self.runs.append(FakeRun(self.outcomes[request.snippet.name]))
        output(None)
        finished(None)
        return self.runs[-1]


def ended(stdout: str, *, status: str = "passed", stderr: str = "", device: str = "cpu") -> Outcome:
    """Make the outcome of a run that printed this."""
    bare = unavailable(Sentence("why", "原因"), device=device, run_id="1", torch="2.13.0")
    fields = {"status": status, "output": stdout + stderr, "stdout": stdout, "seconds": 1.23456}
    return Outcome(**{**bare.__dict__, **fields})


def snippet(folder: Path, name: str = "one", *, out: str | None = None, keys: str = "") -> Snippet:
    """Write a snippet's file, with its recorded output if there is one, and read it."""
    path = folder / f"{name}.py"
    path.write_text(f'# /// snippet\n# title.en = "t"\n{keys}# ///\n', encoding="utf-8")
    if out is not None:
        recorded_path(path).write_text(out, encoding="utf-8")
    return read_snippet(path)


def judged(one: Snippet, outcome: Outcome, *, accept: bool = False, device: str = "cpu") -> Verdict:
    """Verify one snippet whose run ended so."""
    runner = cast("Runner", FakeRunner({one.name: outcome}))
    return verify([one], runner=runner, accept=accept, device=device).results[0]


def test_the_recorded_output_passes(tmp_path: Path) -> None:
    """What was printed is what was recorded, within gaps and tolerance; standard error does not count."""
    verdict = judged(snippet(tmp_path, out="t ... s\n0.5\n"), ended("t 1 s\n0.50001\n", stderr="Warning\n"))
    assert (verdict.name, verdict.status, verdict.reason, verdict.diff) == ("one", "passed", None, "")
    assert verdict.document() == {
        "name": "one",
        "status": "passed",
        "device": "cpu",
        "isolated": False,
        "torch": "2.13.0",
        "seconds": 1.235,
        "diff": "",
    }


def test_another_output_fails_with_its_diff(tmp_path: Path) -> None:
    """The verdict shows the lines that differ."""
    verdict = judged(snippet(tmp_path, out="a\nb\n"), ended("a\nc\n"))
    assert verdict.status == "failed"
    assert verdict.document()["diff"] == "@@ -2 +2 @@\n-b\n+c\n"
    assert verdict.accepted is None


def test_a_run_that_failed_is_no_proof(tmp_path: Path) -> None:
    """A run that crashed or timed out fails, and its output is not recorded."""
    one = snippet(tmp_path)
    for status in ("failed", "timeout", "killed", "stopped"):
        verdict = judged(one, ended("a\n", status=status), accept=True)
        assert (verdict.status, verdict.accepted) == ("failed", None)
        assert "why" in str(verdict.document()["diff"])
        assert verdict.reason is not None
        assert "原因" in verdict.reason.zh
    assert not recorded_path(tmp_path / "one.py").exists()


def test_what_cannot_run_here_is_unavailable(tmp_path: Path) -> None:
    """A missing GPU is no failure of the claim."""
    outcome = unavailable(Sentence("No GPU.", "没有 GPU。"), device="cuda:0", run_id="1")
    verdict = judged(snippet(tmp_path), outcome, accept=True, device="cuda:0")
    assert (verdict.status, verdict.accepted) == ("unavailable", None)
    assert "No GPU." in str(verdict.document()["diff"])


def test_without_a_recorded_output_it_says_how_to_record(tmp_path: Path) -> None:
    """An output that was never recorded proves nothing."""
    verdict = judged(snippet(tmp_path), ended("a\n"))
    assert verdict.status == "failed"
    assert "--accept" in str(verdict.document()["diff"])


def test_accepting_records_beside_the_file(tmp_path: Path) -> None:
    """The new output is written whole, keeps the gaps that hold, and leaves no temporary file."""
    one = snippet(tmp_path, out="t ... s\nold\n")
    verdict = judged(one, ended("t 3 s\nnew\n"), accept=True)
    assert (verdict.status, verdict.accepted) == ("passed", "t ... s\nnew\n")
    assert verdict.reason is not None
    assert {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.out")} == {"one.out": "t ... s\nnew\n"}
    assert len(list(tmp_path.iterdir())) == 2


def test_accepting_what_is_recorded_changes_nothing(tmp_path: Path) -> None:
    """The file is not touched when its claim holds."""
    one = snippet(tmp_path, out="t ... s\n")
    before = recorded_path(tmp_path / "one.py").stat().st_mtime_ns
    assert judged(one, ended("t 3 s\n"), accept=True).accepted is None
    assert recorded_path(tmp_path / "one.py").stat().st_mtime_ns == before


@pytest.mark.parametrize("out", ["a\n", "old\n"])
def test_accepting_keeps_the_picture_that_was_drawn(tmp_path: Path, out: str) -> None:
    """It is written next to the recorded output, even if that is unchanged; without `accept` nothing is."""
    drawn = tmp_path / "run" / "x.png"
    drawn.parent.mkdir()
    drawn.write_bytes(b"drawn")
    outcome = replace(ended("a\n"), artifacts=(Artifact(drawn, "image", 5),))
    one = snippet(tmp_path, out=out)
    judged(one, outcome)
    assert not picture_path(tmp_path / "one.py").exists()
    assert judged(one, outcome, accept=True).status == "passed"
    assert (tmp_path / "one.out.png").read_bytes() == b"drawn"
    drawn.unlink()
    lost = judged(one, outcome, accept=True)
    assert lost.status == "failed"
    assert lost.reason is not None


def test_a_device_gets_an_output_of_its_own_only_where_it_differs(tmp_path: Path) -> None:
    """The first device's output is the common one; a kind that differs gets its own, renewed there."""

    def names() -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.out")}

    judged(snippet(tmp_path), ended("gpu\n", device="cuda:0"), accept=True, device="cuda:0")
    assert names() == {"one.out": "gpu\n"}
    judged(snippet(tmp_path, out="cpu\n"), ended("gpu\n", device="cuda:0"), accept=True, device="cuda:0")
    assert names() == {"one.out": "cpu\n", "one.cuda.out": "gpu\n"}
    judged(read_snippet(tmp_path / "one.py"), ended("new\n", device="cuda:0"), accept=True, device="cuda:0")
    judged(read_snippet(tmp_path / "one.py"), ended("two\n"), accept=True)
    assert names() == {"one.out": "two\n", "one.cuda.out": "new\n"}


def test_an_accepted_fence_is_for_its_note(tmp_path: Path) -> None:
    """The caller writes a fence's output into the note; here no file is made."""
    fence = snippet_from_block(name="a.md#x", code="", options={}, output=None, origin="a.md", line=1)
    verdict = judged(fence, ended("a\n"), accept=True)
    assert (verdict.status, verdict.accepted) == ("passed", "a\n")
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk or a read-only library fails with a sentence, the old output stays, nothing is left behind."""
    one = snippet(tmp_path, out="old\n")

    def refuse(source: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    verdict = judged(one, ended("new\n"), accept=True)
    assert (verdict.status, verdict.accepted) == ("failed", None)
    assert verdict.reason is not None
    assert "No space left" in verdict.reason.en
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.out", "one.py"]
    assert recorded_path(tmp_path / "one.py").read_text("utf-8") == "old\n"


def test_a_meant_exception_is_recorded_by_its_last_line(tmp_path: Path) -> None:
    """The frames of a traceback name folders of this machine and are not compared, also if an author pasted them."""
    outcome = ended("before\n", stderr=TRACEBACK + "RuntimeError: too large\n")
    keys = '# raises = "RuntimeError"\n'
    for out in ("before\nRuntimeError: too large\n", "before\n" + TRACEBACK + "RuntimeError: too ...\n"):
        assert judged(snippet(tmp_path, out=out, keys=keys), outcome).status == "passed"
    assert judged(snippet(tmp_path, out="before\nRuntimeError: else\n", keys=keys), outcome).status == "failed"


def test_the_difference_as_lines(tmp_path: Path) -> None:
    """What a window shows before one accepts; all is new where nothing is recorded."""
    found = difference(snippet(tmp_path, out="a\nt ... s\n"), ended("b\nt 3 s\n"))
    assert [(line.kind, line.text) for line in found.lines] == [("removed", "a"), ("added", "b"), ("kept", "t 3 s")]
    recorded_path(tmp_path / "one.py").unlink()
    assert [line.kind for line in difference(snippet(tmp_path), ended("b\n")).lines] == ["added"]


def test_only_a_file_can_have_its_output_beside_it() -> None:
    """That of a fence is its note's."""
    fence = snippet_from_block(name="a.md#x", code="", options={}, output=None, origin="a.md", line=1)
    with pytest.raises(ValueError, match=r"a\.md#x"):
        record(fence, "cpu", "x")


def test_a_real_run_is_recorded_and_then_holds(tmp_path: Path) -> None:
    """With real processes: an exception that is meant is accepted, and passes from then on; an unmeant one fails."""
    path = tmp_path / "one.py"
    block = '# /// snippet\n# title.en = "t"\n# raises = "ValueError"\n# ///\n'
    path.write_text(block + 'print("before")\nraise ValueError("too large")\n', encoding="utf-8")
    with Runner(runs_folder=tmp_path / "runs") as runner:
        first = verify([read_snippet(path)], runner=runner, accept=True).results[0]
        assert (first.status, first.accepted) == ("passed", "before\nValueError: too large\n")
        assert verify([read_snippet(path)], runner=runner).passed == 1
        path.write_text(block + "raise TypeError\n", encoding="utf-8")
        (last,) = verify([read_snippet(path)], runner=runner).results
    assert last.status == "failed"
    assert "meant to raise ValueError" in str(last.document()["diff"])


def test_the_report_counts_in_order(tmp_path: Path) -> None:
    """Verdicts have the order of the snippets, are reported at once, and are counted by status."""
    names = ("a", "b", "c")
    chosen = [snippet(tmp_path, name, out="x\n") for name in names]
    missing = unavailable(Sentence("No.", "无。"), device="cpu", run_id="1")
    runner = FakeRunner({"a": ended("x\n"), "b": ended("y\n"), "c": missing})
    told: list[tuple[int, int, str]] = []
    report = verify(
        chosen,
        runner=cast("Runner", runner),
        python=Path("/py"),
        progress=lambda at, of, v: told.append((at, of, v.name)),
        jobs=2,
    )
    assert (report.passed, report.failed, report.unavailable) == (1, 1, 1)
    assert not report.proves_nothing
    assert told == [(1, 3, "a"), (2, 3, "b"), (3, 3, "c")]
    document = report.document()
    assert {key: document[key] for key in ("passed", "failed", "unavailable")} == {
        "passed": 1,
        "failed": 1,
        "unavailable": 1,
    }
    assert document["results"] == [verdict.document() for verdict in report.results]
    assert {(request.device, request.python) for request in runner.requests} == {("cpu", Path("/py"))}


def test_nothing_that_could_be_run_proves_nothing(tmp_path: Path) -> None:
    """A report without a failure is no praise where nothing was run at all."""
    missing = unavailable(Sentence("No.", "无。"), device="cpu", run_id="1")
    runner = cast("Runner", FakeRunner({"one": missing}))
    assert verify([snippet(tmp_path)], runner=runner).proves_nothing
    assert not VerifyReport.of(()).proves_nothing


def test_what_cannot_be_read_has_failed(tmp_path: Path) -> None:
    """A file or a block that should be a snippet and cannot be one is in the report, with its sentence."""
    (tmp_path / "bad.py").write_text("# /// snippet\n# titel = 1\n# ///\n", encoding="utf-8")
    found = catalog(tmp_path)
    report = verify([], runner=cast("Runner", FakeRunner({})), problems=found.problems)
    assert (report.passed, report.failed) == (0, 1)
    (verdict,) = report.results
    assert (verdict.name, verdict.status, verdict.snippet.origin) == ("bad", "failed", str(tmp_path / "bad.py"))
    assert "unknown key" in str(verdict.document()["diff"])


def test_an_interrupted_verification_stops_its_runs(tmp_path: Path) -> None:
    """Ctrl-C leaves no run behind, of several that go on neither."""
    runner = FakeRunner({"one": None, "two": ended("x\n")})
    chosen = [snippet(tmp_path, name) for name in runner.outcomes]
    with pytest.raises(KeyboardInterrupt):
        verify(chosen, runner=cast("Runner", runner), jobs=2)
    assert [run.stopped for run in runner.runs] == [True, True]


def test_as_much_runs_at_once_as_there_is_room_for(make_snippet: Callable[..., Snippet]) -> None:
    """What fits is begun, in order, one of several processes counting for as many; what is too large goes alone."""
    requests = [RunRequest(make_snippet("1", processes=count)) for count in (1, 3, 1, 9, 2)]
    assert _next(range(5), (), requests, 4) == (0, 1)
    assert _next((2, 3, 4), (0,), requests, 4) == (2, 4)
    assert _next((2, 3, 4), (1,), requests, 4) == (2,)
    assert _next((3,), (2,), requests, 4) == ()
    assert _next((3, 4), (), requests, 4) == (3,)
    assert _next((4,), (3,), requests, 4) == ()


def test_real_runs_at_the_same_time(tmp_path: Path) -> None:
    """Two snippets that wait for each other both end, and where only one may run at a time neither does."""
    meeting = (
        "import pathlib, time, sys\n"
        "here = pathlib.Path({folder!r})\n"
        "(here / {own!r}).touch()\n"
        "until = time.monotonic() + {patience}\n"
        "while not (here / {other!r}).exists():\n"
        "    time.sleep(0.01)\n"
        "    if time.monotonic() > until:\n"
        "        sys.exit('nobody came')\n"
        "print('met')\n"
    )
    with Runner(runs_folder=tmp_path / "runs") as runner:
        for jobs, patience, passed in ((2, 60, 2), (1, 0.2, 1)):
            folder = tmp_path / f"meeting{jobs}"
            folder.mkdir()
            for own, other in (("one", "two"), ("two", "one")):
                snippet(folder, own, out="met\n")
                code = meeting.format(folder=str(folder), own=own, other=other, patience=patience)
                path = folder / f"{own}.py"
                path.write_text(path.read_text("utf-8") + code, encoding="utf-8")
            chosen = [read_snippet(folder / f"{name}.py") for name in ("one", "two")]
            assert verify(chosen, runner=runner, jobs=jobs).passed == passed


def test_pythons_stand_ready_where_that_pays(
    make_snippet: Callable[..., Snippet], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as runs go on at once, but none for a few runs, without torch, or where memory is short."""
    asked: list[int] = []

    class Warming:
        def warm_up(self, python: Path | None, *, isolate: bool, count: int) -> bool:
            asked.append(count)
            raise RunnerFailed("It cannot.", "不行。")

    def ready(count: int, code: str, *, most: int = 2) -> list[int]:
        asked.clear()
        snippets = [make_snippet(code)] * count
        verifying._get_ready(Warming(), snippets, most=most, python=None, isolate=False)  # type: ignore[arg-type]
        return list(asked)

    monkeypatch.setattr(verifying, "memory", lambda: 1 << 40)
    monkeypatch.setattr(verifying, "forks", lambda: True)
    assert ready(40, "import torch") == [2]
    assert ready(4, "import torch") == [1]
    assert ready(3, "import torch") == []
    assert ready(40, "print(1)") == []
    monkeypatch.setattr(verifying, "memory", lambda: 1 << 30)
    assert ready(40, "import torch") == []
    monkeypatch.setattr(verifying, "memory", lambda: 1 << 40)
    monkeypatch.setattr(verifying, "forks", lambda: False)
    assert ready(40, "import torch") == []
