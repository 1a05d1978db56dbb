"""What a snippet claims to print, and whether a run bears it out.

What counts is standard output; after it, for a snippet that is meant to raise, the line that its traceback ends with.
Warnings and log lines on standard error come and go with versions and machines.
"""

from __future__ import annotations

import hashlib
import re

from snippets.model.snippet import Snippet
from snippets.results.exit_status import exceptions_in
from snippets.results.output_comparison import TOLERANCE, choose, holds

# The frames tell where this machine keeps its files, so only the end of a traceback is compared.
_FRAMES = re.compile(r"(?m)^Traceback \(most recent call last\):\n(?:[ \t]+.*\n)+")


def claim(snippet: Snippet, device: str) -> str | None:
    """Return what the snippet is recorded to print on a device; None where nothing is."""
    expected = choose(snippet.recorded, device)
    return _FRAMES.sub("", expected) if expected is not None and snippet.raises else expected


def evidence(stdout: str, *, output: str, raises: str | None) -> str:
    """Give what a run printed as it is recorded: standard output, and the exception it was meant to end with."""
    found = exceptions_in(output) if raises is not None else ()
    if not found:
        return stdout
    name, message = found[-1]
    lead = stdout if stdout.endswith("\n") or not stdout else stdout + "\n"
    return f"{lead}{name}: {message}\n" if message else f"{lead}{name}\n"


def bears_out(snippet: Snippet, device: str, *, stdout: str, output: str) -> bool | None:
    """Say whether what a run on a device printed is what is recorded; None where nothing is recorded."""
    expected = claim(snippet, device)
    if expected is None:
        return None
    return holds(expected, evidence(stdout, output=output, raises=snippet.raises), tolerance=TOLERANCE)


def claim_hash(snippet: Snippet, device: str) -> str:
    """Return what tells one state of a snippet's claim from another; "" where it claims nothing."""
    expected = claim(snippet, device)
    return "" if expected is None else _hash(expected)


def code_hash(snippet: Snippet) -> str:
    """Return what tells one state of a snippet's code from another."""
    return _hash(snippet.code)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
