"""The supervisor as a program."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Started as a file by an isolated interpreter, which knows nothing of where the package lies.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from snippets.supervisor.guard import serve

    serve()
