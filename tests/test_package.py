"""The wheel and the source distribution: what they hold, and the installed program among packages of other programs."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import torchleaf

ROOT = Path(__file__).parents[1]
PROGRAM = ("app", "kb", "snippets", "main.py", "torchleaf")
WAYS = {"module": ("-m", "torchleaf"), "command": ("-c", "from torchleaf.__main__ import run; run()")}
STRANGERS = ("app", "kb", "snippets", "main")
IMPORTING = f"""
import importlib.util
print([name for name in {STRANGERS!r} if importlib.util.find_spec(name)])
"""


def built(kind: str, folder: Path) -> Path:
    """Build a distribution of the checkout, as pip does without isolation."""
    code = f"import sys; from hatchling.build import build_{kind} as build; print(build(sys.argv[1]))"
    line = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Give the wheel."""
    return zipfile.ZipFile(built("wheel", tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def python(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a Python that the wheel is installed in, beside the libraries of the Python that tests run under."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=os.name != "nt")
    where = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", where))
    wheel.extractall(site)
    libraries = [place for place in sys.path if Path(place).name in {"site-packages", "dist-packages"}]
    (site / "libraries.pth").write_text("\n".join(libraries), "utf-8")
    return Path(sysconfig.get_path("scripts", "venv", where), Path(sys.executable).name)


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    """Give a folder with packages of another program that bear the names of ours, and tell when they are imported."""
    folder = tmp_path / "another program"
    for name in STRANGERS:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f"raise SystemExit('{name} of another program')\n", "utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Give a vault of one note."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_text("# note\n\n*wombat*\n\n```python id=hi\nprint('hi')\n```\n", "utf-8")
    return folder


def tracked() -> set[str]:
    """Return the paths of all files that git knows."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0 or not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout")
    return set(done.stdout.decode().split("\0")) - {""}


def test_the_wheel_takes_one_name(wheel: zipfile.ZipFile) -> None:
    """It brings the package torchleaf, the command of that name, and what a desktop shows it by."""
    info = f"torchleaf-{torchleaf.__version__}"
    assert {name.partition("/")[0] for name in wheel.namelist()} == {"torchleaf", f"{info}.dist-info", f"{info}.data"}
    commands = configparser.ConfigParser()
    commands.read_string(wheel.read(f"{info}.dist-info/entry_points.txt").decode())
    assert {section: dict(commands[section]) for section in commands.sections()} == {
        "console_scripts": {"torchleaf": "torchleaf.__main__:run"}
    }
    assert {name for name in wheel.namelist() if name.startswith(f"{info}.data")} == {
        f"{info}.data/data/share/applications/torchleaf.desktop",
        f"{info}.data/data/share/icons/hicolor/scalable/apps/torchleaf.svg",
    }


def test_the_wheel_has_the_program_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    """Each file of the program that is tracked, whatever lies about in the checkout."""
    ours = {path for path in tracked() if path.split("/")[0] in PROGRAM}
    wanted = {path if path.startswith("torchleaf/") else f"torchleaf/{path}" for path in ours}
    assert {name for name in wheel.namelist() if name.startswith("torchleaf/")} == wanted


def test_the_source_distribution_has_everything(tmp_path: Path) -> None:
    """The program can be built and tested from it as from a checkout."""
    with tarfile.open(built("sdist", tmp_path)) as archive:
        held = {Path(*Path(file.name).parts[1:]).as_posix() for file in archive if file.isfile()}
    assert held == tracked() | {"PKG-INFO"}


def test_building_leaves_nothing_behind(wheel: zipfile.ZipFile) -> None:
    """No build folder and no egg-info lie in the checkout afterwards."""
    assert not [path for path in ROOT.iterdir() if path.name == "build" or path.suffix == ".egg-info"]


def said(python: Path, *arguments: str, cwd: Path, **variables: str) -> str:
    """Start the installed program, which may keep its compiled code, and return what it prints."""
    done = subprocess.run(
        [str(python), *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_packages_of_other_programs_do_not_disturb(
    way: tuple[str, str], python: Path, strangers: Path, vault: Path
) -> None:
    """Named like ours they lie on PYTHONPATH and in the current folder; workers and supervisor are ours, too."""
    for arguments, wanted in (
        (["--version"], f"torchleaf {torchleaf.__version__}\n"),
        (["search", "wombat"], "note.md:1"),
        (["show", "note", "--html"], "<em>"),  # rendered by a worker
        (["run", "note.md#hi"], "hi"),
    ):
        named = ["--vault", str(vault)] if len(arguments) > 1 else []
        assert wanted in said(python, *way, *arguments, *named, cwd=strangers, PYTHONPATH=str(strangers))


def test_no_library_is_taken_from_the_current_folder(python: Path, vault: Path) -> None:
    """`python -m` puts it first on the path; the program takes it off, as it may be an untrusted vault."""
    for name in ("typer", "numpy", "whoosh", "markdown", "psutil"):
        (vault / f"{name}.py").write_text("open('mark', 'w').close()\n", "utf-8")
    assert "note.md" in said(python, "-m", "torchleaf", "search", "wombat", "--vault", ".", cwd=vault)
    assert not (vault / "mark").exists()


@pytest.mark.torch
def test_a_snippet_does_not_find_our_modules(python: Path, tmp_path: Path) -> None:
    """Neither in a Python of its own nor in one that stands ready: `import app` is an error, or finds the user's."""
    snippet = tmp_path / "snippet.py"
    snippet.write_text(IMPORTING, "utf-8")
    line = ("-m", "torchleaf", "run", str(snippet), "--repeat", "2", "--json")
    runs = json.loads(said(python, *line, cwd=tmp_path))["runs"]
    assert [run["output"] for run in runs] == ["[]\n", "[]\n"]
