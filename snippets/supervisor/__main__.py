"""The supervisor as a program."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Started as a file by an isolated interpreter, which does not know where the package is.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from snippets.supervisor.guard import serve

    serve()
