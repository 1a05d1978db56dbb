"""Results of indexing and searching, kept separate so that the window does not import the index."""

from __future__ import annotations

from dataclasses import dataclass

from kb.files.tree import Skipped


@dataclass(frozen=True)
class Progress:
    """The progress of an indexing, in files."""

    done: int
    total: int


@dataclass(frozen=True)
class IndexReport:
    """The result of an indexing. `notes` and `sections` count all that exist now; the rest counts files of this run.

    `rebuilt` says what was wrong with an index that was thrown away ("its file x is damaged"); None if it was kept.
    """

    notes: int
    sections: int
    added: int
    updated: int
    removed: int
    skipped: tuple[Skipped, ...]
    seconds: float
    rebuilt: str | None = None


@dataclass(frozen=True)
class Hit:
    """A section that was found.

    `path` is relative to the vault; `title` is the note's, `trail` the headings above this one; `excerpt` is plain
    text in one line. `matched` are the words to mark in heading and excerpt, in lower case. `why` says what was found
    where: "heading: gather", "text: scatter_", "above: tensors" (the headings above and the file's name), and "meshgird
    → meshgrid" for a corrected word.
    """

    path: str
    heading: str
    line: int
    anchor: str
    lang: str
    title: str
    trail: tuple[str, ...]
    score: float
    excerpt: str
    matched: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True)
class Mention:
    """A mention of a note without a link to it: the note, section and line of the mention, and the name that was used.

    `excerpt` is the line as plain text, cut around the name.
    """

    path: str
    heading: str
    line: int
    anchor: str
    name: str
    excerpt: str


@dataclass(frozen=True)
class SearchResult:
    """The hits of a query, best first, and the time it took in seconds.

    `unknown_error`: the query is an error message, and none of the best hits has its words.
    """

    query: str
    hits: tuple[Hit, ...]
    did_you_mean: str | None
    seconds: float
    unknown_error: bool = False
