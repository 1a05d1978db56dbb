"""Verifying a vault from the command line: everything that claims something is in the report, whatever is wrong."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.invoke import asked, told

NOTE = """# Note

```python id=good
print("x")
```

```output
x
```

```python id=gpu device=cuda
print("x")
```

```output
x
```

```python id=odd timeout=soon
print("x")
```
"""


@pytest.fixture
def vault(tmp_path: Path) -> str:
    """A vault with a claim that holds, one that needs a GPU, a block with an impossible option, and a broken file."""
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "n.md").write_text(NOTE, "utf-8")
    (folder / "bad.py").write_text("# /// snippet\n# titel = 1\n# ///\n", "utf-8")
    return str(folder)


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave the shipped snippets out, which take their time."""
    monkeypatch.setattr("app.notebook.vault_snippets.LIBRARY", tmp_path / "none")


@pytest.mark.usefixtures("no_library")
def test_everything_is_in_the_report(vault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be read has failed with its sentence; what cannot run here is skipped; the same stands in JUnit."""
    junit = tmp_path / "report.xml"
    report = told(capsys, "verify", "--vault", vault, "--junit", str(junit), "--jobs", "2", code=1)
    assert {result["name"]: result["status"] for result in report["results"]} == {
        "n.md#good": "passed",
        "n.md#gpu": "unavailable",
        "bad": "failed",
        "n.md#odd": "failed",
    }
    why = {result["name"]: result["diff"] for result in report["results"]}
    assert "unknown key 'titel'" in why["bad"]
    assert "timeout = 30" in why["n.md#odd"]
    assert (report["passed"], report["failed"], report["unavailable"]) == (1, 2, 1)
    (suite,) = ET.parse(junit).getroot()
    assert [(case.get("name"), [child.tag for child in case][:1]) for case in suite] == [
        ("n.md#good", []),
        ("n.md#gpu", ["skipped"]),
        ("bad", ["failure"]),
        ("n.md#odd", ["failure"]),
    ]


@pytest.mark.usefixtures("no_library")
def test_the_list_names_what_is_broken(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken file and a broken block stand in the list with what to mend, beside what is well."""
    rows = {row["name"]: row for row in told(capsys, "snippets", "--vault", vault)}
    assert {name: row["status"] for name, row in rows.items()} == {
        "n.md#good": "never",
        "n.md#gpu": "unavailable",
        "bad": "broken",
        "n.md#odd": "broken",
    }
    assert "unknown key" in rows["bad"]["reason"]
    assert (rows["n.md#odd"]["path"], rows["n.md#odd"]["line"]) == ("n.md", 19)
    told(capsys, "run", "n#good", "--vault", vault)
    assert {row["name"]: row["status"] for row in told(capsys, "snippets", "--vault", vault)}["n.md#good"] == "passed"


def test_nothing_verified_is_said(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing can run here no claim has failed, but that is no proof either; --strict makes it a failure."""
    code, out, said = asked(capsys, "verify", "n#gpu", "--vault", vault)
    assert (code, "1 unavailable" in out) == (0, True)
    assert "Nothing was verified: none of 1 can run here on cpu." in said
    assert asked(capsys, "verify", "n#gpu", "--strict", "--vault", vault)[0] == 1
    assert asked(capsys, "verify", "n#good", "--strict", "--vault", vault)[0] == 0


def test_a_broken_one_that_is_named(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The others are verified all the same."""
    report = told(capsys, "verify", "bad", "n#good", "n#odd", "--vault", vault, code=1)
    assert [result["status"] for result in report["results"]] == ["passed", "failed", "failed"]


def test_a_report_that_cannot_be_written(vault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said before anything is run."""
    place = tmp_path / "none" / "report.xml"
    assert (
        "cannot be used" in told(capsys, "verify", "n#good", "--junit", str(place), "--vault", vault, code=1)["error"]
    )
    assert told(capsys, "runs", "--vault", vault) == []


def test_a_note_that_changed_meanwhile(
    vault: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output is not written under a block that is another by now; the report says so."""
    note = Path(vault) / "n.md"
    note.write_text(NOTE.replace("```output\nx\n", "```output\ny\n"), "utf-8")
    code = note.read_text("utf-8")

    def meanwhile(report: object, *_: object) -> object:
        note.write_text(code.replace('print("x")', 'print("z")'), "utf-8")
        return real(report, *_)  # type: ignore[arg-type]

    from app.notebook import vault_snippets  # noqa: PLC0415 - it is patched here

    real = vault_snippets.write_accepted
    monkeypatch.setattr("app.notebook.vault_snippets.write_accepted", meanwhile)
    report = told(capsys, "verify", "n#good", "--accept", "--vault", vault, code=1)
    assert "was changed since it ran" in report["results"][0]["diff"]
    assert note.read_text("utf-8") == code.replace('print("x")', 'print("z")')


@pytest.mark.usefixtures("no_library")
def test_a_note_is_named_and_stamped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A note's name means all its claims in each language; --stamp writes the day into it, and says so beside JSON."""
    folder = tmp_path / "vault"
    folder.mkdir()
    for lang in ("zh", "en"):
        (folder / f"n.{lang}.md").write_text(NOTE.split("```python id=gpu", maxsplit=1)[0], "utf-8")
    (folder / "other.md").write_text("# Other\n", "utf-8")
    code, out, said = asked(capsys, "verify", "n", "--stamp", "--json", "--vault", str(folder))
    assert (code, json.loads(out)["passed"]) == (0, 2)
    today = dt.datetime.now().astimezone().date()
    assert f"Proven on {today}: 2 notes say so." in said
    assert [f"proven: {today}\n" in (folder / f"n.{lang}.md").read_text("utf-8") for lang in ("zh", "en")] == [True] * 2
    assert told(capsys, "verify", "other", "--vault", str(folder))["results"] == []
    assert "no snippet" in told(capsys, "verify", "nothing", "--vault", str(folder), code=2)["error"].lower()


@pytest.mark.usefixtures("no_library")
def test_a_note_that_cannot_be_stamped_is_named(vault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the front matter is no YAML the claims are verified all the same."""
    note = Path(vault) / "n.md"
    note.write_text("---\ntitle: [\n---\n" + NOTE.split("```python id=gpu", maxsplit=1)[0], "utf-8")
    code, _, said = asked(capsys, "verify", "n", "--stamp", "--vault", vault)
    assert code == 0
    assert "Not stamped: " in said
