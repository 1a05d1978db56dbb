"""The engines that search is measured beside, each at its best: they get the sections, not the notes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import tantivy

from kb.analysis.tokens import words

LIMIT = 20
Row = tuple[str, str, str]  # path, heading, text


class Engine(Protocol):
    """What is measured. An engine that is opened on an empty folder makes its index there."""

    def add(self, rows: Iterable[Row]) -> None:
        """Index sections, which can be found when it returns."""

    def ask(self, query: str) -> list[Any]:
        """Return path, heading and excerpt of the best sections; the last word may go on."""

    def close(self) -> None:
        """Close it."""


def segmented(text: str) -> str:
    """Return the words of a text with spaces between: names whole and in parts, Chinese in pairs."""
    return " ".join(" ".join(word.parts if word.han else (word.term, *word.parts)) for word in words(text))


class Trigram:
    """SQLite's FTS5 with its own tokenizer for every script. It has no answer to fewer than three characters."""

    _tokenize = "tokenize='trigram'"

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "fts5.sqlite")
        self._base.execute("pragma journal_mode=wal")
        self._base.execute(
            f"create virtual table if not exists s using fts5(path unindexed, heading, body, {self._tokenize})"
        )

    def add(self, rows: Iterable[Row]) -> None:
        """Index sections."""
        self._base.executemany("insert into s values (?, ?, ?)", map(self._row, rows))
        self._base.commit()

    def _row(self, row: Row) -> Row:
        return row

    def ask(self, query: str) -> list[Any]:
        """Return the best sections."""
        match = self._match(query)
        select = "select path, heading, snippet(s, 2, '', '', '', 20) from s where s match ? order by bm25(s, 0, 4, 1)"
        return self._base.execute(f"{select} limit {LIMIT}", (match,)).fetchall() if match else []

    def _match(self, query: str) -> str:
        return " OR ".join(f'"{word}"' for word in re.findall(r'[^\s"]+', query) if len(word) > 2)

    def close(self) -> None:
        """Close it."""
        self._base.close()


class Unicode61(Trigram):
    """SQLite's FTS5 with words: the text is cut in Python before it goes in; prefixes have an index of their own."""

    _tokenize = "tokenize=\"unicode61 tokenchars '_.'\", prefix='1 2 3'"

    def _row(self, row: Row) -> Row:
        return row[0], segmented(row[1]), segmented(row[2])

    def _match(self, query: str) -> str:
        parts = [part for word in words(query) for part in (word.parts if word.han else (word.term,))]
        return " OR ".join(f'"{part}"' for part in parts) + ("*" if parts and not query.endswith(" ") else "")


class Tantivy:
    """Tantivy through its binding for Python, with the text cut as for `Unicode61` and its own BM25."""

    def __init__(self, folder: Path) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
        for name in ("heading", "body"):
            builder.add_text_field(name, stored=True, tokenizer_name="spaces", index_option="freq")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema, path=str(folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.lowercase()).build()
        self._index.register_tokenizer("spaces", spaces)
        self._writer: Any = None
        self._searcher = self._index.searcher()

    def add(self, rows: Iterable[Row]) -> None:
        """Index sections."""
        self._writer = self._writer or self._index.writer()
        for path, heading, body in rows:
            self._writer.add_document(tantivy.Document(path=path, heading=segmented(heading), body=segmented(body)))
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, query: str) -> list[Any]:
        """Return the best sections."""
        asked = self._query(query)
        if asked is None:
            return []
        excerpts = tantivy.SnippetGenerator.create(self._searcher, asked, self._schema, "body")
        found = []
        for _, address in self._searcher.search(asked, LIMIT).hits:
            document = self._searcher.doc(address)
            found.append((document["path"], document["heading"], excerpts.snippet_from_doc(document).fragment()))
        return found

    def _query(self, query: str) -> Any:
        parts = [part for word in words(query) for part in (word.parts if word.han else (word.term,))]
        if not parts:
            return None
        wanted = []
        for name, weight in (("heading", 4.0), ("body", 1.0)):
            plain = parts if query.endswith(" ") else parts[:-1]
            asked = [tantivy.Query.term_query(self._schema, name, part, "freq") for part in plain]
            if plain is not parts:
                begun = re.sub(r"[^\w]", lambda match: "\\" + match[0], parts[-1]) + ".*"
                asked.append(tantivy.Query.regex_query(self._schema, name, begun))
            wanted += [(tantivy.Occur.Should, tantivy.Query.boost_query(one, weight)) for one in asked]
        return tantivy.Query.boolean_query(wanted)

    def close(self) -> None:
        """Wait until nothing is written any more."""
        if self._writer is not None:
            self._writer.wait_merging_threads()


RIVALS: dict[str, Callable[[Path], Engine]] = {
    "FTS5 trigram": Trigram,
    "FTS5 unicode61": Unicode61,
    "tantivy": Tantivy,
}
