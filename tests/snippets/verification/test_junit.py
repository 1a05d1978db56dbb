"""The report for machines: well-formed whatever a snippet prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from snippets.errors import Sentence
from snippets.model.snippet import Snippet
from snippets.results.outcome import unavailable
from snippets.verification.junit import write_junit
from snippets.verification.verdicts import Verdict, VerifyReport

OUTCOME = replace(unavailable(Sentence("No.", "无。"), device="cpu", run_id="1"), seconds=1.25, output="\x1b[31m\0]]>")


def test_each_verdict_is_a_case(tmp_path: Path, make_snippet: Callable[..., Snippet]) -> None:
    """Passed, failed with the difference and the output, skipped with the reason; counted, and any XML reads it."""
    results = (
        Verdict(make_snippet("1", name="a.md#1", origin="a.md"), "passed", OUTCOME),
        Verdict(make_snippet("1", name="b<&>"), "failed", OUTCOME, Sentence("It differs.", "不同。"), "-炬\n+\x00\n"),
        Verdict(make_snippet("1", name="c"), "failed", OUTCOME, Sentence("It failed.", "失败。")),
        Verdict(make_snippet("1", name="d"), "unavailable", OUTCOME, Sentence("No GPU.", "没有 GPU。")),
    )
    write_junit(VerifyReport.of(results), tmp_path / "r.xml", seconds=2.0)
    (suite,) = ET.parse(tmp_path / "r.xml").getroot()
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors", "time")} == {
        "tests": "4",
        "failures": "2",
        "skipped": "1",
        "errors": "0",
        "time": "2.000",
    }
    passed, differs, failed, skipped = suite
    assert (passed.get("name"), passed.get("classname"), passed.get("time")) == ("a.md#1", "a.md", "1.250")
    assert list(passed) == []
    assert differs.get("name") == "b<&>"
    assert (differs[0].get("message"), differs[0].text) == ("It differs.", "-炬\n+\\x00\n")
    assert differs[1].text == "\\x1b[31m\\x00]]>"
    assert failed[0].text == "It failed."
    assert (skipped[0].tag, skipped[0].get("message")) == ("skipped", "No GPU.")
