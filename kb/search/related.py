"""Related notes: those that explain an error, those similar to a note, those that name it without a link."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from kb.analysis.stopwords import is_stopword
from kb.analysis.tokens import Word, normalized, terms, words
from kb.errors import KbError
from kb.index.snapshot import Documents, Snapshot
from kb.markdown.lines import LineKind, scan, without_code
from kb.markdown.sections import Section
from kb.notes.language import split_name
from kb.notes.note import Note
from kb.notes.note_listing import NoteEntry
from kb.results import Hit, Mention
from kb.search.excerpt import excerpt
from kb.search.hit_details import hits_of
from kb.search.proximity import in_words, proximity
from kb.search.query import Query, is_exception, read_message
from kb.search.query_expansion import Expansion
from kb.search.scoring import Scorer, Unit
from kb.search.searcher import OpenedIndex, Searcher, ranked
from kb.vault.vault import Vault

EXPLAINED = 0.6  # share of an exception line's weight that a section must have to explain it
_CLOSE = 0.2  # minimum `kb.search.proximity`: the words may be there by chance
_SAID = 2  # minimum words besides the name of the exception
_UNKNOWN = 0.5  # weight of a word that no note has: often a name of the user's own
_TELLING = 30  # terms that characterize a note
_LOOKED_AT = 250  # terms of a note from which those are chosen
_HEADING = 4  # occurrences that a word in a heading counts for
_LIKE = 60  # sections among which similar notes are looked for
_NAMED = 200  # sections that are checked for mentions
_READ = 30  # notes that are read for mentions
_LETTERS = 3  # minimum length of a Latin name
# An import error has only names: an explanation has the same words up to the first name.
_IMPORTING = re.compile(r"(?:ModuleNotFound|Import)Error:\s*(?P<said>[^'\"`]*['\"`][\w.]+['\"`])")
_QUOTES = re.compile(r"['\"`‘’“”]")
_LINKED = re.compile(r"!?\[\[[^\[\]\n]*\]\]|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])|<[^<>\n]*>")


def explain(searcher: Searcher, output: str, *, limit: int = 3, lang: str | None = None) -> tuple[Hit, ...]:
    """Return the sections that explain the error at the end of a run's output; empty if all are only weak matches.

    Raises IndexFailed.
    """
    query = read_message(output)
    nothing: tuple[Hit, ...] = ()
    return searcher.using(lambda now: _explaining(now, query, limit, lang), nothing) if query else nothing


def _explaining(now: OpenedIndex, query: Query, limit: int, lang: str | None) -> tuple[Hit, ...]:
    best = [(at, score) for at, score in ranked(now, query, 4 * limit, lang=lang) if _explains(now, query, at)]
    return hits_of(now.scorer, now.expander.expand(query), best[:limit])


def _explains(now: OpenedIndex, query: Query, at: int) -> bool:
    """Return whether a section has enough of what the exception line says."""
    total = had = 0.0
    count = 0
    for one in query.words:
        if one.weight < 1 or (not one.word.han and is_stopword(one.word.term)):
            continue
        worth, found = _worth(now.scorer, one.word, at)
        total += worth
        had += worth * found
        count += found and not is_exception(one.word.term)
    if count < _SAID or had < EXPLAINED * total:
        return False
    low = now.snapshot.stored(at).low
    importing = _IMPORTING.search(query.text)
    if importing and not any(_plain(importing["said"]) in _plain(part) for part in low):
        return False
    said = [(one.word.term,) for one in query.words if one.weight == 1]
    return proximity(in_words(said), *low) >= _CLOSE


def _plain(text: str) -> str:
    """Return a text without differences of spelling: letter case, white space, kind of quotes."""
    return _QUOTES.sub("'", " ".join(normalized(text).split()))


def _worth(scorer: Scorer, word: Word, at: int) -> tuple[float, bool]:
    known = scorer.frequency(word.term)
    if known or not word.parts:
        there = _has(scorer.term(word.term).documents, at)
        return scorer.rarity(known) * (1 if known else _UNKNOWN), there
    return scorer.rarity(0) * _UNKNOWN, all(_has(scorer.term(part).documents, at) for part in word.parts)


def _has(documents: Documents, at: int) -> bool:
    place = int(documents.searchsorted(at))
    return place < len(documents) and int(documents[place]) == at


def more_like(searcher: Searcher, path: str, limit: int = 5) -> tuple[Hit, ...]:
    """Return the notes most similar to a note, each by its most similar section; never the note in its other language.

    Raises IndexFailed.
    """
    nothing: tuple[Hit, ...] = ()
    return searcher.using(lambda now: _like(now, path, limit), nothing)


def _like(now: OpenedIndex, path: str, limit: int) -> tuple[Hit, ...]:
    units = _telling(now, _sections(now.snapshot, path))
    scores = now.scorer.scores(units)
    own = split_name(path)[0]
    seen = {own}
    best: list[tuple[int, float]] = []
    for at in (-scores).argsort()[:_LIKE].tolist():
        key = split_name(now.snapshot.stored(at).path)[0] if scores[at] > 0 else own
        if key not in seen and len(best) < limit:
            seen.add(key)
            best.append((at, float(scores[at])))
    return hits_of(now.scorer, Expansion(units), best)


def _sections(snapshot: Snapshot, path: str) -> Documents:
    digest = snapshot.files().get(path, "")
    return snapshot.postings("file", f"{digest}/{path}")[0]


def _telling(now: OpenedIndex, sections: Documents) -> tuple[Unit, ...]:
    """Return the terms that distinguish a note from others, each with its weight."""
    often: Counter[str] = Counter()
    for at in sections.tolist():
        stored = now.snapshot.stored(at)
        often.update(terms(stored.text))
        often.update(terms(stored.heading) * _HEADING)
    worth = {
        term: (1 + math.log(number)) * now.scorer.rarity(known)
        for term, number in often.most_common(_LOOKED_AT)
        if len(term) > 1
        and not term.isdecimal()
        and not is_stopword(term)
        and (known := now.snapshot.frequency("body", term)) > 1
    }
    chosen = sorted(worth, key=lambda term: -worth[term])[:_TELLING]
    return tuple(Unit(((term, 1.0),), worth[term]) for term in chosen)


def mentions(searcher: Searcher, vault: Vault, entry: NoteEntry, *, limit: int = 20) -> tuple[Mention, ...]:
    """Return where other notes name a note, by a title or an alias, in plain text and without a link.

    Raises IndexFailed and VaultMissing; unreadable notes are left out.
    """
    names = sorted(filter(_says_something, {*entry.titles.values(), *entry.aliases}), key=lambda name: -len(name))
    own = frozenset(entry.paths.values())
    nothing: tuple[str, ...] = ()
    paths = searcher.using(lambda now: _naming(now, names, own), nothing)
    found: list[Mention] = []
    for path in paths[:_READ]:
        try:
            note = vault.read(path)
        except (KbError, OSError):
            continue
        found += _in_note(note, names, _linked(vault, note, own))
        if len(found) >= limit:
            break
    return tuple(found[:limit])


def _says_something(name: str) -> bool:
    found = list(words(name))
    return len(found) > 1 or any(len(word.term) >= (2 if word.han else _LETTERS) for word in found)


def _naming(now: OpenedIndex, names: Iterable[str], own: frozenset[str]) -> tuple[str, ...]:
    """Return the notes with sections that have one of some names, best match first."""
    paths: dict[str, None] = {}
    for name in names:
        text = normalized(name)
        for at in _having(now.scorer, name)[:_NAMED].tolist():
            stored = now.snapshot.stored(at)
            if now.snapshot.live[at] and stored.path not in own and any(text in low for low in stored.low):
                paths[stored.path] = None
    return tuple(paths)


def _having(scorer: Scorer, text: str) -> Documents:
    """Return the sections that have every term of a text; int64, shape (n,)."""
    wanted = [term for word in words(text) for term in (word.parts if word.han else (word.term,))]
    found = sorted((scorer.term(term).documents for term in wanted), key=len)
    result = found[0]
    for other in found[1:]:
        result = result[[_has(other, at) for at in result.tolist()]]
    return result


def _linked(vault: Vault, note: Note, own: frozenset[str]) -> frozenset[int]:
    """Return the first lines of the sections that link to a note already."""
    lines = [
        link.line
        for link in note.links
        if link.kind in {"wiki", "note"} and vault.resolve_link(note.path, link.target) in own
    ]
    return frozenset(_section_at(note, line).line for line in lines)


def _section_at(note: Note, line: int) -> Section:
    return next((one for one in reversed(note.sections) if one.line <= line), note.sections[0])


def _in_note(note: Note, names: Iterable[str], linked: frozenset[int]) -> Iterator[Mention]:
    """Yield one mention for each line of a note's prose that has a name, except in sections that are `linked`."""
    patterns = [(name, _pattern(name)) for name in names]
    scanned = scan(note.text, note.meta.lines + 1)
    for number, (line, kind) in enumerate(zip(scanned.lines, scanned.kinds, strict=True), 1):
        if kind is not LineKind.PROSE:
            continue
        plain = _LINKED.sub(lambda link: " " * len(link[0]), without_code(line))
        name = next((name for name, pattern in patterns if pattern.search(plain)), None)
        if name is not None and (section := _section_at(note, number)).line not in linked:
            shown = excerpt(line.strip(), normalized(line.strip()), {normalized(name): 1.0})
            yield Mention(note.path, section.heading, number, section.anchor, name, shown)


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for a name as a whole word; Chinese has no spaces around it, and RANK is not "rank"."""
    spelled = r"\s+".join(map(re.escape, name.split()))
    before = r"(?<![A-Za-z0-9_-])" if name[0].isascii() else ""
    after = r"(?![A-Za-z0-9_-])" if name[-1].isascii() else ""
    return re.compile(before + spelled + after, re.NOFLAG if name[1:].lower() != name[1:] else re.IGNORECASE)
