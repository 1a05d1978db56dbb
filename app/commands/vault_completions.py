"""What can be named in the vault, for who types it: its notes, their headings, tags, snippets, and the glossary."""

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
_LOOKED_AT = 2_000  # places at which a name is found, before the best of them are taken
_HAN = expression("[\u3400-\u9fff]+")
_LETTERS = expression(r"[a-z' ]{2,40}")
_WORDS = expression(r"[a-z0-9]+|[\u3400-\u9fff]+")
_UNFIT = expression(r"[\[\]|#]")
_BRACKETS = expression(r"[\[\]]")


@dataclass(frozen=True)
class _Here:
    """Where one types: the note's path, its text where that matters, the language to offer titles in."""

    path: str
    text: str
    language: str


class VaultCompletions:
    """Answers off the GUI thread; what is read of the vault is kept until its notes are listed anew."""

    def __init__(self, workspace: Workspace, words: Translator) -> None:
        """Look in whatever vault is open."""
        self._workspace, self._words = workspace, words
        self._names: NameIndex | None = None

    def choices(
        self, wanted: CompletionContext, path: str, text: str, *, done: Callable[[Sequence[CompletionItem]], object]
    ) -> None:
        """Tell `done` how what is typed can go on; nothing where the vault cannot be read."""
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
    """Every name of every note, in one text for each way of typing it: ten thousand are looked through at each key."""

    entries: Sequence[NoteEntry]
    _names: list[tuple[int, str]] = field(default_factory=list)  # entry, name
    _starts: list[int] = field(default_factory=list)
    _text: str = ""
    _spelled: str = ""
    _spelled_starts: list[int] = field(default_factory=list)
    _owners: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Write the texts."""
        lines, spelled, at, spelled_at = [], [], 0, 0
        for number, entry in enumerate(self.entries):
            for name in dict.fromkeys((*entry.titles.values(), entry.name, *entry.aliases, entry.key)):
                folded = name.casefold().replace("\n", " ")
                sounds_so = _spelling(name)
                self._names.append((number, name))
                self._starts.append(at)
                self._spelled_starts.append(spelled_at)
                lines.append(folded)
                spelled.append(sounds_so)
                at += len(folded) + 1
                spelled_at += len(sounds_so) + 1
            self._owners.update({name.casefold() for name in (entry.name, *entry.titles.values(), *entry.aliases)})
        self._text, self._spelled = "\n".join(lines), "\n".join(spelled)

    def find(self, typed: str, path: str, language: str) -> tuple[CompletionItem, ...]:
        """Return the notes that have a name like this; of equals, those beside the note at `path` first."""
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
        """Yield how well a name fits, its entry and the name: begun so, a word of it begun so, in it, sounding so."""
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
        """Return a note as it is offered: what was found of it, and a link to it that reads as that.

        A file's name is said by itself where the title has its words, as "gather" for "gather: pick by index".
        """
        target = entry.name if self._owners[entry.name.casefold()] == 1 else entry.key
        own = (entry.name, entry.key, *entry.titles.values())  # also by its title in the other language
        shown = title_of(entry, language) if name in own else name
        if shown == target or (name != shown and _says(target, shown)):
            return CompletionItem(shown, entry.key, target)
        return CompletionItem(shown, entry.key, f"{target}|{_BRACKETS.sub('', shown)}")


def fitting(choices: Iterator[CompletionItem], typed: str) -> tuple[CompletionItem, ...]:
    """Return the choices whose words have what was typed, those that begin with it first."""
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
    """Return the forms of each thing of which one begins so, that one first; the others are told beside it."""
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
    """Yield the snippets of the library and of the vault, with their titles; `linked`: as the link that shows them."""
    for name, snippet in sorted(vault_snippets.library(vault).snippets.items()):
        title = snippet.title.get(language) or snippet.title["en"]
        yield CompletionItem(name, title, f"[{_UNFIT.sub(' ', title)}](snippet:{name}" if linked else name)


def _shipped() -> Iterator[tuple[str, ...]]:
    return things(SHIPPED.read_text(encoding="utf-8"))


def _headings(vault: Vault, wanted: CompletionContext, here: _Here) -> Iterator[CompletionItem]:
    """Yield the headings of the note that a link leads to; of two with the same words, by their anchors."""
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
    """Tell whether a link to a file may read as its name: it is made of words of the title."""
    return "/" not in target and set(_WORDS.findall(target.casefold())) <= set(_WORDS.findall(title.casefold()))


def _spelling(name: str) -> str:
    """Return a name's Chinese as it may be typed in pinyin and by initials, from each of its characters on."""
    made = []
    for run in _HAN.findall(name):
        said = [pinyin.readings(char)[:1] for char in run]
        for at in range(len(said)):
            ways = [way[0] for way in said[at : at + pinyin.LONGEST + 2] if way]
            made += ["".join(ways), "".join(way[0] for way in ways)]
    return f" {' '.join(made)}" if made else ""


def _at(sought: str, text: str) -> Iterator[int]:
    return (match.start() for match in islice(re.finditer(sought, text), _LOOKED_AT))
