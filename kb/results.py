"""What indexing and searching answer with. It stands apart, so that who shows it need not load the index for it."""

from __future__ import annotations

from dataclasses import dataclass

from kb.files.tree import Skipped


@dataclass(frozen=True)
class Progress:
    """How far an indexing is, in files."""

    done: int
    total: int


@dataclass(frozen=True)
class IndexReport:
    """What an indexing found. `notes` and `sections` are all there are now; the rest counts files of this time.

    `rebuilt` says what was wrong with the index of before that was thrown away ("its file x is damaged"), None
    where it was kept.
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
    text in one line. `matched` are the words to mark in heading and excerpt, in lower case. `why` says what was
    found where: "heading: gather", "text: scatter_", "above: tensors" (the headings above and the file's name), and
    "meshgird → meshgrid" where a word was corrected.
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
    """A place where a note is named without a link to it: in which section and line of which note, and by which name.

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
    """The hits of a query, best first, and how long it took in seconds."""

    query: str
    hits: tuple[Hit, ...]
    did_you_mean: str | None
    seconds: float
