"""Search in the window: its answers are those of the command line, also for filters by status and device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import main
from app.executor import GuiExecutor
from app.notebook import vault_snippets
from app.state import search_service
from app.state.run_status_filter import RunStatusFilter
from app.state.search_service import LIMIT, SearchService
from kb.files.paths import UserPaths
from kb.index.index_update import update_index
from kb.results import Hit, SearchResult
from kb.vault.vault import Vault
from snippets.results.ledger import Ledger

NOTE = "---\ntags: [cuda]\n---\n# Gather\n\nreads values\n\n## Code\n\n```python id=hi\nprint('gather')\n```\n"
QUERIES = [
    "gathr",
    "tag:cuda",
    "code:gather -reads",
    "status:passed",
    "status:never OR reads",
    "device:cuda",
    "has:code",
]


def shown(hit: Hit) -> tuple[str, int, str]:
    """What tells one hit from another."""
    return hit.path, hit.line, hit.excerpt


def test_the_window_and_the_command_line_answer_alike(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same hits in the same order for the same query, with the same corrections."""
    monkeypatch.setenv("TORCHLEAF_HOME", str(tmp_path / "home"))
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").write_text(NOTE, encoding="utf-8")
    vault, places = Vault.open(root), UserPaths.of_user().for_vault(root)
    ledger = Ledger(places.ledger)
    executor = GuiExecutor()
    service = SearchService(executor)
    with qtbot.waitSignal(service.indexed, timeout=60_000):
        service.attach(root, places.index, RunStatusFilter(vault, lambda: ledger))
        service.start_indexing()

    def answers() -> list[SearchResult]:
        found = []
        for query in QUERIES:
            with qtbot.waitSignal(service.answered, timeout=60_000) as answered:
                service.search(query)
            found.append(answered.args[0])
        return found

    before = answers()
    ledger.begin("1", vault_snippets.find(vault, "note.md#hi"), device="cuda:0")
    service.runs_changed()
    after = answers()
    ledger.close()
    service.close()
    executor.close()
    assert [len(one.hits) for one in before] == [2, 2, 1, 0, 2, 0, 1]
    assert [len(one.hits) for one in after] == [2, 2, 1, 0, 1, 1, 1]
    for result in after:
        assert main.main(["search", result.query, "--json", "--vault", str(root), "--limit", str(LIMIT)]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [(hit["path"], hit["line"], hit["excerpt"]) for hit in told["hits"]] == list(map(shown, result.hits))
        assert told["did_you_mean"] == result.did_you_mean


def test_what_is_asked_before_all_is_loaded_is_answered(qtbot: QtBot, tmp_path: Path) -> None:
    """A query typed, and a question asked, at once after a start wait for what answers them."""
    root = tmp_path / "vault"
    root.mkdir()
    (root / "note.md").write_text(NOTE, encoding="utf-8")
    update_index(Vault.open(root), tmp_path / "index")
    found: list[int] = []
    executor = GuiExecutor()
    service = SearchService(executor)
    service.attach(root, tmp_path / "index")
    service.ask(lambda searcher: len(searcher.search("reads", limit=3, proven=None).hits), found.append)
    with qtbot.waitSignal(service.answered, timeout=60_000) as answered:
        service.search("gather")
    qtbot.waitUntil(lambda: found == [1], timeout=30_000)
    assert answered.args[0].hits
    service.close()
    service.ask(lambda _: 1, found.append)  # after closing, nothing is answered
    executor.close()
    assert found == [1]


def test_search_recovers_from_a_load_that_failed(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query that waited is told, and the next one loads again."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "note.md").write_text(NOTE, encoding="utf-8")
    executor = GuiExecutor()
    service = SearchService(executor)
    service.attach(tmp_path / "vault", tmp_path / "index")
    real = search_service._searcher

    def broken(index: Path, root: Path) -> object:
        raise OSError("the disk has gone")

    monkeypatch.setattr(search_service, "_searcher", broken)
    with qtbot.waitSignal(service.search_failed, timeout=60_000) as failed:
        service.search("gather")
    assert failed.args[0] == "gather"
    monkeypatch.setattr(search_service, "_searcher", real)
    with qtbot.waitSignal(service.answered, timeout=60_000):
        service.search("gather")
    service.close()
    executor.close()
