"""The command line before what people really have: broken files, odd names, full disks, damaged indexes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.files.paths import UserPaths
from tests.cli.invoke import NOTE, asked, done, start, told

NAMES = ['it\'s "q".md', "new\nline.md", "-dash.md", "--help.md", " sp .md", "[bold]x.md", "x" * 252 + ".md"]

# --- names and vaults


def test_a_vault_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Missing, or a file: every command says so in one sentence and exits with 2."""
    (tmp_path / "file").write_text("x")
    forms = (
        ["index"],
        ["search", "x"],
        ["show", "a"],
        ["snippets"],
        ["run", "a#hi"],
        ["verify"],
        ["runs"],
        ["export", "a", "--to", "html", "-o", str(tmp_path / "out.html")],
    )
    for form in forms:
        for place in ("none", "file"):
            assert place in told(capsys, *form, "--vault", str(tmp_path / place), code=2)["error"]


def test_an_empty_vault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is there, and that is no error but where something was named."""
    (tmp_path / "empty").mkdir()
    empty = ("--vault", str(tmp_path / "empty"))
    assert told(capsys, "index", *empty)["notes"] == 0
    assert told(capsys, "search", "x", *empty)["hits"] == []
    assert told(capsys, "runs", *empty) == []
    assert "'a'" in told(capsys, "show", "a", *empty, code=2)["error"]


def test_files_that_are_no_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pipes, devices, loops, links that leave and binary data are named and never opened; the rest is found."""
    folder = tmp_path / "vault"
    folder.mkdir()
    os.mkfifo(folder / "fifo.md")
    os.mkfifo(folder / "fifo.py")
    for name, target in (("dev.md", "/dev/zero"), ("loop", "."), ("self.md", "self.md"), ("out.md", "/etc/passwd")):
        (folder / name).symlink_to(target)
    (folder / "bin.md").write_bytes(bytes(range(256)) * 8)
    (folder / "gb.md").write_bytes("# 标题\n\n冻结参数与分布式训练的说明，这一段中文足够长。\n".encode("gb18030"))
    (folder / "u16.md").write_bytes("# 标题\n\n袋鼠\n".encode("utf-16"))
    (folder / "broken.md").write_text("---\ntitle: [x\n: : {\n---\n# Ok\n\nquokka\n", "utf-8")
    at = ("--vault", str(folder))
    report = told(capsys, "index", *at)
    assert {one["path"] for one in report["skipped"]} == {"bin.md", "dev.md", "fifo.md", "loop", "out.md", "self.md"}
    for word, path in (("冻结参数", "gb.md"), ("袋鼠", "u16.md"), ("quokka", "broken.md")):
        assert told(capsys, "search", word, *at)["hits"][0]["path"] == path
    for name in ("fifo.md", "dev.md", "self.md", "out.md", "../vault/gb.md", "/etc/passwd", "\0"):
        told(capsys, "show", name, *at, code=2)
    assert "binary" in told(capsys, "show", "bin.md", *at, code=1)["error"]
    code, out, said = asked(capsys, "show", "broken.md", *at)
    assert code == 0
    assert "quokka" in out
    assert "front matter of broken.md" in said
    assert told(capsys, "run", "fifo.py", *at, code=2)


