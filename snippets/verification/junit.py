"""Reports in the JUnit format, which CI systems display."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from snippets.verification.verdicts import Verdict, VerifyReport

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(report: VerifyReport, path: Path, *, seconds: float) -> None:
    """Write the report; unavailable snippets count as skipped. Raises OSError."""
    suite = ET.Element(
        "testsuite",
        name="torchleaf verify",
        tests=str(len(report.results)),
        failures=str(report.failed),
        errors="0",
        skipped=str(report.unavailable),
        time=f"{seconds:.3f}",
    )
    for verdict in report.results:
        _add(suite, verdict)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    path.write_bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _add(suite: ET.Element, verdict: Verdict) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        name=_plain(verdict.name),
        classname=_plain(verdict.snippet.origin),
        time=f"{verdict.outcome.seconds:.3f}",
    )
    reason = _plain(verdict.reason.en if verdict.reason else "")
    if verdict.status == "unavailable":
        ET.SubElement(case, "skipped", message=reason)
    elif verdict.status == "failed":
        ET.SubElement(case, "failure", message=reason).text = _plain(verdict.diff) or reason
        ET.SubElement(case, "system-out").text = _plain(verdict.outcome.output)


def _plain(text: str) -> str:
    """Escape the characters that XML cannot contain, such as terminal escapes."""
    return _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
