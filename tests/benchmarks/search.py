"""Measures search beside SQLite's FTS5 on the same sections, in one run: indexing, opening, typing, saving.

    python tests/benchmarks/search.py                 10,000 sections made up from a fixed seed
    python tests/benchmarks/search.py --sections 50000
    python tests/benchmarks/search.py --vault DIR     real notes, which are only read

Times are of this machine; what counts is how the rows compare.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kb.index import documents, update_index
from kb.search import Searcher
from kb.vault import Vault

Ask = Callable[[str], object]
SYLLABLES = [first + last for first in "bcdfghklmnprstvw" for last in ("a", "e", "i", "o", "u", "ar", "en", "il")]
LIMIT = 20
QUERIES = 60


def make_notes(root: Path, sections: int) -> None:
    """Write notes of some ten sections each, words and characters distributed as in a language."""
    luck = random.Random(11)
    words = ["".join(luck.choices(SYLLABLES, k=luck.choice((2, 2, 3, 4)))) for _ in range(20_000)]
    names = [f"{luck.choice(words)}.{luck.choice(words)}_{luck.choice(words)}" for _ in range(4000)]
    pairs = [chr(luck.randrange(0x4E00, 0x6000)) + chr(luck.randrange(0x4E00, 0x6000)) for _ in range(8000)]

    def some(pool: list[str], count: int) -> list[str]:
        return [pool[int(len(pool) * luck.random() ** 3)] for _ in range(count)]

    for number in range(sections // 10):
        parts = []
        for _ in range(10):
            text = " ".join(some(words, 60) + some(names, 6)) + " " + "".join(some(pairs, 60))
            parts.append(f"## {' '.join(some(words, 2))} {''.join(some(pairs, 2))}\n\n{text}\n")
        (root / f"note{number:05}.md").write_text("\n".join(parts), encoding="utf-8")


def rows(vault: Vault) -> Iterator[tuple[str, str, str]]:
    """Yield path, heading and text of each section."""
    for path in vault.files():
        for document in documents(vault.read(path)):
            yield path, str(document["title"]), str(document["text"])


def fts5(sections: list[tuple[str, str, str]], file: Path, tokenizer: str) -> tuple[float, Ask]:
    """Index the sections with FTS5; return the seconds it took and what answers a query."""
    started = time.perf_counter()
    base = sqlite3.connect(file)
    base.execute(f"create virtual table s using fts5(path unindexed, heading, body, {tokenizer})")
    base.executemany("insert into s values (?, ?, ?)", sections)
    base.commit()
    taken = time.perf_counter() - started
    select = (
        "select path, heading, snippet(s, 2, '', '', '', 20) from s where s match ? order by bm25(s, 0, 4, 1) limit"
    )

    def ask(query: str) -> object:
        words = [word for word in re.findall(r'[^\s"]+', query) if "trigram" not in tokenizer or len(word) > 2]
        match = " OR ".join(f'"{word}"' for word in words)
        if match and "prefix" in tokenizer:
            match += "*"
        return base.execute(f"{select} {LIMIT}", (match,)).fetchall() if match else []

    return taken, ask


def typed(sections: list[tuple[str, str, str]]) -> list[str]:
    """Return what the field holds after each key of some queries of one to three words."""
    luck = random.Random(5)
    keys: list[str] = []
    for _ in range(QUERIES):
        text = luck.choice(sections)[2]
        query = " ".join(luck.sample(re.findall(r"[A-Za-z_.]{3,20}|[\u4e00-\u9fff]{2,4}", text) or ["gather"] * 3, 1))
        query += " " + " ".join(luck.choices(text.split() or ["gather"], k=luck.randrange(3)))[:24]
        keys += [query[:end] for end in range(1, len(query.rstrip()) + 1)]
    return keys


def percentiles(ask: Ask, queries: list[str]) -> str:
    """Return median and 95th percentile of the answers' times."""
    times = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        times.append(1000 * (time.perf_counter() - started))
    return f"{statistics.median(times):8.2f} {sorted(times)[int(0.95 * (len(times) - 1))]:8.2f}"


def measure(vault: Vault, scratch: Path) -> None:
    """Print the table."""
    folder = scratch / "index"
    report = update_index(vault, folder)
    started = time.perf_counter()
    searcher = Searcher(folder, vault.root)
    searcher.search("gather")
    opened = time.perf_counter() - started
    sections = list(rows(vault))
    keys = typed(sections)
    print(f"{report.notes} notes, {report.sections} sections; {len(keys)} keystrokes, {QUERIES} queries")
    print(f"{'':22}{'index s':>9}{'open ms':>9}{'key p50':>9}{'p95':>9}{'query p50':>10}{'p95':>8}   (ms)")
    queries = [key for key, after in zip(keys, [*keys[1:], ""], strict=True) if not after.startswith(key)]

    def line(name: str, indexed: float, opening: str, ask: Ask) -> None:
        print(f"{name:22}{indexed:9.2f}{opening:>9} {percentiles(ask, keys)} {percentiles(ask, queries)}")

    line("torchleaf", report.seconds, f"{1000 * opened:.1f}", lambda query: searcher.search(query, limit=LIMIT))
    for tokenizer in ("tokenize='trigram'", "tokenize='unicode61', prefix='2 3'"):
        name = "fts5 " + tokenizer.split("'")[1]
        indexed, ask = fts5(sections, scratch / f"{name}.sqlite", tokenizer)
        line(name, indexed, "-", ask)
    searcher.close()


def measure_save(root: Path, scratch: Path) -> None:
    """Print how soon a saved note is found, in a vault that was indexed."""
    vault, folder = Vault.open(root), scratch / "index"
    searcher = Searcher(folder, root)
    note = root / "saved-now.md"
    times = []
    for turn in range(20):
        note.write_text(f"# saved\n\nxylophone{turn}\n", encoding="utf-8")
        started = time.perf_counter()
        update_index(vault, folder, paths=[note.name])
        assert searcher.search(f"xylophone{turn}").hits
        times.append(1000 * (time.perf_counter() - started))
    searcher.close()
    print(f"a saved note is found after {statistics.median(times):.1f} ms (worst of 20: {max(times):.1f} ms)")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", type=int, default=10_000)
    parser.add_argument("--vault", type=Path)
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}")
    with tempfile.TemporaryDirectory(prefix="torchleaf-bench-") as name:
        scratch = Path(name)
        root = options.vault or scratch / "vault"
        if options.vault is None:
            root.mkdir()
            make_notes(root, options.sections)
        measure(Vault.open(root), scratch)
        if options.vault is None:
            measure_save(root, scratch)


if __name__ == "__main__":
    main()