def test_odd_names_pass_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Quotes, line ends, leading dashes, the longest name: found, shown, run; for people without control characters."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(NOTE, "utf-8")
    (folder / "\x1b]0;x\x07.md").write_text("# \x1b[31mred\n\nwombat \x1b[2J\n", "utf-8")
    with open(os.fsencode(folder) + b"/\xff.md", "w", encoding="utf-8") as file:  # noqa: PTH123 - the bytes of a name
        file.write(NOTE)
    at = ("--vault", str(folder))
    assert [one["reason"] for one in told(capsys, "index", *at)["skipped"]] == ["its name is not text"]
    found = told(capsys, "search", "wombat", "--limit", "20", *at)["hits"]
    assert {hit["path"] for hit in found} == {*NAMES, "\x1b]0;x\x07.md"}
    for name in NAMES:
        assert told(capsys, "show", *at, "--", name)["path"] == name
    assert told(capsys, "run", *at, "--", "--help.md#q")["output"] == "q\n"
    for form in (["search", "wombat"], ["show", "\x1b]0;x\x07.md"], ["snippets"]):
        _, out, said = asked(capsys, *form, *at)
        assert "\x1b" not in out + said
    assert told(capsys, "run", "x" * 5000 + ".py", *at, code=2)["error"]
    assert told(capsys, "show", "x" * 5000, *at, code=2)["error"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "a.md#none"],
        ["run", "#"],
        ["run", ""],
        ["run", "/dev/zero"],
        ["run", "/"],
        ["run", "\0.py"],
        ["run", "a.md#hi", "--device", ""],
        ["run", "a.md#hi", "--device", "cuda:"],
        ["run", "a.md#hi", "--device", "cpu,cpu"],
        ["run", "a.md#hi", "--python", ""],
        ["run", "a.md#hi", "--python", "/"],
        ["run", "a.md#hi", "--timeout", "nan"],
        ["run", "a.md#hi", "--timeout", "0"],
        ["run", "a.md#hi", "--repeat", "0"],
        ["verify", "none"],
        ["verify", "a.md#hi", "--device", "abacus"],
        ["search", "x", "--lang", "fr"],
        ["search", "x", "--stdin"],
        ["runs", "--limit", "-1"],
        ["index", "extra"],
        ["export", "a", "--to", "doc", "-o", "x"],
        ["export", "a", "--to", "html"],
        ["show", "a", "--nonsense"],
    ],
)
def test_wrong_arguments(vault: str, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Each is bad usage: 2, a sentence, and with --json a document."""
    assert told(capsys, *arguments, "--vault", vault, code=2)["error"]


def test_export_says_where_it_cannot_write(vault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder, a missing folder, a name too long, a place that takes nothing; nothing is left there."""
    for out, word in (
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "a.html", "is not there"),
        (tmp_path / ("y" * 252 + ".html"), "too long"),
    ):
        line = ["export", "a", "--to", "html", "-o", str(out), "--force", "--vault", vault]
        assert word in told(capsys, *line, code=2)["error"]
    line = ["export", "a", "--to", "ipynb", "-o", "/proc/a.ipynb", "--vault", vault]
    assert told(capsys, *line, code=1)["error"].startswith("/proc/a.ipynb could not be written:")
    assert [path.name for path in tmp_path.iterdir()] == ["vault"]


