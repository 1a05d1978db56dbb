"""The Pythons of this machine; a short process asks each one for its version, torch and folders."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from snippets.errors import UnknownInterpreter
from snippets.process.connection import run_to_end
from snippets.supervisor.run_environment import clean, python_variables

PROBE_SECONDS = 20.0  # a cold disk or a network home is slow; torch is not imported

_LARGEST_FILE = 1 << 20
_AT_ONCE = 4  # Pythons that are asked at the same time
_CONDA_FOLDERS = ("~/miniconda3", "~/miniforge3", "~/mambaforge", "~/micromamba", "~/anaconda3", "/opt/conda")
_VENV_FOLDERS = ("~/.virtualenvs", "~/.venvs", "~/venvs")
_VENV_VERSION = re.compile(r"^version(?:_info)? *= *(\d+\.\d+\.\d+)", re.MULTILINE)
_TORCH_VERSION = re.compile(r"""__version__ *(?::[^=]*)?= *['"]([^'"]*)""")
_TORCH_BUILDS = re.compile(r"""^(cuda|hip|xpu)\b[^=\n]*= *['"]([^'"]+)""", re.MULTILINE)

# Works with any Python 3. Reads the version of torch from its files, because importing it takes seconds and may crash.
_QUESTIONS = r"""
import importlib.util, json, os, platform, sys, sysconfig
facts = {"version": platform.python_version()}
facts["places"] = [sys.prefix, sys.base_prefix, sys.exec_prefix] + [p for p in sys.path if p and os.path.isdir(p)]
try:
    spec = importlib.util.find_spec("torch")
    facts["torch"] = open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8").read()
except Exception:
    facts["torch"] = ""
managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
closed = sys.prefix == sys.base_prefix and os.path.exists(managed)  # by its distribution, to pip
facts["pip"] = importlib.util.find_spec("pip") is not None and not closed
print(json.dumps(facts))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python, its name for the user, and its torch."""

    path: Path  # to start it by: the link of a venv is not followed
    name: str
    version: str
    torch: str | None  # the version; None without torch
    builds: tuple[str, ...] = ()  # what its torch is built for besides the CPU: cuda, hip, xpu
    reason: str = "chosen"  # how it was found: running, venv, conda, path, vault (not started yet), chosen
    places: tuple[Path, ...] = ()  # the folders that it imports from
    cuda: str | None = None  # the CUDA version of its torch, such as "12.8"
    has_pip: bool = False  # and pip is allowed to install into it

    @property
    def has_safe_path(self) -> bool:
        """Whether it can ignore modules next to the program (PYTHONSAFEPATH, from 3.11 on)."""
        return tuple(int(part) for part in self.version.split(".")[:2]) >= (3, 11)

    def reaches(self, kind: str) -> bool:
        """Return whether its torch, if any, is built for this kind of device."""
        if self.torch is None or kind in {"cpu", "mps"}:
            return True
        return kind in self.builds or (kind == "cuda" and "hip" in self.builds)


def running() -> Path:
    """Return the interpreter that this program runs under."""
    return Path(sys.executable)


def probe(path: Path, timeout: float = PROBE_SECONDS) -> Interpreter:
    """Ask a Python what it is; the answer is cached until it or its packages change. Raises UnknownInterpreter."""
    program = as_program(path)
    return _ask(program, _stamp(program), timeout)


def as_program(path: Path) -> Path:
    """Return the absolute path of a program, links not followed. Raises UnknownInterpreter."""
    program = path.expanduser().absolute()
    if not program.is_file() or not os.access(program, os.X_OK):
        raise UnknownInterpreter(
            f"{path} is not a program; give the path of a Python, such as .venv/bin/python.",
            f"{path} 不是可执行程序；请给出 Python 的路径，例如 .venv/bin/python。",
        )
    return program


def known_interpreters(vault_root: Path | None = None) -> tuple[Interpreter, ...]:
    """Find and ask the running Python, the active venv, those of conda and those on PATH; the vault's comes last.

    The vault's is only offered: a vault may come from anybody, so its Python is not started, only its files are read.
    Pythons that do not answer are left out. Takes about 0.2 s for each new one, some of them at the same time; one that
    hangs costs its time limit.
    """
    candidates: dict[Path, str] = {}
    for where, path in _candidates():
        candidates.setdefault(path.absolute(), where)
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="probe") as pool:
        answers = dict(zip(candidates, pool.map(_answer, candidates), strict=True))
    found = {path: replace(answer, reason=candidates[path]) for path, answer in answers.items() if answer}
    offered = () if vault_root is None else (_python_of(vault_root / name) for name in (".venv", "venv"))
    for path in offered:
        unasked = None if path.absolute() in found else _read(path.absolute())
        if unasked:
            found[unasked.path] = unasked
    return tuple(found.values())


