"""The record of runs on the command line: of one snippet, two beside each other, and one that is pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.invoke import asked, told


@pytest.fixture
def vault(tmp_path: Path) -> str:
    """A vault with a block and a file."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "n.md").write_text('# Note\n\n```python id=a\nprint("one")\nprint("two")\n```\n', "utf-8")
    (folder / "f.py").write_text("# /// snippet\n# title.en = 'f'\n# ///\nprint('file')\n", "utf-8")
    (folder / "plain.py").write_text("print('plain')\n", "utf-8")
    return str(folder)


def run(capsys: pytest.CaptureFixture[str], vault: str, name: str = "n#a", *more: str, code: int = 0) -> str:
    """Run a snippet and return the id of the run."""
    return str(told(capsys, "run", name, "--vault", vault, *more, code=code)["run_id"])


def test_the_runs_of_one(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Newest first, with all that is known."""
    ids = [run(capsys, vault) for _ in range(2)]
    run(capsys, vault, "f")
    rows = told(capsys, "runs", "n.md#a", "--vault", vault)
    assert [row["run_id"] for row in rows] == ids[::-1]
    assert rows[0]["output"] == "one\ntwo\n"
    assert {"cuda", "driver", "peak_gpu_mb", "asked", "pinned", "as_recorded"} <= set(rows[0])
    assert len(told(capsys, "runs", "--vault", vault)) == 3
    code, out, _ = asked(capsys, "runs", "n.md#a", "--vault", vault)
    assert code == 0
    assert out.count("passed") == 2
    assert ids[0] in out


def test_options_reach_the_run_and_the_record(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Threads, variables and arguments; the value of a variable is not kept."""
    file = Path(vault) / "plain.py"
    file.write_text("import os, sys; print(os.environ['OMP_NUM_THREADS'], os.environ['KEY'], sys.argv[1:])", "utf-8")
    options = ("--threads", "3", "--env", "KEY=secret", "--blocking", str(file), "--", "--steps", "2")
    told_ = told(capsys, "run", "--vault", vault, *options)
    assert told_["output"] == "3 secret ['--steps', '2']\n"
    (row,) = told(capsys, "runs", "--vault", vault)
    assert "secret" not in row["asked"]
    assert '"CUDA_LAUNCH_BLOCKING": "1"' in row["asked"]
    error = told(capsys, "run", "--vault", vault, "--env", "KEY", str(file), code=2)["error"]
    assert "--env NAME=VALUE" in error


def test_two_runs_beside_each_other(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What was different about them, their times, and the output line by line."""
    first = run(capsys, vault)
    note = Path(vault) / "n.md"
    note.write_text(note.read_text("utf-8").replace("two", "other"), "utf-8")
    second = run(capsys, vault)
    found = told(capsys, "runs", "--compare", first[-8:], second[-8:], "--vault", vault)
    assert (found["first"], found["second"], found["same_output"]) == (first, second, False)
    assert list(found["changed"]) == ["code_sha256"]
    assert [(line["kind"], line["text"]) for line in found["lines"]] == [
        ("kept", "one"),
        ("removed", "two"),
        ("added", "other"),
    ]
    assert all(value > 0 for value in found["measures"]["seconds"])
    _, out, _ = asked(capsys, "runs", "--compare", first, second, "--vault", vault)
    assert " one\n-two\n+other\n" in out
    assert "code sha256: " in out
    assert " times)" in out
    _, out, _ = asked(capsys, "runs", "--compare", first, first, "--vault", vault)
    assert "The output is the same." in out
    assert "No run has" in told(capsys, "runs", "--compare", first, "zzz", "--vault", vault, code=1)["error"]


def test_a_long_difference_says_what_it_leaves_out(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody reads a thousand lines."""
    file = Path(vault) / "plain.py"
    ids = []
    for word in ("a", "b"):
        file.write_text(f"for i in range(500): print({word!r}, i)", "utf-8")
        ids.append(run(capsys, vault, str(file)))
    _, out, _ = asked(capsys, "runs", "--compare", *ids, "--vault", vault)
    assert "(200 more lines are not compared)" in out


def test_pinning_writes_the_output_where_it_is_read(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Under the block of a note, beside a file; the run stays in the record, and the claim is proven by it."""
    block, file, plain = (run(capsys, vault, name) for name in ("n#a", "f", str(Path(vault) / "plain.py")))
    assert told(capsys, "runs", "--pin", block, "--vault", vault)["pinned"] == "n.md#a"
    assert (Path(vault) / "n.md").read_text("utf-8").endswith("```\n\n```output\none\ntwo\n```\n")
    assert asked(capsys, "runs", "--pin", file[-8:], "--vault", vault)[2] == "Pinned: f\n"
    assert (Path(vault) / "f.out").read_text("utf-8") == "file\n"
    told(capsys, "runs", "--pin", plain, "--vault", vault)
    assert (Path(vault) / "plain.out").read_text("utf-8") == "plain\n"
    assert [row["pinned"] for row in told(capsys, "runs", "--vault", vault)] == [True, True, True]
    listed = {row["name"]: row["status"] for row in told(capsys, "snippets", "--vault", vault)}
    assert (listed["n.md#a"], listed["f"]) == ("passed", "passed")


def test_what_may_not_be_pinned(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that failed, one of other code, one whose output was not kept whole; and nothing is written."""
    note = Path(vault) / "n.md"
    before = run(capsys, vault)
    note.write_text('# Note\n\n```python id=a\nprint("x" * 80 * 10000)\n```\n', "utf-8")
    large = run(capsys, vault)
    note.write_text("# Note\n\n```python id=a\nraise SystemExit(3)\n```\n", "utf-8")
    failed = run(capsys, vault, code=3)
    text = note.read_text("utf-8")
    for run_id, says in ((before, "was changed since"), (failed, "did not pass")):
        assert says in told(capsys, "runs", "--pin", run_id, "--vault", vault, code=1)["error"]
    assert note.read_text("utf-8") == text
    note.write_text('# Note\n\n```python id=a\nprint("x" * 80 * 10000)\n```\n', "utf-8")
    assert "output is incomplete" in told(capsys, "runs", "--pin", large, "--vault", vault, code=1)["error"]
