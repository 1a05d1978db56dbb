"""Completions in the editor from the vault: notes, headings, tags, snippets, and terms of the glossary."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from app.editor.completion import CompletionContext, CompletionItem
from app.i18n import Translator
from app.notebook import vault_snippets
from app.state.tree_model import tags_of, title_of
from app.state.workspace import Workspace
from kb.analysis import pinyin
from kb.analysis.glossary import SHIPPED, OwnGlossary, things
from kb.errors import KbError
from kb.lazy_regex import expression
from kb.markdown.sections import Section, sections
from kb.notes.language import split_name
from kb.notes.note_listing import NoteEntry
from kb.vault.vault import Vault

MOST = 12  # choices
_MOST_MATCHES = 2_000  # of a text among all names, from which the best are taken
_HAN = expression("[\u3400-\u9fff]+")
_LETTERS = expression(r"[a-z' ]{2,40}")
_WORDS = expression(r"[a-z0-9]+|[\u3400-\u9fff]+")
_UNFIT = expression(r"[\[\]|#]")
_BRACKETS = expression(r"[\[\]]")


@dataclass(frozen=True)
class _Here:
    """Where the user types: path and text of the note, and the language of the titles to offer."""

    path: str
    text: str
    language: str


class VaultCompletions:
    """Finds completions in the background; the index of names is kept until the notes are listed again."""

    def __init__(self, workspace: Workspace, words: Translator) -> None:
        """Complete from the open vault of `workspace`."""
        self._workspace, self._words = workspace, words
        self._names: NameIndex | None = None

    def choices(
        self, wanted: CompletionContext, path: str, text: str, *, done: Callable[[Sequence[CompletionItem]], object]
    ) -> None:
        """Call `done` with the completions of what is typed; with none if the vault cannot be read."""
        vault, entries = self._workspace.vault, self._workspace.notes.entries
        language = split_name(path)[1] or self._words.language
        if vault is not None:
            self._workspace.executor.run(
                lambda: self._found(vault, entries, wanted, _Here(path, text, language)), done, lambda _: done(())
            )

    def _found(
        self, vault: Vault, entries: Sequence[NoteEntry], wanted: CompletionContext, here: _Here
    ) -> tuple[CompletionItem, ...]:
        if wanted.kind == "note":
            names = self._names
            if names is None or names.entries is not entries:
                names = self._names = NameIndex(entries)
            return names.find(wanted.typed, here.path, here.language)
        if wanted.kind == "tag":
            tags = (CompletionItem(tag, f"{count}", tag) for tag, count in tags_of(entries))
            return fitting(tags, wanted.typed)
        if wanted.kind == "snippet":
            return fitting(snippets_of(vault, here.language, linked=bool(wanted.whole)), wanted.typed)
        if wanted.kind == "term":
            return terms(chain(OwnGlossary(vault.root).things(), _shipped()), wanted.typed)
        return fitting(_headings(vault, wanted, here), wanted.typed)


@dataclass
class NameIndex:
    """All names of all notes in one text, and their pinyin in another: fast enough for 10,000 at each key."""

    entries: Sequence[NoteEntry]
    _names: list[tuple[int, str]] = field(default_factory=list)  # entry, name
    _starts: list[int] = field(default_factory=list)
    _text: str = ""
    _spelled: str = ""
    _spelled_starts: list[int] = field(default_factory=list)
    _owners: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Build the texts."""
        lines, spelled, at, spelled_at = [], [], 0, 0
        for number, entry in enumerate(self.entries):
            for name in dict.fromkeys((*entry.titles.values(), entry.name, *entry.aliases, entry.key)):
                folded = name.casefold().replace("\n", " ")
                pinyin_forms = _spelling(name)
                self._names.append((number, name))
                self._starts.append(at)
                self._spelled_starts.append(spelled_at)
                lines.append(folded)
                spelled.append(pinyin_forms)
                at += len(folded) + 1
                spelled_at += len(pinyin_forms) + 1
            self._owners.update({name.casefold() for name in (entry.name, *entry.titles.values(), *entry.aliases)})
        self._text, self._spelled = "\n".join(lines), "\n".join(spelled)

    def find(self, typed: str, path: str, language: str) -> tuple[CompletionItem, ...]:
        """Return the notes with a matching name; of equals, those in the folder of the note at `path` first."""
        folder = path.rpartition("/")[0]
        wanted = typed.strip().casefold()
        best: dict[int, tuple[tuple[int, bool, int, str], str]] = {}
        own = split_name(path)[0]
        for rank, number, name in self._places(wanted, folder):
            entry = self.entries[number]
            if entry.key == own:
                continue
            key = (rank, entry.folder != folder, len(name), entry.key)
            if number not in best or key < best[number][0]:
                best[number] = key, name
        ordered = sorted((key, number, name) for number, (key, name) in best.items())[:MOST]
        return tuple(self._choice(self.entries[number], name, language) for _, number, name in ordered)

    def _places(self, wanted: str, folder: str) -> Iterator[tuple[int, int, str]]:
        """Yield rank, number of the entry and name of each match.

        Ranks: 0 at the beginning of the name, 1 of a word in it, 2 elsewhere, 3 in its pinyin.
        """
        if not wanted:
            near = [number for number, entry in enumerate(self.entries) if entry.folder == folder]
            for number in (near + list(range(len(self.entries))))[: 2 * MOST]:
                yield 0, number, self.entries[number].name
            return
        for at in _at(re.escape(wanted), self._text):
            before = self._text[at - 1] if at else "\n"
            rank = 0 if before == "\n" else 2 if before.isalnum() else 1
            yield rank, *self._names[bisect_right(self._starts, at) - 1]
        if _LETTERS.fullmatch(wanted):
            for at in _at(f" {re.escape(pinyin.plain(wanted))}", self._spelled):
                yield 3, *self._names[bisect_right(self._spelled_starts, at) - 1]

    def _choice(self, entry: NoteEntry, name: str, language: str) -> CompletionItem:
        """Return the completion for a note: the name that matched, and a link to the note that shows this name.

        The link is just the file name if the title contains its words, such as "gather" for "gather: pick by index".
        """
        target = entry.name if self._owners[entry.name.casefold()] == 1 else entry.key
        own = (entry.name, entry.key, *entry.titles.values())  # the title in the other language counts, too
        shown = title_of(entry, language) if name in own else name
        if shown == target or (name != shown and _says(target, shown)):
            return CompletionItem(shown, entry.key, target)
        return CompletionItem(shown, entry.key, f"{target}|{_BRACKETS.sub('', shown)}")