# --- places that cannot be written


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null"])
def test_a_home_that_cannot_be_written(
    vault: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """What needs no writing works; the rest says in a sentence what is in the way."""
    monkeypatch.setenv("TORCHLEAF_HOME", home)
    at = ("--vault", vault)
    assert home in told(capsys, "index", *at, code=1)["error"]
    assert home in told(capsys, "search", "gather", *at, code=1)["error"]
    assert told(capsys, "show", "a", *at)["title"] == "Hello"
    code, _, said = asked(capsys, "snippets", "--json", *at)
    assert (code, said.count("\n")) == (0, 1)
    assert "Runs are not recorded now" in said
    assert told(capsys, "runs", *at) == []
    assert told(capsys, "run", "a#hi", *at, code=1)["status"] == "unavailable"
    assert f"{home}/documents/Torchleaf could not be made" in told(capsys, "search", "x", code=1)["error"]
    assert next(one for one in told(capsys, "doctor", code=1) if one["name"] == "folders")["mend"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """Give a disk of 2 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("a disk cannot be mounted here")
    yield folder
    # A supervisor that ends holds its folder for a moment more.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(folder: Path) -> None:
    with (folder / "full").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            return


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is a tmpfs")
def test_a_full_disk(
    vault: str, small_disk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index of before still answers, and says so; a run says why it does not begin; an export leaves nothing."""
    monkeypatch.setenv("TORCHLEAF_HOME", str(small_disk))
    at = ("--vault", vault)
    told(capsys, "index", *at)
    _fill(small_disk)
    Path(vault, "b.md").write_text("# New\n\nquokka " + "wombat " * 5000, "utf-8")
    code, out, said = asked(capsys, "search", "gather", "--json", *at)
    assert (code, json.loads(out)["hits"][0]["path"]) == (0, "a.md")
    assert "as of the last indexing" in said
    assert "space" in told(capsys, "run", "a#hi", *at, code=1)["reason"]
    out_file = small_disk / "a.html"
    assert "disk is full" in told(capsys, "export", "a", "--to", "html", "-o", str(out_file), *at, code=1)["error"]
    assert not out_file.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_an_output_that_takes_nothing(vault: str, snippet: Callable[[str], str]) -> None:
    """A full disk behind standard output is a sentence; a run goes on to its end and exits as it would."""
    file = snippet("for i in range(20000): print('line', i)\nraise SystemExit(3)")
    with Path("/dev/full").open("wb") as full:
        code, _, said = done("run", file, "--vault", vault, stdout=full)
        assert code == 3
        assert said.count(b"could not all be written") == 1
        assert b"Traceback" not in said
        code, _, said = done("snippets", "--json", "--vault", vault, stdout=full)
        assert (code, said.count(b"\n")) == (1, 1)


def test_a_read_only_note(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What `verify --accept` cannot write is said in its report, which is not lost; the note is as it was."""
    folder = Path(vault)
    before = (folder / "a.md").read_bytes()
    taken = subprocess.run(["chattr", "+i", str(folder / "a.md")], capture_output=True, check=False)
    folder.chmod(0o500)
    try:
        if taken.returncode and os.access(folder, os.W_OK):
            pytest.skip("this user may write everything")
        report = told(capsys, "verify", "a#hi", "gather_by_row", "--accept", "--vault", vault, code=1)
    finally:
        folder.chmod(stat.S_IRWXU)
        subprocess.run(["chattr", "-i", str(folder / "a.md")], capture_output=True, check=False)
    assert [result["status"] for result in report["results"]] == ["failed", "passed"]
    assert report["results"][0]["diff"].startswith("a.md could not be written:")
    assert (folder / "a.md").read_bytes() == before


# --- the search index


def test_queries_of_any_bytes(vault: str) -> None:
    """One document a line: for invalid UTF-8, nothing, NUL, a megabyte; and for no standard input none."""
    lines = [b"gather", b"", b"\xff\xfegather", b"x" * (1 << 20), "练".encode() * 300_000, b"\0", b"-a (OR", b"last"]
    code, out, said = done("search", "--stdin", "--json", "--vault", vault, given=b"\n".join(lines))
    assert (code, said) == (0, b"")
    documents = [json.loads(line) for line in out.decode().split("\n")[:-1]]
    assert [one["query"] for one in documents] == [line.decode("utf-8", "replace") for line in lines]
    assert documents[0]["hits"]
    assert done("search", "--stdin", "--json", "--vault", vault, given=b"") == (0, b"", b"")


def test_two_index_at_once_and_one_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both count right; a rebuild that is killed half-way leaves an index that answers at once."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(300):
        (folder / f"n{number}.md").write_text(
            f"# note {number}\n\n" + "训练 gather " * 200 + f"unique{number}", "utf-8"
        )
    both = [start("index", "--json", "--vault", str(folder)) for _ in range(2)]
    reports = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert [report["notes"] for report in reports] == [300, 300]
    assert sorted(report["added"] for report in reports) == [0, 300]
    index = UserPaths.of_user().for_vault(folder).index
    before = {path: path.stat().st_mtime_ns for path in index.iterdir()}
    rebuild = start("index", "--rebuild", "--vault", str(folder))
    while {path: path.stat().st_mtime_ns for path in index.iterdir()} == before and rebuild.poll() is None:
        time.sleep(0.005)
    rebuild.kill()
    rebuild.communicate()
    assert told(capsys, "search", "unique299", "--vault", str(folder))["hits"][0]["path"] == "n299.md"


def test_a_damaged_index_is_told(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`search` makes it anew, finds, and says so once."""
    told(capsys, "index", "--vault", vault)
    for path in UserPaths.of_user().for_vault(Path(vault)).index.iterdir():
        path.write_bytes(b"garbage")
    for times in (1, 0):
        code, out, said = asked(capsys, "search", "gather", "--json", "--vault", vault)
        assert (code, json.loads(out)["hits"][0]["path"]) == (0, "a.md")
        assert said.count("made anew") == times


class Bomb:
    """What opens it runs a command."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def test_an_index_in_a_vault_is_never_opened(vault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Opening an index unpickles: a hostile one that lies in the vault, wherever and however named, stays unread."""
    import pickle  # noqa: PLC0415 - what is tested is that nobody else does so

    mark = tmp_path / "opened"
    hostile = pickle.dumps(Bomb(mark))
    for folder in ("", "index", ".index", ".torchleaf", "cache", "_notes", ".cache/torchleaf"):
        place = Path(vault, folder)
        place.mkdir(parents=True, exist_ok=True)
        for name in ("_notes_1.toc", "_MAIN_1.toc", "sums.json", "notes_1.seg", "a.pickle", "a.pkl"):
            (place / name).write_bytes(hostile)
    for form in (["index"], ["index", "--rebuild"], ["search", "gather"], ["show", "a"], ["snippets"], ["runs"]):
        told(capsys, *form, "--vault", vault)
    assert not mark.exists()
    pickle.loads(hostile)  # the control: who opens it is caught
    assert mark.exists()
