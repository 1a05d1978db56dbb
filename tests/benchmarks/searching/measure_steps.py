"""The steps of the measurement, each in a process of its own, so that memory and opening are those of one step."""

from __future__ import annotations

import gc
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.searching.rivals import LIMIT, RIVALS, Row
from tests.benchmarks.searching.timing import Household, asked, forget, taken_at_most, taken_now, times, typed

SAVES = 20
PLAIN = "xylophone"  # what nobody wrote, for finding what was saved
_PATIENCE = 60  # seconds for an indexing to end


def rows(vault: Path, scratch: Path) -> dict[str, Any]:
    """Write down the sections of the vault, for the rivals, and what all are asked."""
    from kb.index.document_extraction import documents  # noqa: PLC0415 - each step loads what it measures
    from kb.vault.vault import Vault  # noqa: PLC0415

    opened = Vault.open(vault)
    found = [
        (path, str(one["title"]), str(one["text"])) for path in opened.files() for one in documents(opened.read(path))
    ]
    with (scratch / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in found)
    texts = [text for _, _, text in found]
    _queries(scratch).write_text(json.dumps({"typed": typed(texts), "asked": asked(texts)}), encoding="utf-8")
    return {"sections": len(found), "characters": sum(map(len, texts))}


def _queries(scratch: Path) -> Path:
    return scratch / "queries.json"


def _rows(scratch: Path) -> list[Row]:
    with (scratch / "rows.jsonl").open(encoding="utf-8") as file:
        return [tuple(json.loads(line)) for line in file]


def _answers(ask: Callable[[str], object], scratch: Path) -> dict[str, Any]:
    queries = json.loads(_queries(scratch).read_text(encoding="utf-8"))
    gc.freeze()  # as in the window (`gui_gc`), and for every engine alike: what is loaded is not gone through again
    return {"keys": times(ask, queries["typed"]), "words": times(ask, queries["asked"])}


def _size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def index_ours(vault: Path, scratch: Path) -> dict[str, Any]:
    """Index the vault; the memory is that of all processes that take part, each at its most."""
    from kb.index.index_update import update_index  # noqa: PLC0415
    from kb.vault.vault import Vault  # noqa: PLC0415

    folder = scratch / "index"
    with Household() as household:
        report = update_index(Vault.open(vault), folder)
    forget(folder)
    memory = taken_at_most() + household.others
    return {"seconds": report.seconds, "notes": report.notes, "disk": _size(folder), "memory": memory}


def search_ours(vault: Path, scratch: Path) -> dict[str, Any]:
    """Open the index and ask; the glossary and the forms of characters come with the program, as in the window."""
    from kb.search.searcher import Searcher, load  # noqa: PLC0415

    before = taken_now()
    load()
    started = time.perf_counter()
    searcher = Searcher(scratch / "index", vault)
    searcher.search(_plain(scratch))
    opened = 1000 * (time.perf_counter() - started)
    found = _answers(lambda query: searcher.search(query, limit=LIMIT), scratch)
    searcher.close()
    return {**found, "opened": opened, "memory": taken_at_most() - before}


def _plain(scratch: Path) -> str:
    """Return a plain word that is in the index."""
    queries: list[str] = json.loads(_queries(scratch).read_text(encoding="utf-8"))["asked"]
    return next(word for query in queries for word in query.split() if word.isascii() and word.isalpha())


def save_ours(vault: Path, scratch: Path) -> dict[str, Any]:
    """Save a note again and again, as the window does: from the file being written until a search finds it."""
    from kb.index.indexer import Indexer  # noqa: PLC0415
    from kb.search.searcher import Searcher  # noqa: PLC0415

    done = threading.Semaphore(0)
    told: list[object] = []

    def tell(one: object) -> None:
        told.append(one)
        done.release()

    indexer = Indexer(vault, scratch / "index", progressed=told.append, finished=tell, failed=tell)
    searcher = Searcher(scratch / "index", vault)
    note = vault / "saved-now.md"
    taken = []
    try:
        for turn in range(SAVES + 1):
            started = time.perf_counter()
            note.write_text(f"# Saved\n\n{PLAIN}{turn}\n", encoding="utf-8")
            indexer.refresh([note.name])
            assert done.acquire(timeout=_PATIENCE), told
            assert searcher.search(f"{PLAIN}{turn}").hits, told[-1]
            taken.append(1000 * (time.perf_counter() - started))
    finally:
        indexer.stop()
        searcher.close()
    return {"saved": statistics.median(taken[1:]), "worst": max(taken[1:])}  # the first starts the process


def index_rival(vault: Path, scratch: Path, name: str) -> dict[str, Any]:
    """Index the sections."""
    del vault
    folder = scratch / name
    folder.mkdir()
    sections = _rows(scratch)
    started = time.perf_counter()
    engine = RIVALS[name](folder)
    engine.add(sections)
    taken = time.perf_counter() - started
    engine.close()
    forget(folder)
    return {"seconds": taken, "disk": _size(folder), "memory": taken_at_most()}


def search_rival(vault: Path, scratch: Path, name: str) -> dict[str, Any]:
    """Open the index, ask, and save."""
    del vault
    before = taken_now()
    plain = _plain(scratch)
    started = time.perf_counter()
    engine = RIVALS[name](scratch / name)
    engine.ask(plain)
    opened = 1000 * (time.perf_counter() - started)
    found = _answers(engine.ask, scratch)
    memory = taken_at_most() - before
    saved = []
    for turn in range(SAVES):
        started = time.perf_counter()
        engine.add([("saved-now.md", "Saved", f"{PLAIN}{turn}")])
        assert engine.ask(f"{PLAIN}{turn} "), name
        saved.append(1000 * (time.perf_counter() - started))
    engine.close()
    return {**found, "opened": opened, "memory": memory, "saved": statistics.median(saved), "worst": max(saved)}


STEPS = {step.__name__: step for step in (rows, index_ours, search_ours, save_ours, index_rival, search_rival)}


def run(arguments: list[str]) -> None:
    """Take a step, named with what it wants, and print what was found, as JSON."""
    name, vault, scratch, *rest = arguments
    json.dump(STEPS[name](Path(vault), Path(scratch), *rest), sys.stdout)