def _answer(path: Path) -> Interpreter | None:
    """Ask a Python that was found; one that did not answer is not asked again until it changes."""
    try:
        program = as_program(path)
        return _asked(program, _stamp(program), PROBE_SECONDS)
    except (UnknownInterpreter, OSError):
        return None


@functools.lru_cache(maxsize=128)
def _asked(program: Path, stamp: tuple[int, ...], timeout: float) -> Interpreter | None:
    try:
        return _ask(program, stamp, timeout)
    except UnknownInterpreter:
        return None


def _read(program: Path) -> Interpreter | None:
    """Describe a venv by its files, without starting its Python."""
    prefix = program.parent.parent
    version = _VENV_VERSION.search(_text(prefix / "pyvenv.cfg"))
    if version is None or not program.is_file():
        return None
    packages = _packages(prefix)
    source = "".join(_text(folder / "torch" / "version.py") for folder in packages)
    torch, builds = _torch(source)
    name = _name(program, version[1])
    return Interpreter(
        program,
        name,
        version[1],
        torch,
        tuple(builds),
        reason="vault",
        places=(prefix,),
        cuda=builds.get("cuda"),
        has_pip=any((folder / "pip").is_dir() for folder in packages),
    )


def _torch(source: str) -> tuple[str | None, dict[str, str]]:
    """Parse torch/version.py: the version of torch, and the versions of what it is built for besides the CPU."""
    version = _TORCH_VERSION.search(source)
    return (version[1] if version else None), dict(_TORCH_BUILDS.findall(source))


def _packages(prefix: Path) -> list[Path]:
    return [*prefix.glob("lib/python3*/site-packages"), prefix / "Lib" / "site-packages"]


def _text(file: Path) -> str:
    """Return the text of a small regular file; "" for anything else."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@functools.lru_cache(maxsize=64)
def _ask(program: Path, stamp: tuple[int, ...], timeout: float) -> Interpreter:
    del stamp  # only part of the cache key
    answer = run_to_end(
        [str(program), "-c", _QUESTIONS], environment={**clean(), **python_variables()}, timeout=timeout
    )
    try:
        facts = json.loads(answer.stdout.splitlines()[-1])
        version, torch, has_pip = str(facts["version"]), str(facts["torch"]), facts["pip"] is True
        places = tuple(dict.fromkeys(Path(place) for place in facts["places"]))
    except (ValueError, LookupError, TypeError):
        said = answer.error or (answer.stderr.strip().splitlines() or [f"exit code {answer.exit_code}"])[-1]
        raise UnknownInterpreter(
            f"{program} does not answer as a Python does ({said}); choose another interpreter.",
            f"{program} 没有像 Python 那样应答（{said}）；请选择别的解释器。",
        ) from None
    release, builds = _torch(torch)
    name = _name(program, version)
    return Interpreter(
        program, name, version, release, tuple(builds), places=places, cuda=builds.get("cuda"), has_pip=has_pip
    )


def _stamp(program: Path) -> tuple[int, ...]:
    """Return the modification times of the program and its packages, in nanoseconds."""
    prefix = program.parent.parent
    return tuple(path.stat().st_mtime_ns for path in (program, *_packages(prefix)) if path.exists())


def _name(program: Path, version: str) -> str:
    prefix = program.parent.parent
    if (prefix / "pyvenv.cfg").is_file() or (prefix / "conda-meta").is_dir():
        shown = f"{prefix.parent.name}/{prefix.name}" if prefix.name in {".venv", "venv", "env"} else prefix.name
        return f"Python {version} ({shown})"
    return f"Python {version} ({program})"


def _candidates() -> Iterator[tuple[str, Path]]:
    yield "running", running()
    if active := os.environ.get("VIRTUAL_ENV"):
        yield "venv", _python_of(Path(active))
    for environment in _conda_environments():
        yield "conda", _python_of(environment)
    for folder in _VENV_FOLDERS:
        for settings in sorted(Path(folder).expanduser().glob("*/pyvenv.cfg")):
            yield "venv", _python_of(settings.parent)
    for name in ("python3", "python"):
        if on_path := shutil.which(name):
            yield "path", Path(on_path)


def _python_of(prefix: Path) -> Path:
    for place in ("bin/python", "Scripts/python.exe", "python.exe"):
        if (prefix / place).is_file():
            return prefix / place
    return prefix / "bin" / "python"


def _conda_environments() -> Iterator[Path]:
    """Yield the active conda environment, those in its list, and those in its usual folders."""
    if active := os.environ.get("CONDA_PREFIX"):
        yield Path(active)
    listed = _text(Path("~/.conda/environments.txt").expanduser()).splitlines()
    yield from (Path(line.strip()) for line in listed if line.strip())
    for name in _CONDA_FOLDERS:
        base = Path(name).expanduser()
        if (base / "conda-meta").is_dir():
            yield base
            yield from sorted(path.parent for path in base.glob("envs/*/conda-meta"))
