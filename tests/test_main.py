"""The command line: the forms of its contract, its exit codes and its sentences."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import main
from torchleaf import __version__

ROOT = Path(main.__file__).parent


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A small vault: a note in two languages, a runnable block, a file that is no text."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "hello.en.md").write_text(
        "# Hello\n\nA note on gather.\n\n```python id=hi\nprint('hi')\n```\n\n```output\nhi\n```\n", encoding="utf-8"
    )
    (folder / "hello.zh.md").write_text("# 你好\n\n分布式训练的笔记。\n", encoding="utf-8")
    (folder / "blob.md").write_bytes(b"\x00\x01\xff" * 100)
    (folder / "bad.md").write_text("---\ntitle: [broken\n---\n\n# Still read\n\nword\n", encoding="utf-8")
    return folder


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """Carry out a command line with --json in this process and return its document."""
    assert main.main([*arguments, "--json"]) == code
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Start the program as a user does."""
    options.setdefault("cwd", ROOT)
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **options,
    )


def test_index_reports_what_it_found(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`index` counts notes and sections, tells added from updated, and names what is no text."""
    first = told(capsys, "index", "--vault", str(vault))
    assert set(first) == {"notes", "sections", "added", "updated", "removed", "skipped", "seconds"}
    assert (first["notes"], first["added"]) == (3, 3)
    assert [skipped["path"] for skipped in first["skipped"]] == ["blob.md"]
    assert first["skipped"][0]["reason"]
    (vault / "hello.zh.md").write_text("# 你好\n\n换了内容。\n", encoding="utf-8")
    again = told(capsys, "index", "--vault", str(vault))
    assert (again["added"], again["updated"], again["removed"]) == (0, 1, 0)
    assert told(capsys, "index", "--rebuild", "--vault", str(vault))["notes"] == 3


def test_search_finds_an_edit_without_being_told(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`search` sees the notes as they are now, and each hit has the keys of the contract."""
    hit = told(capsys, "search", "训练", "--vault", str(vault))["hits"][0]
    assert set(hit) == {"path", "heading", "line", "lang", "score", "excerpt", "matched", "why"}
    assert (hit["path"], hit["heading"], hit["lang"]) == ("hello.zh.md", "你好", "zh")
    (vault / "new.md").write_text("# Fresh\n\nzygomorphic\n", encoding="utf-8")
    assert told(capsys, "search", "zygomorphic", "--vault", str(vault))["hits"][0]["path"] == "new.md"
    assert told(capsys, "search", "训练", "--lang", "en", "--vault", str(vault))["hits"] == []


def test_search_answers_line_by_line(vault: Path) -> None:
    """`search --stdin` prints one document for each line, in order, also for an empty or wild one."""
    queries = ["gather", "", "((( OR AND", "训练", 'title:"']
    done = program("search", "--stdin", "--json", "--vault", str(vault), input="\n".join(queries) + "\n")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == queries


def test_show_renders_the_note(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`show` finds a note by path, name or title, and --html gives what the reader shows."""
    for name in ("hello.en.md", "Hello"):
        assert main.main(["show", name, "--html", "--vault", str(vault)]) == 0
        assert "<h1>" in capsys.readouterr().out
    assert told(capsys, "show", "hello.zh.md", "--vault", str(vault))["title"] == "你好"
    assert main.main(["show", "hello.zh.md", "--vault", str(vault)]) == 0
    assert "分布式训练" in capsys.readouterr().out


def test_run_of_a_block_in_a_note(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`run NOTE#ID` runs the fence; its document has the keys of the contract and the ledger keeps it."""
    document = told(capsys, "run", "hello.en.md#hi", "--vault", str(vault))
    assert set(document) == {
        "status",
        "exit_code",
        "seconds",
        "first_output_seconds",
        "device",
        "isolated",
        "torch",
        "output",
        "artifacts",
        "run_id",
        "peak_rss_mb",
        "reason",
    }
    assert (document["status"], document["exit_code"], document["output"]) == ("passed", 0, "hi\n")
    rows = told(capsys, "runs", "--vault", str(vault))
    assert rows[0]["name"] == "hello.en.md#hi"
    assert rows[0]["status"] == "passed"
    listed = {row["name"]: row["status"] for row in told(capsys, "snippets", "--vault", str(vault))}
    assert listed["hello.en.md#hi"] == "passed"
    assert "gather_by_row" in listed


def test_run_repeats_in_fresh_processes(vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--repeat N` gives N documents, and no run sees what another left behind."""
    file = tmp_path / "count it.py"
    file.write_text(
        "import os, sys\nprint(os.path.exists('left'), hasattr(sys, 'left'))\nopen('left', 'w').close()\nsys.left = 1\n"
    )
    document = told(capsys, "run", str(file), "--repeat", "3", "--vault", str(vault))
    assert [run["output"] for run in document["runs"]] == ["False False\n"] * 3


@pytest.mark.parametrize(
    ("code", "exit_code", "status"),
    [
        ("raise SystemExit(7)", 7, "failed"),
        ("raise ValueError('no')", 1, "failed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL, "killed"),
        ("import time; time.sleep(60)", 124, "timeout"),
        ("input()", 1, "failed"),
    ],
)
def test_run_exits_as_the_snippet_did(
    vault: Path, capsys: pytest.CaptureFixture[str], code: str, exit_code: int, status: str
) -> None:
    """`run` hands on the snippet's exit code, says 124 for a timeout, and words the reason."""
    file = vault / "snippet.py"
    file.write_text(code, encoding="utf-8")
    document = told(capsys, "run", "snippet.py", "--timeout", "2", "--vault", str(vault), code=exit_code)
    assert document["status"] == status
    assert document["reason"]


def test_verify_notices_a_claim_that_fails_and_accepts_it(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`verify` exits with 1 and a diff when the output is another; --accept writes it into the note."""
    note = vault / "hello.en.md"
    note.write_text(note.read_text(encoding="utf-8").replace("\nhi\n", "\nbye\n"), encoding="utf-8")
    failed = told(capsys, "verify", "hello.en.md#hi", "--vault", str(vault), code=1)
    assert (failed["passed"], failed["failed"], failed["unavailable"]) == (0, 1, 0)
    assert "bye" in failed["results"][0]["diff"]
    assert told(capsys, "verify", "hello.en.md#hi", "--accept", "--vault", str(vault))["passed"] == 1
    assert note.read_text(encoding="utf-8").endswith("```output\nhi\n```\n")
    assert told(capsys, "verify", "hello.en.md#hi", "--vault", str(vault))["passed"] == 1


def test_devices_always_has_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    """`devices` lists at least the CPU, available, with its memory in bytes."""
    first = told(capsys, "devices")[0]
    assert (first["id"], first["available"]) == ("cpu", True)
    assert first["memory_total"] > 2**28


@pytest.mark.parametrize(
    ("kind", "start"), [("html", b"<!DOCTYPE html>"), ("ipynb", b"{"), ("pdf", b"%PDF-"), ("py", b"#")]
)
def test_export_never_overwrites_unasked(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, start: bytes
) -> None:
    """`export` writes the format asked for, and a file that is there only with --force."""
    out = tmp_path / f"note.{kind}"
    line = ["export", "Hello", "--to", kind, "-o", str(out), "--vault", str(vault)]
    if kind == "pdf":
        assert program(*line).returncode == 0  # a process of its own, for the application object that Qt wants
    else:
        assert told(capsys, *line)["bytes"] == out.stat().st_size
    assert out.read_bytes().startswith(start)
    out.write_bytes(b"mine")
    assert "--force" in told(capsys, *line, code=2)["error"]
    assert out.read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "x", "--vault", "/nowhere"], 2),
        (["gui", "--vault", "/nowhere"], 2),
        (["show", "no such note"], 2),
        (["run", "no_such_snippet"], 2),
        (["run", "hello.en.md#none"], 2),
        (["run", "hello.en.md#hi", "--device", "abacus"], 2),
        (["run", "hello.en.md#hi", "--python", "/bin/nothing"], 2),
        (["run", "hello.en.md#hi", "--device", "cuda:63"], 1),
        (["search"], 2),
        (["search", "x", "--limit", "none"], 2),
        (["nonsense"], 2),
    ],
)
def test_what_is_wrong_is_one_sentence(
    vault: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    """Bad usage exits with 2, what cannot be done with 1; never a traceback, and --json still gives a document."""
    if "--vault" not in arguments and len(arguments) > 1:
        arguments = [*arguments, "--vault", str(vault)]
    assert main.main(arguments) == code
    spoken = capsys.readouterr()
    assert "Traceback" not in spoken.err
    assert len(spoken.err.splitlines()) == 1
    assert isinstance(told(capsys, *arguments, code=code), dict)


def test_first_start_makes_the_users_vault(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --vault the shipped notes become the user's own vault, once, which is said; what they change stays."""
    vault = home / "documents" / "Torchleaf"
    told(capsys, "devices")
    assert not vault.exists()
    for said in (f"Making your vault at {vault} from the shipped notes.\n", ""):
        assert main.main(["search", "gather", "--json"]) == 0
        spoken = capsys.readouterr()
        assert spoken.err == said
        assert json.loads(spoken.out)["hits"]
    note = vault / "index.en.md"
    note.write_text("# Mine\n\nquokka\n", encoding="utf-8")
    assert told(capsys, "search", "quokka")["hits"][0]["path"] == "index.en.md"


def test_every_command_works_without_pyside6(vault: Path, tmp_path: Path) -> None:
    """With PySide6 absent all commands but the window and the PDF do their work; those two say what is missing."""
    blocked = tmp_path / "without_qt.py"
    blocked.write_text(
        "import sys\nsys.modules['PySide6'] = None\n"
        f"sys.path.insert(0, {str(ROOT)!r})\nimport main\nif __name__ == '__main__':\n    main.run_program()\n",
        encoding="utf-8",
    )
    forms = [
        (["index"], 0),
        (["search", "gather"], 0),
        (["show", "Hello", "--html"], 0),
        (["snippets"], 0),
        (["run", "hello.en.md#hi"], 0),
        (["verify", "hello.en.md#hi"], 0),
        (["runs"], 0),
        (["export", "Hello", "--to", "html", "-o", str(tmp_path / "a.html")], 0),
        (["export", "Hello", "--to", "pdf", "-o", str(tmp_path / "a.pdf")], 1),
        (["gui"], 2),
    ]
    for arguments, code in forms:
        line = [sys.executable, str(blocked), *arguments, "--vault", str(vault)]
        done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, check=False)
        assert done.returncode == code, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
        assert code == 0 or "PySide6" in done.stderr


def test_c_locale_and_closed_pipe(vault: Path) -> None:
    """In the C locale Chinese is printed all the same, and a reader that goes away is no error to tell."""
    env = {**os.environ, "LC_ALL": "C"}
    done = program("search", "训练", "--vault", str(vault), env=env)
    assert "分布式训练" in done.stdout
    line = f"{sys.executable} {ROOT / 'main.py'} snippets --json --vault {vault} | head -c 1"
    piped = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert piped.stderr == ""


def test_interrupt_ends_the_run_and_its_children(vault: Path, tmp_path: Path) -> None:
    """Ctrl-C stops the whole tree and exits with 130."""
    file = tmp_path / "long.py"
    file.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(99)\n",
        encoding="utf-8",
    )
    line = [sys.executable, str(ROOT / "main.py"), "run", str(file), "--vault", str(vault)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.send_signal(signal.SIGINT)
        _, spoken = running.communicate(timeout=30)
    assert running.returncode == 130
    assert spoken == "Not isolated: it can reach your files and the network.\nInterrupted.\n"
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_said(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, and nothing else is done."""
    assert main.main([option]) == 0
    assert capsys.readouterr().out == f"torchleaf {__version__}\n"


def test_a_shell_completes_a_line() -> None:
    """What a shell asks while somebody types is answered; a line without a command does not open the window."""
    asking = {**os.environ, "_TORCHLEAF_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    assert program(env={**asking, "COMP_WORDS": "torchleaf se"}).stdout.split() == ["search"]
    assert "verify" in program(env={**asking, "COMP_WORDS": "torchleaf "}).stdout.split()


def test_an_old_python_is_told_in_one_sentence() -> None:
    """Any that is still met reads main.py; what it says has the version that is needed and what to run."""
    ast.parse(Path(main.__file__).read_text(encoding="utf-8"), feature_version=(3, 8))
    code = f"import runpy, sys; sys.version_info = (3, 10, 2); runpy.run_path({main.__file__!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"Python 3\.11 or newer is needed, .*`make setup`.*\n", done.stderr)


@pytest.mark.parametrize("arguments", [[], ["search", "x"]])
def test_a_python_without_the_libraries_is_told_in_one_sentence(arguments: list[str]) -> None:
    """A checkout started by the system's Python says what to run, not where the import failed."""
    line = [sys.executable, "-E", "-S", main.__file__, *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"The libraries .*'typer'.*`make setup`.*\n", done.stderr)
    assert "Traceback" in subprocess.run([*line, "--debug"], capture_output=True, text=True, check=False).stderr
