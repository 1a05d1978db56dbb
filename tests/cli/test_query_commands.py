"""The query language on the command line: what its help says, and what code that ran has to do with it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kb.search.query_syntax import SYNTAX_EXAMPLES
from tests.cli.invoke import asked, told


def headings(capsys: pytest.CaptureFixture[str], vault: str, query: str) -> list[str]:
    """The headings of the hits."""
    return [hit["heading"] for hit in told(capsys, "search", query, "--vault", vault)["hits"]]


def test_the_help_explains_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    """Each manner of asking has its line, and none is broken."""
    _, out, _ = asked(capsys, "search", "--help")
    lines = [line.strip() for line in out.splitlines()]
    for manner in SYNTAX_EXAMPLES:
        assert any(line.startswith(manner.example) for line in lines)
        assert any(line.endswith(manner.en) for line in lines)


def test_a_search_knows_how_code_stands(
    vault: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run changes what status: and device: find; a change of the code makes it stale."""
    monkeypatch.setenv("TORCHLEAF_HOME", str(tmp_path / "home"))
    assert headings(capsys, vault, "status:never") == ["Hello"]
    assert headings(capsys, vault, "device:cpu") == headings(capsys, vault, "状态：通过") == []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        code, _, _ = asked(capsys, "run", "a.md#hi", "--vault", vault)
    assert code == 0
    assert headings(capsys, vault, "gather status:passed") == headings(capsys, vault, "device:cpu") == ["Hello"]
    assert headings(capsys, vault, "status:never OR status:failed") == []
    note = Path(vault, "a.md")
    note.write_text(note.read_text("utf-8").replace("'hi'", "'ho'"), "utf-8")
    assert headings(capsys, vault, "status:stale") == ["Hello"]


def test_each_line_is_a_query_of_its_own(
    vault: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters, alternatives and corrections work in --stdin as they do alone."""
    queries = ["has:snippet", "gahter OR nothing", "code:print lang:zh", "modified:>2999", "status:bogus"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{query}\n" for query in queries)))
    code, out, _ = asked(capsys, "search", "--stdin", "--json", "--vault", vault)
    assert code == 0
    together = [json.loads(line) for line in out.splitlines()]
    alone = [told(capsys, "search", query, "--vault", vault) for query in queries]
    keys = ("query", "hits", "did_you_mean")
    assert [[one[key] for key in keys] for one in together] == [[one[key] for key in keys] for one in alone]
    assert [len(one["hits"]) for one in together] == [1, 1, 0, 0, 0]
