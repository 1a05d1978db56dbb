"""The expected output of a snippet, and whether a run printed it.

It is the standard output, followed by the last line of the traceback for a snippet that is meant to raise. Warnings and
log lines on standard error do not count, because they depend on versions and machines.
"""

from __future__ import annotations

import hashlib
import re

from snippets.model.snippet import Snippet
from snippets.results.exit_status import exceptions_in
from snippets.results.output_comparison import TOLERANCE, choose, holds

# Frames contain the paths of this machine, so only the end of a traceback is compared.
_FRAMES = re.compile(r"(?m)^Traceback \(most recent call last\):\n(?:[ \t]+.*\n)+")


def claim(snippet: Snippet, device: str) -> str | None:
    """Return the recorded output of a snippet for a device; None if there is none."""
    expected = choose(snippet.recorded, device)
    return _FRAMES.sub("", expected) if expected is not None and snippet.raises else expected


def evidence(stdout: str, *, output: str, raises: str | None) -> str:
    """Return what to record of a run: its standard output, and the exception it was meant to end with."""
    found = exceptions_in(output) if raises is not None else ()
    if not found:
        return stdout
    name, message = found[-1]
    lead = stdout if stdout.endswith("\n") or not stdout else stdout + "\n"
    return f"{lead}{name}: {message}\n" if message else f"{lead}{name}\n"


def bears_out(snippet: Snippet, device: str, *, stdout: str, output: str) -> bool | None:
    """Return whether a run on a device printed the recorded output; None if nothing is recorded."""
    expected = claim(snippet, device)
    if expected is None:
        return None
    return holds(expected, evidence(stdout, output=output, raises=snippet.raises), tolerance=TOLERANCE)


def claim_hash(snippet: Snippet, device: str) -> str:
    """Return a hash of the recorded output of a snippet; "" if there is none."""
    expected = claim(snippet, device)
    return "" if expected is None else _hash(expected)


def code_hash(snippet: Snippet) -> str:
    """Return a hash of the code of a snippet."""
    return _hash(snippet.code)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
