"""Interpreters found and asked, none of them importing torch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from snippets.errors import UnknownInterpreter
from snippets.process.connection import CompletedCommand, run_to_end
from snippets.targets import interpreters as module
from snippets.targets.interpreters import Interpreter, as_program, known_interpreters, probe, running
from tests.pace import within

VERSION = ".".join(map(str, sys.version_info[:3]))


def make_venv(prefix: Path, *, torch: str | None = None, build: str = "None") -> Path:
    """Make what looks like a venv, with a torch that would hang when imported; give its Python."""
    packages = prefix / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    packages.mkdir(parents=True)
    (prefix / "bin").mkdir()
    (prefix / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\nversion = {VERSION}\n")
    (prefix / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    if torch:
        (packages / "torch").mkdir()
        (packages / "torch" / "__init__.py").write_text("import time\nwhile True: time.sleep(1)\n")
        (packages / "torch" / "version.py").write_text(
            f"__version__ = '{torch}'\ndebug = False\ncuda: Optional[str] = {build}\nhip: Optional[str] = None\n"
        )
    return prefix / "bin" / "python"


def make_script(path: Path, text: str) -> Path:
    """Make a program."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_running_interpreter() -> None:
    """Its version and its torch are found without an import."""
    found = probe(running())
    assert found.path == Path(sys.executable)
    assert found.version == VERSION
    assert f"Python {VERSION}" in found.name
    assert module._name(Path("/usr/bin/python3"), "3.11.2") == "Python 3.11.2 (/usr/bin/python3)"
    assert found.has_safe_path
    assert Path(sys.prefix) in found.places


def test_a_torch_that_hangs_is_only_read(tmp_path: Path) -> None:
    """Version and builds come from its files: nothing of it runs."""
    found = probe(make_venv(tmp_path / "env", torch="2.13.0+cu126", build="'12.6'"))
    assert (found.torch, found.builds) == ("2.13.0+cu126", ("cuda",))
    assert [found.reaches(kind) for kind in ("cpu", "cuda", "xpu", "mps")] == [True, True, False, True]


def test_a_torch_for_the_cpu(tmp_path: Path) -> None:
    """It reaches no GPU, and ROCm counts as CUDA."""
    found = probe(make_venv(tmp_path / "env", torch="2.13.0+cpu"))
    assert not found.reaches("cuda")
    assert Interpreter(Path("x"), "", "3.11.1", "2.13.0+rocm6", builds=("hip",)).reaches("cuda")


def test_without_torch(tmp_path: Path) -> None:
    """There is none to be had, and then nothing speaks against any device."""
    found = probe(make_venv(tmp_path / "env"))
    assert found.torch is None
    assert found.reaches("cuda")


def test_an_answer_is_kept_until_something_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again is free until a package is installed."""
    python = make_venv(tmp_path / "env")
    asked: list[object] = []

    def ask(*command: Any, **more: Any) -> CompletedCommand:
        asked.append(command)
        return run_to_end(*command, **more)

    monkeypatch.setattr(module, "run_to_end", ask)
    assert probe(python).torch is None
    assert probe(python).torch is None
    assert len(asked) == 1
    (packages,) = (tmp_path / "env" / "lib").glob("*/site-packages")
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").touch()
    (packages / "torch" / "version.py").write_text("__version__ = '2.14.0'\n")
    os.utime(packages, ns=(1, 1))
    assert probe(python).torch == "2.14.0"


def test_what_is_no_program(tmp_path: Path) -> None:
    """A missing file, a folder, and a file that may not be run are refused."""
    (tmp_path / "plain").touch()
    for path in (tmp_path / "missing", tmp_path, tmp_path / "plain"):
        with pytest.raises(UnknownInterpreter, match="not a program"):
            as_program(path)


def test_the_home_folder_may_be_abbreviated(home: Path) -> None:
    """`~` is expanded."""
    python = make_venv(home / "env")
    assert as_program(Path("~/env/bin/python")) == python


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo hello", "exit code 0"),
        ("echo broken >&2; exit 3", "broken"),
        ("echo '[]'", "exit code 0"),
        ("kill -9 $$", "-9"),
    ],
)
def test_a_program_that_is_no_python(text: str, said: str, tmp_path: Path) -> None:
    """The error names it and what it printed."""
    fake = make_script(tmp_path / "fake", text)
    with pytest.raises(UnknownInterpreter) as caught:
        probe(fake)
    assert str(fake) in caught.value.en
    assert said in caught.value.en
    assert str(fake) in caught.value.zh


def test_a_program_that_does_not_answer(tmp_path: Path) -> None:
    """It is given up after the time it may take."""
    with pytest.raises(UnknownInterpreter, match="no answer"):
        probe(make_script(tmp_path / "hangs", "sleep 60"), timeout=0.3)


def test_all_that_is_known(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The running one first, then the active venv, conda's, those on PATH, the vault's; broken ones are left out."""
    active, conda = make_venv(tmp_path / "active"), make_venv(tmp_path / "conda")
    vault = make_venv(tmp_path / "vault" / ".venv")
    (home / ".conda").mkdir()
    (home / ".conda" / "environments.txt").write_text(f"{tmp_path / 'conda'}\n\n{tmp_path / 'gone'}\n")
    on_path = make_venv(tmp_path / "path")
    broken = make_script(on_path.parent / "python3", "exit 1")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    monkeypatch.setenv("PATH", f"{on_path.parent}:{os.environ['PATH']}")
    found = known_interpreters(tmp_path / "vault")
    assert [(one.reason, one.path) for one in found] == [
        ("running", running()),
        ("venv", active),
        ("conda", conda),
        ("path", on_path),
        ("vault", vault),
    ]
    assert broken not in {one.path for one in found}
    assert "vault/.venv" in found[-1].name