def fitting(choices: Iterator[CompletionItem], typed: str) -> tuple[CompletionItem, ...]:
    """Return the choices that contain what was typed, or have it as pinyin; those that begin with it come first."""
    wanted = typed.strip().casefold()
    ranked: list[tuple[int, int, CompletionItem]] = []
    for number, choice in enumerate(choices):
        texts = (choice.text.casefold(), choice.told.casefold())
        if texts[0].startswith(wanted):
            ranked.append((0, number, choice))
        elif any(wanted in text for text in texts):
            ranked.append((1, number, choice))
        elif pinyin.fits(wanted, choice.text) or pinyin.fits(wanted, choice.told):
            ranked.append((2, number, choice))
    ranked.sort(key=lambda one: one[:2])
    return tuple(choice for _, _, choice in ranked[:MOST])


def terms(known: Iterator[tuple[str, ...]], typed: str) -> tuple[CompletionItem, ...]:
    """Return all forms of each term that has a form beginning with what was typed; its other forms are the detail."""
    wanted = typed.casefold()
    found: dict[str, CompletionItem] = {}
    for forms in known:
        begun = [form for form in forms if form.casefold().startswith(wanted) or pinyin.fits(wanted, form)]
        for form in dict.fromkeys((*begun, *forms)) if begun else ():
            others = ", ".join(other for other in forms if other != form)
            found.setdefault(form, CompletionItem(form, others, form))
    ranked = sorted(found.values(), key=lambda choice: not choice.text.casefold().startswith(wanted))
    return tuple(ranked[:MOST])


def snippets_of(vault: Vault, language: str, *, linked: bool) -> Iterator[CompletionItem]:
    """Yield the snippets of library and vault with their titles, to be inserted as a name or `linked`."""
    for name, snippet in sorted(vault_snippets.library(vault).snippets.items()):
        title = snippet.title.get(language) or snippet.title["en"]
        yield CompletionItem(name, title, f"[{_UNFIT.sub(' ', title)}](snippet:{name}" if linked else name)


def _shipped() -> Iterator[tuple[str, ...]]:
    return things(SHIPPED.read_text(encoding="utf-8"))


def _headings(vault: Vault, wanted: CompletionContext, here: _Here) -> Iterator[CompletionItem]:
    """Yield the headings of the note that a link leads to; duplicate headings are inserted as anchors."""
    found = [one for one in _sections(vault, wanted.target, here) if one.level]
    words = Counter(one.heading for one in found)
    for one in found:
        plain = words[one.heading] == 1 and not _UNFIT.search(one.heading)
        insert = one.heading if wanted.kind == "heading" and plain else one.anchor
        yield CompletionItem(one.heading, "#" * one.level, insert)


def _sections(vault: Vault, target: str, here: _Here) -> tuple[Section, ...]:
    if not target:
        return tuple(sections(here.text))
    try:
        place = vault.resolve_link(here.path, target)
        return vault.read(place).sections if place is not None else ()
    except KbError:
        return ()


def _says(target: str, title: str) -> bool:
    """Return whether a file name needs no label in a link: all its words are in the title."""
    return "/" not in target and set(_WORDS.findall(target.casefold())) <= set(_WORDS.findall(title.casefold()))


def _spelling(name: str) -> str:
    """Return the pinyin and the initials of a name's Chinese, starting at each of its characters."""
    made = []
    for run in _HAN.findall(name):
        said = [pinyin.readings(char)[:1] for char in run]
        for at in range(len(said)):
            ways = [way[0] for way in said[at : at + pinyin.LONGEST + 2] if way]
            made += ["".join(ways), "".join(way[0] for way in ways)]
    return f" {' '.join(made)}" if made else ""


def _at(sought: str, text: str) -> Iterator[int]:
    return (match.start() for match in islice(re.finditer(sought, text), _MOST_MATCHES))
