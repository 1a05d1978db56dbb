"""Earlier versions of notes and discarded notes, read off the GUI thread."""

# ruff: noqa: PLC0415 - the timeline is loaded when somebody asks for it

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from app.editor.unified_diff import changed_lines
from app.executor import GuiExecutor
from kb.files.tree import read_regular
from kb.notes.note import parse
from kb.vault.trash import DiscardedNote
from kb.vault.vault import Vault

if TYPE_CHECKING:
    from kb.vault.version_store import Version

Failed: TypeAlias = Callable[[Exception], object]
_SHOWN = 200_000  # bytes of a discarded note


@dataclass(frozen=True)
class Timeline:
    """The versions of a note, newest first, and the anchors and headings of its sections now."""

    versions: tuple[Version, ...]
    sections: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShownVersion:
    """A version's text, and the lines of a unified diff from it to another text."""

    text: str
    lines: tuple[str, ...]


class VersionHistory:
    """Reads one vault's versions and discarded notes, and calls back on the GUI thread."""

    def __init__(self, executor: GuiExecutor, vault: Vault) -> None:
        self._executor = executor
        self._vault = vault

    def timeline(self, path: str, anchor: str, take: Callable[[Timeline], object], failed: Failed) -> None:
        """Call `take` with the versions of a note, or, with an anchor, of a section of it."""
        vault = self._vault

        def read() -> Timeline:
            from kb.vault.note_timeline import timeline

            heads = tuple((one.anchor, one.heading) for one in vault.read(path).sections if one.level)
            return Timeline(timeline(vault, path, anchor), heads)

        self._executor.run(read, take, failed)

    def compare(
        self,
        old: Version,
        new: Version | None,
        anchor: str,
        take: Callable[[ShownVersion], object],
        failed: Failed,
    ) -> None:
        """Call `take` with a version and its difference to a newer one, None: to the note as it is now."""
        vault = self._vault

        def read() -> ShownVersion:
            from kb.vault.note_timeline import part_of, text_of

            text = text_of(vault, old, anchor)
            other = part_of(vault.read(old.path), anchor) if new is None else text_of(vault, new, anchor)
            return ShownVersion(text, tuple(changed_lines(text, other)))

        self._executor.run(read, take, failed)

    def discarded(self, take: Callable[[tuple[DiscardedNote, ...]], object], failed: Failed) -> None:
        """Call `take` with the notes that were moved out of the vault, newest first."""
        self._executor.run(self._vault.discarded, take, failed)

    def text_of(self, note: DiscardedNote, take: Callable[[str], object], failed: Failed) -> None:
        """Call `take` with the beginning of a discarded note's text."""
        self._executor.run(lambda: parse(note.path, read_regular(note.kept, note.path, most=_SHOWN)).text, take, failed)
