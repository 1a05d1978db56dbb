"""How a person asks the command line, for tests: in this process, or as the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

import main

ROOT = Path(main.__file__).parent
NOTE = "# note\n\nwombat\n\n```python id=q\nprint('q')\n```\n"


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Carry out a command line in this process; return its code and both outputs. There is never a traceback."""
    code = main.main(list(arguments))
    spoken = capsys.readouterr()
    assert "Traceback" not in spoken.err
    assert "unforeseen" not in spoken.err
    return code, spoken.out, spoken.err


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    """Carry out a command line with --json and return its document, which is all that there is."""
    given, out, _ = asked(capsys, arguments[0], "--json", *arguments[1:])
    assert given == code, out
    return json.loads(out)


def start(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start the program as a user does, with both outputs caught."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([sys.executable, str(ROOT / "main.py"), *arguments], **options)


def done(*arguments: str, given: bytes | None = None, **options: Any) -> tuple[int, bytes, bytes]:
    """Start the program and wait for its end."""
    with start(*arguments, stdin=subprocess.PIPE, **options) as process:
        out, said = process.communicate(given, timeout=60)
    return process.returncode, out or b"", said or b""


def alive_with(word: str) -> list[psutil.Process]:
    """Return the processes that bear a word in their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found += [process] if any(word in part for part in process.cmdline()) else []
        except psutil.Error:
            continue
    return found