def test_where_environments_are_kept(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The active conda environment, unlisted ones in its folders, and folders of venvs."""
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "active"))
    monkeypatch.setattr(module, "_CONDA_FOLDERS", ("~/miniforge3", "~/none"))
    base = home / "miniforge3"
    expected = [make_venv(tmp_path / "active"), make_venv(base), make_venv(base / "envs" / "gpu")]
    for prefix in (base, base / "envs" / "gpu"):
        (prefix / "conda-meta").mkdir()
    (base / "envs" / "no environment").mkdir()
    expected.append(make_venv(home / ".virtualenvs" / "mine"))
    found = known_interpreters()
    assert [one.path for one in found if one.reason in {"conda", "venv"}] == expected


def test_those_that_hang_hold_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked side by side, given up after a while, and not asked again before they have changed."""
    asked = tmp_path / "asked"
    slow = [make_script(tmp_path / f"slow{n}", f"echo {n} >> {asked}; sleep 60") for n in range(3)]
    monkeypatch.setattr(module, "PROBE_SECONDS", 0.5)
    monkeypatch.setattr(module, "_candidates", lambda: [("path", one) for one in slow])
    with within(20):
        for _ in range(3):
            assert known_interpreters() == ()
        assert len(asked.read_text().split()) == 3
    make_script(slow[0], f"echo again >> {asked}; exit 1")
    os.utime(slow[0], ns=(1, 1))
    known_interpreters()
    assert "again" in asked.read_text()


def test_the_vaults_python_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a vault is described by its files; it is not started before it is chosen."""
    monkeypatch.setattr(module, "_candidates", lambda: ())
    for name, torch in ((".venv", "2.13.0+cu126"), ("venv", None)):
        python = make_venv(tmp_path / name, torch=torch, build="'12.6'")
        python.unlink()
        make_script(python, f"touch {tmp_path / 'started'}")
    first, second = known_interpreters(tmp_path)
    assert (first.version, first.torch, first.builds, first.reason) == (VERSION, "2.13.0+cu126", ("cuda",), "vault")
    assert (first.cuda, second.cuda) == ("12.6", None)
    assert (second.version, second.torch) == (VERSION, None)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("kind", ["pipe", "no version", "missing", "huge"])
def test_a_vaults_environment_that_is_none(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A settings file that is a pipe, or says nothing, or is no file of text, is left out, and nothing hangs."""
    monkeypatch.setattr(module, "_candidates", lambda: ())
    make_venv(tmp_path / ".venv")
    settings = tmp_path / ".venv" / "pyvenv.cfg"
    settings.unlink()
    if kind == "pipe":
        os.mkfifo(settings)
    elif kind != "missing":
        settings.write_text("x" * (2 << 20) if kind == "huge" else "home = /usr\n")
    assert known_interpreters(tmp_path) == ()


def test_a_list_of_conda_that_cannot_be_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as if there were none."""
    (home / ".conda").mkdir()
    (home / ".conda" / "environments.txt").write_text("/somewhere")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(PermissionError()))
    assert list(module._conda_environments()) == []


def test_nothing_but_the_running_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any other there is still that."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("PATH", "")
    assert [one.reason for one in known_interpreters()] == ["running"]


def test_windows_layouts(tmp_path: Path) -> None:
    """A venv there keeps its Python elsewhere."""
    (tmp_path / "Scripts").mkdir()
    (tmp_path / "Scripts" / "python.exe").touch()
    assert module._python_of(tmp_path) == tmp_path / "Scripts" / "python.exe"
