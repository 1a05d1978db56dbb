"""Renames a note or a heading together with every link to it, planned as one step.

A link that still resolves to the same target is left as written; any other keeps its style (wiki or path).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from kb.errors import KbError, NoteChanged, NoteMissing
from kb.files.encoding import restore_line_ends
from kb.files.tree import refuse_name
from kb.markdown.lines import split_lines
from kb.markdown.links import SAFE, LinkSpan, destination, written
from kb.markdown.sections import Section, plain_heading, slug
from kb.notes.language import split_name
from kb.notes.link_resolver import LinkResolver, joined
from kb.notes.note import Note, parse
from kb.notes.note_listing import NoteEntry
from kb.vault.transaction import NewText, Transaction
from kb.vault.vault import Vault


def rename_note(vault: Vault, entry: NoteEntry, key: str) -> Transaction:
    """Plan another path for a note, in each of its languages; `key` is the new one without language and suffix.

    Raises NoteChanged if a file of that name exists.
    """
    key = posixpath.normpath(key.strip().strip("/"))
    return _moved(vault, {path: f"{key}{path[len(entry.key) :]}" for path in entry.paths.values()})


def move_folder(vault: Vault, folder: str, new: str) -> Transaction:
    """Plan another path for a folder with all notes in it. Raises NoteChanged if a target path is taken."""
    old, new = folder.strip("/") + "/", posixpath.normpath(new.strip().strip("/")) + "/"
    return _moved(vault, {path: new + path[len(old) :] for path in vault.files() if path.startswith(old)})


def _moved(vault: Vault, moves: Mapping[str, str]) -> Transaction:
    moves = {old: new for old, new in moves.items() if old != new}
    for new in moves.values():
        refuse_name(new)
        if new not in moves and vault.inside(new).exists():
            raise NoteChanged(new)
    entries = vault.entries()
    after = LinkResolver(tuple(_entry_after(entry, moves) for entry in entries))
    move = _Move(vault, moves, LinkResolver(entries), after)
    texts: list[NewText] = []
    for note in _notes(vault):
        lines = _Lines(note)
        for place in lines.places:
            lines.put(place, move.words(note.path, place))
        texts += lines.rewritten(moves.get(note.path, note.path))
    return Transaction(tuple(moves.items()), tuple(texts))


def rename_heading(vault: Vault, path: str, line: int, heading: str) -> Transaction:
    """Plan another text for the heading at a line (1-based) of a note, and update the links to it.

    Raises NoteMissing if there is no such heading, KbError if the text cannot be a heading.
    """
    note = vault.read(path)
    section = next((one for one in note.sections if one.level and one.line == line), None)
    if section is None:
        raise NoteMissing(f"{path}:{line}")
    text = _with_heading(note, section, heading)
    named = _names_after(note, text)
    texts: list[NewText] = []
    for other in _notes(vault):
        lines = _Lines(other if other.path != path else replace(other, text=text))
        for place in lines.places:
            target, mark, anchor = _parted(place)
            if mark and (vault.resolve_link(other.path, target) if target else other.path) == path:
                lines.put(place, target + mark + _renamed(anchor, place, named))
        texts += lines.rewritten(other.path) if other.path != path else lines.rewritten(path, was=note)
    return Transaction(texts=tuple(texts))


# --- the text of links


@dataclass(frozen=True)
class _Move:
    """Files that get other paths, and the meaning of links before and after."""

    vault: Vault
    moves: Mapping[str, str]
    before: LinkResolver
    after: LinkResolver

    def words(self, path: str, place: LinkSpan) -> str:
        """Return the new text of a link in the note at a path (before); unchanged if it still has the same target."""
        target, mark, rest = _parted(place)
        plain = target if place.wiki else unquote(target)
        meant = self.before.resolve(path, target) or self.vault.file_of(path, target)
        if not target or meant is None:
            return place.text
        here, wanted = self.moves.get(path, path), self.moves.get(meant, meant)
        by_path = not place.wiki and _leads(path, target, meant)  # other programs understand paths
        for words in (plain, *_ways(here, wanted, place, plain)):
            found = self.after.resolve(here, words) or self.vault.file_of(here, words)
            if found == wanted and (not by_path or _leads(here, words, wanted)):
                return (target if words == plain else _spelled(words, place)) + mark + rest
        return place.text  # two files of one name: nothing names only this one


def _spelled(words: str, place: LinkSpan) -> str:
    """Return words escaped as the link needs; non-ASCII letters stay legible, unless the link was percent-encoded."""
    if place.wiki or place.angled:
        return words
    coded = place.text.isascii() and not unquote(place.text).isascii()
    return quote(words, safe=SAFE) if coded else destination(words)


def _leads(here: str, target: str, wanted: str) -> bool:
    """Return whether a link names the path of a file, perhaps without its suffix or language."""
    stem, language = split_name(wanted)
    return not {wanted, stem, f"{stem}.{language}", f"{stem}.md"}.isdisjoint(joined(here, target))


def _ways(here: str, wanted: str, place: LinkSpan, target: str) -> Iterator[str]:
    """Yield ways to name a file, those most like the old words first."""
    stem, language = split_name(wanted)
    shapes = [wanted]
    if not target.lower().endswith((".md", ".markdown", ".txt")):
        full = target.endswith((".zh", ".en")) and language
        shapes = [f"{stem}.{language}", stem, wanted] if full else [stem, f"{stem}.{language}", wanted]
    elif split_name(target)[1] is None and language:
        shapes = [f"{stem}.md", wanted]
    for shape in shapes:
        if place.wiki and "/" not in target and not place.image:
            yield shape.rpartition("/")[2]
        if target.startswith("/"):
            yield f"/{shape}"
        relative = posixpath.relpath(shape, posixpath.dirname(here) or ".")
        yield from (shape, relative) if place.wiki else (_as_dotted(relative, target), shape)


def _as_dotted(relative: str, target: str) -> str:
    return f"./{relative}" if target.startswith("./") and not relative.startswith(".") else relative


def _names_after(before: Note, text: str) -> dict[str, tuple[str, str]]:
    """Return, by old anchor, the new anchor and heading of each section whose anchor changed."""
    after = parse(before.path, text.encode()).sections
    if len(after) != len(before.sections):
        raise KbError("these words are not one heading", "这些文字不能作为一个标题")
    pairs = zip(before.sections, after, strict=True)
    return {old.anchor: (new.anchor, new.heading) for old, new in pairs if old.anchor != new.anchor}


def _renamed(anchor: str, place: LinkSpan, named: Mapping[str, tuple[str, str]]) -> str:
    label = ""
    if place.wiki:
        anchor, bar, rest = anchor.partition("|")
        label = bar + rest
    plain = unquote(anchor).strip()
    new = named.get(plain) or named.get(slug(plain))
    if new is None:
        return anchor + label
    as_words = place.wiki and plain not in named
    return (new[1] if as_words else _spelled(new[0], place)) + label


def _with_heading(note: Note, section: Section, heading: str) -> str:
    words = " ".join(heading.split())
    if not plain_heading(words):
        raise KbError("a heading needs a word", "标题不能为空")
    lines = split_lines(note.text)
    line = lines[section.line - 1]
    at = line.rfind(section.raw_heading)
    lines[section.line - 1] = line[:at] + words + line[at + len(section.raw_heading) :]
    return restore_line_ends(note.text, "\n".join(lines))


def _parted(place: LinkSpan) -> tuple[str, str, str]:
    """Split the text of a link into its file, the mark after it, and the rest."""
    ends = [at for at in (place.text.find("#"), place.text.find("|") if place.wiki else -1) if at >= 0]
    at = min(ends, default=len(place.text))
    target = place.text[:at]
    if target.endswith("\\"):  # in a table the bar is escaped
        at, target = at - 1, target[:-1]
    return target.rstrip() if place.wiki else target, place.text[at : at + 1], place.text[at + 1 :]


# --- files and lines


class _Lines:
    """The lines of a note in which links are being rewritten."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self.places = written(note.text, note.meta.lines + 1)
        self._new: dict[LinkSpan, str] = {}

    def put(self, place: LinkSpan, words: str) -> None:
        if words != place.text:
            self._new[place] = words

    def rewritten(self, path: str, *, was: Note | None = None) -> Iterable[NewText]:
        """Yield the note's new text if it changed; `was` is the text on disk if that differs."""
        if not self._new and was is None:
            return
        lines = split_lines(self._note.text)
        for place, words in sorted(self._new.items(), key=lambda one: one[0].column, reverse=True):
            line = lines[place.line - 1]
            lines[place.line - 1] = line[: place.column] + words + line[place.column + len(place.text) :]
        yield NewText(path, restore_line_ends(self._note.text, "\n".join(lines)), self._note.hash)


def _notes(vault: Vault) -> Iterator[Note]:
    for path in vault.files():
        try:
            note = vault.read(path)
        except KbError:
            continue  # no links to update in an unreadable note
        if note.form.lossless:
            yield note


def _entry_after(entry: NoteEntry, moves: Mapping[str, str]) -> NoteEntry:
    paths = {side: moves.get(path, path) for side, path in entry.paths.items()}
    if paths == dict(entry.paths):
        return entry
    key = split_name(next(iter(paths.values())))[0]
    folder, _, name = key.rpartition("/")
    # A note without a heading is titled by its name. If a heading equals the name, its links are rewritten needlessly.
    titles = {side: name if title == entry.name else title for side, title in entry.titles.items()}
    return replace(entry, key=key, folder=folder, name=name, paths=paths, titles=titles)
