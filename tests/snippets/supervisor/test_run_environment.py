"""The variables of a run."""

from __future__ import annotations

import pytest

from snippets.supervisor.run_environment import clean, python_variables


def test_secrets_and_python_variables_stay_behind() -> None:
    """Only what the list names is handed on, whatever else there is."""
    given = {
        "PATH": "/bin",
        "HOME": "/home/a",
        "LC_ALL": "C.UTF-8",
        "NCCL_DEBUG": "INFO",
        "OMP_NUM_THREADS": "2",
        "AWS_SECRET_ACCESS_KEY": "s",
        "GITHUB_TOKEN": "t",
        "SSH_AUTH_SOCK": "/x",
        "PYTHONPATH": "/evil",
        "PYTHONSTARTUP": "/evil.py",
        "LD_PRELOAD": "/evil.so",
        "VIRTUAL_ENV": "/v",
        "MASTER_PORT": "29500",
    }
    assert clean(given) == {key: given[key] for key in ("PATH", "HOME", "LC_ALL", "NCCL_DEBUG", "OMP_NUM_THREADS")}


def test_this_programs_own_variables_are_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an argument it is the environment of this process that is cleaned."""
    monkeypatch.setenv("A_SECRET", "s")
    assert "PATH" in clean()
    assert "A_SECRET" not in clean()


def test_python_prints_at_once_and_in_utf_8() -> None:
    """The variables that configure every Python of a run."""
    told = python_variables()
    assert told["PYTHONUNBUFFERED"] == told["PYTHONSAFEPATH"] == told["PYTHONDONTWRITEBYTECODE"] == "1"
    assert told["PYTHONIOENCODING"] == "utf-8"
