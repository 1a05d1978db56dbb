"""What a snippet claims, and what of a run is held against it."""

from __future__ import annotations

from collections.abc import Callable

from snippets.model.snippet import Snippet
from snippets.results.expected_output import bears_out, claim, claim_hash, evidence

Make = Callable[..., Snippet]
TRACEBACK = 'Traceback (most recent call last):\n  File "/somewhere/a.py", line 3, in <module>\n    f()\n'


def test_standard_output_counts() -> None:
    """And the exception that was meant, on a line of its own; nothing else of standard error."""
    assert evidence("a\n", output="a\nwarning\n", raises=None) == "a\n"
    raised = TRACEBACK + "RuntimeError: too large\n"
    assert evidence("before\n", output="before\n" + raised, raises="RuntimeError") == (
        "before\nRuntimeError: too large\n"
    )
    assert evidence("x", output="x\n" + TRACEBACK + "KeyError\n", raises="KeyError") == "x\nKeyError\n"
    assert evidence("", output=raised, raises="RuntimeError") == "RuntimeError: too large\n"
    assert evidence("x\n", output="x\n⋯ 9 B ⋯\n", raises="KeyError") == "x\n"  # its end was cut out


def test_the_claim_of_a_device(make_snippet: Make) -> None:
    """The kind's own, else the common one; the frames of a pasted traceback are no part of it."""
    snippet = make_snippet("1", recorded={"": "a\n", "cuda": "b\n"})
    assert (claim(snippet, "cpu"), claim(snippet, "cuda:1"), claim(make_snippet("1"), "cpu")) == ("a\n", "b\n", None)
    pasted = make_snippet("1", recorded={"": TRACEBACK + "KeyError: 1\n"}, raises="KeyError")
    assert claim(pasted, "cpu") == "KeyError: 1\n"
    assert claim_hash(snippet, "cpu") != claim_hash(snippet, "cuda:0")
    assert claim_hash(make_snippet("1"), "cpu") == ""


def test_whether_it_is_borne_out(make_snippet: Make) -> None:
    """Within gaps and tolerance; nothing is claimed where nothing is recorded."""
    snippet = make_snippet("1", recorded={"": "t ... s\n0.5\n"})
    assert bears_out(snippet, "cpu", stdout="t 3 s\n0.500001\n", output="") is True
    assert bears_out(snippet, "cpu", stdout="t 3 s\n0.6\n", output="") is False
    assert bears_out(make_snippet("1"), "cpu", stdout="", output="") is None
